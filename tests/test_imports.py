"""What imports what: one way through the layers, and nothing heavy before it is used."""

import ast
import importlib
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import pyterrier_focused

PACKAGE = Path(pyterrier_focused.__file__).parent
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))

LAYERS = {
    "errors": 0, "spans": 0, "misfits": 0, "frame_checks": 0, "ranking_rule": 0, "frames": 0, "packing": 0,
    "alternatives_column": 0,
    "_version": 0, "wikitext": 0, "evaluation": 2, "report": 2,
    "measures": 1, "io": 1,
    "ir_measures_provider": 2, "collection": 2, "retrieval": 2, "analysis": 2, "datasets": 2, "inex_archive": 2,
    "assessment": 2, "pyterrier_plugin": 3, "commands": 3, "cli": 4, "__init__": 4,
}  # fmt: skip


def layer(module):
    return LAYERS[module.parts[0].removesuffix(".py")]


def imported(path, lazy):
    """Modules of this package that a file imports: at once, or (lazy) also within functions."""
    tree = ast.parse((PACKAGE / path).read_text(encoding="utf-8"))
    for node in ast.walk(tree) if lazy else tree.body:
        if isinstance(node, ast.ImportFrom) and node.level:
            base = list(path.parts[:-1])[: len(path.parts) - node.level]
            names = [node.module.split(".")[0]] if node.module and not base else [alias.name for alias in node.names]
            yield base[0] if base else names[0]
            if not base and not node.module:
                yield from names[1:]


@pytest.mark.parametrize("path", [path for path in MODULES if path.parts[0] != "__init__.py"], ids=str)
def test_imports_go_one_way(path):
    for name in imported(path, lazy=False):
        if name in LAYERS and name not in ("__init__", "_version"):
            assert LAYERS[name] <= layer(path), f"{path} imports {name}"


def modules_used_by(path):
    """The modules that a file imports, within functions too, but not for the type checker alone."""
    tree = ast.parse((PACKAGE / path).read_text(encoding="utf-8"))
    types = [n for n in ast.walk(tree) if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING"]
    skipped = {id(node) for block in types for node in ast.walk(block)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level and id(node) not in skipped:
            base = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            for alias in node.names:
                known = (base / f"{alias.name}.py", Path(f"{base}.py"), base / "__init__.py")
                yield next(module for module in known if module in MODULES)


def test_no_modules_import_each_other():
    TopologicalSorter({path: set(modules_used_by(path)) for path in MODULES}).prepare()  # raises CycleError


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_every_module_says_what_it_is(path):
    assert ast.get_docstring(ast.parse((PACKAGE / path).read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", [p for p in MODULES if "measures" in p.parts or p.stem == "spans"], ids=str)
def test_spans_and_measures_know_neither_pyterrier_nor_readers(path):
    text = (PACKAGE / path).read_text(encoding="utf-8")
    names = {alias.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import) for alias in node.names}
    assert not names & {"pyterrier", "pandas", "lxml"}
    assert "io" not in set(imported(path, lazy=True))


def loaded_by(statement):
    code = f"import sys; {statement}; print(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_importing_the_package_stays_light():
    heavy = {"pyterrier", "pandas", "pyarrow", "lark", "mwparserfromhell", "matplotlib", "lxml", "scipy", "ray"}
    heavy |= {"jinja2"}
    assert not loaded_by("import pyterrier_focused") & heavy


def test_inex_eval_starts_without_pyterrier_and_pandas(tmp_path):
    (tmp_path / "qrels").write_text("1 Q0 a 100 1000 50 0:50 100:50\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 tag 0 50\n")
    files = [str(tmp_path / "qrels"), str(tmp_path / "run")]
    call = f"from pyterrier_focused.cli import main; main(['inex-eval', '-f', *{files!r}])"
    assert not loaded_by(call) & {"pyterrier", "pandas"}


@pytest.mark.parametrize(
    "arguments",
    [
        ["genomics-eval", "genomics-gold.tsv", "genomics-run.txt"],
        ["bioasq-eval", "bioasq-golden.json", "bioasq-submission.json"],
        ["hyperlinking-eval", "hyperlinking.qrel", "hyperlinking-run.txt"],
        ["kilt-eval", "kilt-gold.jsonl", "kilt-guess.jsonl"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_the_campaigns_commands_start_without_pyterrier_and_pandas(arguments):
    files = [str(PACKAGE / "data" / "campaigns" / name) for name in arguments[1:]]
    silent = "import os, contextlib; out = contextlib.redirect_stdout(open(os.devnull, 'w'))"
    call = f"from pyterrier_focused.cli import main; out.__enter__(); main([{arguments[0]!r}, *{files!r}])"
    loaded = loaded_by(f"{silent}; {call}; out.__exit__(None, None, None)")
    assert not loaded & {"pyterrier", "pandas", "scipy"}


def test_the_public_names_are_all_there():
    assert sorted(set(pyterrier_focused.__all__)) == sorted(pyterrier_focused.__all__)
    for name in pyterrier_focused.__all__:
        assert getattr(pyterrier_focused, name) is not None
    assert set(pyterrier_focused.__all__) <= set(dir(pyterrier_focused))
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
