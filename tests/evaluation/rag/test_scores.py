"""Intervals in blocks, against the same resamples held at once."""

import numpy as np
import pytest

from pyterrier_focused.evaluation.rag.scores import RESAMPLES, Scored
from pyterrier_focused.evaluation.resampling import draw_groups


@pytest.mark.parametrize("questions", [1, 7, 400])
def test_intervals_are_percentiles_of_resampled_means(questions):
    rng = np.random.default_rng(questions)
    values = rng.random((2, questions, 3))
    answerable = rng.random(questions) < 0.8
    counting = np.stack([answerable, answerable, ~answerable], axis=1)
    scored = Scored(["a", "b"], [str(i) for i in range(questions)], ["x", "y", "z"], values, counting)
    found = scored.intervals(0.9, 3)
    weights = np.concatenate(list(draw_groups(questions, 6, RESAMPLES, 3)))
    for system in range(2):
        for measure in range(3):
            counts = counting[:, measure]
            drawn = weights[:, counts].sum(axis=1)
            means = (weights[:, counts] @ values[system, counts, measure])[drawn > 0] / drawn[drawn > 0]
            expected = np.quantile(means, [0.05, 0.95]) if len(means) else [np.nan, np.nan]
            assert found[system, measure] == pytest.approx(expected, abs=1e-12, nan_ok=True)
