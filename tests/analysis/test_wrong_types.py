"""What is given wrongly gets a sentence that says what was expected, never an error from within a library."""

import numpy as np
import pandas as pd
import pytest

from pyterrier_focused import analysis

QRELS = pd.DataFrame({"qid": ["1", "2"], "docno": ["a", "b"], "label": [1, 0]})
RUN = pd.DataFrame({"qid": ["1", "2"], "docno": ["a", "b"], "score": [1.0, 2.0]})


@pytest.mark.parametrize(
    ("name", "arguments", "what"),
    [
        ("pairwise", (None,), "results lack the columns"),
        ("compare_measures", (None, "AP", "AgP"), "results lack the columns"),
        ("discriminative_power", ([1],), "results lack the columns"),
        ("triangle", (None,), "give the frame that pairwise returns, got NoneType"),
        ("plot_intervals", (None, "a"), "give the frame that pairwise returns"),
        ("bootstrap_test", (None, None), "one value per topic"),
        ("confidence_interval", (None,), "one number per topic"),
        ("kappa", (None, 1, 2, 3), "whole numbers and cannot be negative"),
        ("agreement", (None, QRELS), "the first qrels must be a frame, got NoneType"),
        ("pool", (None,), "runs must be a dict of runs by name"),
        ("pool", ([None],), "run 'run 1' must be a frame"),
        ("saw_tooth", (QRELS, None, "1"), "a run must be a frame"),
        ("adm_plane", (None, RUN), "qrels must be a frame"),
        ("plot_adm_plane", (QRELS, None), "a run must be a frame"),
        ("plot_roc", (RUN, QRELS), "the qrels come before the runs"),
    ],
)
def test_wrong_types(name, arguments, what):
    if name.startswith("plot_"):
        pytest.importorskip("matplotlib", reason="needs the extra [plots]")
    with pytest.raises(ValueError, match=what):
        getattr(analysis, name)(*arguments)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"resamples": 1.5}, "resamples=1.5"),
        ({"alpha": "0.05"}, "alpha='0.05'"),
        ({"cluster": [np.nan, 1]}, "without a label"),
        ({"cluster": [pd.NA, 1]}, "without a label"),
    ],
)
def test_wrong_options_of_a_test(options, what):
    with pytest.raises(ValueError, match=what):
        analysis.bootstrap_test([1, 2], [2, 4], **options)
