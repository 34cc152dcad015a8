"""The README's examples run, its commands exist, its links lead somewhere."""

import re
from pathlib import Path

import pytest

from pyterrier_focused.cli import VERBS
from pyterrier_focused.measures import MEASURES

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_examples_run_as_they_stand(example, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(example, {})
    assert capsys.readouterr().out.strip()


def test_there_is_an_example():
    assert EXAMPLES


def test_commands_exist():
    assert set(re.findall(r"pt-focused ([a-z-]+)", README)) <= set(VERBS)


def test_every_measure_is_in_the_table():
    table = README[README.index("## Measures") : README.index("## Command line")]
    for measure in MEASURES:
        assert re.search(rf"`[^`]*\b{measure.NAME}\b", table), measure.NAME


def test_files_that_are_named_exist():
    for name in re.findall(r"`([a-z_/]+\.py)`", README):
        assert (ROOT / name).exists() or (ROOT / "pyterrier_focused" / name).exists(), name
    for name in re.findall(r"python (benchmarks/\w+\.py)", README):
        assert (ROOT / name).exists(), name
