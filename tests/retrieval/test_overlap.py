import itertools

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from part_frames import frame, greedy, part_frames, ranked, same_rows, share, topics

from pyterrier_focused.retrieval import MergeAdjacent, RemoveOverlap
from pyterrier_focused.retrieval.tasks.overlap import _find_overlapping_pairs, _mark_disjoint_one_by_one, disjoint


@given(part_frames())
def test_best_walks_down_the_ranking(parts):
    expected = [(qid, row) for qid, rows in topics(parts).items() for row in greedy(ranked(rows))]
    assert same_rows(RemoveOverlap()(parts), expected)


def keep_by_length(rows, sign):
    """Those of a topic's rows that stay if the longest (sign -1) or the shortest (1) go first, as they are ranked."""
    kept = greedy(sorted(ranked(rows), key=lambda row: sign * (row[2] - row[1])))
    return [row for row in ranked(rows) if any(row is other for other in kept)]


@given(part_frames(), st.sampled_from([("outer", -1), ("inner", 1)]))
def test_outer_and_inner_prefer_by_length(parts, keep):
    name, sign = keep
    expected = [(qid, row) for qid, rows in topics(parts).items() for row in keep_by_length(rows, sign)]
    assert same_rows(RemoveOverlap(keep=name)(parts), expected)


@given(part_frames(), st.sampled_from(["best", "outer", "inner"]))
def test_what_stays_is_disjoint_and_what_goes_met_it(parts, keep):
    kept = topics(RemoveOverlap(keep)(parts))
    met = [(a, b) for stay in kept.values() for a, b in itertools.combinations(stay, 2) if share(a, b)]
    assert met == []
    without_reason = [
        (qid, row)
        for qid, rows in topics(parts).items()
        for row in rows
        if row[1] < row[2] and not any(share(row, other) for other in kept[qid])
    ]
    assert without_reason == []


@given(part_frames())
def test_removing_twice_changes_nothing(parts):
    once = RemoveOverlap()(parts)
    pd.testing.assert_frame_equal(RemoveOverlap()(once), once)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 60), st.integers(1, 25)), max_size=120))
def test_disjoint_if_few_and_if_many_overlap(spans):
    """Up to 120 spans in 3 x 60 characters: both ways of `disjoint` are taken."""
    group, start, length = (np.array([span[i] for span in spans], dtype=np.int64) for i in range(3))
    rows = [(int(g), int(s), int(s + n), 0.0, i) for i, (g, s, n) in enumerate(spans)]
    kept = {row[4] for row in greedy(rows)}
    assert disjoint(group, start, start + length).tolist() == [i in kept for i in range(len(rows))]


def test_the_end_of_one_article_does_not_reach_into_the_next():
    group, start, end = np.array([0, 1, 2]), np.array([0, 0, 0]), np.array([10, 1, 10])
    assert disjoint(group, start, end).tolist() == [True, True, True]
    assert [side.tolist() for side in _find_overlapping_pairs(group, start, end)] == [[], []]


def test_keys_that_would_not_fit_64_bits_are_not_made():
    """Of offsets below 2**62, those of texts 0 and 4 would be 4 apart, and a long span of text 1 would end below 0."""
    end = 2**62 - 1
    assert disjoint(np.array([0, 4]), np.array([end - 5] * 2), np.array([end] * 2)).tolist() == [True, True]
    assert disjoint(np.array([1, 1]), np.array([0, 5]), np.array([end + 9, 10])).tolist() == [True, False]


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 60), st.integers(1, 25)), max_size=60),
    st.sampled_from([0, 2**61, 2**62]),
)
@example([(0, 0, 5), (2, 0, 5), (2, 3, 5)], 2**62)
def test_each_way_of_disjoint_against_its_definition(spans, shift):
    """All overlapping pairs, and span after span, by comparing any two; large offsets have no key and go one by one."""
    group, start, length = (np.array([span[i] for span in spans], dtype=np.int64) for i in range(3))
    start = start + shift
    rows = [(int(g), int(s), int(s + n), 0.0, i) for i, (g, s, n) in enumerate(zip(group, start, length, strict=True))]
    kept = {row[4] for row in greedy(rows)}
    expected = [i in kept for i in range(len(rows))]
    assert _mark_disjoint_one_by_one(group, start, start + length).tolist() == expected
    assert disjoint(group, start, start + length).tolist() == expected
    pairs = _find_overlapping_pairs(group, start, start + length)
    every = [(a, b) for a in range(len(rows)) for b in range(a + 1, len(rows)) if share(rows[a], rows[b])]
    if pairs is None:
        assert len(every) > 4 * len(rows) or (shift and len(rows))
    else:
        assert sorted(zip(*(side.tolist() for side in pairs), strict=True)) == every


