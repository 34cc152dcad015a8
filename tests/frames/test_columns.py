"""The frames: ids, cells, ranking, packing, checks."""

import functools
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pyterrier_focused import cells
from pyterrier_focused.errors import EvaluationWarning, SpanError
from pyterrier_focused.frames import columns as frames
from pyterrier_focused.frames import ids
from pyterrier_focused.frames.arrow_columns import read_lists
from pyterrier_focused.frames.checks import check_qrels, check_run
from pyterrier_focused.frames.packing import pack, unpack
from pyterrier_focused.frames.ranking_rule import article_order
from pyterrier_focused.frames.span_attributes import ALTERNATIVES, read_numbers
from pyterrier_focused.frames.span_cells import read_cells

DOCNOS = st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=6)
SPANS = st.tuples(st.integers(0, 2**61), st.integers(1, 2**61)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(st.lists(st.tuples(DOCNOS, SPANS)))
def test_ids_round_trip_whatever_the_article_is_called(parts):
    articles, spans = [article for article, _ in parts], [span for _, span in parts]
    names = ids.make_ids(articles, [s for s, _ in spans], [e for _, e in spans])
    article, start, end = ids.parse_ids(names)
    assert article.tolist() == articles
    assert list(zip(start.tolist(), end.tolist(), strict=True)) == spans


def test_an_id_is_read_from_the_right():
    article, start, end = ids.parse_ids(["12#1042-1377", "a#1-2#3-4", "plain", "c#1-x", "#5-6", "x#٣-٤"])
    assert article.tolist() == ["12", "a#1-2", "plain", "c#1-x", "", "x#٣-٤"]
    assert start.tolist() == [1042, 3, -1, -1, 5, -1]
    assert end.tolist() == [1377, 4, -1, -1, 6, -1]


@pytest.mark.parametrize("name", ["a#6-5", "a#0-99999999999999999999"])
def test_an_id_with_a_span_that_is_not_valid_is_an_error(name):
    with pytest.raises(SpanError, match=name):
        ids.parse_ids([name])


CELLS = [
    [[(1, 5), (7, 9)], None, [(0, 2)], []],
    [np.array([[1, 5], [7, 9]]), float("nan"), np.array([[0.0, 2.0]]), np.zeros((0, 2))],
    [np.array([[1, 5], [7, 9]]), pd.NaT, np.array([[0.0, 2.0]]), np.array([[]])],
    [[{"start": 1, "end": 5}, {"start": 7, "end": 9}], pd.NA, [{"end": 2, "start": 0, "score": None}], []],
    [((1, 5), [7, 9]), None, [np.array([0, 2])], np.array([], dtype=object)],
    pa.array([[[1, 5], [7, 9]], None, [[0, 2]], []]),
    pd.Series(pa.array([[[1, 5], [7, 9]], None, [[0, 2]], []]).to_pandas()),
    pd.Series(
        pd.arrays.ArrowExtensionArray(
            pa.array([[{"start": 1, "end": 5}, {"start": 7, "end": 9}], None, [{"start": 0, "end": 2}], []])
        )
    ),
]


@pytest.mark.parametrize("column", CELLS)
def test_cells_of_every_accepted_shape(column):
    spans = frames.flatten(column)
    assert spans.row.tolist() == [0, 0, 2]
    assert spans.start.tolist() == [1, 7, 0]
    assert spans.end.tolist() == [5, 9, 2]
    assert spans.score is None


def test_scores_come_along_and_absent_ones_are_nan():
    spans = frames.flatten([[(1, 2, 0.5)], [(3, 4)]])
    assert spans.score[0] == 0.5
    assert np.isnan(spans.score[1])
    column = frames.span_column(spans.row, 3, spans.start, spans.end, spans.score)
    assert column.dtype == frames.SCORED_SPANS
    assert cells(column) == [[(1, 2, 0.5)], [(3, 4)], []]


OFFSET = st.one_of(st.integers(-1, 9), st.none(), st.sampled_from([2**53 + 1, 2**63 - 1, 1.0, 1.5, float("nan")]))
ANY_SPANS = st.lists(
    st.one_of(st.none(), st.lists(st.tuples(OFFSET, OFFSET, st.one_of(st.none(), st.floats())), max_size=3))
)


def read_or_refuse(read, *given):
    """What *read* returns, as text since NaN is not equal to itself, or the error it raises."""
    try:
        spans = read(*given)
    except SpanError as error:
        return str(error)
    return str([None if values is None else values.tolist() for values in spans])


@given(ANY_SPANS, st.sampled_from(["passages", "highlights"]), st.booleans())
def test_arrow_columns_are_read_as_their_cells_are(rows, column, whole_numbers):
    """The flat way over good columns against the way over cells; bad ones are refused by both."""
    kind = pa.int64() if whole_numbers else pa.float64()
    fields = [("start", kind), ("end", kind), ("score", pa.float64())]
    cells = [
        None if row is None else [dict(zip(("start", "end", "score"), span, strict=True)) for span in row]
        for row in rows
    ]
    try:
        array = pa.array(cells, pa.list_(pa.struct(fields)))
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return  # fractions in a column of whole numbers
    expected = read_or_refuse(frames.flatten, array.to_pylist(), column)
    forms = [array, pd.Series(pd.arrays.ArrowExtensionArray(array)), pa.chunked_array([array])]
    assert [read_or_refuse(frames.flatten, form, column) for form in forms] == [expected] * 3


def read_arrow(*cells):
    return read_lists(pa.array(cells, frames.SCORED_SPANS.pyarrow_dtype), "highlights")


@pytest.mark.parametrize("score", [None, 1.5])
def test_good_arrow_columns_are_read_whole(score):
    """Otherwise the test above would compare a function with itself."""
    good = [{"start": 1, "end": 5, "score": score}]
    whole, slow = read_arrow(good, None, [], good * 2), read_cells([good, None, [], good * 2], "highlights", None)
    assert [whole.row.tolist(), whole.start.tolist(), whole.end.tolist()] == [[0, 3, 3], [1, 1, 1], [5, 5, 5]]
    assert all(np.array_equal(*columns) for columns in zip(whole, slow, strict=True)), (whole, slow)


@pytest.mark.parametrize(
    "change", [{"start": -5, "end": -3}, {"start": 6}, {"start": 5}, {"end": None}, {"score": float("nan")}], ids=str
)
@pytest.mark.parametrize("score", [None, 1.5])
def test_bad_arrow_columns_are_not_read_whole(score, change):
    good = {"start": 1, "end": 5, "score": score}
    assert read_arrow([good], [{**good, **change}]) is None


ODD_NUMBERS = [
    2**53 + 1, 2**60, 2**63, 1.0, 1.5, 1e300, float("nan"), float("inf"), None, "1", np.int32(3), np.float16(3), True,
    False, np.True_, np.False_, np.timedelta64(3, "s"), np.datetime64("2020-01-01"), Decimal(3), Fraction(3),
]  # fmt: skip
NUMBER = st.one_of(st.integers(-1, 9), st.sampled_from(ODD_NUMBERS))
GOOD = st.tuples(st.integers(0, 4), st.integers(5, 9))
SPAN = st.one_of(
    GOOD, GOOD, st.tuples(NUMBER, NUMBER), st.tuples(NUMBER, NUMBER, NUMBER), st.just(()),
    st.dictionaries(st.sampled_from(["start", "end", "score", "text"]), NUMBER),
    GOOD.map(np.array), GOOD.map(list), GOOD.map(lambda span: (*span, 0.5)),
    GOOD.map(lambda span: {"start": span[0], "end": span[1]}), GOOD.map(set), GOOD.map(bytes),
    GOOD.map(lambda span: range(*span)), GOOD.map(lambda span: [("start", span[0]), ("end", span[1])]),
    GOOD.map(lambda span: np.array([False, True])),
)  # fmt: skip
ROWS = st.lists(
    st.one_of(
        st.none(),
        st.sets(GOOD, max_size=2),
        st.just(float("nan")),
        st.lists(SPAN, max_size=2),
        st.lists(GOOD, max_size=2),
    )
)


@given(st.one_of(ROWS, *(st.lists(st.lists(form, max_size=3)) for form in (GOOD, SPAN))), st.booleans())
@example([[[("start", 0), ("end", 5)]]], False)
def test_cells_are_read_together_as_they_are_one_by_one(rows, in_frame):
    column = pd.Series(rows, dtype=object) if in_frame else rows
    one_by_one = read_or_refuse(read_cells, column, "passages", None)
    assert read_or_refuse(frames.flatten, column, "passages") == one_by_one


@given(st.lists(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=3), max_size=4), st.data())
def test_rows_are_taken_with_their_spans(rows, data):
    rows = [[(min(pair), max(pair)) for pair in row] for row in rows]
    order = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=6)) if rows else []
    taken = frames.flatten(rows).take(np.array(order, dtype=np.int64))
    assert cells(frames.span_column(taken.row, len(order), taken.start, taken.end)) == [rows[i] for i in order]


