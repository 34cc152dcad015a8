"""pt.Experiment with focused and standard measures mixed: the same numbers however it runs."""

import gzip
import os
import pickle
import subprocess
import sys

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest

import pyterrier_focused as ptf
from pyterrier_focused.io import RUN_FORMAT

MEASURES = ptf.parse("CharP CharR iP@0.01 AiP AgP AgP(task='bic') AgP(task='doc') ADM ROCAUC AP nDCG@10 P@5")
NAMES = [str(measure) for measure in MEASURES]


@pytest.fixture(scope="module")
def dataset():
    return pt.get_dataset("focused:demo")


@pytest.fixture(scope="module")
def topics(dataset):
    return dataset.get_topics()[["qid", "query"]]


@pytest.fixture(scope="module")
def qrels(dataset):
    return dataset.get_qrels()


class Lead(pt.Transformer):
    """Retrieve the judged articles by the length of their names and numbers, the first characters of each."""

    def __init__(self, qrels, characters, skipped=()):
        self.qrels, self.characters, self.skipped = qrels, characters, skipped

    def transform(self, inp):
        pt.validate.query_frame(inp, extra_columns=["query"])
        rows = self.qrels[self.qrels["qid"].isin(set(inp["qid"]) - set(self.skipped))]
        run = rows[["qid", "docno"]].assign(
            score=[float(int(docno) % 7) for docno in rows["docno"]],
            passages=[[(0, min(self.characters, length))] for length in rows["length"]],
        )
        return pt.model.add_ranks(run.merge(inp[["qid", "query"]], on="qid"))


@pytest.fixture(scope="module")
def systems(qrels):
    return [Lead(qrels, 500), Lead(qrels, 1500, skipped=["2026003", "2026004"])]


@pytest.fixture(scope="module")
def expected(systems, topics, qrels):
    """Straight from ir_measures, a frame at a time: {measure: value} of each system."""
    frames = [pt.model.to_ir_measures(system(topics)) for system in systems]
    means = [ir_measures.calc_aggregate(MEASURES, pt.model.to_ir_measures(qrels), frame) for frame in frames]
    return [pytest.approx({str(measure): value for measure, value in of.items()}, abs=1e-12) for of in means]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"plan": "linear"},
        {"plan": "tree"},
        {"batch_size": 5},
        {"plan": "tree", "batch_size": 5},
        {"validate": "error"},
        {"highlight": "bold"},
    ],
    ids=str,
)
def test_the_same_numbers_however_it_runs(systems, topics, qrels, expected, options):
    table = pt.Experiment(systems, topics, qrels, MEASURES, names=["a", "b"], **options)
    table = getattr(table, "data", table)  # a styled table carries the plain one
    assert table[NAMES].astype(float).to_dict("records") == expected


def test_per_query_values_average_to_the_same(systems, topics, qrels, expected):
    table = pt.Experiment(systems, topics, qrels, MEASURES, names=["a", "b"], perquery=True)
    means = table.groupby(["name", "measure"])["value"].mean().unstack()
    assert means.loc[["a", "b"]].to_dict("records") == expected
    assert set(table["qid"]) == set(topics["qid"])


def test_baseline_test_and_correction(systems, topics, qrels):
    table = pt.Experiment(systems, topics, qrels, MEASURES, names=["a", "b"], baseline=0, correction="bonferroni")
    assert {f"{name} p-value corrected" for name in NAMES} <= set(table.columns)
    from pyterrier_focused.analysis import bootstrap_test

    table = pt.Experiment(systems, topics, qrels, MEASURES, names=["a", "b"], baseline=0, test=bootstrap_test)
    p_values = table[[f"{name} p-value" for name in NAMES]].iloc[1].astype(float)
    assert p_values.between(0, 1).all()


def test_evaluate_gives_the_same(systems, topics, qrels, expected):
    assert pt.Evaluate(systems[0](topics), qrels, metrics=MEASURES) == expected[0]


@pytest.mark.parametrize(("save_format", "ending"), [(RUN_FORMAT, "custom"), (pickle, "mod")], ids=["own", "pickle"])
def test_runs_that_are_saved_keep_their_passages(systems, topics, qrels, expected, tmp_path, save_format, ending):
    """A TREC file would lose them, and the second experiment would have nothing to score."""
    options = {"names": ["a", "b"], "save_dir": str(tmp_path), "save_mode": "reuse", "save_format": save_format}
    first = pt.Experiment(systems, topics, qrels, MEASURES, **options)
    assert {path.name for path in tmp_path.iterdir()} >= {f"a.{ending}", f"b.{ending}"}
    second = pt.Experiment(systems, topics, qrels, MEASURES, **options)  # from the saved files
    assert [table[NAMES].astype(float).to_dict("records") for table in (first, second)] == [expected] * 2


def test_ordinary_runs_are_saved_as_ever(systems, topics, tmp_path):
    ordinary = systems[0](topics).drop(columns="passages")
    pt.io.write_results(ordinary, str(tmp_path / "run.gz"))
    assert gzip.decompress((tmp_path / "run.gz").read_bytes()).split()[1] == b"Q0"
    assert list(pt.io.read_results(str(tmp_path / "run.gz"))["docno"]) == list(ordinary["docno"])


def test_a_grid_scan_takes_them(topics, qrels):
    system = Lead(qrels, 500)
    sizes = [10, 400, 2000]
    table = pt.GridScan(system, {system: {"characters": sizes}}, topics, qrels, [ptf.CharR], verbose=False)
    recall = table["CharR"].astype(float).tolist()
    assert len(recall) == 3
    assert recall == sorted(recall)
    assert recall[0] < recall[2]


def test_frames_of_runs_are_systems_too(systems, topics, qrels, expected):
    table = pt.Experiment([systems[0](topics)], topics, qrels, MEASURES)
    assert table[NAMES].astype(float).to_dict("records") == expected[:1]


def test_topics_without_judgments_do_not_count(systems, topics, qrels, expected):
    more = pd.concat([topics, pd.DataFrame({"qid": ["unjudged"], "query": ["nothing"]})])
    table = pt.Experiment(systems, more, qrels, MEASURES)
    assert table[NAMES].astype(float).to_dict("records") == expected


@pytest.mark.parametrize("seed", ["1", *(pytest.param(seed, marks=pytest.mark.long) for seed in "23")])
def test_columns_stand_in_the_order_asked_for(seed):
    code = """
import pandas as pd, pyterrier as pt, pyterrier_focused as ptf
topics = pd.DataFrame([["q", "x"]], columns=["qid", "query"])
qrels = pd.DataFrame([["q", "d", 1, [(0, 5)], 0, 9]], columns=ptf.QRELS_COLUMNS)
run = pd.DataFrame([["q", "d", 1.0, 0, [(0, 5)]]], columns=ptf.RUN_COLUMNS)
ptf.parse("CharR AgP")
measures = ptf.parse(["CharR iP@0.01", ptf.AiP, ptf.AgP, "CharP"])
print(*pt.Experiment([run], topics, qrels, measures, names=["s"]).columns[1:])
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["CharR", "iP@0.01", "AiP", "AgP", "CharP"]
