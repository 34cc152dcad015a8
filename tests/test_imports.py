"""What imports what: one way through the layers, and nothing heavy before it is used."""

import ast
import importlib
import re
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import pyterrier_focused

PACKAGE = Path(pyterrier_focused.__file__).parent
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))
PATHS = set(MODULES)

# A subpackage imports those of lower layers only; two of one layer do not know each other.
LAYERS = {
    "errors": 0, "_version": 0, "wikitext": 0,
    "frames": 1,
    "measures": 2, "reading": 2,
    "collection": 3,
    "io": 4,
    "retrieval": 5, "datasets": 5,
    "evaluation": 6,
    "analysis": 7,
    "rag": 8,
    "report": 9,
    "commands": 10,
    "cli": 11, "pyterrier_plugin": 11, "__init__": 11, "__main__": 12,
}  # fmt: skip
# Collection.index
UPWARD = {("collection/store.py", "retrieval")}


def find_subpackage(module):
    """Return the subpackage of a module: its folder at the top of the package, or its own name."""
    return module.parts[0].removesuffix(".py")


@cache
def read_tree(path):
    return ast.parse((PACKAGE / path).read_text(encoding="utf-8"))


def resolve(base, name):
    """Return the module that `from base import name` reads, base being a path without its ending."""
    known = (base / f"{name}.py", base / name / "__init__.py", Path(f"{base}.py"), base / "__init__.py")
    return next(module for module in known if module in PATHS)


@cache
def imported_names(path):
    """Return (module, name) for each import from this package: in functions and for types too."""
    return list(walk_imports(path))


@cache
def all_imports():
    """Return (importer, module, name) for each import from this package in it."""
    return [(path, module, name) for path in MODULES for module, name in imported_names(path)]


def walk_statements(node):
    """Yield the statements in a module, class or function; no expression holds an import."""
    for name in ("body", "orelse", "handlers", "finalbody"):
        for statement in getattr(node, name, ()):
            yield statement
            yield from walk_statements(statement)


def walk_imports(path):
    for node in walk_statements(read_tree(path)):
        if isinstance(node, ast.ImportFrom):
            if node.level:
                base = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            elif (node.module or "").split(".")[0] == PACKAGE.name:
                base = Path(*node.module.split(".")[1:])
            else:
                continue
            for alias in node.names:
                yield resolve(base, alias.name), alias.name
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == PACKAGE.name:
                    base = Path(*alias.name.split(".")[1:-1])
                    yield resolve(base, alias.name.split(".")[-1]), ""


def goes_down(path, module):
    here, there = find_subpackage(path), find_subpackage(module)
    return there in (here, "_version") or LAYERS[there] < LAYERS[here] or (path.as_posix(), there) in UPWARD


def test_imports_go_down():
    assert [(path, module) for path, module, _ in all_imports() if not goes_down(path, module)] == []


def test_the_plug_in_is_complete_without_the_rag_side():
    users = {find_subpackage(path) for path, module, _ in all_imports() if find_subpackage(module) == "rag"}
    assert users <= {"rag", "report", "commands", "__init__"}


def test_private_names_of_other_subpackages_are_left_alone():
    others = [imported for imported in all_imports() if find_subpackage(imported[1]) != find_subpackage(imported[0])]
    assert [imported for imported in others if re.match("_[a-z]", imported[2]) and len(imported[1].parts) > 1] == []


def test_wikitext_is_used_through_its_public_names():
    """It could be a package of its own."""
    used = {(path, module) for path, module, _ in all_imports() if module.parts[0] == "wikitext" != path.parts[0]}
    assert {module.as_posix() for _, module in used} == {"wikitext/__init__.py"}


def test_no_modules_import_each_other():
    """No circle, but for the way from a collection to its index."""
    edges = {
        path: {m for m, _ in imported_names(path) if m != path and (path.as_posix(), find_subpackage(m)) not in UPWARD}
        for path in MODULES
        if path.name != "__init__.py"
    }
    TopologicalSorter(edges).prepare()  # raises CycleError


def test_every_module_says_what_it_is():
    assert [path for path in MODULES if not ast.get_docstring(read_tree(path))] == []


@pytest.mark.parametrize("path", [p for p in MODULES if "measures" in p.parts or p.stem == "spans"], ids=str)
def test_spans_and_measures_know_neither_pyterrier_nor_readers(path):
    text = (PACKAGE / path).read_text(encoding="utf-8")
    names = {alias.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import) for alias in node.names}
    assert not names & {"pyterrier", "lxml"}
    assert not {find_subpackage(module) for module, _ in imported_names(path)} & {"io"}


def loaded_by(statement):
    """Return the packages that a statement loads, by the first part of their names, and the modules of this one."""
    code = f"import sys; {statement}; print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = done.stderr.split()
    return {name.split(".")[0] for name in names} | {name for name in names if name.startswith(PACKAGE.name)}


def test_importing_the_package_stays_light():
    heavy = {"pyterrier", "mwparserfromhell", "matplotlib", "lxml", "scipy", "ray"}
    assert not loaded_by("import pyterrier_focused") & heavy


def test_the_public_names_are_all_there():
    names = pyterrier_focused.__all__
    assert [name for name in names if getattr(pyterrier_focused, name) is None] == []
    assert set(names) <= set(dir(pyterrier_focused))


def test_no_public_name_is_given_twice():
    assert sorted(set(pyterrier_focused.__all__)) == sorted(pyterrier_focused.__all__)


def test_other_names_are_not_there():
    with pytest.raises(AttributeError, match="nothing_of_this_name"):
        _ = pyterrier_focused.nothing_of_this_name


def test_pyterrier_brings_the_package():
    pt = importlib.import_module("pyterrier")
    assert pt.focused is pyterrier_focused
    namespace: dict = {}
    exec("from pyterrier.measures import *", namespace)
    assert {"AgP", "MAgP", "iP", "CharP", "ADM", "AP"} <= namespace.keys()


def test_a_missing_extra_is_named():
    from pyterrier_focused.errors import MissingExtraError, import_extra

    with pytest.raises(MissingExtraError, match=r"pip install 'pyterrier-focused\[retrieval\]'"):
        import_extra("no_such_package_here.part", "retrieval")