BAD = [
    [(-1, 5)], [(-5, -3)], [(6, 5)], [(1,)], [(1, 2, 3, 4)], [(float("nan"), 5)], [(1.5, 5)], [("1", 5)], [(1, None)],
    [(1, 2, float("nan"))], [(True, 5)], "1-5", 7, [7], np.array([1, 2]), [{"start": 1}], [(1, 2**63)], [(1, 2**64)],
    [(1, float("inf"))],
]  # fmt: skip


@pytest.mark.parametrize("cell", BAD, ids=repr)
def test_a_bad_coordinate_names_column_topic_article_and_what_to_do(cell):
    run = pd.DataFrame({"qid": ["q1", "q2"], "docno": ["d1", "d2"], "score": [2.0, 1.0], "passages": [[(1, 2)], cell]})
    with pytest.raises(SpanError, match=r"column 'passages', topic 'q2', article 'd2'.*half-open"):
        frames.flatten(run["passages"], "passages", run)


@pytest.mark.parametrize(
    ("column", "span", "fault"),
    [
        ("passages", {"start": -5, "end": -3}, "is not a valid span"),
        ("passages", {"start": 6, "end": 5, "score": 1.0}, "is not a valid span"),
        ("highlights", (7, 7), "is not a valid span"),
        ("passages", {"start": 5}, "lacks 'start' or 'end'"),
        ("passages", (1, 2, 3, 4), "is not a pair or a triple"),
        ("passages", (1, 2, "3"), "holds something that is not a number"),
        ("passages", (1, 2.5), "holds an offset that is not a whole 64-bit number"),
        ("passages", (1, 2, float("nan")), "has no score"),
    ],
)
def test_the_first_span_that_is_not_valid_is_quoted_with_its_fault(column, span, fault):
    cells = [[(1, 5, 0.5), (7, 9)], [{"start": 3, "end": 4, "score": 2.0}, span, (-1, -1)]]
    with pytest.raises(SpanError) as error:
        frames.flatten(cells, column)
    assert f"column {column!r}, row 1: {span!r} {fault}" in str(error.value)


