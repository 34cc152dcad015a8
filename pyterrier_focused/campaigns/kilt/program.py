"""`pt-focused kilt-eval`: the retrieval part of KILT's scoring program, for pages, sections or paragraphs."""

from __future__ import annotations

import argparse
import json
import pprint
import re
import string
from collections import OrderedDict
from itertools import accumulate
from typing import NamedTuple

from ...commands.options import InputPath
from ...errors import FormatError
from ...reading.json import JsonObject
from .files import KiltItem, read_kilt_items
from .measures import best_r_precision, rank_of_sets

GROUP = "Official programs"
SUMMARY = "score retrieved pages, sections or paragraphs as KILT's program does"

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "guess",
        metavar="GUESS",
        type=InputPath,
        help="guessed provenance of the gold questions, one JSON object per line",
    )
    parser.add_argument("gold", metavar="GOLD", type=InputPath, help="gold questions, one JSON object per line")
    parser.add_argument(
        "--ks", default="1,5,10,20", metavar="K,...", help="rank cutoffs of the measures (default: 1,5,10,20)"
    )
    parser.add_argument(
        "--rank-keys",
        "--rank_keys",
        default="wikipedia_id",
        metavar="KEY,...",
        help="keys of a provenance that together identify it (default: wikipedia_id)",
    )
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object, which includes the values of each question"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the means over the gold questions."""
    ks = cutoffs(arguments.ks)
    keys = arguments.rank_keys.split(",")
    gold = read_kilt_items(arguments.gold)
    guesses = read_kilt_items(arguments.guess)
    if _are_swapped(guesses, gold):
        raise ValueError(
            f"{arguments.guess} looks like gold questions and {arguments.gold} like guesses; as in KILT's program the "
            f"guesses come first: pt-focused kilt-eval {arguments.gold} {arguments.guess}"
        )
    guessed = {item.id: item for item in guesses}
    values = {}
    for item in gold:
        if item.id not in guessed:
            raise FormatError(f"no line guesses for id {item.id!r} of {arguments.gold}", file=arguments.guess)
        question = _read_question(item, arguments.gold)
        values[item.id] = score_question(question, _read_guess(guessed[item.id], arguments.guess), ks, keys)
    names = names_of(ks)
    over = {name: sum(value[name] for value in values.values()) / max(len(values), 1) for name in names}
    if arguments.json:
        print(json.dumps({**values, "all": over}))
    else:
        pprint.PrettyPrinter(indent=4).pprint(OrderedDict(over))
    return 0


def _are_swapped(guesses: list[KiltItem], gold: list[KiltItem]) -> bool:
    """Tell whether gold questions were given for guesses, whose provenance may have its text and its score."""
    of_guesses = {"text", "score"}
    are_questions = all("input" in item.record for item in guesses)
    return are_questions and bool(of_guesses & _collect_keys(gold)) and not of_guesses & _collect_keys(guesses)


def _collect_keys(items: list[KiltItem]) -> set[str]:
    outputs = [output for item in items for output in item.record["output"]]
    return {key for output in outputs for entry in output.get("provenance", []) for key in entry}


class KiltQuestion(NamedTuple):
    """What a gold line asks: the input, the answers and titles, normalised, and each output's provenance, if any."""

    input: str
    answers: list[str]
    titles: list[str]
    outputs: list[list[JsonObject] | None]


def cutoffs(text: str) -> list[int]:
    """Read the option --ks: whole numbers from 1 with commas between them."""
    parts = text.split(",")
    if not all(re.fullmatch("[0-9]+", part.strip()) and int(part) for part in parts):
        raise ValueError(f"--ks {text}: give whole numbers from 1, with commas between them")
    return sorted(set(map(int, parts)))


def names_of(ks: list[int]) -> list[str]:
    """Return the names of the values, in the order in which KILT's program prints them."""
    at_1 = ("precision", "answer_in_context", "answer_and_ent_in_context", "entity_in_context")
    beyond = ("recall", "success_rate")
    return ["Rprec", "entity_in_input", *(f"{name}@{k}" for k in ks for name in (*at_1, *(beyond if k > 1 else ())))]


