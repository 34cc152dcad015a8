"""The provider as ir_measures and PyTerrier see it: inputs of every kind, names, registration, errors."""

import copy
import dataclasses
import subprocess
import sys
import warnings
from typing import NamedTuple

import ir_measures
import numpy as np
import pandas as pd
import pytest

import pyterrier_focused as ptf
from pyterrier_focused import cells, evaluation
from pyterrier_focused.errors import OverlapError, SpanError
from pyterrier_focused.measures import MEASURES

QRELS = pd.DataFrame(
    {
        "query_id": ["1", "1", "2", "3"],
        "doc_id": ["a", "b", "c", "d"],
        "relevance": [1, 0, 2, 0],
        "highlights": [[(0, 100)], [], [(50, 70)], []],
        "bep": [0, -1, 50, -1],
        "length": [1000, 500, 300, 90],
    }
)
RUN = pd.DataFrame(
    {
        "query_id": ["1", "1", "2", "9"],
        "doc_id": ["a", "x", "c", "a"],
        "score": [2.0, 1.0, 3.0, 1.0],
        "passages": [[(0, 50)], [(0, 50)], [(50, 70)], [(0, 5)]],
    }
)
EVERY = ptf.parse(
    "CharP CharR CharF CharIoU CharAP iP@0.01 AiP gP@5 gR@5 AgP AgP(task='bic') AgP(task='bic',n=1000) "
    "AgP(task='doc') ADM ADM(urs='specificity') IAP11 F F@5 ROCAUC SpanHit@5 SpanR@5 SpanRR CharMAP"
)
FROM_PASSAGES = [measure for measure in EVERY if measure.NEEDS_PASSAGES]
DOCUMENT = [measure for measure in EVERY if not measure.NEEDS_PASSAGES]


QRELS_NAMED = QRELS.rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"})


def values(run=RUN, qrels=QRELS, measures=EVERY):
    return {(str(m.measure), m.query_id): m.value for m in ir_measures.iter_calc(measures, qrels, run)}


def test_hand_worked_values():
    found = values()
    assert found["CharP", "1"] == 0.5  # 50 relevant of 100 characters
    assert found["CharR", "1"] == 0.5
    assert found["CharP", "2"] == found["AgP", "2"] == found["AgP(task='bic')", "2"] == 1
    assert found["AgP", "1"] == pytest.approx(2 / 3)  # F of precision 1 and recall 1/2
    assert found["CharP", "3"] == 0  # judged, not retrieved


def test_judged_topics_exactly_once():
    metrics = list(ir_measures.iter_calc(EVERY, QRELS, RUN))
    seen = [(str(metric.measure), metric.query_id) for metric in metrics]
    assert sorted(seen) == sorted((str(measure), qid) for measure in EVERY for qid in ("1", "2", "3"))


def test_an_empty_frame_of_three_columns_is_an_empty_run():
    measures = [measure for measure in EVERY if measure.NAME != "ADM"]  # which follows its formula
    found = values(run=pd.DataFrame({"query_id": [], "doc_id": [], "score": []}), measures=measures)
    assert found == {(name, qid): 0.5 if name == "ROCAUC" else 0 for name, qid in found}


def test_empty_qrels_score_nothing():
    assert values(qrels=QRELS.iloc[:0]) == {}
    assert values(qrels=QRELS.iloc[:0][["query_id", "doc_id", "relevance"]]) == {}


class Row(NamedTuple):
    query_id: str
    doc_id: str
    score: float
    passages: list


@dataclasses.dataclass
class Record:
    query_id: str
    doc_id: str
    score: float
    passages: list


@pytest.mark.parametrize("kind", [Row, Record])
def test_named_tuples_and_dataclasses_carry_passages(kind):
    rows = [kind(*row) for row in RUN.itertuples(index=False)]
    assert values(run=rows) == values()
    assert values(run=iter(rows)) == values()


WITHOUT_PASSAGES = {
    "dicts": {qid: dict(zip(part["doc_id"], part["score"], strict=True)) for qid, part in RUN.groupby("query_id")},
    "plain tuples": [ir_measures.ScoredDoc(*row[:3]) for row in RUN.itertuples(index=False)],
}


@pytest.mark.parametrize("form", WITHOUT_PASSAGES)
def test_runs_without_passages_do_for_document_measures(form):
    assert values(run=WITHOUT_PASSAGES[form], measures=DOCUMENT) == values(measures=DOCUMENT)


