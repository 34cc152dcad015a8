"""Intervals in blocks, against the same resamples held at once."""

import numpy as np
import pytest

from pyterrier_focused.evaluation.rag.scores import RESAMPLES, Scored
from pyterrier_focused.evaluation.resampling import draw_groups


def interval_plainly(values, counting, weights):
    """The interval of the means of the questions that count, in each resample that draws any of them."""
    drawn = weights[:, counting].sum(axis=1)
    means = (weights[:, counting] @ values[counting])[drawn > 0] / drawn[drawn > 0]
    return np.quantile(means, [0.05, 0.95]) if len(means) else [np.nan, np.nan]


@pytest.mark.parametrize("questions", [1, 7, 400])
def test_intervals_are_percentiles_of_resampled_means(questions):
    rng = np.random.default_rng(questions)
    values = rng.random((2, questions, 3))
    answerable = rng.random(questions) < 0.8
    counting = np.stack([answerable, answerable, ~answerable], axis=1)
    scored = Scored(["a", "b"], [str(i) for i in range(questions)], ["x", "y", "z"], values, counting)
    weights = np.concatenate(list(draw_groups(questions, 6, RESAMPLES, 3)))
    expected = [[interval_plainly(values[i, :, m], counting[:, m], weights) for m in range(3)] for i in range(2)]
    assert scored.intervals(0.9, 3) == pytest.approx(np.array(expected), abs=1e-12, nan_ok=True)
