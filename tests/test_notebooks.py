"""The notebooks run from top to bottom in a folder of their own, and show what is committed with them."""

import json
import math
import re
import shutil
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
PRINTS_AS_COMMITTED = int(pd.__version__.split(".")[0]) >= 3  # before, pandas wrote the numbers of a list in full
DATA = EXAMPLES.parents[1] / "shared" / "data"
GALLERY = (EXAMPLES.parent / "pyterrier_focused" / "pt_docs" / "notebooks.md").read_text(encoding="utf-8")
NOTEBOOKS = sorted(path.name for path in EXAMPLES.glob("*.ipynb"))


# What the prose of a notebook claims, and the output that bears it out
CLAIMS = [
    ("01", "The same from `ir_measures`", r"by hand (0\.\d+), ir_measures \1"),
    ("01", "By AiP, AgP, AP and nDCG@10 the intervals hold zero", r"AiP +sections +0\.143 +-0\.\d+ +0\.\d+"),
    ("01", "By AiP, AgP, AP and nDCG@10 the intervals hold zero", r"AgP +sections +0\.\d+ +-0\.\d+ +0\.\d+"),
    ("01", "By AiP, AgP, AP and nDCG@10 the intervals hold zero", r"nDCG@10 +articles +0\.\d+ +-0\.\d+ +0\.\d+"),
    ("01", "After 300 characters sections have shown .08 more", r"CharR\(chars=300\) +sections +0\.08\d +0\.\d+"),
    ("01", "does not survive that we looked four times", r"p, four tests +\n0 +0\.078"),
    ("01", "More of the first text is relevant (`iP@0.01`, p = .009 corrected)", r"p, six tests(?s:.*?)\n\d +0\.009"),
    ("02", "by AP and nDCG@10 the documents are ahead", r"p_corrected *\n(?s:.*)\n\d +0\.008 *\n"),
    ("02", "any difference by AiP or iP@0.01", r"0\.374 *\n.*1\.000 *\n.*1\.000 *\n.*1\.000"),
    ("04", "of the author's eight relevant articles the program finds six", r"documents +6 +2 +0 +0\.524 +dubious"),
    ("05", "the study needs at least 241 topics", r"0\.20 +241"),
    ("05", "(1,749 topics, p below .001", r"sections +two steps +0\.0569 +0\.0301 .*\n\n +corrected +\n.*\n1 +0\.0004"),
    ("07", "no corrected p is below .31", r"\n0 +0\.812 .*\n1 +0\.812 .*\n2 +0\.312 +5 +0 *\n"),
    ("06", "It finds 19 by AgP, little more. Two-sided and uncorrected", r"AgP +19 +5 +0\nAP +0 +0 +0"),
    ("06", "tau was 0.674, and the fifth system", r"tau 0\.009, 52 pairs"),
    ("08", "By specificity, a run that returns nothing judged is nearer", r"no scores +as it is(?s:.*)\n1 +0\.001"),
    ("08", "better than the same scores shuffled (.11, p = .010", r"as it is +shuffled +0\.705(?s:.*)\n0 +0\.010"),
]


def read_cells(name, kind):
    cells = json.loads((EXAMPLES / name).read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == kind]


def read_prose(cells):
    return " ".join(" ".join("".join(cell["source"]) for cell in cells).split())


@pytest.mark.parametrize(("number", "claim", "printed"), CLAIMS)
def test_outputs_bear_out_what_the_prose_claims(number, claim, printed):
    (name,) = (name for name in NOTEBOOKS if name.startswith(number))
    assert claim in read_prose(read_cells(name, "markdown"))
    outputs = [output for cell in read_cells(name, "code") for output in cell["outputs"]]
    texts = ("".join(output.get("text") or output.get("data", {}).get("text/plain", "")) for output in outputs)
    assert re.search(printed, "\n".join(texts))


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_begins_with_its_question_and_what_it_needs(name):
    first = read_cells(name, "markdown")[0]
    assert first["source"][0].endswith("?\n")
    assert re.findall(r"^\* \*\*(\w+)\*\*", "".join(first["source"]), re.MULTILINE) == [
        "For",
        "Needs",
        "Takes",
        "Install",
    ]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebooks_neither_test_nor_hide(name):
    code = "\n".join("".join(cell["source"]) for cell in read_cells(name, "code"))
    assert not re.search(r"^\s*(?:assert\b|%%capture)", code, re.MULTILINE)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_outputs_of_notebooks_are_committed(name):
    code = read_cells(name, "code")
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell["outputs"]]
    assert outputs
    assert not any(output["output_type"] == "error" or output.get("name") == "stderr" for output in outputs)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_figures_say_what_they_show(name):
    drawing = [
        cell for cell in read_cells(name, "code") if any("image/png" in o.get("data", {}) for o in cell["outputs"])
    ]
    texts = [cell["metadata"].get("mystnb", {}).get("image", {}).get("alt", "") for cell in drawing]
    assert [text for text in texts if len(text) < 60 or not text.endswith(".")] == []


