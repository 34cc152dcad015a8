"""Tolerance to irrelevance against the last official program of INEX, on its judgments of 2010."""

import ir_measures
import pytest

import pyterrier_focused as ptf

RANKS = (1, 2, 3, 5, 10, 25, 50)


@pytest.mark.parametrize(("irr", "name"), [(300, "run-1.i-c.txt"), (1000, "run-1.i-irr1000-c.txt")])
def test_every_value_of_the_official_program(shared_data, irr, name):
    folder = shared_data / "inex-2010"
    official = {}
    for line in (folder / "official" / name).read_text().splitlines():
        fields = line.split()
        if line.startswith(("gP[", "AgP")) and len(fields) == 3 and fields[1] != "all":
            official[fields[1], fields[0]] = float(fields[2])
    run = ptf.read_run(folder / "run-1.txt").rename(columns={"qid": "query_id", "docno": "doc_id"})
    qrels = ptf.read_qrels(folder / "qrels.txt").rename(columns={"qid": "query_id", "docno": "doc_id"})
    measures = {f"gP[{rank}]": ptf.gP(task="t2i", irr=irr, last=True) @ rank for rank in RANKS}
    measures["AgP"] = ptf.AgP(task="t2i", irr=irr)
    names = {measure: line for line, measure in measures.items()}
    found = {
        (value.query_id, names[value.measure]): value.value for value in ir_measures.iter_calc(list(names), qrels, run)
    }
    assert len(official) > 100
    assert {key: found[key] for key in official} == pytest.approx(official, abs=1e-12)