@pytest.mark.parametrize("kind", [float, np.int64, np.float64])
def test_offsets_may_be_numbers_of_other_kinds_up_to_what_they_hold(kind):
    spans = frames.flatten([[(kind(1000), kind(2**53))]])
    assert [spans.start.tolist(), spans.end.tolist()] == [[1000], [2**53]]


@pytest.mark.parametrize("form", [list, lambda rows: pd.Series(rows, dtype=frames.SPANS)])
def test_spans_of_more_characters_than_can_be_added_up_are_refused(form):
    half = {"start": 0, "end": 2**61}
    assert frames.flatten(form([[half], [{"start": 0, "end": 2**61 - 1024}]])).end.tolist() == [2**61, 2**61 - 1024]
    with pytest.raises(SpanError, match="more characters than 64 bits count"):
        frames.flatten(form([[half], [half]]))


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.sampled_from([1.0, 1.0 + 1e-9, 0.5, -3.0, 1e300, 1e301]), st.integers(0, 99)),
        max_size=12,
        unique_by=lambda row: (row[0], row[2]),
    )
)
def test_articles_rank_as_in_trec_eval(rows):
    def compare(a, b):  # topic, then float32 score descending, then name descending
        with np.errstate(over="ignore"):
            left, right = np.float32(a[1]), np.float32(b[1])
        if a[0] != b[0]:
            return -1 if a[0] < b[0] else 1
        if left != right:
            return -1 if left > right else 1
        return -1 if a[2] > b[2] else 1

    named = [(topic, score, f"d{number:02}") for topic, score, number in rows]
    order = article_order([r[0] for r in named], [r[1] for r in named], [r[2] for r in named])
    assert [named[i] for i in order] == sorted(named, key=functools.cmp_to_key(compare))


