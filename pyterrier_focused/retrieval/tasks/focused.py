"""The Focused task: the best parts of a topic, without overlap, ranked by themselves."""

from __future__ import annotations

import pandas as pd
import pyterrier as pt

from ...errors import check_choice
from ...frames.packing import find_item_ranks, pack_parts, score_articles
from ..transformer import PartsTransformer, check_count, overlap_advice, read_parts
from .overlap import OVERLAP, RemoveOverlap, remove_overlap


class Focused(PartsTransformer):
    """Make a run for the Focused task from rows of parts.

    Input: a frame of parts (`qid`, `docno` = passage id, `score`). Output: the run frame, a row per topic and article;
    its `passages` are (start, end, score) in document order, ranked by their own scores; an article's score is its best
    part's, and foreign columns are that part's.

    Args:
        k: How many parts, or items of several, of a topic go in, best first; None for all. INEX took 1,500.
        overlap: 'remove' keeps the better ranked of parts that share characters, as `RemoveOverlap()` does; 'error'
            raises an OverlapError, to check a run of your own; 'allow' keeps all, which makes a run for the Thorough
            task (score it with measures that say `overlap='once'`).

    Example:
        >>> from pyterrier_focused import cells
        >>> parts = pd.DataFrame({"qid": "q1", "docno": ["7#0-80", "12#5-60", "7#90-99"], "score": [3.0, 2.0, 1.0]})
        >>> run = Focused()(parts)
        >>> run["docno"].tolist()
        ['7', '12']
        >>> cells(run["passages"])
        [[(0, 80, 3.0), (90, 99, 1.0)], [(5, 60, 2.0)]]
    """

    def __init__(self, k: int | None = 1500, overlap: str = "remove"):
        check_count(self, "k", k, 1, optional=True)
        check_choice("Focused: overlap", overlap, OVERLAP)
        self.k = k
        self.overlap = overlap

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        parts = read_parts(inp, self)
        if self.overlap == "remove":
            parts = remove_overlap(inp, parts)
        if self.k is not None:
            parts = parts.take(find_item_ranks(inp, parts) < self.k)
        advice = None if self.overlap == "allow" else overlap_advice(self)
        return pack_parts(inp, parts, score_articles(inp, parts), k=None, scored=True, overlap_advice=advice)

    def fuse_left(self, left: pt.Transformer) -> pt.Transformer | None:
        """Take over a `RemoveOverlap()` before: rows are read and ranked once."""
        return Focused(self.k) if left == RemoveOverlap("best") else None
