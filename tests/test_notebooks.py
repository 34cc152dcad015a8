"""The notebooks run from top to bottom, without an error in any cell, in a folder of their own."""

import json
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*.ipynb")))
def test_notebook(name, tmp_path, require, monkeypatch):
    require("notebooks", find_spec("nbclient") and find_spec("ipykernel") and find_spec("matplotlib"))
    require("pisa", find_spec("pyterrier_pisa"))
    import nbclient
    import nbformat

    folder = shutil.copytree(EXAMPLES, tmp_path / "examples")
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    notebook = nbformat.read(folder / name, as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*.ipynb")))
def test_its_outputs_are_committed(name):
    cells = json.loads((EXAMPLES / name).read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code" and "".join(cell["source"]).strip()]
    assert all(cell["execution_count"] for cell in code)
    outputs = [output for cell in code for output in cell["outputs"]]
    assert outputs
    assert not any(output["output_type"] == "error" for output in outputs)
