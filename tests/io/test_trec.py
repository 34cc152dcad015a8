"""TREC files as whole articles or passage ids."""

import io

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain import plain
from readings import quietly
from xml_articles import ARTICLES, XmlArticles

from pyterrier_focused import cells, pack, unpack
from pyterrier_focused.errors import FormatError
from pyterrier_focused.io import read_qrels, read_run, write_qrels, write_run

COLLECTION = XmlArticles(ARTICLES)
LENGTHS = {"7": 100, "12": 50, "13": 12}
RUN = "1 Q0 7 1 2.5 t\n1 Q0 12 2 9 t\n1 Q0 13 3 2.5 t\n"


def test_whole_articles_are_ranked_as_by_trec_eval():
    run = read_run(io.StringIO(RUN), lengths=LENGTHS)
    assert plain(run).to_dict("list") == {
        "qid": ["1", "1", "1"],
        "docno": ["12", "7", "13"],
        "score": [9.0, 2.5, 2.5],
        "rank": [0, 1, 2],
        "passages": [[(0, 50)], [(0, 100)], [(0, 12)]],
    }
    assert cells(read_run(io.StringIO(RUN), collection=COLLECTION)["passages"]) == [
        [(0, len(text))] for text in COLLECTION.text(["12", "7", "13"])
    ]


def test_passage_ids_are_packed_into_passages():
    run = read_run(io.StringIO("1 Q0 a#5-9 1 3 t\n1 Q0 b#0-4 2 2 t\n1 Q0 a#0-5 3 1 t\n"))
    assert plain(run).to_dict("list") == {
        "qid": ["1", "1"],
        "docno": ["a", "b"],
        "score": [3.0, 2.0],
        "rank": [0, 1],
        "passages": [[(0, 5, 1.0), (5, 9, 3.0)], [(0, 4, 2.0)]],
    }


def test_labels_become_whole_highlighted_articles():
    qrels = read_qrels(io.StringIO("1 0 7 2\n1 0 12 0\n1 0 13 -1\n"), lengths=LENGTHS)
    assert plain(qrels).to_dict("list") == {
        "qid": ["1", "1", "1"],
        "docno": ["7", "12", "13"],
        "label": [2, 0, -1],
        "highlights": [[(0, 100)], [], []],
        "bep": [0, -1, -1],
        "length": [100, 50, 12],
    }


@pytest.mark.parametrize(
    ("read", "text", "options", "reason"),
    [
        (read_run, RUN, {}, "1: whole articles without their lengths; pass collection=Collection"),
        (read_run, RUN, {"lengths": {"7": 1}}, "2: an article that is not in the collection"),
        (
            read_run,
            RUN + "1 Q0 7 4 1 t\n",
            {"lengths": LENGTHS},
            "4: an article that occurs twice.*this line or line 1",
        ),
        (read_run, RUN + "1 Q0 8 4 x t\n", {"lengths": LENGTHS}, r"4: field 5 \(score\) is not a finite number"),
        (read_run, RUN + "1 Q0 8 4.0 1 t\n", {"lengths": LENGTHS}, r"4: field 4 \(rank\) is not a whole number"),
        (read_run, RUN + "1 Q0 8 4 t\n", {"lengths": LENGTHS}, "4: 5 fields instead of 6"),
        (read_qrels, "1 0 7 1\n1 0 8 1.5\n", {"lengths": LENGTHS}, r"2: field 4 \(label\) is not a whole number"),
        (read_qrels, "1 0 7 1\n1 0 7 1\n", {"lengths": LENGTHS}, "2: an article judged twice"),
        (read_qrels, "1 0 7 1\n1 0 8\n", {"lengths": LENGTHS}, "2: 3 fields instead of 4"),
        (read_qrels, "1 0 99 1\n", {"collection": COLLECTION}, "1: an article that is not in the collection"),
    ],
)
def test_faults_of_trec_files_are_named_with_their_line(read, text, options, reason):
    with pytest.raises(FormatError, match=f"<stream>:{reason}"):
        read(io.StringIO(text), **options)
    with pytest.warns(UserWarning, match="skipped"):
        read(io.StringIO(text), **options, errors="skip")


