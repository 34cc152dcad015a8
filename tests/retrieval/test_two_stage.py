import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from part_frames import articles_by_rank, frame, part_frames, ranked, same_rows, topics

import pyterrier_focused as ptf
from pyterrier_focused.retrieval import (
    ArticleThenParts,
    Contextualise,
    Focused,
    RelevantInContext,
    RemoveOverlap,
    Restrict,
)

SMALL = st.sampled_from([1.0, 0.5, 0.0, -2.5, 3.0])
TOPIC = pd.DataFrame({"qid": ["1"], "query": ["x"]})


def fixed(rows):
    return pt.Transformer.from_df(rows, uniform=True)


def articles(*rows):
    return pd.DataFrame(rows, columns=["qid", "docno", "score"]).assign(rank=0)


class TestArticleThenParts:
    """Articles a: 10, b: 5, c: 0 (c has no part; d was not retrieved); parts a: 1 and 2, b: 4, d: 9."""

    found = articles(("1", "a", 10.0), ("1", "b", 5.0), ("1", "c", 0.0))
    parts = frame([("1", "a", 0, 5, 1.0), ("1", "a", 5, 9, 2.0), ("1", "b", 0, 5, 4.0), ("1", "d", 0, 5, 9.0)])

    def run(self, **settings):
        return ArticleThenParts(fixed(self.found), fixed(self.parts), **settings)(TOPIC)

    def test_interpolated(self):
        """a scales to 1 and b to 0; the parts scale to 0, 1/3 and 1."""
        run = self.run(weight=0.25)
        assert run["docno"].tolist() == ["b#0-5", "a#5-9", "a#0-5"]
        assert run["score"].tolist() == pytest.approx([0.75, 0.25 + 0.75 / 3, 0.25])
        assert run["article_score"].tolist() == [5.0, 10.0, 10.0]
        assert run["rank"].tolist() == [0, 1, 2]

    def test_weights_of_only_one_kind(self):
        assert self.run(weight=1)["docno"].tolist()[2] == "b#0-5"
        assert self.run(weight=0)["docno"].tolist()[0] == "b#0-5"

    def test_product(self):
        run = self.run(combine="product")
        assert dict(zip(run["docno"], run["score"], strict=True)) == {"a#0-5": 10, "a#5-9": 20, "b#0-5": 20}

    def test_by_article_first(self):
        run = self.run(combine="article")
        assert run["docno"].tolist() == ["a#5-9", "a#0-5", "b#0-5"]
        assert run["score"].is_monotonic_decreasing

    def test_foreign_columns_are_the_parts(self):
        assert self.run(combine="article")["number"].tolist() == [1, 0, 2]

    def test_articles_may_come_as_parts(self):
        found = articles(("1", "a#0-100", 1.0), ("1", "a#0-50", 10.0), ("1", "b#0-90", 5.0))
        run = ArticleThenParts(fixed(found), fixed(self.parts))(TOPIC)
        pd.testing.assert_frame_equal(run, self.run())

    def test_tasks_take_the_score_of_the_article(self):
        run = RelevantInContext(score="article")(self.run())
        assert run[["docno", "score"]].values.tolist() == [["a", 10.0], ["b", 5.0]]

    def test_nothing_retrieved(self):
        run = ArticleThenParts(fixed(self.found.iloc[:0]), fixed(self.parts))(TOPIC)
        assert len(run) == 0
        assert {"qid", "docno", "score", "rank", "article_score"} <= set(run.columns)

    @given(part_frames(scores=SMALL), st.data())
    def test_by_article_first_against_a_sort(self, parts, data):
        names = sorted({(qid, row[0]) for qid, rows in topics(parts).items() for row in rows})
        scores = {name: data.draw(SMALL) for name in names}
        found = articles(*[(*name, score) for name, score in scores.items()])
        run = ArticleThenParts(fixed(found), fixed(parts), combine="article")(TOPIC)
        docnos = zip(run["qid"], run["docno"], strict=True)
        ranking = [(qid, docno.rpartition("#")[0], docno) for qid, docno in docnos]
        values = {qid: [scores[row[:2]] for row in ranking if row[0] == qid] for qid in topics(parts)}
        assert values == {qid: sorted(of, reverse=True) for qid, of in values.items()}
        expected = {
            (qid, article): [f"{row[0]}#{row[1]}-{row[2]}" for row in ranked(topics(parts)[qid]) if row[0] == article]
            for qid, article in names
        }
        assert {name: [row[2] for row in ranking if row[:2] == name] for name in names} == expected
        # articles stay together, so that packing them keeps the order of the articles
        packed = RelevantInContext(overlap="allow")(run)
        assert list(zip(packed["qid"], packed["docno"], strict=True)) == list(dict.fromkeys(row[:2] for row in ranking))

    @pytest.mark.parametrize("settings", [{"combine": "sum"}, {"weight": 1.5}, {"weight": "a"}, {"weight": np.nan}])
    def test_settings_of_article_then_parts_are_checked(self, settings):
        with pytest.raises(ValueError, match=next(iter(settings))):
            ArticleThenParts(fixed(self.found), fixed(self.parts), **settings)


