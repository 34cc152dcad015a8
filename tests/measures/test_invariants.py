"""What must not change a score, what must change it one way, and what every score obeys."""

import ir_measures
import pandas as pd
import pytest
from every_measure import ERROR, ONCE, OTHER, values
from hypothesis import given
from hypothesis import strategies as st
from random_topics import DOCNOS, qrels_frame, qrels_topics, run_frame, run_topics

from pyterrier_focused import AiP, CharP, CharR, iP

OF_NOTHING = {"ADM", "APBound", "SetAccuracy", "Specificity"}  # an empty ranking has a value of its own
MEASURES = ERROR | ONCE | OTHER
CASES = (run_topics(), qrels_topics(min_topics=1))
OVERLAPPING = (run_topics(overlap=True), qrels_topics(min_topics=1))
DEFAULT = {str(measure): measure for measure in MEASURES if not measure.params} | {
    str(measure): measure for measure in MEASURES if set(measure.params) == {measure.AT_PARAM}
}


def scores(run, qrels, measures=None):
    return values(list(DEFAULT.values() if measures is None else measures), run, qrels)


def shuffle(frame, column, random):
    """The frame with its rows, and the spans of each cell but passages without scores, in another order."""
    frame = frame.iloc[random.sample(range(len(frame)), len(frame))].reset_index(drop=True)
    is_ranked = column == "passages"
    cells = [
        cell if not cell or (is_ranked and len(cell[0]) == 2) else random.sample(cell, len(cell))
        for cell in frame[column]
    ]
    return frame.assign(**{column: pd.Series(cells, dtype=object)})


@given(*CASES, st.randoms(use_true_random=False))
def test_the_order_of_rows_and_of_scored_cells_does_not_matter(run, qrels, random):
    expected = scores(run_frame(run), qrels_frame(qrels))
    found = scores(shuffle(run_frame(run), "passages", random), shuffle(qrels_frame(qrels), "highlights", random))
    assert found == pytest.approx(expected, abs=1e-12)  # sums of floats depend on their order in the last bit


def test_passages_without_scores_are_ranked_as_their_cell_lists_them():
    run = pd.DataFrame([["1", "a", 1.0, [(500, 600), (0, 100)]]], columns=["query_id", "doc_id", "score", "passages"])
    qrels = pd.DataFrame([["1", "a", 1, [(500, 600)]]], columns=["query_id", "doc_id", "relevance", "highlights"])
    assert scores(run, qrels, [iP @ 0.01]) == {(iP @ 0.01, "1"): 1.0}
    assert scores(run.assign(passages=[[(0, 100), (500, 600)]]), qrels, [iP @ 0.01]) == {(iP @ 0.01, "1"): 0.5}


@given(*CASES)
def test_names_of_topics_and_articles_do_not_matter(run, qrels):
    # an order-preserving renaming: ties are broken by name
    articles = dict(zip(sorted(DOCNOS), ["A", "a b", "m#0-9", "ñ", "ø", "漢字"], strict=True))
    topics = {"1": "x", "2": "7", "10": "топик"}

    def renamed(frame):
        return frame.assign(query_id=frame["query_id"].map(topics), doc_id=frame["doc_id"].map(articles))

    expected = scores(run_frame(run), qrels_frame(qrels))
    found = scores(renamed(run_frame(run)), renamed(qrels_frame(qrels)))
    assert {(measure, topics[qid]): value for (measure, qid), value in expected.items()} == found


@given(*OVERLAPPING, st.dictionaries(st.sampled_from(DOCNOS), st.sampled_from([1, 999, 2**33, 2**61])))
def test_shifting_all_offsets_of_an_article_does_not_matter(run, qrels, shifts):
    measures = list(ONCE | OTHER)
    expected = scores(run_frame(run), qrels_frame(qrels), measures)
    assert scores(run_frame(run, shifts), qrels_frame(qrels, shifts), measures) == expected


