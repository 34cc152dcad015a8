"""JSON of odd types, sizes and depths: evidence, corpora and saved runs are read, or are a FormatError."""

import contextlib
import json

import pytest

from pyterrier_focused import FormatError, read_corpus, read_spans
from pyterrier_focused.io.save_format import read_saved_run

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


def places(value, path=()):
    """The paths to every value inside a JSON value, itself first."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inside:
        yield from places(item, (*path, key))


def replaced(value, path, new):
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


def read(reader, file):
    with contextlib.suppress(FormatError):
        reader(file)


@pytest.mark.parametrize("good", [SQUAD, ROWS, LISTS, KILT], ids=["squad", "answers", "references", "kilt"])
def test_any_value_may_be_of_any_type(tmp_path, recwarn, good):
    file = tmp_path / ("odd.json" if good is SQUAD else "odd.jsonl")
    for path in places(good):
        for odd in ODD:
            file.write_text(json.dumps(replaced(good, path, odd)) + "\n")
            read(lambda file: read_spans(file, CORPUS, errors="skip"), file)
            read(read_spans, file)
            read(read_corpus, file)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 100_000, '{"question": ' + "9" * 5000 + "}", '{"text": "\\ud800"}']
)
@pytest.mark.parametrize("reader", [read_spans, read_corpus, read_saved_run])
def test_deep_and_huge(tmp_path, text, reader):
    file = tmp_path / "odd.json"
    for before in ("", json.dumps(LISTS) + "\n"):
        file.write_text(before + text + "\n")
        read(reader, file)
