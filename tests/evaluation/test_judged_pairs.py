"""Judged pairs are found as in a dict."""

import numpy as np
import pytest

from pyterrier_focused.evaluation.judged_pairs import JudgedPairs


@pytest.mark.parametrize("judged", [0, 1, 500])
def test_pairs_are_found_as_in_a_dict(judged):
    rng = np.random.default_rng(0)
    topics, articles = 20, 100
    topic, article = np.divmod(rng.permutation(topics * articles)[:judged], articles)
    rows = dict(zip(zip(topic.tolist(), article.tolist(), strict=True), range(judged), strict=True))
    asked = rng.integers(-1, topics, 5000), rng.integers(-1, articles, 5000)
    found = JudgedPairs(topic, article, articles).find(*asked)
    assert found.tolist() == [rows.get(pair, -1) for pair in zip(*(column.tolist() for column in asked), strict=True)]
