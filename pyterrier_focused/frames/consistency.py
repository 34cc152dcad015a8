"""Consistency of a run, its qrels and the articles: what does not fit is counted and said in one warning.

An evaluation with ids that do not match, or with offsets beyond the text, has a score like any other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..errors import EvaluationWarning, ForeignIdsWarning, warn_caller
from .arrow_columns import find_near_names
from .columns import MISSING_START
from .spans import Floats, Ints, Spans

RowName = Callable[[int], str]

_PASSAGE_ID = re.compile(r"#[0-9]+-[0-9]+\Z")


def is_passage_id(docno: object) -> bool:
    """Tell whether a docno looks like `ARTICLE#START-END`."""
    return isinstance(docno, str) and _PASSAGE_ID.search(docno) is not None


def warn(findings: Sequence[str], category: type[EvaluationWarning] = EvaluationWarning) -> None:
    """Give one warning of all findings; none if there are none."""
    if findings:
        warn_caller("; ".join(findings), category)


def warn_of_foreign_run(run: pd.DataFrame, qrels: pd.DataFrame) -> None:
    """Warn if the ids of a run's topics or articles do not fit the qrels, both with PyTerrier's names of columns."""
    topics = qrels["qid"].unique()
    docnos = run.loc[run["qid"].isin(topics), "docno"].unique()
    judged = qrels["docno"].unique()
    warn_of_foreign_ids(run["qid"].unique().tolist(), topics.tolist(), docnos, pd.Index(docnos).isin(judged), judged)


def warn_of_foreign_ids(
    run_topics: Sequence[str],
    topics: Sequence[str],
    docnos: NDArray[np.object_],
    is_judged: NDArray[np.bool_],
    judged: NDArray[np.object_],
) -> bool:
    """Warn as `describe_unmatched_ids` tells, of a run that fits nothing by a class of its own; tell if there was one.

    Commands end with another exit code after a `ForeignIdsWarning`.
    """
    found = describe_unmatched_ids(run_topics, topics, docnos, is_judged, judged)
    warn(found, EvaluationWarning if is_judged.any() else ForeignIdsWarning)
    return bool(found)


def describe_unmatched_ids(
    run_topics: Sequence[str],
    topics: Sequence[str],
    docnos: NDArray[np.object_],
    is_judged: NDArray[np.bool_],
    judged: NDArray[np.object_],
) -> list[str]:
    """Tell if the qrels lack all topics of the run, or all articles of its judged topics, or almost all.

    *docnos* are the articles of the run in judged topics, each once, *is_judged* tells which of them the qrels have,
    and *judged* holds the docnos of the qrels.
    """
    known_topics = set(topics)
    strange = [topic for topic in run_topics if topic not in known_topics]
    found = _tell_near("topics", np.array(strange, dtype=object), np.array(topics, dtype=object), set(run_topics))
    if not len(docnos):
        if not len(run_topics) or not len(topics):
            return found
        return found or [
            f"none of the run's {len(run_topics)} topics is in the qrels (first of the run: {run_topics[0]!r}, of the "
            f"qrels: {topics[0]!r}); do both use the same topic ids?"
        ]
    found += _tell_near("articles", docnos[~is_judged], judged, docnos[is_judged])
    if is_judged.any() or found:
        return found
    what = (
        f"none of the run's {len(docnos)} articles is in the qrels (first of the run: {docnos[0]!r}, of the qrels: "
        f"{judged[0]!r})"
    )
    if all(map(is_passage_id, docnos[:1000])):
        return [
            f"{what}; these are passage ids: put Focused(), RelevantInContext() or BestInContext() after the system"
        ]
    return [f"{what}; do both use the same docnos?"]


def _tell_near(
    what: str, names: NDArray[np.object_], known: NDArray[np.object_], matched: Collection[str] | NDArray[np.object_]
) -> list[str]:
    """Tell of names that would be known if blanks around them, case or Unicode's forms did not count.

    Names of the qrels that are *matched* exactly have their own rows in the run: the others are other articles, unless
    blanks are all that differs.
    """
    if not len(names) or not len(known):
        return []
    near = find_near_names(names, known)
    taken = set(matched) if near else set()
    near = [(name, twin) for name, twin in near if twin not in taken or name.strip() == twin.strip()]
    if not near:
        return []
    name, twin = near[0]
    return [
        f"{len(near)} of the run's {what} are in the qrels under a name that differs by blanks, case or Unicode form "
        f"only (first of the run: {name!r}, of the qrels: {twin!r}) and count as unjudged; write them alike"
    ]


def describe_missing_cells(missing: NDArray[np.bool_], docno: NDArray[np.object_], row_name: RowName) -> list[str]:
    """Tell of rows without a cell of passages (None, not an empty list) beside rows that have one.

    Rows whose docno is a passage id were not packed; this is said separately.
    """
    if not missing.any() or missing.all():
        return []
    unpacked = missing.copy()
    unpacked[missing] = [is_passage_id(name) for name in docno[missing]]
    found = []
    if unpacked.any():
        found.append(
            f"{np.count_nonzero(unpacked)} of the run's {len(missing)} rows are parts that no task packed (first: "
            f"{row_name(int(np.argmax(unpacked)))}), the others articles with passages; `>>` binds tighter than "
            "`^` and `|`: write (A ^ B) >> Focused()"
        )
    missing = missing & ~unpacked
    if missing.any():
        found.append(
            f"{np.count_nonzero(missing)} of the run's {len(missing)} articles have no cell of passages, the others "
            f"have (first: {row_name(int(np.argmax(missing)))}), and count as if nothing of them was retrieved; "
            "operators keep the passages of one system only: fuse parts before the task, or "
            "(A >> Unpack()) + (B >> Unpack()) >> Focused()"
        )
    return found


def describe_order(topic: Ints, score: Floats, passages: Spans, row_name: RowName) -> list[str]:
    """Tell if articles are ranked in another order than their best passages, in float32, ties allowed."""
    if passages.score is None or not len(passages.row):
        return []
    first = np.flatnonzero(np.diff(passages.row, prepend=-1))
    row = passages.row[first]
    topic = topic[row]
    with np.errstate(over="ignore"):
        best = np.maximum.reduceat(passages.score, first).astype(np.float32)
        score = score[row].astype(np.float32)
    if not np.any((topic[1:] == topic[:-1]) & (best[1:] > best[:-1])):
        return []
    order = np.lexsort((-best, -score, topic))
    row, topic, best = row[order], topic[order], best[order]
    wrong = np.flatnonzero((topic[1:] == topic[:-1]) & (best[1:] > best[:-1]))
    if not len(wrong):
        return []
    one, other = row[wrong[0]], row[wrong[0] + 1]
    return [
        f"the order of articles contradicts that of their best passages in {len(np.unique(topic[wrong]))} of "
        f"{len(np.unique(topic))} topics (first: {row_name(int(one))} is ranked before {row_name(int(other))}): "
        "measures of articles read one, those of passages the other; after a re-ranker of articles, "
        "Unpack(score='article') >> Focused() lets its order count for both, Unpack() >> Focused() that of the passages"
    ]


def describe_unpacked_run(docno: pd.Series, judged: pd.Series) -> list[str]:
    """Tell if a run holds parts while articles are judged; reads a hundred rows."""
    ids = [name for name in docno.iloc[:: max(1, len(docno) // 100)] if is_passage_id(name)]
    if not ids or not len(judged):
        return []
    articles = set(judged)
    if not articles.isdisjoint(ids) or any(map(is_passage_id, articles)):
        return []
    return [
        f"docnos of the run are passage ids (first: {ids[0]!r}), and those of the qrels, which have highlights, "
        f"articles (first: {judged.iloc[0]!r}): no part counts as relevant; put Focused(), RelevantInContext() or "
        "BestInContext() after the system"
    ]


def describe_passages_beyond(passages: Spans | None, length: Floats, row_name: RowName) -> list[str]:
    """Tell of passages that end beyond their article; *length* is that of each row, -1 if it is not known."""
    if passages is None or not len(passages.row) or not len(length):
        return []
    article_length = length[passages.row]
    beyond = (passages.end > article_length) & (article_length > 0) & (passages.start < MISSING_START)
    if not beyond.any():
        return []
    first = int(np.argmax(beyond))
    return [
        f"{np.count_nonzero(beyond)} of {len(beyond)} passages end beyond their article's length (first: "
        f"{row_name(int(passages.row[first]))}, [{passages.start[first]}, {passages.end[first]}), length "
        f"{int(article_length[first])}); do offsets and lengths count the same unit?"
    ]


def describe_contradictions(
    highlights: Spans | None, label: Floats | None, bep: Floats | None, length: Floats | None, row_name: RowName
) -> list[str]:
    """Tell of judgments that contradict themselves: labels and highlights, and offsets beyond the article's length."""
    found = []

    def tell(rows: NDArray[np.bool_], what: str) -> None:
        if rows.any():
            first = row_name(int(np.argmax(rows)))
            found.append(f"{np.count_nonzero(rows)} of {len(rows)} judgments {what} (first: {first})")

    if highlights is not None and label is not None:
        marked = np.bincount(highlights.row, minlength=len(label)) > 0
        tell((label <= 0) & marked, "have highlights but a label of 0; they count as relevant")
        tell((label > 0) & ~marked, "have a label above 0 but no highlights; they count as not relevant")
    if length is not None:
        beyond = np.zeros(len(length), dtype=bool)
        if highlights is not None:
            outside = highlights.end > length[highlights.row]
            beyond[highlights.row[outside & (length[highlights.row] > 0)]] = True
        if bep is not None:
            beyond |= (bep > length) & (length > 0)
        tell(beyond, "have a highlight or best entry point beyond the article's length")
    return found
