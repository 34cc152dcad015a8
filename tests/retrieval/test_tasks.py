import functools
import itertools
import operator
from functools import partial

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from part_frames import articles_by_rank, best_scores, frame, greedy, part_frames, ranked, share, topics

import pyterrier_focused as ptf
from pyterrier_focused import cells
from pyterrier_focused.errors import OverlapError
from pyterrier_focused.retrieval import BestInContext, Focused, RelevantInContext, RemoveOverlap

SMALL = st.sampled_from([1.0, 1.0 + 1e-9, 0.0, -2.5, 3.0])
LIMIT = st.one_of(st.none(), st.integers(1, 4))


def packed(run):
    """{qid: [(docno, score, passages)]} in the order of the frame."""
    found = {}
    for qid, docno, score, passages in zip(run["qid"], run["docno"], run["score"], cells(run["passages"]), strict=True):
        found.setdefault(qid, []).append((docno, score, passages))
    return found


def inside(rows, article):
    """The parts of an article in document order."""
    return sorted((row for row in rows if row[0] == article), key=lambda row: (row[1], row[2]))


def pack_best(rows):
    """A Focused run of a topic's ranked parts."""
    best = best_scores(rows)
    return [(article, best[article], [row[1:4] for row in inside(rows, article)]) for article in articles_by_rank(best)]


@given(part_frames(), LIMIT)
def test_focused_packs_the_best_parts(parts, k):
    parts = RemoveOverlap()(parts)
    assert packed(Focused(k=k)(parts)) == {qid: pack_best(ranked(rows)[:k]) for qid, rows in topics(parts).items()}


@given(part_frames())
def test_focused_ranks_passages_as_the_retriever_did(parts):
    """What the measures see as the ranking of passages is the ranking of the rows that went in."""
    parts = RemoveOverlap()(parts)
    unpacked = ptf.unpack(Focused()(parts))
    assert unpacked["docno"].tolist() == parts["docno"].tolist()
    assert unpacked["score"].tolist() == parts["score"].tolist()


def score_article(values, score):
    total = functools.reduce(operator.add, values, 0.0)  # in ranking order, as floats add up
    return {"max": values[0], "sum": total, "mean": total / len(values)}[score]


def rank_articles(rows, score, per_article):
    """A run of a topic's parts in context, article by article."""
    names = {row[0] for row in rows}
    chosen = {article: [row for row in ranked(rows) if row[0] == article][:per_article] for article in names}
    scores = {article: score_article([row[3] for row in mine], score) for article, mine in chosen.items()}
    return [
        (article, scores[article], [row[1:3] for row in inside(chosen[article], article)])
        for article in articles_by_rank(scores)
    ]


@given(part_frames(scores=SMALL), st.sampled_from(["max", "sum", "mean"]), LIMIT, LIMIT)
def test_relevant_in_context_ranks_articles(parts, score, per_article, k):
    parts = RemoveOverlap()(parts)
    found = packed(RelevantInContext(score=score, per_article=per_article, k=k)(parts))
    assert found == {qid: rank_articles(rows, score, per_article)[:k] for qid, rows in topics(parts).items()}


@pytest.mark.parametrize(
    ("score", "expected"), [("max", {"b": 2.5, "a": 2}), ("sum", {"a": 3, "b": 2.5}), ("mean", {"b": 2.5, "a": 1.5})]
)
@pytest.mark.parametrize("task", [RelevantInContext, BestInContext])
def test_scores_of_articles_by_hand(task, score, expected):
    run = task(score=score)(frame([("1", "a", 0, 4, 1.0), ("1", "a", 6, 9, 2.0), ("1", "b", 6, 9, 2.5)]))
    assert list(zip(run["docno"], run["score"], strict=True)) == list(expected.items())


def enter_article(rows, article, bep):
    best = next(row for row in ranked(rows) if row[0] == article)
    return {"best": best[1:3], "first": inside(rows, article)[0][1:3], "start": (0, 1)}[bep]


@given(part_frames(scores=SMALL), st.sampled_from(["best", "first", "start"]), LIMIT)
def test_best_in_context_gives_one_entry_point(parts, bep, k):
    best = {qid: best_scores(rows) for qid, rows in topics(parts).items()}
    assert packed(BestInContext(bep=bep, k=k)(parts)) == {
        qid: [
            (article, best[qid][article], [enter_article(rows, article, bep)])
            for article in articles_by_rank(best[qid])[:k]
        ]
        for qid, rows in topics(parts).items()
    }


