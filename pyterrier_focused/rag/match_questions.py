"""Match the questions of results with those of the evidence, by id and by text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import pandas as pd

from ..errors import name_some, warn_caller
from .items import Item
from .results import Question, Results

# By system and qid what was retrieved, best first.
Retrieved = dict[str, dict[str, list[Item]]]


class Questions:
    """The questions of a qrels frame, by id and by text."""

    def __init__(self, qrels: pd.DataFrame):
        qids = qrels["qid"].astype(str).tolist()
        texts = qrels["query"].tolist() if "query" in qrels.columns else [None] * len(qids)
        self.text = {qid: _squeeze_blanks(text) for qid, text in zip(qids, texts, strict=True) if isinstance(text, str)}
        self.qids = list(dict.fromkeys(qids))
        self._known = set(self.qids)
        # read_spans numbers questions from 1 if they came without ids
        self.numbered = bool(self.text) and self._known == {str(i) for i in range(1, len(self.qids) + 1)}
        self._of_text: dict[str, list[str]] = {}
        for qid, text in self.text.items():
            self._of_text.setdefault(text, []).append(qid)

    def match(self, asked: Question) -> list[str]:
        """Return the ids of a question of the results: several if the evidence has its text more than once."""
        if asked.query is None:
            name = asked.qid if asked.qid is not None else asked.name
            return [name] if name in self._known else sorted(self._of_text.get(_squeeze_blanks(name), ()))
        same_text = sorted(self._of_text.get(_squeeze_blanks(asked.query), ()))
        if asked.qid is None or asked.qid not in self._known or self.text.get(asked.qid) is None:
            return [asked.qid] if asked.qid in self._known and asked.qid is not None else same_text
        if asked.qid in same_text:
            return [asked.qid]
        if self.numbered:
            return same_text
        raise ValueError(
            f"question {asked.qid!r} is {asked.query!r:.80} in the results, and {self.text[asked.qid]!r:.80} in the "
            "evidence; give both the same ids, or leave them out of one"
        )

    def first(self) -> str:
        """Return the text of the first question, or its id, to show in a message."""
        return self.text.get(self.qids[0], self.qids[0])


def match_questions(results: Results, qrels: pd.DataFrame) -> Retrieved:
    """Name the questions of the results by their qids; warn of questions that only one side has.

    Raises:
        ValueError: A system has none of the questions, or one twice.
    """
    questions = Questions(qrels)
    retrieved: Retrieved = {}
    unknown: list[str] = []
    for system, of_system in results.items():
        named: dict[str, str] = {}
        retrieved[system] = {}
        for asked, items in of_system.items():
            qids = questions.match(asked)
            if not qids:
                unknown.append(asked.query or asked.name)
            for qid in qids:
                if qid in named:
                    raise ValueError(
                        f"system {system!r}: question {qid!r} is there twice, as {named[qid]!r} and {asked.name!r}"
                    )
                named[qid] = asked.name
                retrieved[system][qid] = items
        if not named:
            first = next(iter(of_system), Question(""))
            raise ValueError(
                f"system {system!r}: none of its {len(of_system)} questions has evidence; the results have "
                f"{first.query or first.name!r:.80}, the evidence {questions.first()!r:.80}"
            )
        if not any(of_system.values()):
            warn_caller(f"system {system!r} retrieved nothing for any of its {len(of_system)} questions")
        if question := _find_contradicting_scores(of_system):
            warn_caller(
                f"system {system!r}: its scores fall along one list and rise along another, or do both (first: "
                f"question {question!r:.80}); the order given is the ranking, so sort by the scores if they are meant"
            )
        missing = [qid for qid in questions.qids if qid not in named]
        if missing:
            warn_caller(
                f"system {system!r} has no results for {len(missing)} questions, which score as empty: "
                f"{name_some(map(_quote_name, missing), 3)}"
            )
    if unknown:
        warn_caller(
            f"{len(unknown)} questions of the results have no evidence and are not scored: "
            f"{name_some(map(_quote_name, unknown), 3)}"
        )
    return retrieved


def _find_contradicting_scores(of_system: Mapping[Question, Sequence[Item]]) -> str | None:
    """Return the first question whose scores contradict the order of its list or of the other lists; None if none does.

    Scores fall from the best on, and distances rise; nothing that was sorted by either does both.
    """
    falls = False
    rises = False
    for asked, items in of_system.items():
        scores = [item.score for item in items if item.score is not None]
        falls = falls or any(a > b for a, b in pairwise(scores))
        rises = rises or any(a < b for a, b in pairwise(scores))
        if falls and rises:
            return asked.query or asked.name
    return None


def _squeeze_blanks(text: str) -> str:
    return " ".join(text.split())


def _quote_name(name: str) -> str:
    return f"{name!r:.60}"
