"""Presets are measures of this package or of ir_measures that a run with passages can be scored by."""

import pandas as pd
import pyterrier as pt
import pytest

import pyterrier_focused as ptf
from pyterrier_focused.evaluation import PRESETS, preset


@pytest.mark.parametrize("name", PRESETS)
def test_presets_can_be_measured(name):
    qrels = pd.DataFrame([["1", "a", 1, [(10, 20)], 10, 100], ["1", "b", 0, [], -1, 50]], columns=ptf.QRELS_COLUMNS)
    run = pd.DataFrame([["1", "a", 2.0, 0, [(10, 20)]]], columns=ptf.RUN_COLUMNS)
    topics = pd.DataFrame({"qid": ["1"], "query": ["x"]})
    table = pt.Experiment([run], topics, qrels, preset(name))
    assert [str(measure) for measure in preset(name)] == [c for c in map(str, preset(name)) if c in table.columns]


def test_unknown_presets_are_refused():
    with pytest.raises(ValueError, match="preset='focussed'; choose one of 'focused'"):
        preset("focussed")


@pytest.mark.parametrize(
    ("name", "score"),
    [
        ("in-context", 2 * 1 * 0.5 / (1 + 0.5)),  # "INEX 2007 Evaluation Measures", eq. 6
        ("best-in-context", 0.1 * 1000 / (0.1 * 1000 + 20)),  # eq. 8
        ("best-in-context-n", (1000 - 20) / 1000),  # eq. 9
        ("inex-eval", (1 + 0.25**2) * 1 * 0.5 / (0.25**2 * 1 + 0.5)),
        ("inex-eval-bic", (500 - 20) / 500),
    ],
)
def test_presets_in_context_have_the_papers_equations(name, score):
    """Half of what is relevant is returned and nothing else, 20 of 1,000 characters before the entry point."""
    qrels = pd.DataFrame([["1", "a", 1, [(0, 100)], 20, 1000]], columns=ptf.QRELS_COLUMNS)
    run = pd.DataFrame([["1", "a", 1.0, 0, [(0, 50)]]], columns=ptf.RUN_COLUMNS)
    topics = pd.DataFrame({"qid": ["1"], "query": ["x"]})
    values = pt.Experiment([run], topics, qrels, preset(name)).iloc[0, 1:].tolist()
    assert values == pytest.approx([score / 5, score / 10, score / 25, score / 50, score])