@pytest.mark.parametrize(("bep", "point"), [("best", (5, 9)), ("first", (0, 3)), ("start", (0, 1))])
def test_entry_points_of_tasks_by_hand(bep, point):
    """Of two parts that begin first, the shorter one."""
    parts = frame([("1", "a", 5, 9, 3.0), ("1", "a", 0, 4, 2.0), ("1", "a", 0, 3, 1.0)])
    assert cells(BestInContext(bep=bep)(parts)["passages"]) == [[point]]


@pytest.mark.parametrize("task", [Focused(), RelevantInContext(), BestInContext()], ids=repr)
@given(parts=part_frames())
def test_runs_are_valid_and_ranked(task, parts):
    run = task(RemoveOverlap()(parts))
    ptf.check_run(run)
    assert run["rank"].tolist() == run.groupby("qid", sort=False).cumcount().tolist()
    assert run["qid"].tolist() == [qid for qid in parts["qid"].unique() for _ in range((run["qid"] == qid).sum())]


@pytest.mark.parametrize("task", [Focused, RelevantInContext])
def test_overlap_is_refused_by_name(task):
    parts = frame([("7", "b", 0, 4, 1.0), ("7", "a", 3, 9, 2.0), ("7", "a", 8, 12, 1.0)])
    with pytest.raises(OverlapError, match=r"topic '7', article 'a'.*\[3, 9\).*\[8, 12\).*overlap='allow'") as caught:
        task(overlap="error")(parts)
    assert caught.value.docno == "a"
    run = task(overlap="allow")(parts)
    assert [[span[:2] for span in cell] for cell in cells(run["passages"])] == [[(3, 9), (8, 12)], [(0, 4)]]


@pytest.mark.parametrize("task", [Focused, RelevantInContext])
def test_the_first_overlap_of_the_run_is_named_and_touching_parts_have_none(task):
    touching = [("7", "b", 0, 4, 3.0), ("7", "b", 4, 9, 2.0), ("7", "a", 0, 4, 1.0)]
    assert [[span[:2] for span in cell] for cell in cells(task()(frame(touching))["passages"])] == [
        [(0, 4), (4, 9)], [(0, 4)]]  # fmt: skip
    with pytest.raises(OverlapError, match=r"article 'b'.*\[4, 9\).*\[8, 12\)"):
        task(overlap="error")(
            frame([*touching, ("7", "a", 2, 6, 0.5), ("7", "b", 10, 14, 0.5), ("7", "b", 8, 12, 0.5)])
        )


@pytest.mark.parametrize("task", [Focused, RelevantInContext, BestInContext])
def test_a_topic_has_as_many_results_as_inex_took_unless_told_otherwise(task):
    run = task()(frame([("1", f"d{n}", 0, 4, float(n)) for n in range(1502)]))
    assert run["docno"].tolist() == [f"d{n}" for n in range(1501, 1, -1)]


def test_overlap_beyond_the_limit_does_not_matter():
    parts = frame([("7", "a", 0, 4, 2.0), ("7", "b", 0, 4, 1.5), ("7", "a", 3, 9, 1.0)])
    assert Focused(k=2, overlap="error")(parts)["docno"].tolist() == ["a", "b"]
    assert RelevantInContext(per_article=1, overlap="error")(parts)["docno"].tolist() == ["a", "b"]


def test_a_thorough_run_is_scored_once_for_each_character():
    """Two parts of an article, the second within the first: ten characters, of which five are relevant."""
    run = Focused(overlap="allow")(frame([("1", "a", 0, 10, 2.0), ("1", "a", 2, 7, 1.0)]))
    qrels = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "relevance": [1], "highlights": [[(0, 5)]]})
    measures = ptf.parse("CharP(overlap='once') CharR(overlap='once')")
    values = ir_measures.calc_aggregate(measures, qrels, run.rename(columns={"qid": "query_id", "docno": "doc_id"}))
    assert [values[measure] for measure in measures] == [0.5, 1.0]


