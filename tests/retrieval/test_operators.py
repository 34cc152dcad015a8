"""PyTerrier's operators over frames of parts, and over runs, against loops over dictionaries."""

import itertools

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from part_frames import articles_by_rank, best_scores, frame, greedy, part_frames, ranked, topics
from plain import plain

import pyterrier_focused as ptf
from pyterrier_focused import cells
from pyterrier_focused.retrieval import (
    BestInContext,
    Focused,
    MergeAdjacent,
    RelevantInContext,
    RemoveOverlap,
    Restrict,
)

SCORES = st.integers(-4, 9).map(float)
TOPICS = pd.DataFrame({"qid": ["1", "2", "10"], "query": ["query 1", "query 2", "query 10"]})


@st.composite
def systems(draw):
    """Two frames of parts, each part once."""
    frames = [draw(part_frames(max_size=8, scores=SCORES)).drop_duplicates(["qid", "docno"]) for _ in range(2)]
    return [pt.model.add_ranks(parts.reset_index(drop=True)) for parts in frames]


def fixed(parts):
    return pt.Transformer.from_df(parts, uniform=True)


def scores(parts):
    """{(qid, docno): score}"""
    keys = zip(parts["qid"], parts["docno"], strict=True)
    return dict(zip(keys, parts["score"].tolist(), strict=True))


def parts_of(scored):
    """The frame of parts of {(qid, docno): score}."""
    rows = []
    for (qid, docno), score in scored.items():
        article, _, span = docno.rpartition("#")
        start, _, end = span.partition("-")
        rows.append((qid, article, int(start), int(end), score))
    return frame(rows)


def expected_run(scored):
    """{(qid, article): (score, passages)} of a Focused run of scored parts, overlap removed."""
    run = {}
    for qid, rows in topics(parts_of(scored)).items():
        kept = greedy(ranked(rows))
        for article in articles_by_rank(best := best_scores(kept)):
            mine = sorted(row[1:4] for row in kept if row[0] == article)
            run[qid, article] = (best[article], mine)
    return run


def packed(run):
    keys = zip(run["qid"], run["docno"], strict=True)
    return dict(zip(keys, zip(run["score"].tolist(), cells(run["passages"]), strict=True), strict=True))


def check(pipeline, scored):
    assert packed((pipeline >> RemoveOverlap() >> Focused())(TOPICS)) == expected_run(scored)


@given(systems())
def test_plus(frames):
    a, b = map(scores, frames)
    check(fixed(frames[0]) + fixed(frames[1]), {key: a.get(key, 0) + b.get(key, 0) for key in {**a, **b}})


@given(systems(), st.sampled_from([2, 0.5, -1, -2.5]))
def test_times(frames, factor):
    check(fixed(frames[0]) * factor, {key: score * factor for key, score in scores(frames[0]).items()})
    check(factor * fixed(frames[0]), {key: score * factor for key, score in scores(frames[0]).items()})


@given(systems(), st.integers(1, 4))
def test_cutoff(frames, k):
    kept = frames[0][frames[0]["rank"] < k]
    check(fixed(frames[0]) % k, scores(kept))


@given(systems(), st.booleans())
def test_either_and_both(frames, both):
    """Sets have no scores, so a re-ranker gives them: here the start of the part."""
    a, b = map(scores, frames)
    keys = a.keys() & b.keys() if both else a.keys() | b.keys()
    left, right = map(fixed, frames)
    system = left & right if both else left | right
    score = pt.apply.doc_score(lambda row: float(row["docno"].rpartition("#")[2].partition("-")[0]) % 1000)
    rescored = {key: float(key[1].rpartition("#")[2].partition("-")[0]) % 1000 for key in keys}
    if rescored:
        check(system >> score, rescored)
    with pytest.raises(pt.validate.InputValidationError, match="score"):
        (system >> RemoveOverlap())(TOPICS)