def test_a_trec_run_keeps_the_articles_with_a_warning_about_the_rest():
    written = io.StringIO()
    with pytest.warns(UserWarning, match="the passages are not in the file"):
        write_run(read_run(io.StringIO(RUN), lengths=LENGTHS), written, "trec")
    assert written.getvalue() == "1 Q0 12 1 9 t\n1 Q0 7 2 2.5 t\n1 Q0 13 3 2.5 t\n"
    theirs = pd.DataFrame(ir_measures.read_trec_run(io.StringIO(written.getvalue())))
    assert theirs["doc_id"].tolist() == ["12", "7", "13"]


def test_trec_qrels_keep_the_labels_with_a_warning_about_the_rest():
    qrels = read_qrels(io.StringIO("1 0 7 2\n1 0 12 0\n"), lengths=LENGTHS)
    written = io.StringIO()
    with pytest.warns(UserWarning, match="highlights, bep, length are not in the file"):
        write_qrels(qrels, written, "trec")
    assert written.getvalue() == "1 0 7 2\n1 0 12 0\n"


@pytest.mark.parametrize("docno", ["a#5-3", "a#0-" + "9" * 4400, "a#-1-5x#7-2"])
def test_a_passage_id_with_an_invalid_span_is_a_fault_of_its_line(docno):
    text = f"1 Q0 a#5-9 1 3 t\n1 Q0 {docno} 2 2 t\n"
    with pytest.raises(FormatError, match=r"<stream>:2: a passage id with an invalid span"):
        read_run(io.StringIO(text))
    with pytest.warns(UserWarning, match=r"1 skipped: 1 x a passage id with an invalid span \(first: line 2\)"):
        run = read_run(io.StringIO(text), errors="skip")
    assert cells(run["passages"]) == [[(5, 9, 3.0)]]


def test_documents_need_no_lengths():
    run = read_run(io.StringIO(RUN), documents=True)
    assert run.columns.tolist() == ["qid", "docno", "score", "rank"]
    assert run["docno"].tolist() == ["12", "7", "13"]
    qrels = read_qrels(io.StringIO("1 0 7 2\n1 0 12 0\n"), documents=True)
    assert qrels.to_dict("list") == {"qid": ["1", "1"], "docno": ["7", "12"], "label": [2, 0]}


RUNS_OF_PARTS = st.lists(
    st.tuples(
        st.sampled_from("12"), st.sampled_from(["a", "b", "a#1"]), st.integers(0, 3), st.sampled_from([1.5, 2, 1e-9])
    ),
    min_size=1,
    unique_by=lambda row: row[:3],
).map(
    lambda rows: pack(
        pd.DataFrame(
            [(qid, f"{docno}#{at * 10}-{at * 10 + 7}", score) for qid, docno, at, score in rows],
            columns=["qid", "docno", "score"],
        )
    )
)


def write_passage_ids(run):
    written = io.StringIO()
    quietly(write_run, run, written, "trec", passage_ids=True)
    return written.getvalue()


@given(RUNS_OF_PARTS)
def test_passage_ids_that_are_written_are_read_in_the_same_ranking(run):
    again = unpack(read_run(io.StringIO(write_passage_ids(run))))
    assert again["docno"].tolist() == unpack(run)["docno"].tolist()


@given(RUNS_OF_PARTS)
def test_passage_ids_are_written_in_the_ranking_that_trec_eval_makes_of_them(run):
    """By pytrec_eval's own rule: topic by topic, score as float32, then docno."""
    rows = [line.split() for line in write_passage_ids(run).splitlines()]
    in_file = [(qid, docno) for qid, _, docno, *_ in rows]
    assert in_file == list(unpack(run)[["qid", "docno"]].itertuples(index=False, name=None))
    qids = [qid for qid, _ in in_file]
    keys = {(qid, docno): (-qids.index(qid), np.float32(score), docno) for qid, _, docno, _, score, _ in rows}
    assert in_file == sorted(in_file, key=keys.get, reverse=True)
