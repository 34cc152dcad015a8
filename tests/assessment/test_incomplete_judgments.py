"""Incomplete judgments: condensed lists by their definition, and the unjudged share of a run's top."""

import brute_force as brute
import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from random_topics import qrels_frame, qrels_topics, run_frame, run_topics

from pyterrier_focused import parse
from pyterrier_focused.cli import main
from pyterrier_focused.evaluation import condense, unjudged_share
from pyterrier_focused.measures import CharJudged
from pyterrier_focused.report import write_report
from pyterrier_focused.retrieval import Condensed

NAMES = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}


def test_judged_of_articles_is_ir_measures_own():
    run = pd.DataFrame([("1", "a", 3.0), ("1", "b", 2.0), ("1", "c", 1.0)], columns=["query_id", "doc_id", "score"])
    qrels = pd.DataFrame([("1", "a", 0), ("1", "c", 1)], columns=["query_id", "doc_id", "relevance"])
    (measure,) = parse("Judged@2")
    assert measure.calc_aggregate(qrels, run) == 0.5


@given(run_topics(), qrels_topics(min_topics=1))
def test_condensed_lists_are_the_run_without_unjudged_articles(run, qrels):
    frame, judgments = run_frame(run).rename(columns=NAMES), qrels_frame(qrels).rename(columns=NAMES)
    judged = {(qid, row[0]) for qid, rows in qrels.items() for row in rows}
    left = {qid: [row for row in rows if (qid, row[0]) in judged] for qid, rows in run.items()}
    expected = [(qid, row[0], rank) for qid, rows in left.items() for rank, row in enumerate(brute.articles(rows))]
    found = condense(frame, judgments)[["qid", "docno", "rank"]]
    order = list(dict.fromkeys(found["qid"]))
    assert list(found.itertuples(index=False, name=None)) == sorted(expected, key=lambda row: order.index(row[0]))
    again = Condensed(judgments)(frame)
    assert again[["qid", "docno", "rank"]].values.tolist() == found.values.tolist()


def test_condensed_takes_parts_and_integers_and_is_equal_to_itself():
    qrels = pd.DataFrame([(1, "a"), (1, "b#1")], columns=["qid", "docno"])
    parts = pd.DataFrame(
        [("1", "a#0-9", 3.0), ("1", "c#0-9", 2.0), ("1", "b#1#5-7", 1.0), ("2", "a#0-9", 1.0)],
        columns=["qid", "docno", "score"],
    )
    step = Condensed(qrels)
    assert step(parts)["docno"].tolist() == ["a#0-9", "b#1#5-7"]
    assert step(parts.iloc[:0]).empty
    assert step == Condensed(qrels.iloc[::-1])
    assert step != Condensed(qrels[:1])
    assert hash(step) == hash(Condensed(qrels))
    with pytest.raises(ValueError, match="docno"):
        Condensed(qrels[["qid"]])


def test_the_unjudged_share_of_a_top():
    qrels = pd.DataFrame([("1", "a"), ("1", "b"), ("2", "a")], columns=["qid", "docno"])
    run = pd.DataFrame(
        [("1", "a", 9), ("1", "x", 8), ("1", "b", 7), ("2", "y", 3), ("3", "z", 1)], columns=["qid", "docno", "score"]
    )
    table = unjudged_share({"r": run, "none": run[run["qid"] == "3"]}, qrels, depth=2)
    assert table["articles"].tolist() == [3, 0]
    assert table["unjudged"].iloc[0] == 2 / 3
    assert np.isnan(table["unjudged"].iloc[1])
    assert unjudged_share(run, qrels, depth=2).drop(columns="name").equals(table.iloc[:1].drop(columns="name"))


@pytest.mark.parametrize(("option", "value"), [([], "0.5"), (["--condensed"], "1.0")])
def test_evaluate_over_condensed_lists(tmp_path, capsys, option, value):
    """Article x is not judged: AP of (x, a) is 1/2, of (a) alone 1."""
    (tmp_path / "qrels").write_text("1 Q0 a 100 1000 50 50:100\n")
    (tmp_path / "run").write_text("1 Q0 x 1 2 tag 0 100\n1 Q0 a 2 1 tag 50 100\n")
    files = [str(tmp_path / "qrels"), str(tmp_path / "run")]
    assert main(["evaluate", *files, "-m", "AP CharP CharJudged", "--format", "csv", *option]) == 0
    rows = [line.split(",") for line in capsys.readouterr().out.splitlines()]
    assert {cell for row in rows for cell in row if cell.replace(".", "").isdigit()} == {value}
    assert ir_measures.parse_measure("CharJudged@5") == CharJudged @ 5


def test_the_report_warns_of_a_top_that_nobody_judged(tmp_path):
    qrels = pd.DataFrame([(q, d, int(d == "a")) for q in "12" for d in "ab"], columns=["qid", "docno", "label"])
    runs = {
        name: pd.DataFrame([(q, d, -ord(d)) for q in "12" for d in docnos], columns=["qid", "docno", "score"])
        for name, docnos in {"judged": "ab", "<unknown>": "axyz"}.items()
    }
    write_report(tmp_path / "report.html", qrels, runs)
    assert "unjudged in &lt;unknown&gt; (75%)" in (tmp_path / "report.html").read_text(encoding="utf-8")
    write_report(tmp_path / "report.html", qrels, {"judged": runs["judged"]})
    assert "unjudged in" not in (tmp_path / "report.html").read_text(encoding="utf-8")
