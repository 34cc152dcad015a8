"""What ir_measures and PyTerrier do differently: what is ours is served, and what is not comes out as ever."""

import importlib
import itertools
import os
import subprocess
import sys

import ir_measures
import pandas as pd
import pyarrow as pa
import pyterrier as pt
import pytest
from ir_measures import util

import pyterrier_focused as ptf
from pyterrier_focused.evaluation import provider
from pyterrier_focused.evaluation.asking_provider import AskingProvider
from pyterrier_focused.evaluation.measure_strings import parse_measure
from pyterrier_focused.frames.columns import flatten, span_column

RUN = pd.DataFrame(
    {"query_id": ["1", "1", "2"], "doc_id": ["a", "b", "a"], "score": [2.0, 1.0, 1.0], "title": ["x", "y", "z"],
     "passages": [[(0, 5)], [(3, 4)], [(0, 3)]]}
)  # fmt: skip
QRELS = pd.DataFrame(
    {"query_id": ["1", "2", "3"], "doc_id": ["b", "a", "a"], "relevance": [1, 1, 1],
     "highlights": [[(0, 5)], [(0, 3)], [(0, 3)]]}
)  # fmt: skip
STANDARD = [ir_measures.AP, ir_measures.nDCG @ 10, ir_measures.Judged @ 10, ir_measures.P @ 5]
COUNT = ir_measures.define_byquery(lambda qrels, run: float(run["passages"].map(len).sum()), name="Passages")


class Unread(list):
    """A cell that no other provider may look at."""

    def __iter__(self):
        raise AssertionError("a column of spans was read")


def values(measures, qrels, run):
    found = {(str(value.measure), str(value.query_id)): value.value for value in ir_measures.iter_calc(
        measures, qrels, run)}  # fmt: skip
    assert len(found) == len(list(ir_measures.iter_calc(measures, qrels, run)))
    return found


def test_other_providers_do_not_read_spans():
    run = RUN.assign(passages=[Unread() for _ in range(len(RUN))])
    qrels = QRELS.assign(highlights=[Unread() for _ in range(len(QRELS))])
    plain = values(STANDARD, QRELS.drop(columns="highlights"), RUN.drop(columns=["passages", "title"]))
    assert values(STANDARD, qrels, run) == plain


def test_together_they_have_the_values_that_they_have_one_by_one():
    together = values([*STANDARD, COUNT, ptf.AiP, ptf.AgP], QRELS, RUN)
    alone = values(STANDARD, QRELS, RUN) | values([COUNT], QRELS, RUN) | values([ptf.AiP, ptf.AgP], QRELS, RUN)
    assert together == alone


def test_measures_that_a_user_defines_see_passages():
    assert values([COUNT, ptf.AiP], QRELS, RUN)["Passages", "1"] == 2.0


def test_the_iteration_of_qrels_stays():
    qrels = QRELS.assign(iteration=["5", "6", "7"])
    assert [row.iteration for row in util.QrelsConverter(qrels).as_namedtuple_iter()] == ["5", "6", "7"]


# a user's measure joins run and qrels by itself: both must name topics alike
MIXED = [STANDARD, [*STANDARD, ptf.AiP]]
NUMBERED = [(measures, kind) for measures in MIXED for kind in ("run", "qrels", "both")]
NUMBERED += [([COUNT, ptf.AiP], "both"), ([COUNT, *STANDARD, ptf.AgP], "both")]


@pytest.mark.parametrize(("measures", "numbered"), NUMBERED)
def test_topics_may_be_numbers_for_all_measures(measures, numbered):
    run = RUN if numbered == "qrels" else RUN.astype({"query_id": int})
    qrels = QRELS if numbered == "run" else QRELS.astype({"query_id": int})
    assert values(measures, qrels, run) == values(measures, QRELS, RUN)


@pytest.mark.parametrize("run_kind", [int, str])
@pytest.mark.parametrize("qrels_kind", [int, str])
def test_topics_have_the_ids_of_the_run(run_kind, qrels_kind):
    run = RUN.astype({"query_id": run_kind})
    qrels = QRELS.astype({"query_id": qrels_kind})
    found = [value.query_id for value in ir_measures.iter_calc([*STANDARD, ptf.AiP], qrels, run)]
    assert set(found) == set(map(run_kind, (1, 2, 3)))


