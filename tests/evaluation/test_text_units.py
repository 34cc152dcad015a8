"""Lines, pages and documents as units to count in, against sets of units that are found character by character."""

from fractions import Fraction

import brute_force as brute
import numpy as np
import pandas as pd
import pytest
from every_measure import define_values, values
from hypothesis import given
from hypothesis import strategies as st
from random_topics import DOCNOS, TEXT, qrels_frame, qrels_topics, run_frame, run_topics

from pyterrier_focused.evaluation.text_units import TextUnits
from pyterrier_focused.measures import AiP, CharAP, CharF, CharIoU, CharP, CharR, iP

TEXTS = st.fixed_dictionaries(
    dict.fromkeys(DOCNOS, st.text(st.sampled_from("ab \n\n\r\f"), min_size=TEXT + 15, max_size=TEXT + 20))
)
KINDS = st.sampled_from(["lines", "pages", "documents"])
ENDS = {"lines": "\n", "pages": "\f", "documents": ""}


def number_of(text, place, kind):
    return 0 if kind == "documents" else text[:place].count(ENDS[kind])


def units(texts, kind, docno, start, end):
    """The units of a span: of its characters that are no white space, and of the ends of blank lines."""
    text = texts[docno]
    found = {number_of(text, i, kind) for i in range(start, min(end, len(text))) if not text[i].isspace()}
    if kind == "lines":
        begins = 0
        for number, line in enumerate(cut(text)):
            line_end = "\r\n" if line.endswith("\r\n") else "\n"
            if not line.strip() and line.endswith("\n"):
                last = begins + len(line)
                if set(range(last - len(line_end), last)) & set(range(start, end)):
                    found.add(number)
            begins += len(line)
    return {(docno, number) for number in found}


def cut(text):
    """Lines that end with a line feed and nothing else."""
    lines = [line + "\n" for line in text.split("\n")]
    return [*lines[:-1], lines[-1][:-1]]


def pieces(run, texts, kind, chars=None):
    """Of each ranked passage the units that it brings first, a list in order; *chars* of all at most."""
    seen, left = set(), chars
    for passage in brute.passages(run):
        new = sorted(units(texts, kind, *passage) - seen)[:left]
        seen |= set(new)
        left = None if left is None else left - len(new)
        yield new


def relevant_units(rows, texts, kind):
    return {unit for row in rows for span in row[2] for unit in units(texts, kind, row[0], *span)}


def shares(run, rows, texts, kind, r=None, chars=None):
    relevant = relevant_units(rows, texts, kind)
    found = {unit for piece in list(pieces(run, texts, kind, chars))[:r] for unit in piece}
    both = len(found & relevant)
    return {
        "p": brute.ratio(both, len(found)),
        "r": brute.ratio(both, len(relevant)),
        "f": brute.ratio(2 * both, len(found) + len(relevant)),
        "iou": brute.ratio(both, len(found | relevant)),
    }


def curve(run, rows, texts, kind):
    return [
        (share["p"], share["r"])
        for r in range(1, len(brute.passages(run)) + 1)
        for share in [shares(run, rows, texts, kind, r)]
    ]


@given(run_topics(overlap=True), qrels_topics(min_topics=1), TEXTS, KINDS, st.sampled_from([None, 1, 2]),
       st.sampled_from([None, 1, 3]), st.sampled_from(["error", "once", "repeat"]))  # fmt: skip
def test_shares_of_units_read(run, qrels, texts, kind, r, chars, overlap):
    keys = {"unit": TextUnits(texts, kind), "overlap": overlap}
    keys |= ({} if r is None else {"cutoff": r}) | ({} if chars is None else {"chars": chars})

    def share(name):
        return lambda topic, rows: shares(topic, rows, texts, kind, r, chars)[name]

    names = {"p": CharP, "r": CharR, "f": CharF, "iou": CharIoU}
    expected = {measure(**keys): share(name) for name, measure in names.items()}
    found = values(expected, run_frame(run), qrels_frame(qrels))
    assert found == pytest.approx(define_values(expected, run, qrels), abs=1e-12)


