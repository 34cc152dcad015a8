"""Every public name has its real type: for mypy, for an editor, and when it is used."""

import ast
import importlib
from pathlib import Path

import mypy.api
import pytest

import pyterrier_focused
from pyterrier_focused.measures import MEASURES

PACKAGE = Path(pyterrier_focused.__file__).parent
STUBS = sorted(PACKAGE.rglob("__init__.pyi"))
SUBPACKAGES = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))


@pytest.mark.parametrize("stub", STUBS, ids=lambda stub: stub.parent.name)
def test_stub_and_package_have_the_same_names(stub):
    lists = [node.value for node in ast.parse(stub.read_text()).body if isinstance(node, ast.Assign)]
    package = importlib.import_module(".".join(stub.parent.relative_to(PACKAGE.parent).parts))
    assert sorted(ast.literal_eval(lists[0])) == sorted(package.__all__)
    assert [name for name in package.__all__ if getattr(package, name) is None] == []


def write_program():
    """Return a program that asks for the type of each public name of the package and of each subpackage."""
    names = [f"ptf.{name}" for name in pyterrier_focused.__all__]
    for subpackage in SUBPACKAGES:
        module = importlib.import_module(f"pyterrier_focused.{subpackage}")
        names += [f"{subpackage}.{name}" for name in getattr(module, "__all__", ())]
    names += [f"measures.{name}" for measure in MEASURES for name in measure.names()]
    imports = ["import pyterrier_focused as ptf", f"from pyterrier_focused import {', '.join(SUBPACKAGES)}"]
    return "\n".join([*imports, *(f"reveal_type({name})" for name in names), ""])


WRONG = {
    "ptf.Focusedddd()": "attr-defined",
    "ptf.Focused(nonsense=3)": "call-arg",
    "measures.NoSuchMeasure": "attr-defined",
    "ptf.Collection('x').index('y').bm25().nonsense": "attr-defined",
}


@pytest.mark.long
def test_a_strict_program_has_all_types_and_only_its_own_faults(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("\n".join([write_program(), *WRONG]))
    options = ["--strict", "--config-file=", "--no-incremental", "--hide-error-context", "--no-pretty"]
    lines = mypy.api.run([*options, str(program)])[0].splitlines()
    assert [line for line in lines if 'Revealed type is "Any"' in line] == []
    faults = [line.rpartition("[")[2].rstrip("]") for line in lines if ": error: " in line]
    assert faults == list(WRONG.values())
