"""`import pyterrier` changes one function of others; the rest waits for the package's first use, and breaks nothing."""

import json
import os
import subprocess
import sys
from pathlib import Path

import ir_measures
import pytest

from pyterrier_focused.evaluation import provider, replacements

SUPPORT = Path(__file__).parents[1] / "support"
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")


@pytest.fixture(scope="module")
def report():
    command = [sys.executable, str(SUPPORT / "conduct.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.long
def test_importing_pyterrier_replaces_one_function(report):
    assert report["known"] > 1000
    assert report["replaced"] == ["ir_measures.parse_trec_measure"]


@pytest.mark.long
def test_importing_pyterrier_puts_no_provider_before_others(report):
    assert report["providers"] == [*report["providers before"], "focused"]


@pytest.mark.long
def test_importing_pyterrier_loads_neither_readers_nor_retrieval(report):
    assert {name.split(".")[1] for name in report["loaded"]} == {
        "entry_points", "errors", "evaluation", "frames", "measures", "pyterrier_plugin"}  # fmt: skip


@pytest.mark.long
def test_it_is_the_use_of_the_package_that_switches_on(report):
    assert [case for case in report["uses"] if case[2] != [case[1], []]] == []


@pytest.mark.long
def test_the_first_call_gives_what_the_second_gives(report):
    assert [call for call in report["calls"].items() if call[1][0][0] != call[1][0][1] or call[1][1]] == []


@pytest.mark.long
def test_a_call_that_comes_too_late_says_so(report):
    assert report["late"][0].startswith("ValueError: topics are numbers in the qrels, and PyTerrier made texts")


@pytest.mark.long
@pytest.mark.parametrize("kind", ["removed", "changed"])
def test_without_a_target_one_warning_names_it_and_the_rest_goes_on(report, kind):
    # a task makes two rows of the run
    assert {name: value for name, (value, _) in report[kind].items() if value != 2 + report["AiP"]} == {}
    assert {name: told for name, (_, told) in report[kind].items() if len(told) != 1 or name not in told[0]} == {}


@pytest.mark.parametrize(
    ("name", "loss"),
    [("DefaultPipeline", "do not compute its measures"), ("parse_trec_measure", "takes its measures as objects")],
)
def test_registering_without_a_target_warns(name, loss, monkeypatch):
    monkeypatch.setattr(replacements, "_told", set())
    monkeypatch.delattr(ir_measures, name)
    with pytest.warns(UserWarning, match=rf"{name}.* is missing or was changed: .*{loss}"):
        provider.register()
