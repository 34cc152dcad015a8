"""From a run back to rows of parts."""

from __future__ import annotations

import pandas as pd
import pyterrier as pt

from ...errors import check_choice
from ...frames.columns import flatten, span_column
from ...frames.packing import unpack
from ..transformer import PartsTransformer


class Unpack(PartsTransformer):
    """Make rows of parts of a run: the inverse of `Focused()`, for pipelines that go on after a task.

    Input: the run frame. Output: a row per passage (`docno` = passage id), ranked, with its article's foreign columns.
    Systems that end in a task are fused part by part:
    `(A >> Unpack()) + (B >> Unpack()) >> Focused(overlap="remove")`.

    Args:
        score: 'passage' gives a part its own score, its article's if it has none; 'article' its article's, so that a
            re-ranker of articles orders the parts, too (those of one article by where they begin).

    Example:
        >>> passages = [[(0, 80, 3.0), (90, 99, 1.0)]]
        >>> run = pd.DataFrame({"qid": "q1", "docno": ["7"], "score": [3.0], "passages": passages})
        >>> Unpack()(run)[["docno", "score"]].values.tolist()
        [['7#0-80', 3.0], ['7#90-99', 1.0]]
    """

    def __init__(self, score: str = "passage"):
        check_choice("Unpack: score", score, ("passage", "article"))
        self.score = score

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.result_frame(inp, extra_columns=["score", "passages"], context=self)
        if self.score == "article":
            row, start, end, _ = flatten(inp["passages"], "passages", inp)
            inp = inp.assign(passages=span_column(row, len(inp), start, end))
        return unpack(inp)
