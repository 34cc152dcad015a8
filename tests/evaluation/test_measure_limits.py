"""What no provider of ir_measures can compute is refused in words before it is asked: some of it ends the process."""

import ir_measures
import pandas as pd
import pytest
from ir_measures import AP, IPrec, P

import pyterrier_focused as ptf
from pyterrier_focused.cli import main
from pyterrier_focused.evaluation import evaluate

QRELS = pd.DataFrame({"qid": "q1", "docno": ["a", "b"], "label": [1, 0]})
RUN = pd.DataFrame({"qid": "q1", "docno": ["b", "a"], "score": [2.0, 1.0]})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("P@0", "P: cutoff=0: it must be a whole number, from 1 to"),
        ("AP@0", "cutoff=0"),
        ("nDCG@-1", "cutoff=-1"),
        ("R(cutoff=0)", "cutoff=0"),
        ("success_0", "Success: cutoff=0"),
        ("Judged(cutoff=0)", "cutoff=0"),
        ("P@True", "cutoff=True"),
        ("P@99999999999999999999", "cutoff=9999"),
        ("alpha_nDCG@21", "from 1 to 20"),
        ("alpha_nDCG", "needs the parameter cutoff"),
        ("Bpref(rel=-1)", r"rel=-1: .* from 1 to 1000"),
        ("Bpref(rel=1000000)", "rel=1000000"),
        ("AP(rel=0)", "rel=0"),
        ("NumRet(rel=-1)", "rel=-1: it must be a whole number, from 0"),
        ("AP(rel=1.5)", "rel=1.5: it must be a whole number"),
        ("AP(relx=1)", "AP has no parameter relx; its parameters: cutoff, rel, judged_only"),
        ("AP(judged_only=1)", "True or False"),
        ("nDCG(dcg='log3')", "one of 'log2', 'exp-log2'"),
        ("nDCG(gains={1:999999999})", "gains"),
        ("IPrec@0.105", "at most 2 digits"),
        ("IPrec@1.1", r"from 0\.0 to 1\.0"),
        ("RBP(p=1.0)", r"p=1\.0: .* both excluded"),
        ("Compat(p=0.0)", r"p=0\.0"),
        ("SetF(beta=1e-9)", "beta=1e-09"),
        ("P(cutoff=1)@2", "cutoff is given twice"),
        ("P@" + 900 * "-" + "1", "a measure is written"),
        ("P@" + 3000 * "-" + "1", "3,003 characters"),
    ],
)
def test_a_measure_that_no_provider_can_compute_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        ptf.parse(text)


@pytest.mark.parametrize("text", ["P@1", "IPrec@0.1", "SetP(rel=0)", "NumRet(rel=0)", "RR(rel=2)@3", "SetF(beta=0.5)"])
def test_what_providers_can_compute_is_a_measure(text):
    assert [str(measure) for measure in ptf.parse(text)] == [text]


@pytest.mark.parametrize("beside", [ptf.AiP, ptf.SpanHit @ 1])
def test_objects_are_refused_beside_measures_of_this_package(beside):
    with pytest.raises(ValueError, match="cutoff=0"):
        ir_measures.evaluator([P @ 0, beside], QRELS.rename(columns=ptf.evaluation.NAMES))


def test_what_a_provider_stumbles_over_names_provider_and_measure(tmp_path, capsys):
    """All that is retrieved is relevant: Accuracy divides by the number of other articles."""
    (tmp_path / "qrels").write_text("q1 0 a 1\n")
    (tmp_path / "run").write_text("q1 Q0 a 1 1 s\n")
    assert main(["evaluate", str(tmp_path / "qrels"), str(tmp_path / "run"), "-m", "Accuracy"]) == 2
    assert "provider accuracy cannot compute Accuracy of these" in capsys.readouterr().err


@pytest.mark.parametrize("measures", [[AP, AP(rel=1)], "AP map", "map AP@1000 AP", [P @ 2, "P_2"], [IPrec @ 0.1] * 3])
def test_a_measure_that_is_named_twice_is_one_column_with_its_value(measures):
    once = evaluate(QRELS, {"mine": RUN}, list(dict.fromkeys(ptf.parse(measures))))
    assert once.means[0, 0] == 0.5
    assert evaluate(QRELS, {"mine": RUN}, measures).means.tolist() == once.means.tolist()
