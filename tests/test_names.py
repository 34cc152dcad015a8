"""The package's names: few at the top, all in the docs, and old ones found for one release."""

import ast
import importlib
import json
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import pyterrier_focused
from pyterrier_focused.measures import MEASURES

PACKAGE = Path(pyterrier_focused.__file__).parent
MOVED = json.loads((PACKAGE / "data" / "moved.json").read_text(encoding="utf-8"))
NAMES = [(room, name, home) for room, names in MOVED["names"].items() for name, home in names.items()]
LOADED_ON_IMPORT = {
    "_moved", "_version", "errors", "libraries",
    "evaluation", "evaluation.input_columns", "evaluation.measure_strings", "evaluation.provider",
    "evaluation.upstream",
    "frames", "frames.arrow_columns", "frames.beside_spans",
    "frames.checks", "frames.columns", "frames.ids", "frames.misfits",
    "frames.span_cells",
    "frames.packing", "frames.ranking_rule", "frames.spans",
    "measures", "measures.adm", "measures.alternatives", "measures.base", "measures.best_alternative",
    "measures.budget", "measures.documents", "measures.evidence", "measures.facts",
    "measures.focused", "measures.in_context",
    "measures.ranking", "measures.span_pairs", "measures.span_ranking", "measures.tolerance",
    "measures.campaigns", "measures.campaigns.evidence_sets", "measures.campaigns.genomics",
    "measures.campaigns.maisp", "measures.campaigns.moments", "measures.campaigns.segments",
    "measures.campaigns.snippets",
}  # fmt: skip


def read_pages():
    pages = [path for path in (PACKAGE / "pt_docs").iterdir() if path.suffix in (".md", ".rst")]
    return {path.name: path.read_text(encoding="utf-8") for path in pages}


def test_importing_the_package_loads_frames_and_measures_only():
    code = (
        "import sys, pyterrier_focused; print(*(name for name in sys.modules if name.startswith('pyterrier_focused.')))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {name.partition(".")[2] for name in loaded} == LOADED_ON_IMPORT


def test_at_most_fifty_names_stand_at_the_top():
    assert len(pyterrier_focused.__all__) <= 50


@pytest.mark.parametrize("name", pyterrier_focused.__all__)
def test_every_name_at_the_top_is_in_the_docs(name):
    assert any(re.search(rf"\b{name}\b", page) for page in read_pages().values())


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_every_measure_is_in_the_table_of_families(measure):
    table = read_pages()["measures.md"].partition("\n## ")[0]
    assert re.search(rf"\| .*\b{measure.NAME}\b.* \|", table)


@pytest.mark.parametrize(("room", "name", "home"), NAMES)
def test_names_that_moved_are_found_with_a_warning(room, name, home):
    owner = importlib.import_module(".".join(filter(None, ("pyterrier_focused", room))))
    with pytest.warns(DeprecationWarning, match=rf"{name} has moved to pyterrier_focused\.{home}\.{name}"):
        found = getattr(owner, name)
    assert found is getattr(importlib.import_module(f"pyterrier_focused.{home}"), name)
    assert name not in owner.__all__


@pytest.mark.parametrize(("old", "new"), MOVED["modules"].items())
def test_modules_that_moved_are_found_with_a_warning(old, new):
    sys.modules.pop(f"pyterrier_focused.{old}", None)
    with pytest.warns(DeprecationWarning, match=rf"{old} has moved to pyterrier_focused\.{new}; "):
        found = importlib.import_module(f"pyterrier_focused.{old}")
    assert found is importlib.import_module(f"pyterrier_focused.{new}")
    assert found.__spec__.name == f"pyterrier_focused.{new}"


def test_a_name_that_never_was_is_an_error_of_the_room():
    with pytest.raises(AttributeError, match=r"module 'pyterrier_focused\.analysis' has no attribute 'nothing'"):
        _ = pyterrier_focused.analysis.nothing


def find_old_names(path):
    """List the names in a file's code or prose that have moved: `ptf.NAME`, `from pyterrier_focused import NAME`."""
    moved, text = MOVED["names"], path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        text = "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    for room, name in re.findall(r"\b(?:ptf|pyterrier_focused|pt\.focused)\.(?:(analysis|retrieval)\.)?(\w+)\b", text):
        if name in moved[room]:
            yield name
    for room, names in re.findall(
        r"from pyterrier_focused(?:\.(analysis|retrieval))? import \(?([\w, \n]+)", text.replace("\\n", "\n")
    ):
        yield from set(re.split(r"[,\s]+", names)) & moved[room].keys()


OURS = [
    path
    for folder in ("pyterrier_focused", "tests", "examples", "benchmarks", "README.md")
    for path in ([PACKAGE.parent / folder] if folder.endswith(".md") else sorted((PACKAGE.parent / folder).rglob("*")))
    if path.suffix in (".py", ".md", ".rst", ".ipynb") and path != Path(__file__)
]


def test_we_use_no_old_name():
    assert [(path, name) for path in OURS for name in find_old_names(path)] == []


def test_old_names_are_errors_in_our_tests():
    with warnings.catch_warnings():
        tree = ast.parse("from pyterrier_focused import NexiError")
        with pytest.raises(DeprecationWarning, match="NexiError has moved"):
            exec(compile(tree, "test", "exec"), {})
