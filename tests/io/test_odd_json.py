"""JSON of odd types, sizes and depths: evidence, corpora and saved runs are read, or are a FormatError."""

import contextlib
import json
from functools import partial

import pytest
from json_values import places, replaced

from pyterrier_focused import read_qrels, read_spans
from pyterrier_focused.collection import read_corpus
from pyterrier_focused.errors import FormatError

CORPUS = {"T": "Some words of text here."}
ODD = [None, True, -1, 1.5, 2**70, 10**400, "", "x", [], [None], {}, {"a": [1]}, float("inf"), float("nan")]
SQUAD = {
    "data": [
        {
            "title": "T",
            "paragraphs": [
                {
                    "context": "Some words of text here.",
                    "qas": [{"id": "1", "question": "w?", "answers": [{"text": "words", "answer_start": 5}]}],
                }
            ],
        }
    ]
}
ROWS = {
    "id": "1",
    "title": "T",
    "context": "Some words",
    "question": "w",
    "answers": {"text": ["words"], "answer_start": [5]},
}
LISTS = {
    "question": "q",
    "docno": "T",
    "references": [{"content": "words", "start_index": 5, "end_index": 10}, [0, 4], "text"],
}
KILT = {
    "id": "1",
    "input": "q",
    "output": [{"answer": "x", "provenance": [{"wikipedia_id": "T", "start_paragraph_id": 0}]}],
}


ANNOTATIONS = {format: partial(read_qrels, format=format) for format in ("label-studio",)}


def read(reader, file):
    with contextlib.suppress(FormatError):
        reader(file)


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: repr(odd)[:10])
@pytest.mark.parametrize("good", [SQUAD, ROWS, LISTS, KILT], ids=["squad", "answers", "references", "kilt"])
def test_any_value_may_be_of_any_type(tmp_path, recwarn, good, odd):
    file = tmp_path / ("odd.json" if good is SQUAD else "odd.jsonl")
    read_each(file, [json.dumps(replaced(good, path, odd)) + "\n" for path in places(good)])


def read_each(file, texts):
    """Read each text as evidence, with its faults and without, and as a corpus."""
    for text in texts:
        file.write_text(text)
        read(lambda file: read_spans(file, CORPUS, errors="skip"), file)
        read(read_spans, file)
        read(read_corpus, file)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 100_000, '{"question": ' + "9" * 5000 + "}", '{"text": "\\ud800"}']
)
@pytest.mark.parametrize("reader", [read_spans, read_corpus, *ANNOTATIONS.values()])
@pytest.mark.parametrize("before", ["", json.dumps(LISTS) + "\n"])
def test_values_that_are_nested_or_large_beyond_all_bounds_do_no_harm(tmp_path, text, reader, before):
    file = tmp_path / "odd.json"
    file.write_text(before + text + "\n")
    read(reader, file)


REGION = {"start": 0, "end": float("inf"), "labels": ["x"]}
WRONG = {"label-studio": [{"id": 1, "data": {"text": "Cats", "docno": "a"}, "label": [REGION]}]}


@pytest.mark.parametrize("format", WRONG)
def test_numbers_and_lists_in_the_place_of_others_do_no_harm(tmp_path, format):
    file = tmp_path / "odd.json"
    file.write_text(json.dumps(WRONG[format]) + "\n")
    read(partial(read_qrels, format=format), file)
