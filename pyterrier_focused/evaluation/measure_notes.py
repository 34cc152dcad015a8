"""Explanations of measures for readers of a report: full name, meaning, range and source."""

from __future__ import annotations

import inspect
import re
from typing import NamedTuple

from ir_measures import Measure
from ir_measures import measures as standard

from ..measures import FocusedMeasure
from .measure_strings import parse

# of a docstring of ours: from its name to the next one
_PART = r"{}: (.*?)(?=\n\w[\w ]*:|\n\n|\Z)"
_CITED = re.compile(r"\.\. cite\.dblp:: (\S+)")
# ir_measures' measures with values in [0, 1]
_SHARES = frozenset(
    "AP AP_IA Accuracy Bpref Compat ERR ERR_IA INSQ INST IPrec Judged NRBP P P_IA R RBP RR Rprec SDCG SetAP SetF "
    "SetP SetR StRecall Success alpha_nDCG infAP nDCG nERR_IA nNRBP".split()
)


class MeasureNote(NamedTuple):
    """The explanation of one measure; *range* and *source* are '' if they are not known."""

    name: str
    full_name: str
    what: str
    range: str
    source: str

    @property
    def sentence(self) -> str:
        text = f"{self.full_name}: {self.what}"
        text += f" Range: {self.range}" if self.range else ""
        return text + (f" Source: {self.source}" if self.source else "")


def measure_note(measure: Measure) -> MeasureNote:
    name = str(measure.NAME)
    text = inspect.getdoc(type(measure)) or ""
    range_, source = (_join_lines(re.search(_PART.format(part), text, re.DOTALL)) for part in ("Range", "Source"))
    if isinstance(getattr(standard, name, None), type(measure)):
        cited = _CITED.search(text)
        source = f"dblp.org/rec/{cited[1]}; computed by ir_measures." if cited else "ir_measures."
        range_ = "[0, 1]." if name in _SHARES else ""
    what = getattr(measure, "SHORT_DESC", None) or text.partition("\n")[0]
    return MeasureNote(str(measure), getattr(measure, "PRETTY_NAME", None) or name, what, range_, source)


def is_share(measure: Measure | str) -> bool:
    """Tell whether a measure is known to have values in [0, 1] only."""
    if isinstance(measure, str):
        try:
            (measure,) = parse(measure)
        except ValueError:
            return False
    return bool(measure.is_share if isinstance(measure, FocusedMeasure) else measure.NAME in _SHARES)


def _join_lines(match: re.Match[str] | None) -> str:
    return " ".join(match[1].split()) if match else ""
