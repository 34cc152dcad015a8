"""Copies of evidence that is given by offsets."""

import warnings

import pytest

import pyterrier_focused as ptf
from pyterrier_focused.rag import read_spans

SENTENCE = "The lighthouse was built of granite in 1911."
CORPUS = {
    "a": f"Start. {SENTENCE} Ada saw it. {SENTENCE.replace(' of ', chr(10))}",
    "b": f"Other. {SENTENCE.replace(' ', chr(10))} Ada saw it.",
    "c": SENTENCE.upper(),
}
START = CORPUS["a"].index(SENTENCE)
PLACE = {"docno": "a", "start": START, "end": START + len(SENTENCE)}
COPY = {"docno": "b", "start": 7, "end": 7 + len(SENTENCE)}


def read(*pieces, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        qrels = read_spans([{"qid": "1", "question": "when", **piece} for piece in pieces], CORPUS, **options)
    spans = [
        (docno, *span)
        for docno, cell in zip(qrels["docno"], ptf.cells(qrels["highlights"]), strict=True)
        for span in cell
    ]
    return spans, qrels.get("alternatives"), [str(warning.message) for warning in caught]


GIVEN = ("a", START, START + len(SENTENCE))


def test_copies_are_told_once_and_the_given_place_counts():
    spans, _, (told,) = read(PLACE)
    assert spans == [GIVEN]
    assert "1 of 1 pieces of evidence that are given by offsets occur again, word for word" in told
    assert f"first: question '1', [7, {7 + len(SENTENCE)}) of 'a', also [7, {7 + len(SENTENCE)}) of 'b'" in told


@pytest.mark.parametrize(
    ("pieces", "options"),
    [
        ([PLACE], {"repeated": "first"}),
        ([{**PLACE, "end": START + 22}], {}),  # four words
        ([{"docno": "a", "start": CORPUS["a"].index("Ada"), "end": CORPUS["a"].index("Ada") + 11}], {}),
        ([{"docno": "c", "start": 0, "end": len(SENTENCE)}], {}),
        ([PLACE, COPY], {}),  # both are evidence
    ],
)
def test_what_is_no_copy_is_not_told(pieces, options):
    spans, _, told = read(*pieces, **options)
    assert len(spans) == len(pieces)
    assert told == []


def test_any_copy_is_an_alternative():
    spans, alternatives, told = read(PLACE, repeated="any")
    assert (spans, [list(cell) for cell in alternatives]) == ([GIVEN, tuple(COPY.values())], [[1], [2]])
    assert told == []


def test_all_copies_are_evidence():
    assert read(PLACE, repeated="all") == ([GIVEN, tuple(COPY.values())], None, [])
