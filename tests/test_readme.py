"""The README's examples and commands run as they stand, its links lead somewhere."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from pyterrier_focused import __version__
from pyterrier_focused.cli import COMMANDS, main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
DEMO_LINES = re.search(r"```sh\ncd my-demo\n(.*?)```", README, re.DOTALL)[1].replace("\\\n", "").splitlines()
DEMO_LINES = [line for line in DEMO_LINES if not line.startswith("#")]


def test_it_shows_what_its_examples_print(capsys, tmp_path, monkeypatch):
    """One after the other, since later examples use the names of earlier ones."""
    pytest.importorskip("pyterrier_pisa")
    monkeypatch.chdir(tmp_path)
    names = {}
    for example in EXAMPLES:
        exec(example, names)
        assert f"```\n{capsys.readouterr().out}```" in README


def test_there_are_three_examples():
    assert len(EXAMPLES) == 3


def test_commands_run_as_written_in_the_folder_that_demo_keeps(kept_demo, tmp_path, monkeypatch):
    """In the order of the README, since later commands read what earlier ones write."""
    shutil.copytree(kept_demo, tmp_path / "my-demo")
    monkeypatch.chdir(tmp_path / "my-demo")
    assert len(DEMO_LINES) >= 8
    calls = {command: shlex.split(command, comments=True) for command in DEMO_LINES}
    assert {program for program, *_ in calls.values()} == {"pt-focused"}
    assert {command: main(words) for command, (_, *words) in calls.items()} == dict.fromkeys(calls, 0)


def test_commands_of_the_readme_exist():
    assert set(re.findall(r"pt-focused ([a-z][a-z-]*)", README)) - {"help"} <= set(COMMANDS)


def test_commands_are_in_the_list_of_commands():
    page = (ROOT / "pyterrier_focused" / "pt_docs" / "commands.md").read_text(encoding="utf-8")
    assert {name for name, command in COMMANDS.items() if f"| `{name}` | {command} |" not in page} == set()


def test_the_citation_names_the_version():
    assert f"version: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


CONTRIBUTING = (ROOT / "pyterrier_focused" / "pt_docs" / "contributing.md").read_text(encoding="utf-8")
NAMED = [
    *re.findall(r"`((?:[a-z_]+/)+(?:[a-z_]+\.py)?)`", README + CONTRIBUTING),
    *re.findall(r"\]\(([a-z_/]+\.md)\)", README),
    *re.findall(r"python (benchmarks/\w+\.py)", README),
]


@pytest.mark.parametrize("name", sorted(set(NAMED)))
def test_a_file_that_is_named_exists(name):
    assert (ROOT / name).exists() or (ROOT / "pyterrier_focused" / name).exists()


def test_files_are_named():
    assert len(NAMED) > 10
