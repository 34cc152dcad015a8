"""The citations of an answer as a frame of parts: for answers that a language model wrote over numbered contexts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyterrier as pt

from ..errors import warn_caller
from .answers import list_numbers


def cited_parts(answers: pd.DataFrame, contexts: pd.DataFrame, answer: str = "qanswer") -> pd.DataFrame:
    """Return the contexts that answers cite: the rows of *contexts*, in the order in which they are cited first.

    `[2]`, `[1, 3]`, `[1-3]`, `[doc 2]` and `【2】` cite. Numbers that no context has, such as years, are left out and
    counted in a warning. As a run (see `Focused`), the citations have precision `SpanP` and recall `SpanR` against
    evidence, each without a cutoff.

    Args:
        answers: `qid` and the text of the answer, as pyterrier_rag's readers return it.
        contexts: The reader's contexts: `qid`, `docno` (passage ids), `score`; number 1 is the best of a topic, as
            pyterrier_rag's `Concatenator` orders them.
        answer: The column of the answer.

    Returns:
        Rows of *contexts*, whose `score` counts down from the number of parts that are cited, so that `Focused()` and
        `RelevantInContext()` make runs of them.

    Example:
        >>> contexts = pd.DataFrame({"qid": "q1", "docno": ["7#0-80", "12#5-60"], "score": [2.0, 1.0]})
        >>> answers = pd.DataFrame({"qid": ["q1"], "qanswer": ["Whales were hunted for oil [2]."]})
        >>> cited_parts(answers, contexts)["docno"].tolist()
        ['12#5-60']
    """
    pt.validate.columns(answers, includes=["qid", answer])
    pt.validate.result_frame(contexts, extra_columns=["score"])
    by_topic = {qid: rows.sort_values("score", ascending=False, kind="stable") for qid, rows in contexts.groupby("qid")}
    cited = []
    unknown: list[str] = []
    for qid, text in zip(answers["qid"], answers[answer], strict=True):
        rows = by_topic.get(qid, contexts.iloc[:0])
        numbers, wrong = _list_cited(text if isinstance(text, str) else "", len(rows))
        unknown += [f"topic {qid!r} cites [{number}] and has {len(rows)} contexts" for number in wrong]
        parts = rows.iloc[[number - 1 for number in numbers]]
        cited.append(parts.assign(score=np.arange(len(parts), 0, -1, dtype=float), rank=np.arange(len(parts))))
    if unknown:
        warn_caller(f"{len(unknown)} numbers in brackets are those of no context (first: {unknown[0]})")
    return pd.concat(cited, ignore_index=True) if cited else contexts.iloc[:0].assign(rank=0)


def _list_cited(text: str, contexts: int) -> tuple[list[int], list[int]]:
    """List the numbers that a text cites, each once: those of the contexts, which are numbered from 1, and others."""
    numbers: dict[int, None] = {}
    wrong: dict[int, None] = {}
    for _, first, last in list_numbers(text):
        wrong |= dict.fromkeys(number for number in (first, last) if not 1 <= number <= contexts)
        numbers |= dict.fromkeys(range(max(first, 1), min(last, contexts) + 1))
    return list(numbers), list(wrong)