@pytest.mark.parametrize("step", [1, -1])
def test_a_chain_of_windows_keeps_every_second(step):
    """Each window overlaps its neighbours alone, and scores rise along the text, or fall."""
    n = 401
    scores = range(n)[::step]
    parts = frame([("1", "a", 50 * i, 50 * i + 100, scores[i]) for i in range(n)])
    kept = topics(RemoveOverlap()(parts))["1"]
    assert sorted(row[4] for row in kept) == list(range(0, n, 2))


def test_rank_and_foreign_columns_are_those_of_the_rows_that_stay():
    parts = frame([("1", "a", 0, 9, 1.0), ("1", "a", 3, 5, 2.0), ("2", "b", 0, 4, 1.0), ("1", "c", 0, 4, 0.5)])
    kept = RemoveOverlap()(parts.assign(rank=7))
    assert kept["number"].tolist() == [1, 3, 2]
    assert kept["rank"].tolist() == [0, 1, 0]
    assert kept["query"].tolist() == ["query 1", "query 1", "query 2"]
    assert set(kept.columns) == {"qid", "query", "docno", "score", "number", "rank"}


@pytest.mark.parametrize("transformer", [RemoveOverlap(), MergeAdjacent()])
def test_parts_that_tie_follow_their_articles_best_ones(transformer):
    rows = [("b", 0, 4, 1.0), ("a", 9, 12, 1.0), ("a", 0, 4, 1.0), ("a", 6, 8, 3.0), ("b", 5, 9, 2.0)]
    parts = frame([("1", *row) for row in rows])
    assert transformer(parts)["docno"].tolist() == ["a#6-8", "b#5-9", "a#0-4", "a#9-12", "b#0-4"]


def test_input_is_left_alone():
    parts = frame([("1", "a", 0, 9, 1.0), ("1", "a", 3, 5, 2.0)])
    before = parts.copy(deep=True)
    RemoveOverlap()(parts)
    MergeAdjacent()(parts)
    pd.testing.assert_frame_equal(parts, before)


def merge_plainly(rows, gap):
    """(start, end, score) of one article's rows, joined where at most *gap* characters lie between them."""
    clusters: list = []
    for _, start, end, score, *_ in sorted(rows, key=lambda row: row[1]):
        if clusters and start - clusters[-1][1] <= gap:
            first, last, best = clusters[-1]
            clusters[-1] = (first, max(last, end), max(best, score))
        else:
            clusters.append((start, end, score))
    return clusters


@given(part_frames(), st.integers(0, 6))
def test_merging_joins_the_parts_of_a_text(parts, gap):
    """A text's merged parts are the runs of its characters, once holes of at most *gap* characters are filled."""
    found = topics(MergeAdjacent(gap)(parts).assign(number=0))
    expected = {
        qid: [
            (article, *merged)
            for article in {row[0] for row in rows}
            for merged in merge_plainly([row for row in rows if row[0] == article], gap)
        ]
        for qid, rows in topics(parts).items()
    }
    assert {qid: sorted(row[:4] for row in rows) for qid, rows in found.items()} == {
        qid: sorted(rows) for qid, rows in expected.items()
    }
    assert {qid: [row[3] for row in rows] for qid, rows in found.items()} == {
        qid: sorted((row[3] for row in rows), reverse=True) for qid, rows in expected.items()
    }


