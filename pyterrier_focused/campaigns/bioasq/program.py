"""`pt-focused bioasq-eval`: BioASQ's program for task B, phase A: concepts, documents, snippets and triples."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import NamedTuple

import numpy as np

from ...commands.messages import warn_if_foreign
from ...commands.official.java_numbers import java_double, java_log
from ...commands.options import InputPath
from ...frames.spans import Ints, ranges
from .files import BioasqColumns, Question, document_names, read_bioasq_columns
from .measures import ABSTRACT, EDITIONS, EPSILON, SECTION_0, Scores, SnippetColumns, score

GROUP = "Official programs"
SUMMARY = "score documents and snippets as BioASQ's program (task B, phase A)"
EXAMPLE = "bioasq-eval -e 8 bioasq-golden.json bioasq-answers.json"
NAMES = ("MPrec", "MRec", "MF1", "MAP", "GMAP")


class ListScores(NamedTuple):
    """Precision, recall, F-measure and average precision of a question's list of one kind."""

    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0
    average_precision: float = 0.0


class Scored(NamedTuple):
    """A question's scores, None for a kind over which it is not averaged."""

    concepts: ListScores | None
    documents: ListScores | None
    snippets: ListScores | None
    triples: ListScores | None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-phaseA", action="store_true", help="score phase A, as this program always does")
    parser.add_argument(
        "-e",
        dest="edition",
        type=int,
        default=2,
        metavar="N",
        help="use the rules of this edition of BioASQ: 2, 3, 5, 8 or 9 (default: 2, as in the official program)",
    )
    parser.add_argument("-verbose", action="store_true", help="print each value again, with its name")
    parser.add_argument("--json", action="store_true", help="print one JSON object, with unrounded values")
    parser.add_argument("gold", type=InputPath, help="JSON file with the golden questions")
    parser.add_argument("submission", type=InputPath, help="JSON file with the submitted questions")


def run(arguments: argparse.Namespace) -> int:
    """Print the means over the golden questions that were answered."""
    if arguments.edition not in EDITIONS:
        print(
            f"pt-focused bioasq-eval: edition {arguments.edition} is none of {EDITIONS}: every AP is 0", file=sys.stderr
        )
    # Arrow reads files side by side.
    with ThreadPoolExecutor(2) as threads:
        golden, submitted = threads.map(read_bioasq_columns, (arguments.gold, arguments.submission))
    _tell_repeated(golden, arguments.gold)
    scored = score_questions(golden, submitted, arguments.edition)
    warn_if_foreign(len(scored) > 0 or not submitted.questions, arguments.submission, "question")
    over = means([question for _, question in scored])
    if arguments.json:
        # Each question as if it were the only one.
        answers = {name: _replace_nan(means([question])) for name, question in scored}
        print(json.dumps({**answers, "all": _replace_nan(over)}))
        return 0
    print(" ".join(map(java_double, over.values())))
    if arguments.verbose:
        print("\n".join(f"{name}: {java_double(value)}" for name, value in over.items()))
    return 0


def _tell_repeated(golden: BioasqColumns, path: str) -> None:
    """Say which golden questions occur twice: as in the official program they count twice."""
    repeated = [name for name, count in Counter(question.id for question in golden.questions).items() if count > 1]
    if repeated:
        print(
            f"pt-focused bioasq-eval: {path}: {len(repeated)} question ids occur more than once (first: "
            f"{repeated[0]!r}); each of them counts as often as in the official program, and --json shows the last",
            file=sys.stderr,
        )


def score_questions(golden: BioasqColumns, submitted: BioasqColumns, edition: int) -> list[tuple[str, Scored]]:
    """Score the answer to each golden question that has one: (its id, its scores)."""
    answers = {question.id: number for number, question in reversed(list(enumerate(submitted.questions)))}
    pairs = [
        (number, answers[question.id]) for number, question in enumerate(golden.questions) if question.id in answers
    ]
    snippets = zip(*_score_snippets(golden, submitted, pairs, edition), strict=True)
    with_snippets = set(golden.question.tolist())
    return [
        (
            golden.questions[gold].id,
            _score_question(
                golden.questions[gold],
                submitted.questions[answer],
                ListScores(*map(float, of_snippets)),
                gold in with_snippets,
                edition,
            ),
        )
        for (gold, answer), of_snippets in zip(pairs, snippets, strict=True)
    ]