@pytest.mark.parametrize("measure", FROM_PASSAGES, ids=str)
@pytest.mark.parametrize("form", WITHOUT_PASSAGES)
def test_runs_without_passages_are_refused_by_measures_of_passages(form, measure):
    with pytest.raises(ValueError, match="no column 'passages'"):
        values(run=WITHOUT_PASSAGES[form], measures=[measure])


def test_missing_columns_are_named():
    with pytest.raises(ValueError, match=r"the run lacks the columns \['score'\] \(found \[[a-z_', ]+\]\)$"):
        ir_measures.calc_aggregate(EVERY, QRELS, RUN.drop(columns="score"))


@pytest.mark.parametrize("measure", EVERY, ids=str)
def test_missing_qrels_columns_are_named(measure):
    bare = QRELS[["query_id", "doc_id"]]
    wanted = "|".join("label" if column == "relevance" else column for column in measure.QRELS_COLUMNS)
    with pytest.raises(ValueError, match=f"no column '({wanted})'"):
        values(qrels=bare, measures=[measure])


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"passages": [[(0, 50)], [(7, 3)], [(50, 70)], []]}, SpanError, "column 'passages', topic '1', article 'x'"),
        ({"passages": [[(0, 9), (5, 12)], [], [], []]}, OverlapError, "topic '1', article 'a'.*RemoveOverlap"),
        ({"passages": [[(0, 9, 1.0), (9, 12)], [], [], []]}, ValueError, "'1' has passages with and without scores"),
        ({"score": ["x", "1", "1", "1"]}, ValueError, "'score' holds something that is not a number"),
        ({"score": [1.0, float("nan"), 1.0, 1.0]}, ValueError, "topic '1', article 'x': the score is missing"),
        ({"doc_id": ["a", "a", "c", "a"]}, ValueError, "topic '1', article 'a' occurs more than once in the run"),
    ],
)
def test_faults_of_a_run_are_named(change, error, message):
    with pytest.raises(error, match=message):
        values(run=RUN.assign(**change), measures=[ptf.CharP])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"highlights": [[(0, 100)], [(3, 3)], [], []]}, "column 'highlights', topic '1', article 'b'"),
        ({"highlights": [[(0, 100, 1.0)], [], [], []]}, "without scores"),
        ({"bep": [0, -7, 1, 2]}, "column 'bep', topic '1', article 'b'"),
        ({"relevance": [1.5, 0, 0, 0]}, "column 'label', topic '1', article 'a'"),
        ({"relevance": [None, 0, 0, 0]}, "column 'label', topic '1', article 'a': the value is missing"),
        ({"doc_id": ["a", "a", "c", "d"]}, "occurs more than once in the qrels"),
        ({"query_id": [None, "1", "2", "3"]}, "row 0 of the qrels has no qid"),
    ],
)
def test_faults_of_qrels_are_named(change, message):
    with pytest.raises(ValueError, match=message):
        values(qrels=QRELS.assign(**change), measures=ptf.parse("AgP(task='bic') AgP(task='doc')"))


@pytest.mark.parametrize("length", [[np.nan, 500, 300, 90], [0, 500, np.nan, 90]], ids=["missing", "zero"])
def test_a_relevant_article_without_a_length_is_an_error_only_for_bic(length):
    qrels = QRELS.assign(length=length)
    with pytest.raises(ValueError, match="column 'length', topic '1', article 'a'"):  # the first in the ranking
        values(qrels=qrels, measures=ptf.parse("AgP(task='bic')"))
    assert values(qrels=qrels, measures=ptf.parse("AgP(task='bic',n=1000)"))


def test_judgments_that_are_the_same_are_one():
    twice = pd.concat([QRELS, QRELS.iloc[:2].map(copy.copy)])
    assert values(qrels=twice) == values()


def test_judgments_that_differ_are_both_shown():
    twice = pd.concat([QRELS, QRELS.iloc[:1].assign(bep=12345)])
    with pytest.raises(ValueError, match=r"topic '1', article 'a' occurs more than once .* \('bep' is \d+ and 12345\)"):
        values(qrels=twice)


