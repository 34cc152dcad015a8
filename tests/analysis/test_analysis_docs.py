"""The page on analysis: its examples run and its names exist."""

import re
from pathlib import Path

import pyterrier_focused
from pyterrier_focused import analysis, evaluation, report

PAGE = Path(pyterrier_focused.__file__).parent / "pt_docs" / "analysis.md"


def test_its_examples_run():
    names = {}
    for code in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(code, str(PAGE), "exec"), names)
    assert names["table"].set_index("name")["AgP p-value corrected"]["part"] < 0.05
    assert names["pairs"]["significant"].sum() == 3
    assert names["comparison"].power.set_index("measure")["significant"].to_dict() == {"AgP": 3, "AP": 0}


def test_its_names_exist():
    named = set(re.findall(r"`((?:plot_)?[a-z]+_[a-z_]+)", PAGE.read_text(encoding="utf-8")))
    functions = {name for name in named if not name.startswith(("pyterrier_", "max_label"))}
    assert functions
    assert functions <= {*dir(analysis), *dir(evaluation), *dir(report)}


def test_every_public_name_imports_and_says_what_it_does_of_analysis():
    for name in analysis.__all__:
        assert getattr(analysis, name).__doc__, name
