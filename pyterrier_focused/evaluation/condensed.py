"""Incomplete judgments: runs without their unjudged articles, and the share of these in a run's top."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..frames.judged import is_judged
from ..frames.packing import ranked
from .inputs import as_runs


def condense(run: pd.DataFrame, qrels: pd.DataFrame) -> pd.DataFrame:
    """Leave out a run's articles that are not judged for their topic, and number the ranks again: condensed lists.

    Measures over the result do not punish a system for articles that nobody looked at, even for bad ones that it ranks
    first, so report them beside the others.

    Source: Sakai, Alternatives to Bpref, SIGIR 2007, section 3.

    Example:
        >>> run = pd.DataFrame({"qid": "q1", "docno": ["b", "a"], "score": [2.0, 1.0]})
        >>> condense(run, pd.DataFrame({"qid": ["q1"], "docno": ["a"]}))[["docno", "rank"]].values.tolist()
        [['a', 0]]
    """
    judged = is_judged(run, qrels)
    if "score" not in run.columns:
        raise ValueError(f"a run needs the columns ['qid', 'docno', 'score']; found: {list(run.columns)}")
    return ranked(run[judged])


def unjudged_share(
    runs: Mapping[str, pd.DataFrame] | pd.DataFrame, qrels: pd.DataFrame, depth: int = 10
) -> pd.DataFrame:
    """Return the share of unjudged articles in each run's top.

    Args:
        depth: How many first articles of each judged topic count.

    Returns:
        A row per run: `name, topics, articles` (in the top) and `unjudged`, their share from 0 to 1. A topic that the
        run misses has no articles; the share is NaN for a run without any.

    Example:
        >>> run = pd.DataFrame({"qid": "q1", "docno": ["b", "a"], "score": [2.0, 1.0]})
        >>> unjudged_share({"mine": run}, pd.DataFrame({"qid": ["q1"], "docno": ["a"]})).values.tolist()
        [['mine', 1, 2, 0.5]]
    """
    if depth < 1:
        raise ValueError(f"depth={depth!r}: look at the first article at least")
    topics = set(qrels["qid"].astype(str))
    rows = []
    for name, run in as_runs(runs).items():
        of_topics = ranked(run[run["qid"].astype(str).isin(topics)])
        top = of_topics[of_topics["rank"] < depth]
        share = float((~is_judged(top, qrels)).mean()) if len(top) else np.nan
        rows.append((name, top["qid"].nunique(), len(top), share))
    return pd.DataFrame(rows, columns=["name", "topics", "articles", "unjudged"])


def unjudged_note(runs: Mapping[str, pd.DataFrame], qrels: pd.DataFrame, depth: int = 10) -> str:
    """Say in which runs more than half of the first articles are unjudged.

    Example:
        >>> qrels = pd.DataFrame([["q1", "a", 1]], columns=["qid", "docno", "label"])
        >>> run = pd.DataFrame([["q1", "b", 2.0], ["q1", "c", 1.0]], columns=["qid", "docno", "score"])
        >>> unjudged_note({"mine": run}, qrels)[:62]
        'Most of the first 10 articles are unjudged in mine (100%). Unj'
    """
    shares = unjudged_share(runs, qrels, depth)
    mostly = shares[shares["unjudged"] > 0.5]
    if mostly.empty:
        return ""
    named = ", ".join(f"{name} ({share:.0%})" for name, share in zip(mostly["name"], mostly["unjudged"], strict=True))
    return (
        f"Most of the first {depth} articles are unjudged in {named}. Unjudged articles count as not relevant: these "
        "values say little, and may be too low."
    )