@given(*CASES)
def test_scores_of_articles_matter_only_by_their_order(run, qrels):
    measures = [measure for measure in MEASURES if measure.NAME != "ADM" or measure["srs"] == "rank"]
    run = {qid: [(docno, float(i % 3), parts) for i, (docno, _, parts) in enumerate(rows)] for qid, rows in run.items()}
    frame = run_frame(run)
    expected = scores(frame, qrels_frame(qrels), measures)
    assert scores(frame.assign(score=frame["score"] * 2 - 100), qrels_frame(qrels), measures) == expected


@given(*CASES, st.integers(1, 14))
def test_splitting_a_passage_in_two_leaves_what_all_passages_together_score(run, qrels, at):
    split = {
        qid: [
            (docno, score, parts and [piece for part in parts for piece in halves(part, at)])
            for docno, score, parts in rows
        ]
        for qid, rows in run.items()
    }
    measures = [m for m in ERROR if m.NAME in ("CharP", "CharR", "CharF", "CharIoU", "AgP", "gP", "gR")]
    measures = [m for m in measures if m.NAME in ("AgP", "gP", "gR") or "cutoff" not in m.params]
    assert {"CharP", "CharR", "CharF", "CharIoU", "AgP", "gP", "gR"} == {m.NAME for m in measures}
    expected = scores(run_frame(run), qrels_frame(qrels), measures)
    assert scores(run_frame(split), qrels_frame(qrels), measures) == pytest.approx(expected, abs=1e-15)


def halves(part, at):
    start, end, *score = part
    return [part] if end - start <= at else [(start, start + at, *score), (start + at, end, *score)]


@given(*CASES)
def test_cutting_highlights_in_touching_or_overlapping_pieces_does_not_matter(run, qrels):
    pieces = {
        qid: [(d, label, [p for s in spans for p in [*halves(s, 4), s, s]], *more) for d, label, spans, *more in rows]
        for qid, rows in qrels.items()
    }
    expected = scores(run_frame(run), qrels_frame(qrels), MEASURES)
    assert scores(run_frame(run), qrels_frame(pieces), MEASURES) == expected


@given(*CASES)
def test_a_topic_without_judgments_is_not_scored_and_changes_nothing(run, qrels):
    more = {**run, "unjudged": [("a", 1.0, [(0, 9)]), ("b", 0.5, [(0, 9)])]}
    assert scores(run_frame(more), qrels_frame(qrels)) == scores(run_frame(run), qrels_frame(qrels))


@given(*CASES)
def test_a_judged_topic_that_the_run_misses_lowers_every_mean_but_those_of_adm_and_rocauc(run, qrels):
    more = {**qrels, "missed": [("a", 1, [(0, 9)], 0, 20), ("b", 0, [], -1, 20)]}
    measures = [measure for measure in MEASURES if measure.NAME not in OF_NOTHING]
    means = ir_measures.calc_aggregate(measures, qrels_frame(qrels), run_frame(run))
    n = len(qrels)
    expected = {measure: (n * means[measure] + {"ROCAUC": 0.5}.get(measure.NAME, 0.0)) / (n + 1) for measure in means}
    found = ir_measures.calc_aggregate(measures, qrels_frame(more), run_frame(run))
    assert found == pytest.approx(expected, abs=1e-12)


@given(*OVERLAPPING)
def test_scores_lie_between_0_and_1(run, qrels):
    found = scores(run_frame(run), qrels_frame(qrels), list(ONCE | OTHER))
    assert {key: value for key, value in found.items() if not 0 <= value <= 1} == {}


def curves(measures, run, qrels):
    """{qid: the values of the measures in their order}"""
    found = scores(run_frame(run), qrels_frame(qrels), measures)
    return {qid: [found[measure, qid] for measure in measures] for qid in qrels}


