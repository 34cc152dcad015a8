"""What the rules of INEX's tasks say of a run."""

import io
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xml_articles import ARTICLES, XmlArticles

from pyterrier_focused.errors import FormatError
from pyterrier_focused.io import validate_run

COLLECTION = XmlArticles(ARTICLES)
SECTION = "/article[1]/bdy[1]/sec[1]"


def find_problems(lines, task, **options):
    found = validate_run(io.BytesIO("".join(f"{line}\n" for line in lines).encode()), task, **options)
    return list(found[["qid", "docno", "line", "problem"]].itertuples(index=False, name=None))


def fol(*parts):
    return [f"1 Q0 {docno} 1 1 t {start} {end - start}" for docno, start, end in parts]


def paths(*paths):
    return [f"1 Q0 7 1 1 t {path}" for path in paths]


@pytest.mark.parametrize(
    ("lines", "task", "problems"),
    [
        (fol(("a", 0, 5), ("b", 0, 5), ("a", 5, 9)), "focused", []),
        (fol(("a", 0, 5), ("a", 4, 9)), "focused", [("1", "a", 2, "overlaps line 1")]),
        (fol(("a", 3, 5), ("a", 0, 9)), "ric", [("1", "a", 2, "overlaps line 1")]),
        (fol(("a", 0, 5), ("a", 4, 9)), "thorough", []),
        (fol(("a", 0, 5), ("b", 0, 5), ("a", 5, 9)), "ric",
         [("1", "a", 3, "other articles lie between the parts of this one")]),
        (fol(("a", 0, 5), ("b", 0, 5), ("a", 5, 9)), "bic",
         [("1", "a", 3, "another part of an article, where one is asked for")]),
        (paths(SECTION, f"{SECTION}/p[1]"), "focused", [("1", "7", 2, "overlaps line 1")]),
        (paths(f"{SECTION}/p[1]", "/article/bdy/sec"), "focused", [("1", "7", 2, "overlaps line 1")]),
        (paths(f"{SECTION}/p[1]", f"{SECTION}/p[10]", f"{SECTION}/p[1]x[1]"), "focused", []),
        (paths(SECTION) + fol(("b", 0, 5)), "thorough", [("1", "b", 2, "elements and passages are mixed in the run")]),
        (paths(SECTION) + paths("/article[1] /article[1]/bdy[1]"), "thorough",
         [("1", "7", 2, "elements and passages are mixed in the run")]),
    ],
)  # fmt: skip
def test_each_violation_has_its_topic_article_and_line(lines, task, problems):
    assert find_problems(lines, task) == problems


def test_a_topic_has_no_more_parts_than_the_limit():
    lines = fol(*((f"d{number}", 0, 5) for number in range(4)))
    assert find_problems(lines, "focused", limit=3) == [("1", "d3", 4, "the topic has 4 parts, over 3")]
    assert find_problems(lines, "focused") == []


def test_with_a_collection_passages_between_points_are_compared():
    lines = paths(f"{SECTION} {SECTION}", f"{SECTION}/p[1] {SECTION}/p[1]")
    assert find_problems(lines, "focused", collection=COLLECTION) == [("1", "7", 2, "overlaps line 1")]


def test_a_submission_in_xml_is_checked():
    head = '<inex-submission run-id="R"><topic topic-id="1">'
    results = f"<result><file>7</file><path>{SECTION}</path></result>\n" * 2
    found = validate_run(io.StringIO(f"{head}\n{results}</topic></inex-submission>"), "ric")
    assert found[["line", "problem"]].values.tolist() == [[3, "overlaps line 2"]]


def test_a_run_of_whole_articles_has_nothing_to_check():
    with pytest.raises(FormatError, match="whole articles"):
        validate_run(io.BytesIO(b"1 Q0 a 1 1 t\n"), "ric")


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 20), st.integers(1, 6)), max_size=8))
def test_a_run_is_valid_if_no_two_parts_of_an_article_share_a_character(parts):
    spans = [(docno, start, start + size) for docno, start, size in parts]
    overlap = any(x[0] == y[0] and x[1] < y[2] and y[1] < x[2] for x, y in combinations(spans, 2))
    assert bool(find_problems(fol(*spans) or ["1 Q0 c 1 1 t 0 5"], "focused")) == overlap
