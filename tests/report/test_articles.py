"""Which articles a report shows: frames that are read once give what filtering them topic by topic gives."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused.report import relevant_articles
from pyterrier_focused.report.article import RowsByTopic

SPAN = st.tuples(st.integers(0, 40), st.integers(1, 20)).map(lambda span: (span[0], sum(span)))
SCORED = st.tuples(SPAN, st.integers(0, 3)).map(lambda scored: (*scored[0], float(scored[1])))
CELLS = st.none() | st.lists(SPAN, max_size=4) | st.lists(SCORED, max_size=4)
KEYS = st.tuples(st.sampled_from(["2", "1", "3"]), st.sampled_from("abcd"))


@st.composite
def frames(draw, cells):
    """A frame whose topics are mixed, with a cell of spans for each row."""
    keys = draw(st.lists(KEYS, unique=True, max_size=12))
    rows = [(qid, docno, draw(cells), draw(st.none() | st.integers(0, 9))) for qid, docno in keys]
    return pd.DataFrame(rows, columns=["qid", "docno", "passages", "bep"], dtype=object)


@given(frames(CELLS))
def test_rows_are_found_by_topic_and_article(frame):
    rows = RowsByTopic(frame, "passages")
    found = {(qid, docno): row for qid in "123" for docno, row in rows.find_articles(qid).items()}
    assert found == {(row.qid, row.docno): row.Index for row in frame.itertuples()}


@given(frames(CELLS))
def test_spans_of_a_row_come_best_first(frame):
    rows = RowsByTopic(frame, "passages")
    rankings = [sorted(cell or [], key=lambda span: (-sum(span[2:]), span[:2])) for cell in frame["passages"]]
    read = [rows.read_row(row)["spans"] for row in range(len(frame))]
    assert read == [[span[:2] for span in ranking] for ranking in rankings]


def test_what_a_row_does_not_give_is_left_out():
    qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": [1, 0], "bep": [4.0, None]})
    rows = RowsByTopic(qrels, "highlights")
    assert [rows.read_row(row) for row in (0, 1, None)] == [
        {"spans": [], "docno": "a", "label": 1, "bep": 4.0},
        {"spans": [], "docno": "b", "label": 0},
        {},
    ]


@given(frames(st.lists(SPAN, max_size=4)))
def test_relevant_articles_come_by_their_highlighted_characters(frame):
    qrels = frame.rename(columns={"passages": "highlights"}).assign(label=1)
    size = {
        (row.qid, row.docno): len({offset for start, end in row.highlights for offset in range(start, end)})
        for row in qrels.itertuples()
    }
    largest_first = sorted((key for key in size if size[key]), key=lambda key: -size[key])
    topics = dict.fromkeys(qid for qid, _ in largest_first)
    expected = {topic: [docno for qid, docno in largest_first if qid == topic] for topic in topics}
    assert relevant_articles(qrels) == expected


@pytest.mark.parametrize("qid", ["1", 1])
def test_without_highlights_labels_tell_what_is_relevant(qid):
    qrels = pd.DataFrame({"qid": qid, "docno": list("abcd"), "label": [1, 0, 3, -1]})
    assert relevant_articles(qrels) == {"1": ["a", "c"]}