def contextualise_plainly(rows, weight):
    """{number of the row: score}, mixed with the mean of the longer parts around it."""

    def mix(row):
        around = [
            other[3]
            for other in rows
            if other[0] == row[0]
            and other[1] <= row[1]
            and row[2] <= other[2]
            and other[2] - other[1] > row[2] - row[1]
        ]
        mean = sum(around) / len(around) if around else row[3]
        return (1 - weight) * row[3] + weight * mean

    return {row[4]: mix(row) for row in rows}


class TestContextualise:
    @given(part_frames(scores=SMALL), st.sampled_from([0.0, 0.25, 0.5, 1.0]))
    def test_against_loops(self, parts, weight):
        found = topics(Contextualise(weight)(parts))
        expected = {qid: contextualise_plainly(rows, weight) for qid, rows in topics(parts).items()}
        assert {qid: {row[4]: row[3] for row in rows} for qid, rows in found.items()} == {
            qid: pytest.approx(scores) for qid, scores in expected.items()
        }
        scores = {qid: [row[3] for row in rows] for qid, rows in found.items()}
        assert scores == {qid: sorted(of, reverse=True) for qid, of in scores.items()}

    def test_a_paragraph_in_a_good_section_rises(self):
        parts = frame([("1", "a", 0, 50, 8.0), ("1", "a", 10, 20, 2.0), ("1", "b", 10, 20, 3.0)])
        assert Contextualise(0.5)(parts)["docno"].tolist() == ["a#0-50", "a#10-20", "b#10-20"]


def restrict_plainly(rows, chars, per):
    """The parts down the ranking, each cut to what is left for its topic or its article."""
    room, kept = {}, []
    for article, start, end, score, number in ranked(rows):
        key = article if per == "article" else None
        left = room.setdefault(key, chars)
        if left:
            cut = min(end, start + left)
            room[key] = left - (cut - start)
            kept.append((article, start, cut, score, number))
    return kept


class TestRestrict:
    @given(part_frames(), st.integers(1, 20), st.sampled_from(["topic", "article"]))
    def test_against_counting(self, parts, chars, per):
        parts = RemoveOverlap()(parts)
        expected = [(qid, row) for qid, rows in topics(parts).items() for row in restrict_plainly(rows, chars, per)]
        restricted = Restrict(chars, per)(parts)
        assert same_rows(restricted, expected)
        assert restricted["rank"].tolist() == restricted.groupby("qid", sort=False).cumcount().tolist()

    def test_text_is_cut_with_the_part(self):
        parts = frame([("1", "a", 0, 5, 3.0), ("1", "a", 10, 15, 2.0)]).assign(text=["abcde", "vwxyz"])
        restricted = Restrict(7)(parts)
        assert restricted["docno"].tolist() == ["a#0-5", "a#10-12"]
        assert restricted["text"].tolist() == ["abcde", "vw"]

    def test_a_restricted_run_is_a_run(self):
        parts = frame([("1", "a", 0, 5, 3.0), ("1", "b", 10, 15, 2.0), ("1", "b", 20, 25, 1.0)])
        run = (Restrict(7, per="topic") >> Focused())(parts)
        ptf.check_run(run)
        assert ptf.cells(run["passages"]) == [[(0, 5, 3.0)], [(10, 12, 2.0)]]

    @pytest.mark.parametrize("settings", [{"chars": 0}, {"chars": 1.5}, {"per": "run"}])
    def test_settings_of_restrict_are_checked(self, settings):
        with pytest.raises(ValueError, match=next(iter(settings))):
            Restrict(**settings)


def test_ranking_of_articles_is_by_float32():
    """The brute force that other tests use, on the two cases it is there for."""
    assert articles_by_rank({"a": 1.0, "b": 1.0 + 1e-9}) == ["b", "a"]
    assert articles_by_rank({"a": np.float64(1e300), "b": np.float64(1e301)}) == ["b", "a"]