def test_measures_of_articles_alone_do_without_passages():
    assert {str(measure) for measure in DOCUMENT} == {
        "AgP(task='doc')", "ADM", "ADM(urs='specificity')", "IAP11", "F", "F@5", "ROCAUC"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("measure", "score", "message"),
    [
        ("ADM(srs='score')", 1.5, r"column 'score', topic '1', article 'x': 1.5 .* must lie in \[0, 1\]"),
        ("ADM(srs='score')", -0.5, r"column 'score', topic '1', article 'x': -0.5 .* must lie in \[0, 1\]"),
        ("ADM", np.inf, r"column 'score', topic '1', article 'x': inf .* must be finite"),
        ("ADM", -np.inf, r"column 'score', topic '1', article 'x': -inf .* must be finite"),
    ],
)
def test_scores_that_are_no_relevance_scores_are_named(measure, score, message):
    with pytest.raises(ValueError, match=message):
        values(RUN.assign(score=[1.0, score, 0.5, 0.5]), measures=ptf.parse(measure))


def test_a_label_above_the_scale_is_named():
    with pytest.raises(ValueError, match="column 'label', topic '2', article 'c': the label 2 is above max_label=1"):
        values(measures=ptf.parse("ADM(max_label=1)"))
    assert values(measures=ptf.parse("ADM(max_label=2)"))  # the highest label of the scale is on it


@pytest.mark.parametrize("length", [[99, 500, 20, 90], [0, 500, 20, 90], [np.nan, 500, 20, 90]])
def test_an_article_shorter_than_its_highlights_is_an_error_for_specificity(length):
    whole = QRELS.assign(length=[100, 500, 20, 90])  # all of 'a' and 'c' is highlighted: URS is 1
    assert set(values(qrels=whole, measures=ptf.parse("ADM(urs='specificity')")).values()) <= {0.0, 0.5, 1.0}
    with pytest.raises(ValueError, match=r"column 'length', topic '1', article 'a': 100 characters are highlighted"):
        values(qrels=QRELS.assign(length=length), measures=ptf.parse("ADM(urs='specificity')"))


@pytest.mark.parametrize(("missing", "expected"), [(0, 1.0), (1, 0.0)])
def test_recall_levels_are_exact_if_level_and_size_together_exceed_64_bits(missing, expected):
    """iP@0.29 asks for ceil(0.29 * Trel) characters: one fewer does not reach it."""
    trel = 2**61
    enough = -(-29 * trel // 100)
    qrels = QRELS.iloc[:1].assign(highlights=[[(0, trel)]], length=[trel])
    run = RUN.iloc[:1].assign(passages=[[(0, enough - missing)]])
    assert values(run, qrels, ptf.parse("iP@0.29")) == {("iP@0.29", "1"): expected}


@pytest.mark.parametrize(("passages", "expected"), [([(99, 103)], 0.25), ([(100, 103)], 0.0)])
def test_a_recall_level_with_more_decimals_than_64_bits_hold(passages, expected):
    """iP@1e-20 of 100 characters asks for one of them."""
    run = RUN.iloc[:1].assign(passages=[passages])
    (value,) = values(run, QRELS.iloc[:1], [ptf.iP @ 1e-20]).values()
    assert value == expected


def test_no_cell_is_changed():
    before = RUN["passages"].map(list).tolist(), QRELS["highlights"].map(list).tolist()
    values()
    assert (cells(RUN["passages"]), cells(QRELS["highlights"])) == before


@pytest.mark.parametrize(
    "same",
    [
        ["iP@0", "iP@0.0", "iP@0.00"],
        ["AgP(task='bic',n=1000)", "AgP(n=1000,task='bic')", "AgP(n=1000.0,task='bic')"],
        ["AgP", "MAgP", "AgP(task='ric')", "AgP(beta=1)", "AgP(beta=1.0)"],
        ["AiP", "MAiP", "iMAP", "AiP(points=101)"],
    ],
)
def test_measures_that_mean_the_same_are_the_same(same):
    parsed = [ir_measures.parse_measure(text) for text in same]
    assert len(set(parsed)) == len({str(measure) for measure in parsed}) == 1


def test_numbers_are_written_in_their_shortest_form():
    texts = ["AgP(task='bic',n=1000)", "AgP(task='bic',n=0.5)", "F(beta=1e+20)", "iP@1.0", "gP(last=True)@5"]
    assert [str(ptf.parse(text.replace("1000", "1000.0"))[0]) for text in texts] == texts


def test_a_parameter_that_equals_its_default_is_not_kept():
    assert ptf.CharP(overlap="error").params == ptf.AiP(points=101.0).params == {}
    assert (ptf.AgP(A=0.1), ptf.gP(last=False) @ 5) == (ptf.AgP, ptf.gP @ 5)  # A=0.2 belongs to task='bic' alone


def test_the_ends_of_what_is_allowed():
    assert [(ptf.iP @ level)["recall"] for level in (0, 1)] == [0, 1]
    assert [(ptf.gP @ rank)["cutoff"] for rank in (1, 2**53 - 1)] == [1, 2**53 - 1]


@pytest.mark.parametrize("level", [-0.1, 1.1])
def test_recall_levels_beyond_the_ends_are_refused(level):
    with pytest.raises(ValueError, match="recall level"):
        ptf.iP @ level


def test_numpys_numbers_do():
    assert ptf.gP @ np.int64(5) == ptf.gP @ 5
    assert ptf.iP @ np.float64(0.01) == ptf.iP @ 0.01
    assert ptf.AgP(task="bic", n=np.float32(1000)) == ptf.AgP(task="bic", n=1000)


@pytest.mark.parametrize("measure", EVERY, ids=str)
def test_a_measure_is_what_its_name_parses_to(measure):
    assert ir_measures.parse_measure(str(measure)) == measure
    assert type(measure).NAME == measure.__name__ == measure.NAME


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("iP@1.5", r"recall level in \[0, 1\]"),
        ("gP@0", "cutoff=0: it must be a whole number from 1"),
        ("gP@True", "cutoff=True: it must be a whole number from 1"),
        ("gP", "gP needs the parameter cutoff: write gP@"),
        ("iP", "iP needs the parameter recall: write iP@"),
        ("gP(last=3)@5", "last=3: it must be True or False"),
        ("gP@9007199254740992", r"it must be a whole number from 1 to 2\*\*53"),
        ("gP(last=1)@5", "last=1: it must be True or False"),
        ("AgP(task='x')", "choose one of 'ric', 'bic', 't2i', 'doc'"),
        ("AgP(A=0.5)", "A belongs to task='bic'"),
        ("AgP(colour=1)", "no parameter colour; its parameters: .*task, .*beta"),
        ("IAP11(colour=1)", "no parameter colour; its parameters: none"),
        ("ADM@5", "cutoff belongs to docs='retrieved'"),
        ("CharF(beta=0)", "positive number"),
        ("APBound(side='lower')", "side='lower' needs documents"),
        ("APBound(documents=9)", "side='lower' needs documents"),
        ("AgQ", "did you mean"),
        ("ipp[0.1]", "no measure is called 'ipp'"),
        ("focussed", "no measure is called 'focussed'; did you mean focused"),
        ("focused", r"it is a preset: pyterrier_focused.preset\('focused'\)"),
        ("CharP(", "a measure is written NAME"),
        (3, "^3 is not a measure; give ir_measures measures, or strings"),
        (None, "^None is not a measure; give"),
        (["AP", 2.5], r"^2\.5 is not a measure; give"),
    ],
)
def test_measures_that_cannot_be_are_explained(text, message):
    with pytest.raises(ValueError, match=message):
        ptf.parse(text)


