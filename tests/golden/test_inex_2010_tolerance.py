"""Tolerance to irrelevance against the last official program of INEX, on its judgments of 2010."""

import ir_measures
import pytest

import pyterrier_focused as ptf

RANKS = (1, 2, 3, 5, 10, 25, 50)


def read_values(file):
    """{(topic, name): value} of gP and AgP as the official program prints them."""
    rows = [line.split() for line in file.read_text().splitlines() if line.startswith(("gP[", "AgP"))]
    return {(row[1], row[0]): float(row[2]) for row in rows if len(row) == 3 and row[1] != "all"}


@pytest.mark.filterwarnings("ignore:.*highlights of length 0")
@pytest.mark.filterwarnings("ignore:.*ranks and scores say another order")
@pytest.mark.parametrize(("irr", "name"), [(300, "run-1.i-c.txt"), (1000, "run-1.i-irr1000-c.txt")])
def test_every_value_of_the_official_program(shared_data, irr, name):
    folder = shared_data / "inex-2010"
    official = read_values(folder / "official" / name)
    run = ptf.read_run(folder / "run-1.txt").rename(columns={"qid": "query_id", "docno": "doc_id"})
    qrels = ptf.read_qrels(folder / "qrels.txt").rename(columns={"qid": "query_id", "docno": "doc_id"})
    measures = {ptf.gP(task="t2i", irr=irr, last=True) @ rank: f"gP[{rank}]" for rank in RANKS}
    measures[ptf.AgP(task="t2i", irr=irr)] = "AgP"
    values = ir_measures.iter_calc(list(measures), qrels, run)
    found = {(metric.query_id, measures[metric.measure]): metric.value for metric in values}
    assert len(official) > 100
    assert {key: found[key] for key in official} == pytest.approx(official, abs=1e-12)
