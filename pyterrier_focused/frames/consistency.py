"""Consistency of a run, its qrels and the articles: what does not fit is counted and said in one warning.

An evaluation with ids that do not match, or with offsets beyond the text, has a score like any other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import EvaluationWarning, warn_caller
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


def describe_unmatched_ids(
    run_topics: Sequence[str],
    topics: Sequence[str],
    docno: NDArray[np.object_],
    article: Ints,
    judged: NDArray[np.object_],
) -> list[str]:
    """Tell if no topic of the run, or no article of its judged topics, is in the qrels at all, or almost is.

    *docno* and *article* (its code in the qrels, -1 for none) have an entry for each row of the run in a judged topic,
    *judged* holds the docnos of the qrels.
    """
    known_topics = set(topics)
    strange = [topic for topic in run_topics if topic not in known_topics]
    found = _tell_near("topics", np.array(strange, dtype=object), np.array(topics, dtype=object), set(run_topics))
    if not len(docno):
        if not len(run_topics) or not len(topics):
            return found
        return found or [
            f"none of the run's {len(run_topics)} topics is in the qrels (first of the run: {run_topics[0]!r}, of the "
            f"qrels: {topics[0]!r}); do both use the same topic ids?"
        ]
    found += _tell_near("articles", docno[article < 0], judged, docno[article >= 0])
    if (article >= 0).any() or found:
        return found
    what = (
        f"none of the run's {len(article)} articles is in the qrels (first of the run: {docno[0]!r}, of the qrels: "
        f"{judged[0]!r})"
    )
    if all(_PASSAGE_ID.search(name) for name in docno[:1000]):
        return [
            f"{what}; these are passage ids: put Focused(), RelevantInContext() or BestInContext() after the system"
        ]
    return [f"{what}; do both use the same docnos?"]


def _tell_near(
    what: str, names: NDArray[np.object_], known: NDArray[np.object_], matched: Collection[str] | NDArray[np.object_]
) -> list[str]:
    """Tell of names that would be known if blanks around them, case or Unicode's forms did not count.

    Names of the qrels that are *matched* exactly have their own rows in the run: the others are other articles.
    """
    if not len(names) or not len(known):
        return []
    near = find_near_names(names, known)
    taken = set(matched) if near else set()
    near = [(name, twin) for name, twin in near if twin not in taken]
    if not near:
        return []
    name, twin = near[0]
    return [
        f"{len(near)} of the run's {what} are in the qrels under a name that differs by blanks, case or Unicode form "
        f"only (first of the run: {name!r}, of the qrels: {twin!r}) and count as unjudged; write them alike"
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