@given(st.lists(st.integers(0, 60), min_size=1, max_size=6, unique=True), st.integers(0, 6))
def test_concatenation(starts, cut):
    """The parts of the first system, then those of the second that the first did not have."""
    first, second = starts[:cut] or starts[:1], starts
    rows = [[("1", "a", s, s + 8, float(n)) for n, s in enumerate(part)] for part in (first, second)]
    system = fixed(pt.model.add_ranks(frame(rows[0]))) ^ fixed(pt.model.add_ranks(frame(rows[1])))
    order = first[::-1] + [s for s in second[::-1] if s not in first]
    kept = greedy([("a", s, s + 8) for s in order])
    assert (system >> RemoveOverlap())(TOPICS[:1])["docno"].tolist() == [f"a#{s}-{e}" for _, s, e in kept]


@given(systems())
def test_features_stay_with_their_parts(frames):
    parts = frames[0]
    if parts.empty:
        return
    length = pt.apply.doc_score(lambda row: float(len(row["docno"])))
    system = fixed(parts) >> (length ** pt.Transformer.identity()) >> RemoveOverlap()
    result = system(TOPICS)
    assert len(result)
    expected = [[len(docno), scores(parts)[qid, docno]] for qid, docno in result[["qid", "docno"]].values]
    assert [features.tolist() for features in result["features"]] == expected


@pytest.mark.parametrize("order", list(itertools.permutations(["+", "* 2"])))
@given(systems())
def test_sums_and_products_in_either_order(order, frames):
    a, b = map(scores, frames)
    left, right = map(fixed, frames)
    keys = {**a, **b}
    if order[0] == "+":
        check((left + right) * 2, {key: 2 * (a.get(key, 0) + b.get(key, 0)) for key in keys})
    else:
        check(left * 2 + right, {key: 2 * a.get(key, 0) + b.get(key, 0) for key in keys})


TASKS = [Focused(), RelevantInContext(), BestInContext()]
OPERATORS = {
    "+": lambda a, b: a + b,
    "|": lambda a, b: a | b,
    "&": lambda a, b: a & b,
    "^": lambda a, b: a ^ b,
    "* %": lambda a, b: a * 2 % 3,
    ">>": lambda a, b: a >> pt.apply.rename({"number": "n"}),
}


@pytest.mark.parametrize("name", OPERATORS)
@given(systems(), st.sampled_from(TASKS))
def test_runs_keep_their_passages_under_operators(name, frames, task):
    """Where both systems have an article, the left one's passages stay; no cell is changed."""
    left, right = (fixed(parts) >> RemoveOverlap() >> task for parts in frames)
    a, b = left(TOPICS), right(TOPICS)
    result = OPERATORS[name](fixed(a), fixed(b))(TOPICS)
    known = {**packed(b), **packed(a)} if name not in ("&", "* %", ">>") else packed(a)
    missing = result["passages"].isna()  # PyTerrier's + leaves what only the right one has empty
    rows = zip(result["qid"], result["docno"], missing, strict=True)
    assert cells(result["passages"]) == [[] if gone else known[qid, docno][1] for qid, docno, gone in rows]
    if "score" in result.columns:
        ptf.check_run(result)
    assert packed(left(TOPICS)) == packed(a)


@given(systems())
def test_transformers_of_parts_in_a_row(frames):
    pipeline = fixed(frames[0]) >> MergeAdjacent(2) >> RemoveOverlap() >> Restrict(10) >> Focused()
    run = pipeline(TOPICS)
    ptf.check_run(run)
    assert [cell for cell in cells(run["passages"]) if sum(end - start for start, end, _ in cell) > 10] == []


@given(systems())
def test_records_as_well_as_frames(frames):
    pipeline = RemoveOverlap() >> Focused()
    records = frames[0].to_dict(orient="records")
    results = [pipeline(records), list(pipeline.transform_iter(iter(records)))]
    expected = plain(pipeline(frames[0])).to_dict(orient="records")
    found = [[{**row, "passages": cells([row["passages"]])[0]} for row in rows] for rows in results]
    assert found == [expected] * 2


def test_nothing_in_the_frames_is_shared_with_the_input():
    parts = frame([("1", "a", 0, 4, 1.0)])
    run = Focused()(parts)
    run.loc[0, "score"] = -1.0
    assert parts["score"].tolist() == [1.0]
    assert np.isfinite(parts["score"]).all()
