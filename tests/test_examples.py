"""The examples in docstrings run, those of every file of the package that has any."""

import doctest
import importlib
from pathlib import Path

import pytest

import pyterrier_focused

PACKAGE = Path(pyterrier_focused.__file__).parent
FILES = sorted(path for path in PACKAGE.rglob("*.py") if ">>> " in path.read_text(encoding="utf-8"))
MODULES = [".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts) for path in FILES]


@pytest.fixture
def _plots():
    """Draw without a screen, and close what was drawn."""
    matplotlib = pytest.importorskip("matplotlib", reason="needs the extra [plots]")
    matplotlib.use("Agg")
    yield
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_file_run(name, tmp_path, monkeypatch, request):
    if name.endswith("plots"):
        request.getfixturevalue("_plots")
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert tried
    assert not failed
