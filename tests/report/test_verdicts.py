"""What the report says first: which run is best, by how much, whether that holds, and what would be needed to tell."""

import numpy as np
import pytest
from reports import opened, study

from pyterrier_focused.analysis import pairwise, topics_needed
from pyterrier_focused.evaluation import Evaluation
from pyterrier_focused.report import write_report
from pyterrier_focused.report.verdicts import reach_verdicts


def verdict_of(values, measure="AiP"):
    """The verdict on values of topics x systems."""
    values = np.asarray(values, dtype=float)
    names = [f"run {i}" for i in range(values.shape[1])]
    qids = [str(i) for i in range(len(values))]
    results = Evaluation(names, qids, [measure], values.T[:, :, None], [])
    (verdict,) = reach_verdicts(results.measures, pairwise(results.per_query()), 0.05)
    return verdict, results


def test_a_difference_that_holds_is_decided():
    base = np.random.default_rng(0).random((30, 1)) / 2
    verdict, _ = verdict_of(base + np.array([0.3, 0.1, 0]))
    assert verdict.holds
    assert verdict.found.startswith("run 0 is best: ")
    assert verdict.found.endswith(
        "(p < .001; difference 0.200, 95% interval 0.200 to 0.200 (Student)), and beats all 2 others."
    )
    assert verdict.needed == ""


def test_a_difference_that_does_not_hold_says_how_many_topics_would_tell():
    rng = np.random.default_rng(1)
    verdict, results = verdict_of(rng.normal(0.4, 0.1, (25, 2)) + np.array([0.01, 0]))
    pairs = pairwise(results.per_query())
    assert not verdict.holds
    assert "is ahead, but not for certain" in verdict.found
    assert f"{topics_needed(pairs['effect_size'].iloc[0]):,}".replace(",", "\u202f") in verdict.needed


def test_level_runs_are_said_to_be_level():
    verdict, _ = verdict_of([[0.5, 0.5]] * 20)
    assert verdict.found == "run 0 and run 1 are level at 0.500."


@pytest.mark.parametrize(
    ("measure", "family"), [("CharP@10", "Text"), ("AgP", "Articles and where to read them"), ("nDCG@10", "Articles")]
)
def test_measures_belong_to_families(measure, family):
    assert verdict_of([[0.5, 0.4]] * 20, measure)[0].family == family


def test_the_page_begins_with_a_verdict_a_family(tmp_path):
    qrels, runs = study()
    write_report(tmp_path / "report.html", qrels, runs)
    page = opened(tmp_path / "report.html")[0]
    first = page.find_class("verdicts")[0]
    titles = ["Text: AiP", "Articles and where to read them: AgP", "Articles: AP"]
    assert [title.text for title in first.iter("dt")] == titles
    assert first.getnext().get("aria-labelledby") == "h-systems"


def test_one_run_has_no_verdict(tmp_path):
    qrels, runs = study()
    write_report(tmp_path / "report.html", qrels, dict(list(runs.items())[:1]))
    assert not opened(tmp_path / "report.html")[0].find_class("verdicts")
