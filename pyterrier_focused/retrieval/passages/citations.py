"""What an answer cites, as a frame of parts: for answers that a language model wrote over numbered contexts."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pyterrier as pt

_CITED = re.compile(r"\[(\d+(?:\s*[,;]\s*\d+)*)\]")


def cited_parts(answers: pd.DataFrame, contexts: pd.DataFrame, answer: str = "qanswer") -> pd.DataFrame:
    """Return the contexts that answers cite: the rows of *contexts*, in the order in which they are cited first.

    answers: `qid` and the text of the answer, as pyterrier_rag's readers return it; `[2]` and `[1, 3]` cite.
    contexts: what the reader was given: `qid`, `docno` (passage ids), `score`; number 1 is the best of a topic, as
        pyterrier_rag's `Concatenator` orders them.
    answer: the column of the answer.
    `score` counts down from the number of parts that are cited, so that `Focused()` and `RelevantInContext()` make runs
    of them. Raises ValueError for a number that no context has.
    """
    pt.validate.columns(answers, includes=["qid", answer])
    pt.validate.result_frame(contexts, extra_columns=["score"])
    by_topic = {qid: rows.sort_values("score", ascending=False, kind="stable") for qid, rows in contexts.groupby("qid")}
    found = []
    for qid, text in zip(answers["qid"], answers[answer], strict=True):
        cited = _CITED.findall(text) if isinstance(text, str) else []
        numbers = list(dict.fromkeys(int(number) for group in cited for number in re.findall(r"\d+", group)))
        rows = by_topic.get(qid, contexts.iloc[:0])
        wrong = [number for number in numbers if not 1 <= number <= len(rows)]
        if wrong:
            raise ValueError(f"topic {qid!r}: the answer cites [{wrong[0]}], and it has {len(rows)} contexts")
        parts = rows.iloc[[number - 1 for number in numbers]]
        found.append(parts.assign(score=np.arange(len(parts), 0, -1, dtype=float), rank=np.arange(len(parts))))
    return pd.concat(found, ignore_index=True) if found else contexts.iloc[:0].assign(rank=0)