@pytest.mark.parametrize("kind", [int, str])
def test_topics_have_the_ids_of_the_qrels_if_the_run_is_empty(kind):
    empty = pd.DataFrame([], columns=["query_id", "doc_id", "score"])
    qrels = QRELS.astype({"query_id": kind})
    found = [value.query_id for value in ir_measures.iter_calc([*STANDARD, ptf.AiP], qrels, empty)]
    assert set(found) == set(map(kind, (1, 2, 3)))


def test_labels_may_be_whole_numbers_of_any_type():
    assert values(STANDARD, QRELS.astype({"relevance": float}), RUN) == values(STANDARD, QRELS, RUN)


PT_RUN = RUN.rename(columns={"query_id": "qid", "doc_id": "docno"}).assign(rank=[0, 1, 0], docno=["7", "8", "7"])
PT_QRELS = QRELS.rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"}).assign(
    docno=["8", "7", "7"]
)
TOPICS = pd.DataFrame({"qid": ["1", "2", "3"], "query": "x"})


class Answers(pt.Transformer):
    """Returns the rows of a run."""

    def __init__(self, run):
        self.run = run

    def transform(self, inp):
        return inp.merge(self.run, on="qid")


@pytest.mark.parametrize("measures", [["AiP", "map"], ["map"], ["AiP"]], ids=str)
@pytest.mark.parametrize(
    "options",
    [{"perquery": True}, {"perquery": True, "plan": "tree"}, {"perquery": True, "batch_size": 3}, {}],
    ids=str,
)
def test_an_experiment_over_numbers_has_the_values_of_one_over_texts(measures, options):
    def run_experiment(kind):
        ids = {"qid": kind, "docno": kind}
        table = pt.Experiment(
            [Answers(PT_RUN.astype(ids))],
            TOPICS.astype({"qid": kind}), PT_QRELS.astype(ids), measures, names=["run"], verbose=False, **options,
        )  # fmt: skip
        return table.assign(qid=table["qid"].astype(str)) if "qid" in table else table[["name", *measures]]

    assert run_experiment(int).astype(object).equals(run_experiment(str).astype(object))


def test_numbered_runs_that_were_saved_are_read_again(tmp_path):
    ids = {"qid": int, "docno": int}
    run = Answers(PT_RUN.drop(columns="passages").astype(ids))
    options = {"names": ["run"], "perquery": True, "save_dir": str(tmp_path), "save_mode": "reuse"}
    tables = [
        pt.Experiment([run], TOPICS.astype({"qid": int}), PT_QRELS.astype(ids), ["map"], **options) for _ in range(2)
    ]
    assert tables[0].equals(tables[1])
    assert pd.read_csv(tmp_path / "perquery.csv")["qid"].tolist() == [1, 2, 3]


def test_no_frame_of_the_caller_changes():
    ids = {"qid": int, "docno": int}
    given = [PT_RUN.astype(ids), PT_QRELS.astype(ids), TOPICS.astype({"qid": int})]
    before = [frame.copy(deep=True) for frame in given]
    pt.Experiment([given[0]], given[2], given[1], ["AiP", "map"])
    for frame, same in zip(given, before, strict=True):
        pd.testing.assert_frame_equal(frame, same)


PLAIN_RUN = RUN[["query_id", "doc_id", "score", "title"]]
PLAIN_QRELS = QRELS[["query_id", "doc_id", "relevance"]]


def without_us(measures, qrels, run):
    """Ask ir_measures' own providers as its own pipeline does."""
    own = [p for p in ir_measures.DefaultPipeline.providers if type(p).__module__.startswith("ir_measures.")]
    return list(ir_measures.providers.FallbackProvider(own).iter_calc(measures, qrels, run))


@pytest.mark.parametrize("measures", [*([measure] for measure in STANDARD), STANDARD], ids=str)
def test_plain_frames_have_the_values_of_ir_measures(measures):
    found = ir_measures.iter_calc(measures, PLAIN_QRELS, PLAIN_RUN)
    assert sorted(map(repr, found)) == sorted(map(repr, without_us(measures, PLAIN_QRELS, PLAIN_RUN)))


