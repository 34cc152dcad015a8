"""PyTerrier's searches over parameters, with focused measures."""

import itertools

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest
from tagged_articles import build_collection

import pyterrier_focused as ptf
from pyterrier_focused.retrieval import Contextualise, Focused, RemoveOverlap

TOPICS = pd.DataFrame(
    {"qid": ["1", "2", "3", "4"], "query": ["whale oil lamp", "glass lens", "ships night", "pier stone waves"]}
)


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    return build_collection(tmp_path_factory.mktemp("tagged") / "articles")


@pytest.fixture(scope="module")
def index(collection, tmp_path_factory):
    """An index whose parameters can be chosen at search, as PISA's can."""
    pytest.importorskip("pyterrier_pisa")
    return collection.index(tmp_path_factory.mktemp("index") / "parts", elements=("sec", "ss1", "p"))


@pytest.fixture(scope="module")
def qrels(collection):
    """The first fifty characters of an article for each topic."""
    return pd.DataFrame(
        {
            "qid": TOPICS["qid"],
            "docno": ["3", "4", "1", "2"],
            "label": 1,
            "highlights": [[(0, 50)], [(10, 60)], [(0, 40)], [(60, 120)]],
            "bep": 0,
            "length": collection.lengths(["3", "4", "1", "2"])["length"],
        }
    )


@pytest.mark.parametrize("measure", ["iP@0.01", "AgP(task='bic')"])
def test_the_best_setting_is_that_of_the_scan(index, qrels, measure):
    bm25 = index.bm25()
    pipeline = bm25 >> RemoveOverlap() >> Focused()
    grid = {bm25: {"k1": [0.1, 0.9, 4.0], "b": [0.0, 1.0]}}
    scan = pt.GridScan(pipeline, grid, TOPICS, qrels, [ir_measures.parse_measure(measure)])
    best, setting = pt.GridSearch(pipeline, grid, TOPICS, qrels, measure, return_type="best_setting", verbose=False)
    assert best == scan[str(ir_measures.parse_measure(measure))].max()
    assert {name for _, name, _ in setting} == {"k1", "b"}


def test_folds_are_tuned_on_the_others(index, qrels):
    bm25, context = index.bm25(), Contextualise()
    pipeline = bm25 >> context >> RemoveOverlap() >> Focused()
    grid = {bm25: {"k1": [0.1, 4.0]}, context: {"weight": [0.0, 0.9]}}
    folds = [TOPICS.iloc[:2], TOPICS.iloc[2:]]
    run, settings = pt.KFoldGridSearch(pipeline, grid, folds, qrels, "AiP")
    assert list(dict.fromkeys(run["qid"])) == ["1", "2", "3", "4"]

    def score(fold, k1, weight):
        system = index.bm25(k1=k1) >> Contextualise(weight) >> RemoveOverlap() >> Focused()
        judged = qrels[qrels["qid"].isin(fold["qid"])]
        return pt.Experiment([system], fold, judged, ptf.parse("AiP"))["AiP"].iloc[0]

    chosen = [score(fold, setting[0][2], setting[1][2]) for fold, setting in zip(folds[::-1], settings, strict=True)]
    options = list(itertools.product([0.1, 4.0], [0.0, 0.9]))
    assert chosen == [max(score(fold, k1, weight) for k1, weight in options) for fold in folds[::-1]]


def test_three_folds_are_tuned_on_the_others(index, qrels):
    bm25 = index.bm25()
    folds = [TOPICS.iloc[:2], TOPICS.iloc[2:3], TOPICS.iloc[3:]]
    run, settings = pt.KFoldGridSearch(
        bm25 >> RemoveOverlap() >> Focused(), {bm25: {"k1": [0.1, 4.0]}}, folds, qrels, "AiP"
    )
    assert list(dict.fromkeys(run["qid"])) == ["1", "2", "3", "4"]
    assert len(settings) == 3