def test_merged_parts_take_the_best_parts_columns_and_lose_the_text():
    parts = frame([("1", "a", 0, 4, 1.0), ("1", "a", 6, 9, 3.0), ("1", "a", 20, 30, 2.0)]).assign(text="x")
    merged = MergeAdjacent(gap=2)(parts)
    assert merged["docno"].tolist() == ["a#0-9", "a#20-30"]
    assert merged["number"].tolist() == [1, 2]
    assert merged["score"].tolist() == [3.0, 2.0]
    assert "text" not in merged.columns


def test_without_a_gap_only_touching_parts_are_merged():
    parts = frame([("1", "a", 0, 4, 1.0), ("1", "a", 4, 9, 2.0), ("1", "a", 10, 30, 3.0)])
    assert MergeAdjacent()(parts)["docno"].tolist() == ["a#10-30", "a#0-9"]


@pytest.mark.parametrize("gap", [-1, 1.5, True, None])
def test_settings_of_overlap_are_checked(gap):
    with pytest.raises(ValueError, match="keep='longest'; choose one of 'best', 'outer', 'inner'"):
        RemoveOverlap(keep="longest")
    with pytest.raises(ValueError, match="gap="):
        MergeAdjacent(gap=gap)


@pytest.mark.parametrize("transformer", [RemoveOverlap(), MergeAdjacent()])
class TestInputs:
    def test_an_article_is_no_part(self, transformer):
        with pytest.raises(ValueError, match="docno '12' names none: passages are named ARTICLE#START-END"):
            transformer(pd.DataFrame({"qid": ["1"], "docno": ["12"], "score": [1.0]}))

    def test_a_packed_frame_is_told_apart(self, transformer):
        run = pd.DataFrame({"qid": ["1"], "docno": ["12"], "score": [1.0], "passages": [[(0, 1)]]})
        with pytest.raises(ValueError, match="packed already"):
            transformer(run)

    def test_a_missing_score_names_the_row(self, transformer):
        with pytest.raises(ValueError, match="topic '7', article 'a#0-3': the score is missing"):
            transformer(pd.DataFrame({"qid": ["7"], "docno": ["a#0-3"], "score": [np.nan]}))

    def test_a_score_that_is_no_number(self, transformer):
        with pytest.raises(ValueError, match="column 'score' holds something that is not a number"):
            transformer(pd.DataFrame({"qid": ["7"], "docno": ["a#0-3"], "score": ["high"]}))

    def test_a_missing_column_names_it(self, transformer):
        with pytest.raises(pt.validate.InputValidationError, match="score"):
            transformer(pd.DataFrame({"qid": ["7"], "docno": ["a#0-3"]}))

    @pytest.mark.parametrize("docno", [None, 12, float("nan")])
    def test_a_docno_that_is_no_text(self, transformer, docno):
        parts = pd.DataFrame({"qid": [7, 8], "docno": ["a#0-3", docno], "score": [1.0, 1.0]})
        with pytest.raises(ValueError, match=r"topic '8', docno (None|nan|12) is not a text"):
            transformer(parts)

    def test_a_reversed_span(self, transformer):
        with pytest.raises(ValueError, match=r"a#5-3.*is not a valid span"):
            transformer(pd.DataFrame({"qid": ["7"], "docno": ["a#5-3"], "score": [1.0]}))

    def test_a_missing_topic(self, transformer):
        with pytest.raises(ValueError, match="no qid"):
            transformer(pd.DataFrame({"qid": [None], "docno": ["a#1-3"], "score": [1.0]}))

    def test_string_columns_of_pandas(self, transformer):
        parts = frame([("1", "a", 0, 4, 1.0), ("1", "b", 6, 9, 3.0)])
        assert transformer(parts.convert_dtypes())["docno"].tolist() == ["b#6-9", "a#0-4"]
