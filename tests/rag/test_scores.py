"""Means and intervals over the questions that count for a measure."""

import numpy as np
import pytest

from pyterrier_focused.analysis import confidence_interval
from pyterrier_focused.rag.score import Scored


@pytest.mark.parametrize("questions", [3, 40])
def test_intervals_are_those_of_the_questions_that_count(questions):
    rng = np.random.default_rng(questions)
    values = rng.random((2, questions, 3))
    answerable = np.arange(questions) % 3 < 2
    counting = np.stack([answerable, np.ones(questions, dtype=bool), np.zeros(questions, dtype=bool)], axis=1)
    scored = Scored(["a", "b"], [str(i) for i in range(questions)], ["CharP", "CharR", "Abstain"], values, counting)
    found = scored.intervals(0.9, 3)
    for system in range(2):
        for measure in range(2):
            expected = confidence_interval(values[system, counting[:, measure], measure], level=0.9, seed=3)
            assert found[system, measure] == pytest.approx(expected, abs=0.01)
    assert np.isnan(found[:, 2]).all()
