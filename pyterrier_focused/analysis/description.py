"""What is in this frame? The sizes of qrels and of runs, on one screen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..frames.checks import check_qrels, check_run
from ..frames.columns import flatten
from ..frames.items import read_passages
from ..frames.spans import union


def describe(frame: pd.DataFrame) -> pd.Series:
    """Describe qrels or a run by their sizes: a Series of counts, each with its name.

    Args:
        frame: Qrels (`qid, docno, label`) or a run (`qid, docno, score`).

    Returns:
        For qrels: topics, topics with relevant articles, judged and relevant articles and, if there are highlights, how
        many there are (merged), their characters, the median length of one, and the share of the relevant articles'
        text that is highlighted (NaN if lengths are missing). For a run: topics, articles, articles per topic (mean)
        and, if there are passages, passages, passages per article (mean), characters per topic (mean), the median
        length of a passage, and articles whose passages overlap. Lengths are in characters.

    Example:
        >>> qrels = pd.DataFrame([["1", "a", 1], ["1", "b", 0]], columns=["qid", "docno", "label"])
        >>> describe(qrels)["relevant articles"]
        1
    """
    if not isinstance(frame, pd.DataFrame):
        raise ValueError(f"describe takes a frame, as read_qrels and read_run return it; got {type(frame).__name__}")
    if {"qid", "docno", "label"} <= set(frame.columns):
        return pd.Series(_describe_qrels(frame), name="qrels", dtype=object)
    if {"qid", "docno", "score"} <= set(frame.columns):
        return pd.Series(_describe_run(frame), name="run", dtype=object)
    raise ValueError(f"neither qrels (qid, docno, label) nor a run (qid, docno, score): {list(frame.columns)}")


def _describe_qrels(qrels: pd.DataFrame) -> dict[str, object]:
    relevant = (qrels["label"] >= 1).to_numpy()
    found: dict[str, Any] = {
        "topics": qrels["qid"].nunique(),
        "topics with relevant articles": qrels["qid"][relevant].nunique(),
        "judged articles": len(qrels),
        "relevant articles": int(relevant.sum()),
    }
    if "highlights" in qrels:
        check_qrels(qrels)
        spans = flatten(qrels["highlights"], "highlights", qrels)
        row, start, end = union(spans.row, spans.start, spans.end)
        size = end - start
        found["highlights"] = len(size)
        found["highlighted characters"] = int(size.sum())
        found["median highlight"] = float(np.median(size)) if len(size) else np.nan
        lengths = pd.to_numeric(qrels.get("length", pd.Series(np.nan, qrels.index)), errors="coerce")
        text = lengths.to_numpy(dtype=np.float64)[np.unique(row)]
        has_lengths = len(text) > 0 and bool((text > 0).all())
        found["highlighted share of their articles"] = float(size.sum() / text.sum()) if has_lengths else np.nan
    return found


def _describe_run(run: pd.DataFrame) -> dict[str, object]:
    topics = run["qid"].nunique()
    found: dict[str, Any] = {
        "topics": topics,
        "articles": len(run),
        "articles per topic": _divide_or_nan(len(run), topics),
    }
    if "passages" in run:
        check_run(run)
        passages = read_passages(run)
        spans = passages.spans
        size = spans.end - spans.start
        row, start, end = union(spans.row, spans.start, spans.end)
        once = np.bincount(row, end - start, minlength=len(run))
        found["passages"] = len(size)
        found["passages per article"] = _divide_or_nan(len(size), len(run))
        found["characters per topic"] = _divide_or_nan(passages.characters, topics)
        found["median passage"] = float(np.median(size)) if len(size) else np.nan
        all_sizes = np.bincount(spans.row, size, minlength=len(run))
        found["articles with overlapping passages"] = int((all_sizes > once).sum())
    return found


def _divide_or_nan(count: int, parts: int) -> float:
    return count / parts if parts else np.nan