def _score_question(gold: Question, answer: Question, snippets: ListScores, has_snippets: bool, edition: int) -> Scored:
    # The program goes over all questions twice.
    counts_first = edition != 9 or bool(gold.documents)
    counts_second = edition != 9 or has_snippets
    triples = answer.triples
    if counts_first and gold.triples:
        # The first time leaves only the correct ones in the list.
        triples = [triple for triple in triples if triple in set(gold.triples)]
    has_concepts = counts_first and gold.concepts and answer.concepts
    return Scored(
        _score_list(gold.concepts, answer.concepts, edition) if has_concepts else None,
        _score_list(gold.documents, answer.documents, edition) if counts_first else None,
        snippets if counts_second else None,
        _score_list(gold.triples, triples, edition) if counts_second and gold.triples else None,
    )


def _score_list(golden: Sequence[object], submitted: Sequence[object], edition: int) -> ListScores:
    if not submitted:
        return ListScores()
    relevant = set(golden)
    returned = set(submitted)
    hits = [item in relevant for item in submitted]
    found = sum(hits)
    missed = sum(item not in returned for item in golden)
    precision = found / len(submitted)
    recall = found / (found + missed) if found + missed else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision and recall else 0.0
    total = 0.0
    so_far = 0
    for rank, hit in enumerate(hits, start=1):
        so_far += hit
        total += so_far / rank if hit else 0.0
    divisor = {2: len(golden), 3: 10, 5: 10, 8: min(10, len(golden)), 9: min(10, len(golden))}.get(edition, math.inf)
    return ListScores(precision, recall, f1, total / divisor if found else 0.0)


def _score_snippets(
    golden: BioasqColumns, submitted: BioasqColumns, pairs: list[tuple[int, int]], edition: int
) -> Scores:
    sections = defaultdict(count(2).__next__, {"0": SECTION_0, "abstract": ABSTRACT})

    def take_snippets(columns: BioasqColumns, asked: Sequence[int], document: Ints, name: Ints) -> SnippetColumns:
        section = np.array([sections[name] for name in columns.sections], dtype=np.int64)
        of_document = (document[columns.document], name[columns.document])
        whole = (*of_document, section[columns.begin_section], section[columns.end_section])
        bounds = np.searchsorted(columns.question, np.arange(len(columns.questions) + 1))
        questions = np.array(asked, dtype=np.int64)
        size = (bounds[1:] - bounds[:-1])[questions]
        question = np.repeat(np.arange(len(questions)), size)
        entry = ranges(bounds[questions], size)
        return SnippetColumns(question, *(column[entry] for column in (*whole, columns.begin, columns.end)))

    gold, answers = zip(*pairs, strict=True) if pairs else ((), ())
    documents = _code_names(golden.documents, submitted.documents)
    names = _code_names(document_names(golden.documents), document_names(submitted.documents))
    gold_snippets = take_snippets(golden, gold, documents[0], names[0])
    submitted_snippets = take_snippets(submitted, answers, documents[1], names[1])
    return score(gold_snippets, submitted_snippets, len(pairs), edition)


def _code_names(golden: list[str], submitted: list[str]) -> list[Ints]:
    """Number texts: golden ones that are equal alike, submitted ones as the golden one that they equal, or newly."""
    codes = {text: code for code, text in enumerate(golden)}
    return [
        np.fromiter(map(codes.get, texts, count(len(golden))), np.int64, len(texts)) for texts in (golden, submitted)
    ]


def means(questions: list[Scored]) -> dict[str, float]:
    """Return the twenty values that the program prints for a list of questions."""
    values: dict[str, float] = {}
    for kind in Scored._fields:
        items = [item for question in questions if (item := getattr(question, kind)) is not None]
        columns = [*map(list, zip(*items, strict=True))] or [[]] * 4
        numbers = [_average_column(column) for column in columns]
        # The program divides 0 by 0, except in places that it checks.
        if not items:
            looked = {"concepts": 4, "triples": 4, "documents": 2, "snippets": 0}[kind]
            numbers = [0.0] * looked + [math.nan] * (4 - looked)
        numbers.append(_average_geometrically(kind, columns[3]))
        values.update({f"{name} {kind}": value for name, value in zip(NAMES, numbers, strict=True)})
    return values


def _average_column(column: list[float]) -> float:
    return sum(0.0 if math.isnan(value) else value for value in column) / max(len(column), 1)


def _average_geometrically(kind: str, column: list[float]) -> float:
    total = sum(java_log(value + EPSILON) for value in column if not math.isnan(value))
    if (kind == "snippets" and (total == 0 or math.isnan(total))) or (not column and kind != "documents"):
        return 0.0
    return math.exp(total / len(column)) if column else math.nan


def _replace_nan(values: dict[str, float]) -> dict[str, float | None]:
    """Replace values for which JSON has no number by None, which is written as null."""
    return {name: value if math.isfinite(value) else None for name, value in values.items()}
