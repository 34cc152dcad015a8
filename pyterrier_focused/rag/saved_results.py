"""Reading saved results back, for gates, reports and tables."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..errors import FormatError
from ..evaluation.measure_strings import parse
from ..evaluation.text_units import CountedTexts, TextUnits
from ..evaluation.tokens import Tokens
from .chunkers import ChunkerComparison
from .citations import CitedEvaluation
from .counting import count_measures
from .find_texts import Place
from .result import RetrievedEvaluation
from .result_files import ResultFile, read_result


def load_result(path: str | os.PathLike[str]) -> RetrievedEvaluation | ChunkerComparison:
    """Read a result of `evaluate_retrieved` or `compare_chunkers` that its `save` wrote.

    Measures with a tokenizer of their own come back as text, with their values; of a comparison of chunkers, the chunks
    do not come back.

    Raises:
        FormatError: The file is not a saved result, or was written by another version.

    Example:
        >>> from pyterrier_focused import evaluate_retrieved
        >>> evidence = [{"question": "What do cats eat?", "docno": "a", "quote": "fish"}]
        >>> result = evaluate_retrieved(evidence, {"What do cats eat?": ["Cats eat fish."]}, {"a": "Cats eat fish."})
        >>> result.save("result.zip")
        >>> load_result("result.zip").table.equals(result.table)
        True
    """
    content = read_result(path)
    try:
        return _make_result(content)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise FormatError(f"this saved result lacks a part ({error!r}); save it again", file=os.fspath(path)) from None


def _make_result(content: ResultFile) -> RetrievedEvaluation | ChunkerComparison:
    frames = content.frames
    named = [name if "unit=" in name else parse(name)[0] for name in content.about["measures"]]
    name = content.about["unit"]
    unit: CountedTexts[Any] | None = None
    if content.about["starts"] is not None:
        unit = TextUnits(content.texts, name, content.about["starts"])
    elif name is not None:
        unit = Tokens(content.texts, _LostTokenizer(name), name)
    measures = count_measures(named, unit)
    fields: dict[str, Any] = {
        **frames, "runs": content.runs, "measures": measures, "unit": unit, "texts": content.texts,
        "retrieved": content.retrieved, "confidence": float(content.about["confidence"]),
        "seed": int(content.about["seed"]), "fingerprints": content.about.get("fingerprints"),
    }  # fmt: skip
    if content.about.get("kind") == "chunks":
        # The points were called a curve.
        fields["points"] = fields.pop("curve", fields.get("points"))
        return ChunkerComparison(chunks={}, **fields)
    located = frames["located"]
    spans = [[Place(docno, (start, end)) for docno, (start, end) in cell] for cell in located["spans"]]
    located["spans"] = pd.Series(spans, dtype=object, index=located.index)
    return CitedEvaluation(**fields) if "citations" in frames else RetrievedEvaluation(**fields)


@dataclass(frozen=True)
class _LostTokenizer:
    """What stands for a tokenizer, which is not saved."""

    name: str

    def __call__(self, text: str) -> Iterable[object]:
        raise ValueError(
            f"the result was saved without its tokenizer {self.name!r}, so that only the measures of its table are "
            "known; score again to have others"
        )
