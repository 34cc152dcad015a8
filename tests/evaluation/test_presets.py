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