def test_topics_that_take_turns_are_ranked_one_by_one():
    assert article_order([0, 1, 0, 1], [4.0, 3.0, 2.0, 1.0], list("abcd")).tolist() == [0, 2, 1, 3]
    assert article_order([1, 0, 1], [3.0, 2.0, 1.0], list("abc")).tolist() == [1, 0, 2]


PARTS = pd.DataFrame({
    "qid": ["q"] * 4, "docno": ["a#10-20", "b#0-5", "a#0-4", "a#6-8"], "score": [3.0, 2.0, 1.0, 9.0],
    "query": ["words"] * 4,
})  # fmt: skip


def test_packed_parts_are_passages_of_their_articles():
    run = pack(PARTS)
    check_run(run)
    assert run.assign(passages=cells(run["passages"])).to_dict("list") == {
        "qid": ["q", "q"],
        "docno": ["a", "b"],
        "score": [9.0, 2.0],
        "rank": [0, 1],
        "passages": [[(0, 4, 1.0), (6, 8, 9.0), (10, 20, 3.0)], [(0, 5, 2.0)]],
        "query": ["words", "words"],
    }


def test_unpacked_passages_are_the_parts_article_by_article():
    assert unpack(pack(PARTS)).to_dict("list") == {
        "qid": ["q"] * 4,
        "docno": ["a#6-8", "a#10-20", "b#0-5", "a#0-4"],
        "score": [9.0, 3.0, 2.0, 1.0],
        "rank": [0, 1, 2, 3],
        "query": ["words"] * 4,
    }


def test_unpacking_needs_passages():
    with pytest.raises(ValueError, match=r"missing: \['passages'\]"):
        unpack(run_of().drop(columns="passages"))


def test_passages_that_tie_follow_their_articles_best_ones():
    ids = ["b#0-4", "a#9-12", "a#0-4", "a#6-8", "b#5-9"]
    run = pack(pd.DataFrame({"qid": "q", "docno": ids, "score": [1.0, 1.0, 1.0, 3.0, 2.0]}))
    assert unpack(run)["docno"].tolist() == ["a#6-8", "b#5-9", "a#0-4", "a#9-12", "b#0-4"]


