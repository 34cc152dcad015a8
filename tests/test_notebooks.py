"""The notebooks run from top to bottom, and show what is committed with them."""

import math
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
NOTEBOOKS = sorted(path.name for path in EXAMPLES.glob("*.ipynb"))


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_runs_and_shows_what_is_committed(name, require):
    require("notebooks", find_spec("nbclient") and find_spec("ipykernel"))
    import nbformat
    from nbclient import NotebookClient

    committed = nbformat.read(EXAMPLES / name, as_version=4)
    fresh = nbformat.read(EXAMPLES / name, as_version=4)
    for cell in fresh.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    NotebookClient(fresh, timeout=300, resources={"metadata": {"path": str(EXAMPLES)}}).execute()
    for before, after in zip(committed.cells, fresh.cells, strict=True):
        if before.cell_type == "code":
            assert before.execution_count == after.execution_count
            assert shown(before) == shown(after), before.source
            assert same_tokens(tokens(before), tokens(after)), f"{before.source}\n{tokens(before)}\n{tokens(after)}"


def outputs_of(cell):
    """The outputs that matter: neither progress bars nor `%%writefile` saying where."""
    return [
        o for o in cell.outputs if o.get("name") != "stderr" and not re.match("(Over)?[wW]riting ", o.get("text", ""))
    ]


def shown(cell):
    """The kinds of output of a cell; how a stream is cut up does not matter."""
    kinds = [tuple(sorted(output.get("data", ["stream"]))) for output in outputs_of(cell)]
    return [kind for before, kind in zip([None, *kinds], kinds, strict=False) if not kind == before == ("stream",)]


def tokens(cell):
    """The words and numbers of a cell's output as text, temporary paths apart."""
    text = "".join(o.get("text") or o.get("data", {}).get("text/plain", "") + "\n" for o in outputs_of(cell))
    return re.findall(r"[^\s\[\](){}|,\\=]+", re.sub(r"[\w/.-]*/tmp[\w.-]*", "TMP", text))


def same_tokens(before, after):
    """Whether they are the same, numbers but for the last digits."""

    def same(a, b):
        try:
            return a == b or math.isclose(float(a), float(b), rel_tol=0.01, abs_tol=0.002)
        except ValueError:
            return False

    return len(before) == len(after) and all(map(same, before, after))