@pytest.mark.parametrize("task", [Focused(), RelevantInContext(), BestInContext()])
def test_foreign_columns_are_those_of_the_best_part(task):
    parts = frame([("1", "a", 0, 4, 1.0), ("1", "a", 6, 9, 3.0), ("1", "b", 6, 9, 2.0)]).assign(rank=5, passages=None)
    run = task(parts)
    assert run["number"].tolist() == [1, 2]
    assert sorted(run.columns) == ["docno", "number", "passages", "qid", "query", "rank", "score"]


SCORED = frame([("1", "a", 0, 4, 1.0), ("1", "a", 6, 9, 3.0), ("1", "b", 6, 9, 2.0)])


@pytest.mark.parametrize("task", [RelevantInContext(score="article"), BestInContext(score="article")], ids=repr)
def test_scores_of_articles_from_their_column(task):
    run = task(SCORED.assign(article_score=[0.5, 0.5, 0.75]))
    assert run[["docno", "score"]].values.tolist() == [["b", 0.75], ["a", 0.5]]


def test_scores_of_articles_need_their_column():
    with pytest.raises(pt.validate.InputValidationError, match="article_score"):
        RelevantInContext(score="article")(SCORED)


@pytest.mark.parametrize("wrong", [[0.5, 0.25, 0.75], [0.5, np.nan, 0.75]], ids=["differs", "missing"])
def test_scores_of_articles_are_one_an_article(wrong):
    with pytest.raises(ValueError, match=r"docno 'a#.*'article_score' is missing, or differs"):
        RelevantInContext(score="article")(SCORED.assign(article_score=wrong))


@pytest.mark.parametrize("task", [RelevantInContext(), BestInContext(bep="first", score="mean")])
@given(part_frames(scores=SMALL), st.integers(1, 4))
def test_a_task_takes_a_cutoff_in(task, parts, k):
    parts = RemoveOverlap()(parts)
    fused = (task % k).compile()
    assert type(fused) is type(task)
    pd.testing.assert_frame_equal(fused(parts), (task % k)(parts))


@pytest.mark.parametrize("task", [partial(Focused, k=3), partial(RelevantInContext, "sum", per_article=2)])
@given(parts=part_frames(scores=SMALL))
def test_tasks_remove_overlap_and_take_its_removal_in(task, parts):
    expected = (RemoveOverlap() >> task(overlap="error"))(parts)
    pd.testing.assert_frame_equal(task()(parts), expected)
    assert (RemoveOverlap() >> task(overlap="error")).compile() == task()
    assert len((RemoveOverlap("outer") >> task()).compile()) == 2


@pytest.mark.parametrize("task", [RelevantInContext, BestInContext])
def test_the_smaller_cutoff_is_the_one_taken_in(task):
    fused = [task(k=own).fuse_rank_cutoff(5) for own in (None, 4, 5, 6)]
    assert fused == [task(k=5), task(k=4), task(k=5), task(k=5)]
    assert task(k=4).fuse_rank_cutoff(0) is None


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Focused(k=0), "k=0; give a whole number of at least 1 or None"),
        (lambda: Focused(k=2.5), "k=2.5"),
        (lambda: Focused(overlap="once"), "choose one of 'remove', 'error', 'allow'"),
        (lambda: RelevantInContext(score="min"), "score='min'; choose one of 'max', 'sum', 'mean', 'article'"),
        (lambda: RelevantInContext(per_article=0), "per_article=0"),
        (lambda: RelevantInContext(k=0), "k=0"),
        (lambda: RelevantInContext(overlap="once"), "choose one of 'remove', 'error', 'allow'"),
        (lambda: BestInContext(bep="middle"), "choose one of 'best', 'first', 'start'"),
        (lambda: BestInContext(score="min"), "score='min'; choose one of 'max', 'sum', 'mean', 'article'"),
        (lambda: BestInContext(k=0), "k=0"),
    ],
)
def test_settings_of_tasks_are_checked(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def list_characters(row):
    """The characters of a part; offsets are near each other within an article, wherever it begins."""
    return {(row[0], offset) for offset in range(row[1], row[2])}


@given(part_frames())
def test_greedy_and_share_agree(parts):
    """The brute force itself: what `greedy` keeps has no two parts that share a character, by sets of characters."""
    pairs = [pair for rows in topics(parts).values() for pair in itertools.combinations(greedy(ranked(rows)), 2)]
    assert [(a, b) for a, b in pairs if list_characters(a) & list_characters(b)] == []
    assert [(a, b) for a, b in pairs if share(a, b)] == []
