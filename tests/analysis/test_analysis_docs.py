"""The pages on analysis: their examples run and their names exist."""

import re

from page_examples import DOCS, run_blocks

from pyterrier_focused import analysis, evaluation


def test_its_examples_run():
    names = run_blocks("analysis.md", {})
    assert names["table"].set_index("name")["AgP p-value corrected"]["part"] < 0.05
    assert names["pairs"]["significant"].sum() == 3
    assert names["comparison"].power.set_index("measure")["significant"].to_dict() == {"AgP": 3, "AP": 0}


def test_its_names_exist():
    named = set(re.findall(r"`((?:plot_)?[a-z]+_[a-z_]+)", (DOCS / "analysis.md").read_text(encoding="utf-8")))
    functions = {name for name in named if not name.startswith(("pyterrier_", "fleiss_kappa", "to_"))}
    assert functions
    assert functions <= {*dir(analysis), *dir(evaluation)}


def test_every_public_name_of_the_analysis_says_what_it_does():
    assert [name for name in analysis.__all__ if not getattr(analysis, name).__doc__] == []
