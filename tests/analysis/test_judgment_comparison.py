"""Systems under two judgments: scores and tau on the articles that both judged."""

import pandas as pd
import pytest

from pyterrier_focused.analysis import compare_judgments

PEOPLE = pd.DataFrame({"qid": "1", "docno": list("abcd"), "label": [1, 0, 0, 1], "length": 100})
PEOPLE["highlights"] = [[(0, 40)], [], [], [(0, 50)]]
PROGRAM = PEOPLE.iloc[:3].assign(label=[0, 1, 0], highlights=[[], [(10, 20)], []])
RUNS = {
    first: pd.DataFrame({"qid": "1", "docno": list(first), "score": [3.0, 2.0, 1.0]}) for first in ("abc", "bac", "bca")
}


def test_both_judgments_are_cut_to_what_both_judged():
    """By people only a is relevant, at ranks 1, 2 and 3; by the program only b, at ranks 2, 1 and 1."""
    compared = compare_judgments(RUNS, PEOPLE, PROGRAM, "AP")
    assert compared.scores["first"].tolist() == pytest.approx([1, 1 / 2, 1 / 3])
    assert compared.scores["second"].tolist() == [1 / 2, 1, 1]
    # Of three pairs two are turned, and one is tied by the program: -2 / sqrt(3 * 2).
    assert compared.tau["tau"].tolist() == pytest.approx([-2 / 6**0.5])
    agreed = compared.agreement.set_index("unit")
    assert agreed.loc["documents", ["both", "first_only", "second_only", "neither"]].tolist() == [0, 1, 1, 1]
    assert agreed.loc["characters", ["both", "first_only", "second_only", "neither"]].tolist() == [0, 40, 10, 250]


def test_what_cannot_be_compared_is_said():
    with pytest.raises(ValueError, match="at least two runs"):
        compare_judgments({"abc": RUNS["abc"]}, PEOPLE, PROGRAM)
    with pytest.raises(ValueError, match="no topic and article in common"):
        compare_judgments(RUNS, PEOPLE, PROGRAM.assign(qid="2"))
