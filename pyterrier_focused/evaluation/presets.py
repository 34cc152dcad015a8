"""Named sets of measures: those that a task is usually reported with."""

from __future__ import annotations

from ir_measures import Measure

from ..errors import check_choice
from .measure_strings import parse
from .preset_measures import PRESETS


def expand_presets(text: str) -> str:
    """Replace the names of presets by their measures, as commands do: `expand_presets("focused AP")`.

    Example:
        >>> expand_presets("in-context AP").split()[-1]
        'AP'
    """
    return " ".join(PRESETS.get(word, word) for word in text.split(" "))


def preset(name: str) -> list[Measure]:
    """Return a named set of measures, as `parse` does: `pt.Experiment(..., preset("focused"))`.

    `PRESETS` has them as strings, and `pt-focused evaluate -m` takes their names.

    Args:
        name: 'focused', 'in-context', 'best-in-context' (with A) and 'best-in-context-n' are those of the paper "INEX
            2007 Evaluation Measures", 'inex-eval' and 'inex-eval-bic' those of the official program's defaults;
            'adhoc' ranks whole articles, 'articles' has the usual measures of document retrieval today; 'characters'
            has precision, recall and their combinations over all retrieved text; 'evidence' measures the first five
            chunks, 'budget' the first 2,000 characters.

    Example:
        >>> preset("focused")
        [iP@0.0, iP@0.01, iP@0.05, iP@0.1, AiP]
    """
    check_choice("preset", name, PRESETS)
    return parse(PRESETS[name])