def _read_question(item: KiltItem, name: str) -> KiltQuestion:
    record = item.record
    outputs = [output.get("provenance") for output in record["output"]]
    texts = {
        "input": [record.get("input")],
        "answer": [output["answer"] for output in record["output"] if output.get("answer")],
        "title": [entry["title"] for provenance in outputs for entry in provenance or () if entry.get("title")],
    }
    for key, values in texts.items():
        if not all(isinstance(value, str) for value in values):
            raise FormatError(f"{key} is missing or no text", file=name, line=item.line)
    if not outputs:
        raise FormatError("output is empty; a gold question has at least one", file=name, line=item.line)
    answers, titles = ([normalised(text) for text in texts[key] if text.strip()] for key in ("answer", "title"))
    return KiltQuestion(normalised(record["input"]), answers, titles, outputs)


def _read_guess(item: KiltItem, name: str) -> list[JsonObject]:
    """Return the provenance of the one output that has any."""
    lists: list[list[JsonObject]] = [o["provenance"] for o in item.record["output"] if "provenance" in o]
    if len(lists) != 1:
        raise FormatError(f"{len(lists)} outputs have provenance; a guess has just one", file=name, line=item.line)
    if not all(isinstance(entry.get("text", ""), str) for entry in lists[0]):
        raise FormatError("the text of a provenance is not text", file=name, line=item.line)
    return lists[0]


def score_question(question: KiltQuestion, guess: list[JsonObject], ks: list[int], keys: list[str]) -> dict[str, float]:
    """Return the values of one question, by name."""
    ids = ids_of(guess, keys)
    sets = [set(ids_of(provenance or [], keys)) for provenance in question.outputs]
    # In evidence sets, unlike above, a provenance that lacks keys is known by those that it has.
    with_provenance = [provenance for provenance in question.outputs if provenance is not None]
    evidence = list(dict.fromkeys(frozenset(ids_of(entries, keys, partial=True)) for entries in with_provenance))
    places = rank_of_sets(ids, evidence) if ids else []
    contexts = _search_contexts(question, guess[: ks[-1]])
    values: dict[str, float] = {
        "Rprec": best_r_precision(ids, sets),
        "entity_in_input": int(any(title in question.input for title in question.titles)),
    }
    for k in ks:
        found = sum(places[:k])
        values[f"precision@{k}"] = found / k
        for name, hits in contexts.items():
            values[f"{name}@{k}"] = hits[min(k, len(hits)) - 1] if hits else 0
        if k > 1:
            values[f"recall@{k}"] = found / len(evidence) if ids and evidence else 0.0
            values[f"success_rate@{k}"] = int(found > 0)
    return values


def ids_of(provenance: list[JsonObject], keys: list[str], partial: bool = False) -> list[str]:
    """Return the distinct ids of provenance: the values of *keys*, joined; *partial*: even if some keys are missing."""
    if len(keys) == 1 and not partial:
        key = keys[0]
        return list(dict.fromkeys([str(entry[key]).strip() for entry in provenance if key in entry]))
    return list(
        dict.fromkeys(
            "+".join(str(entry[key]).strip() for key in keys if key in entry)
            for entry in provenance
            if partial or all(key in entry for key in keys)
        )
    )


def _search_contexts(question: KiltQuestion, guess: list[JsonObject]) -> dict[str, list[int]]:
    """Return whether the text of one of the first 1, 2, ... provenances has an answer, an entity (a title), or both."""
    texts = [normalised(entry["text"]) if "text" in entry else None for entry in guess]
    has_answer = [text is not None and any(answer in text for answer in question.answers) for text in texts]
    has_entity = [text is not None and any(title in text for title in question.titles) for text in texts]
    has_both = [answer and entity for answer, entity in zip(has_answer, has_entity, strict=True)]
    hits = {"answer_in_context": has_answer, "answer_and_ent_in_context": has_both, "entity_in_context": has_entity}
    return {name: [int(hit) for hit in accumulate(of_name, max)] for name, of_name in hits.items()}


def normalised(text: str) -> str:
    """Return text as answers are compared: lower case, without ASCII punctuation and articles, blanks squeezed."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())