def test_packing_nothing_keeps_the_columns():
    empty = pd.DataFrame({"qid": [], "docno": [], "score": [], "query": []})
    assert {"qid", "docno", "score", "rank", "passages", "query"} <= set(pack(empty).columns)
    assert len(unpack(pack(empty))) == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"docno": ["a#1-2", "d7"]}, "topic 'q', docno 'd7' names none.*ARTICLE#START-END$"),
        ({"docno": ["a#0-2", "d7"]}, "topic 'q', docno 'd7' names none"),
        ({"docno": ["a#1-2", "d7"], "passages": None}, "docno 'd7' names none.*the frame is packed already"),
        (
            {"docno": ["a#1-2", None]},
            r"pack\(\) works on passages: topic 'q', docno (None|nan) is not a text of the form",
        ),
        ({"qid": ["q", None]}, r"pack\(\): row 1 has no qid"),
        ({"score": [1.0, float("nan")]}, r"pack\(\): column 'score', topic 'q', article 'b#3-4': the score is missing"),
    ],
)
def test_pack_names_the_row_that_is_no_scored_passage(change, message):
    parts = pd.DataFrame({"qid": ["q", "q"], "docno": ["a#1-2", "b#3-4"], "score": [1.0, 2.0]})
    with pytest.raises(ValueError, match=message):
        pack(parts.assign(**change))


@pytest.mark.parametrize("without", [(), (2,), (2, 4)])
@pytest.mark.parametrize("shift", [0, 2**60, 2**62 - 50, 2**62 + 50])
def test_packed_passages_stand_in_order_of_start_and_end(shift, without):
    """Also those that begin together, and offsets for which no number holds article and offset."""
    ranked = [
        ("c", 0, 9),
        ("a", 30, 31),
        ("b", 0, 9),
        ("b", 0, 4),
        ("a", 0, 9),
        ("b", 10, 20),
        ("a", 0, 4),
        ("c", 0, 2),
    ]
    ranked = [(article, start + shift, end + shift) for article, start, end in ranked if end not in without]
    ids = [f"{article}#{start}-{end}" for article, start, end in ranked]
    run = pack(pd.DataFrame({"qid": "q", "docno": ids, "score": np.arange(float(len(ids)))[::-1]}))
    assert run["docno"].tolist() == ["c", "a", "b"]  # best first
    passages = [[span[:2] for span in cell] for cell in cells(run["passages"])]
    assert passages == [sorted(row[1:] for row in ranked if row[0] == docno) for docno in "cab"]


def test_two_passages_that_begin_together_are_packed_by_their_ends():
    run = pack(pd.DataFrame({"qid": "q", "docno": ["a#0-9", "a#0-4"], "score": [2.0, 1.0]}))
    assert cells(run["passages"]) == [[(0, 4, 1.0), (0, 9, 2.0)]]


def run_of(**columns):
    base = {"qid": ["q", "q"], "docno": ["a", "b"], "score": [2.0, 1.0], "passages": [[(1, 2)], [(1, 2)]]}
    return pd.DataFrame({**base, **columns})


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (run_of().drop(columns="passages"), r"missing: \['passages'\]"),
        (run_of(docno=["a", "a"]), "topic 'q', article 'a' occurs more than once in the run"),
        (run_of(score=[1.0, float("nan")]), "topic 'q', article 'b': the score is missing"),
        (run_of(passages=[[(1, 2)], [(1, 2, 3.0)]]), "topic 'q' has passages with and without scores"),
    ],
)
def test_check_run_says_what_is_wrong(run, message):
    with pytest.raises(ValueError, match=message):
        check_run(run)


def test_runs_that_are_right_pass():
    check_run(run_of())
    check_run(run_of(qid=["q", "r"], passages=[[(1, 2)], [(1, 2, 3.0)]]))  # scored or not, topic by topic
    check_run(run_of(qid=["q", "r"], docno=["a", "a"]))
    three = pd.concat([run_of(), run_of(qid="r").iloc[:1]])  # the last article of one topic, the first of the next
    check_run(three)
    check_run(three.iloc[:0])