@given(run_topics(overlap=True), qrels_topics(min_topics=1), TEXTS, KINDS)
def test_precision_down_the_ranking_of_units(run, qrels, texts, kind):
    def interpolate(topic, rows, level):
        has_evidence = relevant_units(rows, texts, kind)
        return brute.interpolated(curve(topic, rows, texts, kind), level) if has_evidence else Fraction(0)

    def interpolate_evenly(topic, rows):
        return sum(interpolate(topic, rows, Fraction(i, 4)) for i in range(5)) / 5

    def average(topic, rows):
        points = [(Fraction(0), Fraction(0)), *curve(topic, rows, texts, kind)]
        hits = [points[i][0] for i in range(1, len(points)) if points[i][1] > points[i - 1][1]]
        return brute.ratio(sum(hits), len(hits)) * points[-1][1]

    unit = TextUnits(texts, kind)
    expected = {
        iP(recall=0.3, unit=unit): lambda topic, rows: interpolate(topic, rows, Fraction(3, 10)),
        AiP(points=5, unit=unit): lambda topic, rows: (
            sum(interpolate(topic, rows, Fraction(i, 4)) for i in range(5)) / 5
        ),
        CharAP(unit=unit): average,
    }
    found = values(expected, run_frame(run), qrels_frame(qrels))
    assert found == pytest.approx(define_values(expected, run, qrels), abs=1e-12)


CODE = "def f():\n    return 1\n\n\ndef g():\r\n    return 2\r\n"


@pytest.mark.parametrize(
    ("span", "lines"),
    [
        ((0, 8), (0, 1)),
        ((8, 9), (0, 0)),  # a line end counts for a blank line only
        ((8, 14), (1, 2)),
        ((9, 13), (0, 0)),  # the indent of a line
        ((17, 25), (1, 5)),
        ((22, 23), (2, 3)),
        ((len(CODE) - 2, len(CODE)), (0, 0)),
        ((3, 3), (0, 0)),
    ],
)
def test_lines_of_a_span(span, lines):
    unit = TextUnits({"a": CODE}, "lines")
    first, last = unit.convert_spans(np.array(["a"]), np.array(span[:1]), np.array(span[1:]))
    assert (first[0], last[0]) == lines


def test_pages_may_begin_anywhere():
    unit = TextUnits({"a": "onetwo three"}, "pages", starts={"a": [0, 3, 6]})
    first, last = unit.convert_spans(np.array(["a"] * 3), np.array([0, 2, 3]), np.array([3, 4, 6]))
    assert (first.tolist(), last.tolist()) == ([0, 0, 1], [1, 2, 2])


RUN = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "score": [1.0], "passages": [[(0, 22)]]})
QRELS = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "relevance": [1], "highlights": [[(0, 5)]]})
LINES = TextUnits({"a": CODE}, "lines")


def test_what_is_around_passages_is_in_no_unit():
    assert values([CharP(unit=LINES)], RUN.assign(around=[[50]]), QRELS) == {(CharP(unit=LINES), "1"): 1 / 2}


def test_a_line_of_two_alternatives_is_evidence_of_both():
    """Line 0 holds evidence of both, line 1 of the second only: the first has 1 of 1, the second 2 of 2."""
    qrels = QRELS.assign(highlights=[[(0, 3), (4, 8), (13, 15)]], alternatives=[[1, 2, 2]])
    assert values([CharP(unit=LINES)], RUN, qrels) == {(CharP(unit=LINES), "1"): 1}


def test_the_name_of_a_measure_tells_its_unit():
    assert str(CharR(unit=LINES)) == "CharR(unit='lines')"


def test_other_texts_are_counted_in_the_same_unit():
    assert LINES.of({"a": CODE, "b": "x"}).convert_spans(np.array(["b"]), np.array([0]), np.array([1]))[1] == [1]


def test_an_article_that_the_corpus_lacks():
    with pytest.raises(ValueError, match="'lines': the corpus has no article 'b'"):
        LINES.convert_spans(np.array(["b"]), np.array([0]), np.array([1]))