def test_parse_takes_strings_lists_and_trec_evals_names():
    expected = [ptf.iP @ 0.01, ptf.AgP(task="bic", n=1000), ir_measures.AP, ir_measures.nDCG @ 10]
    assert ptf.parse("iP@0.01, AgP(task='bic', n=1000) map nDCG@10") == expected
    assert ptf.parse(["iP@0.01", ptf.AgP(task="bic", n=1000), "AP nDCG@10"]) == expected


def test_names_are_taken_only_by_these_measures():
    registry = ir_measures.measures.registry
    names = [(name, measure) for measure in MEASURES for name in measure.names()]
    assert [(name, measure) for name, measure in names if registry[name] is not measure] == []
    others = {type(m).NAME for m in registry.values() if not type(m).__module__.startswith("pyterrier_focused")}
    assert not others & {measure.NAME for measure in MEASURES}


def test_what_a_measure_needs_is_told():
    assert set(ir_measures.run_inputs([ptf.AgP])) == {"query_id", "doc_id", "score", "passages"}
    assert set(ir_measures.qrel_inputs([ptf.AgP(task="bic")])) == {"query_id", "doc_id", "highlights", "bep", "length"}
    assert "passages" not in ir_measures.run_inputs([ptf.measures.IAP11])


class TestMisfits:
    """One warning says what does not fit, with counts and the first example; ordinary cases are silent."""

    @staticmethod
    def found(run=RUN, qrels=QRELS, measures="CharP AP"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ir_measures.evaluator(ptf.parse(measures), qrels).calc(run)
        return [str(w.message) for w in caught if issubclass(w.category, ptf.EvaluationWarning)]

    def test_ordinary_cases_are_silent(self):
        assert not self.found()
        assert not self.found(RUN.iloc[:0])
        assert not self.found(RUN.iloc[:1])
        assert not self.found(RUN.assign(query_id=["other", *RUN["query_id"][1:]]))

    def test_no_topic_is_judged(self):
        (told,) = self.found(RUN.assign(query_id="2009" + RUN["query_id"]))
        assert "topics is in the qrels (first of the run: '20091', of the qrels: '1')" in told

    def test_no_article_is_judged(self):
        (told,) = self.found(RUN.assign(doc_id=RUN["doc_id"] + ".xml"))
        assert "none of the run's 3 articles is in the qrels" in told
        assert "same docnos" in told

    @pytest.mark.parametrize(
        ("given", "judged"), [("a ", "a"), ("A", "a"), ("e\u0301", "\u00e9"), ("\u00e9", "e\u0301"), ("x", "X\t")]
    )
    def test_an_id_that_almost_matches_is_told_even_if_others_match(self, given, judged):
        run = pd.DataFrame({"query_id": "1", "doc_id": [given, "b"], "score": [2.0, 1.0], "passages": [[(0, 5)]] * 2})
        qrels = pd.DataFrame({"query_id": "1", "doc_id": [judged, "b"], "relevance": 1, "highlights": [[(0, 5)]] * 2})
        (told,) = self.found(run, qrels, "CharP")
        assert "1 of the run's articles are in the qrels under a name that differs by blanks, case or" in told
        assert f"(first of the run: {given!r}, of the qrels: {judged!r})" in told

    def test_articles_whose_names_differ_by_case_are_two(self):
        run = pd.DataFrame({"query_id": "1", "doc_id": ["US", "Us"], "score": [2.0, 1.0], "passages": [[(0, 5)]] * 2})
        qrels = pd.DataFrame({"query_id": "1", "doc_id": ["US"], "relevance": 1, "highlights": [[(0, 5)]]})
        assert not self.found(run, qrels, "CharP")

    def test_a_topic_that_almost_matches_is_told_even_if_others_match(self):
        run = pd.DataFrame({"query_id": ["q1", "Q2 "], "doc_id": "a", "score": 1.0, "passages": [[(0, 5)]] * 2})
        qrels = run.drop(columns=["score", "passages"]).assign(
            query_id=["q1", "q2"], relevance=1, highlights=[[(0, 5)]] * 2
        )
        (told,) = self.found(run, qrels, "CharP")
        assert "1 of the run's topics are in the qrels under a name that differs" in told
        assert "(first of the run: 'Q2 ', of the qrels: 'q2')" in told

    def test_passage_ids_that_no_task_packed(self):
        (told,) = self.found(RUN.assign(doc_id=RUN["doc_id"] + "#0-5").drop(columns="passages"), measures="IAP11")
        assert "put Focused()" in told

    def test_passages_beyond_the_article(self):
        (told,) = self.found(qrels=QRELS.assign(length=1), measures="CharP")[-1:]
        assert "passages end beyond their article's length (first: topic '1', article " in told

    def test_blanks_are_told_also_where_the_article_itself_is_retrieved(self):
        run = pd.DataFrame(
            {"query_id": ["1", "2"], "doc_id": ["a", "a "], "score": [2.0, 1.0], "passages": [[(0, 5)]] * 2}
        )
        qrels = pd.DataFrame(
            {"query_id": ["1", "2"], "doc_id": ["a", "a"], "relevance": 1, "highlights": [[(0, 5)]] * 2}
        )
        (told,) = self.found(run, qrels, "CharP")
        assert "(first of the run: 'a ', of the qrels: 'a')" in told

    def test_missing_cells_beside_others(self):
        cells = [[(0, 50)], None, [], [(0, 5)]]
        (told,) = self.found(RUN.assign(passages=cells))
        assert (
            "1 of the run's 3 articles have no cell of passages, the others have (first: topic '1', article 'x')"
            in told
        )
        assert "fuse parts before the task" in told
        assert not self.found(RUN.assign(passages=cells), measures="IAP11 AP")
        assert not self.found(RUN.assign(passages=None))
        assert not self.found(RUN.assign(passages=[[(0, 50)], [], [], [(0, 5)]]))

    def test_parts_beside_articles_with_passages(self):
        run = RUN.assign(doc_id=["a", "x#0-5", "c", "a"], passages=[[(0, 50)], None, [(50, 70)], None])
        (told,) = self.found(run)
        assert "1 of the run's 3 rows are parts that no task packed (first: topic '1', article 'x#0-5')" in told
        assert "write (A ^ B) >> Focused()" in told

    @pytest.mark.parametrize(
        ("scores", "best", "told"),
        [
            ([3, 2, 1], [3, 2, 1], 0),
            ([3, 2, 1], [6, 4, 2], 0),
            ([3, 2, 1], [5, 5, 5], 0),
            ([2, 2, 2], [1, 5, 3], 0),  # tied articles have no order
            ([2, 2, 1], [3, 5, 3], 0),
            ([2, 2, 1], [3, 5, 4], 1),
            ([3, 2, 1], [1, 2, 3], 1),
            ([2 + 1e-9, 2, 1], [1, 5, 1], 0),  # one number in float32
            ([3, 2, 1], [2, 2 + 1e-9, 1], 0),
            ([3, 2, 1], [2, 1, None], 0),
        ],
    )
    def test_the_order_of_articles_and_that_of_their_best_passages(self, scores, best, told):
        cells = [[] if value is None else [(0, 5, -9.0), (6, 9, float(value))] for value in best]
        run = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b", "c"], "score": scores, "passages": cells})
        found = self.found(run, measures="AiP AP")
        assert len(found) == told
        assert all("contradicts that of their best passages in 1 of 1 topics (first: topic '1'" in one for one in found)
        assert all("Unpack(score='article') >> Focused()" in one for one in found)
        numbered = run.assign(items=[list(range(2 * row, 2 * row + len(cell))) for row, cell in enumerate(cells)])
        assert self.found(numbered, measures="AiP AP") == found

    def test_parts_scored_with_judgments_of_articles(self):
        run = RUN.assign(doc_id=RUN["doc_id"] + "#0-5").drop(columns="passages")
        (told,) = self.found(run, measures="AP nDCG@10")
        assert (
            "passage ids (first: 'a#0-5'), and those of the qrels, which have highlights, articles (first: 'a')" in told
        )
        assert "put Focused()" in told
        assert not self.found(run, QRELS.drop(columns="highlights"), "AP")
        assert not self.found(run, QRELS.assign(doc_id=QRELS["doc_id"] + "#0-5"), "AP")
        assert not self.found(RUN.drop(columns="passages"), QRELS, "AP")

    def test_highlights_and_labels_that_contradict_each_other(self):
        (told,) = self.found(qrels=QRELS.assign(relevance=0), measures="CharP")
        assert "have highlights but a label of 0" in told
        (told,) = self.found(qrels=QRELS.assign(relevance=1, highlights=None), measures="CharP")
        assert "have a label above 0 but no highlights" in told
        assert not self.found(qrels=QRELS.assign(relevance=1, highlights=None), measures="AP IAP11")

    def test_one_warning_tells_it_all(self):
        (told,) = self.found(RUN.iloc[:0], QRELS.assign(relevance=0, length=1))
        assert "label of 0" in told
        assert "beyond the article's length" in told


def test_another_plugins_measure_keeps_its_name():
    code = """
import warnings, ir_measures
from ir_measures import measures
class _F(measures.Measure):
    NAME = __name__ = "F"
    SUPPORTED_PARAMS = {}
F = _F()
measures.register(F)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import pyterrier, pyterrier_focused as ptf
told = [str(w.message) for w in caught if "another plugin" in str(w.message)]
assert len(told) == 1 and "measures F in" in told[0], told
assert measures.registry["F"] is F
assert ptf.parse("AgP")
try:
    ptf.parse("F@5")
except ValueError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "another plugin's measure" in done.stdout


@pytest.mark.parametrize(
    ("column", "column_values", "message"),
    [
        ("doc_id", ["a", None, "c", "a"], "row 1 of the run has no docno"),
        ("doc_id", ["a", "b", b"c", "a"], "row 2 of the run has the docno b'c'; ids must be texts"),
        ("query_id", ["1", ["1"], "1", "2"], r"row 1 of the run has the qid \['1'\]; ids must be texts"),
        ("score", pd.array([2, pd.NA, 3, 1], dtype="Float64"), "topic '1', article 'x': the score is missing"),
        ("score", ["2", "high", "3", "1"], "column 'score' holds something that is not a number"),
    ],
)
@pytest.mark.parametrize("evaluate", [values, lambda run: evaluation.evaluate(QRELS_NAMED, {"r": run}, "AiP AP")])
def test_errors_of_a_run_are_ours_beside_standard_measures(column, column_values, message, evaluate):
    with pytest.raises(ValueError, match=message):
        evaluate(RUN.assign(**{column: column_values}))