@given(*OVERLAPPING)
def test_interpolated_precision_falls_as_recall_rises(run, qrels):
    found = curves([iP(overlap="once") @ (i / 50) for i in range(51)], run, qrels)
    assert found == {qid: sorted(curve, reverse=True) for qid, curve in found.items()}


@given(run_topics(), qrels_topics(min_topics=1))
def test_interpolated_precision_does_not_depend_on_how_many_topics_are_taken_at_once(run, qrels):
    together = scores(run_frame(run), qrels_frame(qrels), [AiP, iP @ 0.5])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pyterrier_focused.measures.focused._CELLS", 1)
        assert scores(run_frame(run), qrels_frame(qrels), [AiP, iP @ 0.5]) == together


@given(*OVERLAPPING)
def test_character_recall_rises_with_the_cutoff(run, qrels):
    found = curves([CharR(overlap="once") @ r for r in range(1, 9)], run, qrels)
    assert found == {qid: sorted(curve) for qid, curve in found.items()}


@given(*CASES)
def test_without_overlap_counting_once_is_the_same(run, qrels):
    once = {measure: measure(overlap="once") for measure in ERROR}
    found = scores(run_frame(run), qrels_frame(qrels), [*once, *once.values()])
    plain = {(measure, qid): found[measure, qid] for measure in once for qid in qrels}
    assert plain == {(measure, qid): found[other, qid] for measure, other in once.items() for qid in qrels}


PERFECT = ("CharAP", "AiP", "iP", "CharP", "CharR", "CharF", "CharIoU", "AgP", "F", "IAP11")


def is_of_best_in_context(measure):
    return "task" in measure.SUPPORTED_PARAMS and measure["task"] == "bic"


def perfect_value(measure, rows):
    """The value of a run of the highlights themselves; None for measures that ask for something else."""
    relevant = [row for row in rows if row[1]]
    if measure.NAME == "ROCAUC":
        return 1 if 0 < len(relevant) < len(rows) else 0.5
    if not relevant:
        return 1 if measure.NAME == "Abstain" else 0
    return pytest.approx(1, abs=1e-12) if measure.NAME in PERFECT else None


def enter_at_first_character(row):
    docno, _, spans, _, length = row
    return docno, int(bool(spans)), spans, min(spans)[0] if spans else -1, length


@given(qrels_topics(min_topics=1))
def test_the_highlights_themselves_are_the_perfect_run(qrels):
    run = {qid: [(docno, 1.0, sorted(spans)) for docno, _, spans, *_ in rows if spans] for qid, rows in qrels.items()}
    judged = {qid: [enter_at_first_character(row) for row in rows] for qid, rows in qrels.items()}
    measures = [m for m in (*ONCE, *OTHER) if m.NAME not in OF_NOTHING and "cutoff" not in m.params]
    found = scores(run_frame(run), qrels_frame(judged), measures)
    in_context = {key for key in found if is_of_best_in_context(key[0]) and run[key[1]]}
    # the best-ranked part need not be the first
    assert {key: found[key] for key in in_context if not 0 < found[key] <= 1} == {}
    expected = {key: perfect_value(key[0], judged[key[1]]) for key in found.keys() - in_context}
    expected = {key: value for key, value in expected.items() if value is not None}
    assert {key: found[key] for key in expected} == expected


def test_precision_of_passages_and_of_their_halves_differ_only_before_the_end():
    qrels = {"1": [("a", 1, [(0, 10)], 0, 40)]}
    whole, split = {"1": [("a", 1.0, [(0, 20)])]}, {"1": [("a", 1.0, [(0, 10), (10, 20)])]}
    assert scores(run_frame(whole), qrels_frame(qrels), [CharP @ 1, CharP]) == {
        (CharP @ 1, "1"): 0.5,
        (CharP, "1"): 0.5,
    }
    assert scores(run_frame(split), qrels_frame(qrels), [CharP @ 1, CharP]) == {
        (CharP @ 1, "1"): 1.0,
        (CharP, "1"): 0.5,
    }