def test_five_notebooks_have_exercises_with_folded_solutions():
    folded = {
        name
        for name in NOTEBOOKS
        for cell in read_cells(name, "code")
        if "hide-cell" in cell["metadata"].get("tags", ())
    }
    assert len([name for name in folded if "## Exercises" in read_prose(read_cells(name, "markdown"))]) >= 5


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_the_gallery_has_a_notebook_as_it_begins(name):
    """Its question, its minutes, and what it needs beyond `[retrieval,plots]`."""
    head = "".join(json.loads((EXAMPLES / name).read_text(encoding="utf-8"))["cells"][0]["source"])
    install = re.search(r"pip install '\.\[([\w,]+)\]'([\w -]*) jupyter", head)
    extras = [extra for extra in install[1].split(",") if extra not in ("retrieval", "plots")] + install[2].split()
    row = re.search(rf"^\| `{name[:-6]}` \|.*$", GALLERY, re.MULTILINE)[0].split(" | ")
    minutes = re.search(r"\*\*Takes\*\* (\d+) minutes", head)[1]
    assert [row[1], row[3]] == [re.match("# (.*)", head)[1], minutes]
    assert re.findall("`(.*?)`", row[4]) == extras


@pytest.mark.long
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs_and_shows_what_is_committed(name, tmp_path, require, monkeypatch):
    require("notebooks", find_spec("nbclient") and find_spec("ipykernel") and find_spec("matplotlib"))
    require("pisa", find_spec("pyterrier_pisa"))
    if name == "05_wikipedia.ipynb":
        require("gensim, or the data", find_spec("gensim") or DATA.is_dir())
    if name == "07_chunks_for_rag.ipynb":
        require("langchain", find_spec("langchain_core") and find_spec("langchain_text_splitters"))
    if name == "07_chunks_for_rag.ipynb":
        require("scikit-learn", find_spec("sklearn"))
    import nbformat
    from nbclient import NotebookClient

    folder = shutil.copytree(EXAMPLES, tmp_path / "examples")
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    monkeypatch.setenv("FOCUSED_DATA", str(DATA))
    committed, fresh = (nbformat.read(folder / name, as_version=4) for _ in range(2))
    NotebookClient(fresh, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    assert warnings_of(fresh) == []
    pairs = list(zip(committed.cells, fresh.cells, strict=True))
    pairs = [(before, after) for before, after in pairs if before.cell_type == "code"]
    assert [shown(after) for _, after in pairs] == [shown(before) for before, _ in pairs]
    if PRINTS_AS_COMMITTED:
        printed = [(before.source, tokens(before), tokens(after)) for before, after in pairs]
        assert [cell for cell in printed if not same_tokens(*cell[1:])] == []


def warnings_of(notebook):
    """What a run prints beside its outputs, but for progress bars and what Jupyter's own parts say of themselves."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    printed = [output["text"].strip() for output in outputs if output.get("name") == "stderr"]
    return [text for text in printed if text and "TqdmWarning" not in text and not re.search(r"\d%\|", text)]


def outputs_of(cell):
    """The outputs that matter: neither progress bars nor `%%writefile` saying where."""
    outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    return [output for output in outputs if not re.match("(Over)?[wW]riting ", output.get("text", ""))]


def shown(cell):
    """The kinds of output of a cell; how a stream is cut up does not matter."""
    kinds = [tuple(sorted(output.get("data", ["stream"]))) for output in outputs_of(cell)]
    return [kind for before, kind in zip([None, *kinds], kinds, strict=False) if not kind == before == ("stream",)]


def tokens(cell):
    """The words and numbers of a cell's output as text, temporary paths apart."""
    text = "".join(o.get("text") or o.get("data", {}).get("text/plain", "") + "\n" for o in outputs_of(cell))
    return re.findall(r"[^\s\[\](){}|,\\=]+", re.sub(r"(?:[\w/.-]*/)?tmp[\w.-]*", "TMP", text))


def same_tokens(before, after):
    """Whether they are the same but for the numbers' last digits; in any order, as pt.Experiment's columns come so."""
    (words, numbers), (other_words, other_numbers) = map(_apart, (before, after))
    close = [math.isclose(a, b, rel_tol=0.01, abs_tol=0.002) for a, b in zip(numbers, other_numbers, strict=False)]
    return words == other_words and len(numbers) == len(other_numbers) and all(close)


def _apart(found):
    words, numbers = [], []
    for token in found:
        try:
            numbers.append(float(token))
        except ValueError:
            words.append(token)
    return sorted(words), sorted(number for number in numbers if not math.isnan(number))