def test_what_most_likely_was_not_meant_is_a_warning():
    with pytest.warns(EvaluationWarning, match=r"passage id \(first: 'a#1-2'\); pack\(\) makes a run frame"):
        check_run(run_of(docno=["a#1-2", "b#1-2"]))
    qrels = run_of(label=[1, 0], highlights=[[(1, 2)], None])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_run(run_of(docno=["a#1-2", "b"]))
        check_qrels(qrels.assign(length=2))
    with pytest.warns(EvaluationWarning, match="beyond the article's length"):
        check_qrels(qrels.assign(length=1))


def test_duplicate_judgments_are_named_with_what_to_do():
    qrels = run_of(label=1, highlights=[[(1, 2)], None], docno=["a", "a"])
    with pytest.raises(
        ValueError, match=r"topic 'q', article 'a' occurs more than once in the qrels; .* in the highlights of one row"
    ):
        check_qrels(qrels)
    with pytest.raises(ValueError, match="in the run; keep all parts of an article in the passages of one row"):
        check_run(qrels)


def test_check_qrels_says_what_is_wrong():
    qrels = pd.DataFrame({"qid": ["q"], "docno": ["a"], "label": [1], "highlights": [[(4, 3)]]})
    with pytest.raises(SpanError, match="column 'highlights', topic 'q', article 'a'"):
        check_qrels(qrels)
    check_qrels(qrels.assign(highlights=[[(3, 4)]]))


FLAG, WAIT, DAY = np.True_, np.timedelta64(5, "s"), np.datetime64("2020-01-01")


@pytest.mark.parametrize(
    "cell",
    [
        [(FLAG, 5)], [(0, FLAG)], [(0, 5), (FLAG, 9)], [(0, 5, FLAG)], [{"start": np.False_, "end": 5}],
        [{"start": 0, "end": 5, "score": FLAG}], [(WAIT, WAIT)], [(0, WAIT)], [(DAY, DAY)], [(0, 5, WAIT)],
        np.array([[1, 5]], "m8[ns]"), np.array([[1, 5]], "M8[ns]"), [np.array([1, 5], "m8[ns]")],
        np.array([[FLAG, 5]], dtype=object),
    ],
    ids=repr,
)  # fmt: skip
@pytest.mark.parametrize("other", [[], [[(0, 5)]], [[{"start": 0, "end": 5}]]], ids=repr)
def test_flags_and_times_are_no_numbers(cell, other):
    with pytest.raises(SpanError, match="something that is not a number"):
        frames.flatten([*other, cell])


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ([(10**400, 10**401)], "not a whole 64-bit number"),
        ([(0, 10**30)], "not a whole 64-bit number"),
        ([{"start": 10**400, "end": 5}], "not a whole 64-bit number"),
        ([(0, 5, 10**400)], "a score that is too large"),
        ([{"start": 0, "end": 5, "score": -(10**400)}], "a score that is too large"),
    ],
    ids=["both", "end", "dict", "score", "score in a dict"],
)
def test_numbers_beyond_floats_are_refused(cell, message):
    with pytest.raises(SpanError, match=message):
        frames.flatten([cell])


@pytest.mark.parametrize(
    "score",
    [
        [True, False],
        [FLAG, 1.5],
        [1.5, True],
        pd.to_timedelta([1, 2]),
        pd.to_datetime([1, 2]),
        [WAIT, 1],
        pd.Series([10**400, 1], dtype=object),
    ],
    ids=lambda score: repr(score)[:40],
)
def test_scores_are_numbers(score):
    run = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "passages": [[(0, 5)]] * 2}).assign(score=score)
    with pytest.raises(ValueError, match=r"column 'score'.* not a number"):
        check_run(run)


def test_a_number_of_an_alternative_has_64_bits():
    qrels = pd.DataFrame({"qid": ["1"], "docno": ["a"], "alternatives": [[10**400]]})
    with pytest.raises(SpanError, match="lists of whole numbers"):
        read_numbers(qrels, ALTERNATIVES, frames.flatten([[(0, 5)]]))
