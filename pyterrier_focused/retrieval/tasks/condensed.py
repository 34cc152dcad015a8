"""Rankings over judged articles only, as a step of a pipeline."""

from __future__ import annotations

import pandas as pd
import pyterrier as pt

from ...frames.checks import need
from ...frames.judged import is_judged
from ...frames.packing import ranked
from ..transformer import PartsTransformer


class Condensed(PartsTransformer):
    """Leave out articles that are not judged for their topic, and number the ranks again (condensed lists).

    Input: a ranking (`qid`, `docno`, `score`) of articles or of parts; a part is judged if its article is. Output:
    the rows that stay. `pyterrier_focused.evaluation.condense` does the same to a run.

    Source: Sakai, Alternatives to Bpref, SIGIR 2007, section 3.

    Example:
        >>> run = pd.DataFrame({"qid": "q1", "docno": ["b", "a"], "score": [2.0, 1.0]})
        >>> Condensed(pd.DataFrame({"qid": ["q1"], "docno": ["a"]}))(run)[["docno", "rank"]].values.tolist()
        [['a', 0]]
    """

    def __init__(self, qrels: pd.DataFrame):
        need(qrels, ["qid", "docno"], "qrels")
        self._qrels = qrels[["qid", "docno"]].astype(str)
        self.judged = frozenset(zip(qrels["qid"].astype(str), qrels["docno"].astype(str), strict=True))

    def settings(self) -> dict[str, object]:
        """Return the settings by which transformers of this class differ."""
        return {"judged": self.judged}

    def __repr__(self) -> str:
        return f"Condensed({len(self.judged)} judged articles, {hash(self.judged):x})"

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Leave out what is not judged."""
        pt.validate.result_frame(inp, extra_columns=["score"], context=self)
        return ranked(inp[is_judged(inp, self._qrels)])