def test_plain_frames_are_handed_on_as_they_are(monkeypatch):
    handed = []

    class Seen(ir_measures.providers.Evaluator):
        def iter_calc(self, run):
            handed.append(run)
            return iter(())

    def make_evaluator(measures, qrels):
        handed.append(qrels)
        return Seen(measures, [])

    monkeypatch.setattr(ir_measures.pytrec_eval, "_evaluator", make_evaluator)
    list(ir_measures.iter_calc([ir_measures.AP], PLAIN_QRELS, PLAIN_RUN))
    assert handed[0] is PLAIN_QRELS
    assert handed[1] is PLAIN_RUN


def test_plain_runs_are_saved_to_the_same_bytes(tmp_path):
    plain = PT_RUN.drop(columns="passages")
    write = pt.io.SUPPORTED_RESULTS_FORMATS["trec"][1]
    write(plain, str(tmp_path / "a.res"))
    write.__wrapped__(plain, str(tmp_path / "b.res"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.res", "b.res"]
    assert (tmp_path / "a.res").read_bytes() == (tmp_path / "b.res").read_bytes()


def test_runs_of_texts_go_through_experiments_as_ever():
    run = PT_RUN.drop(columns="passages").astype({"score": int})
    coerce = pt._evaluation._execution.coerce_dataframe_types
    pd.testing.assert_frame_equal(coerce(run.copy()), coerce.__wrapped__(run.copy()))


GAINS = ir_measures.nDCG(gains={1: 7, 2: 1}) @ 5
TROUBLE = [ir_measures.nDCG @ 5, GAINS, ir_measures.nDCG, ir_measures.NumRet, ir_measures.P(judged_only=True) @ 5]
GRADED = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b"], "relevance": [2, 1]})


@pytest.mark.parametrize("form", [PLAIN_RUN, RUN], ids=["plain", "with passages"])
@pytest.mark.parametrize("measures", list(itertools.permutations(TROUBLE, 3)), ids=str)
def test_measures_that_disturb_each_other_are_asked_apart(measures, form):
    together = {value.measure: value.value for value in AskingProvider().iter_calc(measures, GRADED, form)}
    alone = {m: next(iter(without_us([m], GRADED, form))).value for m in measures}
    assert together == alone


@pytest.mark.long
def test_measures_are_right_with_every_hash_seed():
    code = """
import ir_measures as m, pandas as pd, pyterrier_focused as ptf
run = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b", "c"], "score": [1.0, 2.0, 3.0]})
qrels = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b"], "relevance": [2, 1]})
asked = [m.nDCG @ 5, m.nDCG(gains={1: 7, 2: 1}) @ 5, m.NumRet, m.P(judged_only=True) @ 2]
found = m.calc_aggregate(asked, qrels, run)
print([round(found[measure], 6) for measure in asked])
"""
    started = [
        subprocess.Popen([sys.executable, "-W", "ignore", "-c", code], stdout=subprocess.PIPE, text=True,
                         env={**os.environ, "PYTHONHASHSEED": str(seed)})
        for seed in range(12)
    ]  # fmt: skip
    # DCG / ideal DCG: b and a at ranks 2 and 3, where log2(3) = 1.584963, log2(4) = 2
    plain = (1 / 1.5849625 + 2 / 2) / (2 + 1 / 1.5849625)
    gains = (7 / 1.5849625 + 1 / 2) / (7 + 1 / 1.5849625)
    for process in started:
        assert process.communicate()[0].strip() == str([round(plain, 6), round(gains, 6), 3.0, 1.0])


def test_frames_with_pyterriers_names_do_as_they_are():
    measures = [ir_measures.AP, ir_measures.Judged @ 10, ptf.AiP]
    ids = {"7": "a", "8": "b"}
    run = PT_RUN.assign(docno=PT_RUN["docno"].map(ids))
    qrels = PT_QRELS.assign(docno=PT_QRELS["docno"].map(ids))
    expected = ir_measures.calc_aggregate(measures, QRELS, RUN)
    assert ir_measures.calc_aggregate(measures, qrels, run) == expected


def test_arrow_tables_do():
    measures = [ir_measures.AP, ptf.AiP]
    tables = [
        pa.Table.from_pandas(frame) for frame in (spans_in_arrow(QRELS, "highlights"), spans_in_arrow(RUN, "passages"))
    ]
    assert ir_measures.calc_aggregate(measures, *tables) == ir_measures.calc_aggregate(measures, QRELS, RUN)


def spans_in_arrow(frame, column):
    spans = flatten(frame[column])
    return frame.assign(**{column: span_column(spans.row, len(frame), spans.start, spans.end)})


@pytest.mark.parametrize(
    "text",
    ["AiP", "iP@0.01", "AgP(task='bic')", "AgP(task='bic',n=1000)", "CharP(chars=200,overlap='once')", "nDCG@10", "P@5",
     "P(rel=2)@5", "nDCG(dcg='exp-log2')@10",
     "AP(judged_only=True)", "nDCG(gains={1:2,2:3})@5", "α_nDCG@5", "iP @ 0.5"],
)  # fmt: skip
def test_measures_are_read_as_ir_measures_reads_them(text):
    assert repr(parse_measure(text)) == repr(util.parse_measure(text))
    assert ir_measures.parse_trec_measure(text) == [util.parse_measure(text)]


@pytest.mark.parametrize("name", ["map", "ndcg_cut_10", "P.5,10", "recip_rank", "official", "iprec_at_recall_0.10"])
def test_names_of_trec_eval_are_left_to_ir_measures(name, capsys):
    assert ir_measures.parse_trec_measure(name) == util.parse_trec_measure(name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AgP(task='x')", "choose one of 'ric', 'bic', 't2i', 'doc'"),
        ("AgP('bic')", "parameters have names"),
        ("AgP(task=bic)", "values are numbers, texts"),
        ("AgP(**{})", "parameters have names"),
        ("AgP +", "a measure is written NAME"),
        ("1@2", "a measure is written NAME"),
        ("nothing_so_called", "unkonwn measure nothing_so_called"),
    ],
)
def test_what_is_no_measure_is_refused(text, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        ir_measures.parse_trec_measure(text)


def test_experiments_and_searches_take_strings():
    run = RUN.rename(columns={"query_id": "qid", "doc_id": "docno"}).assign(rank=[0, 1, 0])
    qrels = QRELS.rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"})
    topics = pd.DataFrame({"qid": ["1", "2", "3"], "query": "x"})
    names = ["AiP", "AgP(task='doc')", "nDCG@10", "map", "iP@0.01"]
    table = pt.Experiment([run], topics, qrels, [*names[:4], "iP[0.01]"])
    expected = pt.Experiment([run], topics, qrels, ptf.parse("AiP AgP(task='doc') nDCG@10 AP iP@0.01"))
    assert set(table.columns) == {"name", *names}
    assert (
        table[names].iloc[0].tolist()
        == expected[["AiP", "AgP(task='doc')", "nDCG@10", "AP", "iP@0.01"]].iloc[0].tolist()
    )


def test_a_name_of_another_spelling_is_suggested():
    with pytest.raises(ValueError, match=r"unkonwn measure aip; did you mean AiP\?"):
        ir_measures.parse_trec_measure("aip")


def test_registering_again_changes_nothing():
    before = ir_measures.parse_trec_measure.__wrapped__, [p.NAME for p in ir_measures.DefaultPipeline.providers]
    importlib.reload(provider).register()
    provider.register()
    after = ir_measures.parse_trec_measure.__wrapped__, [p.NAME for p in ir_measures.DefaultPipeline.providers]
    assert after == before
    assert after[1][0] == AskingProvider.NAME
    assert after[1].count("focused") == 1


def test_the_core_runs_without_the_names_that_python_3_14_lacks():
    code = """
import ast
for name in ("Num", "Str", "Bytes", "NameConstant", "Ellipsis"):
    if name in vars(ast):
        delattr(ast, name)
import ir_measures, pandas as pd, pyterrier_focused as ptf
measures = ptf.parse("iP@0.01 AgP(task='doc') CharP(chars=3) nDCG(dcg='exp-log2')@10 map")
run = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "score": [1.0], "passages": [[(0, 10)]]})
qrels = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "relevance": [1], "highlights": [[(0, 10)]]})
assert set(ir_measures.calc_aggregate(measures, qrels, run).values()) == {1.0}
assert ir_measures.parse_trec_measure("iP@0.01") == measures[:1]
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)
