"""The Focused task: the best parts of a topic, without overlap, ranked by themselves."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .parts import PartsTransformer, check_choice, check_count, pack_parts, read_parts, refuse_overlap


class Focused(PartsTransformer):
    """Make a run for the Focused task of rows of parts.

    Input: a frame of parts (`qid`, `docno` = passage id, `score`). Output: the run frame, a row per topic and article;
    its `passages` are (start, end, score) in document order, ranked by their own scores; an article's score is its best
    part's, and foreign columns are that part's.

    k: how many parts of a topic go in, best first; None for all. INEX took 1,500.
    overlap: 'error' raises an OverlapError where parts of an article share characters; 'allow' lets them pass, which
        makes a run for the Thorough task (score it with measures that say `overlap='once'`).
    """

    def __init__(self, k: int | None = 1500, overlap: str = "error"):
        check_count(self, "k", k, 1, optional=True)
        check_choice(self, "overlap", overlap, ("error", "allow"))
        self.k = k
        self.overlap = overlap

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Pack the best parts into the run frame."""
        parts = read_parts(inp, self)
        if self.k is not None:
            parts = parts.take(parts.ranks() < self.k)
        if self.overlap == "error":
            refuse_overlap(inp, parts, self)
        best = np.full(len(parts.names), -np.inf)
        np.maximum.at(best, parts.group, parts.score)
        return pack_parts(inp, parts, best, None, scored=True)
