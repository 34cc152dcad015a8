"""Which articles, and which parts of them, should be judged? Depth-k pooling of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from ..evaluation.inputs import as_runs
from ..frames.columns import flatten, span_column
from ..frames.ids import parse_ids
from ..frames.packing import ranked, unpack
from ..frames.spans import union

BY = ("articles", "parts")


def pool(
    runs: Mapping[str, pd.DataFrame] | Sequence[pd.DataFrame], depth: int = 100, by: str = "articles"
) -> pd.DataFrame:
    """Pool the top of several runs into a list of articles to judge, with the parts that the runs retrieved there.

    Args:
        runs: Run frames (a list, or a dict by name), each `qid, docno, score` and, for parts, `passages`.
        depth: How much of each run and topic is pooled.
        by: 'articles' pools the first *depth* articles, 'parts' the articles of the first *depth* passages.

    Returns:
        A row per topic and article: `qid, docno, runs` (how many runs brought it into the pool), `best_rank` (the
        highest article or part rank at which, from 0) and, if a run has passages, `passages`: the union of the pooled
        parts, as (start, end) in document order. Topics come in order of first appearance, articles in order of
        docno, which tells the assessor nothing of the systems.

    Source: Manning, Raghavan and Schuetze, chapter 8.5.

    Example:
        >>> run = pd.DataFrame({"qid": "q1", "docno": ["a", "b"], "score": [2.0, 1.0]})
        >>> pool([run, run.assign(docno=["c", "a"])], depth=1)[["docno", "runs", "best_rank"]].values.tolist()
        [['a', 1, 0], ['c', 1, 0]]
    """
    frames = list(as_runs(runs).values())
    if by not in BY:
        raise ValueError(f"by={by!r}: choose 'articles' or 'parts'")
    if depth < 1:
        raise ValueError(f"depth={depth!r}: pool at least the first of each run")
    tops = [_take_top(frame, depth, by).assign(run=i) for i, frame in enumerate(frames)]
    rows = pd.concat(tops, ignore_index=True)
    rows["topic"] = pd.factorize(rows["qid"])[0]
    found = rows.groupby(["topic", "docno"], sort=True)
    pooled = found.agg(qid=("qid", "first"), runs=("run", "nunique"), best_rank=("rank", "min")).reset_index()
    if "passages" in rows:
        spans = flatten(rows["passages"], "passages", rows)
        row, start, end = union(found.ngroup().to_numpy()[spans.row], spans.start, spans.end)
        pooled["passages"] = span_column(row, len(pooled), start, end)
    return pooled[["qid", *[name for name in pooled.columns if name not in ("topic", "qid")]]]


def _take_top(run: pd.DataFrame, depth: int, by: str) -> pd.DataFrame:
    """Return the pooled rows of one run: qid, docno (article), rank and, if it has them, passages."""
    if by == "parts":
        parts = unpack(run)
        parts = parts[parts["rank"] < depth]
        article, start, end = parse_ids(parts["docno"])
        cells = span_column(np.arange(len(parts)), len(parts), start, end)
        return pd.DataFrame({"qid": parts["qid"], "docno": article, "rank": parts["rank"], "passages": cells})
    top = ranked(run)
    return top.loc[top["rank"] < depth, [n for n in ("qid", "docno", "rank", "passages") if n in top.columns]]
