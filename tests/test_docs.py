"""The Python blocks of the documentation run as they stand, page by page; some pages have a test of their own."""

import contextlib
import doctest
import glob
import io
import re
import shlex
import shutil
import subprocess
import textwrap
from importlib.metadata import metadata
from pathlib import Path

import pandas as pd
import pyterrier as pt
import pytest
from page_examples import DOCS, python_blocks, run_blocks

import pyterrier_focused as ptf
from pyterrier_focused.cli import main

EXAMPLES = Path(__file__).parents[1] / "examples"
ELSEWHERE = {"parts_and_engines.md", "neighbours.md", "rag.md"}


PAGES = sorted(path.name for path in DOCS.glob("*.md"))
OF_MEASURES = [page for page in PAGES if page.startswith("measures")]  # each block of theirs runs by itself
WITH_PYTHON = [page for page in PAGES if python_blocks(page) and page not in {*ELSEWHERE, *OF_MEASURES}]


def a_dump_of_wikipedia(folder):
    """A small dump under the name that the page on collections has for a large one."""
    shutil.copy(EXAMPLES / "lighthouses-pages-articles.xml.bz2", folder / "enwiki-pages-articles-multistream.xml.bz2")
    return {}


def files_of_a_track(folder):
    """What the page on formats reads: the demo's run, qrels and topics, and an archive of them."""
    demo = pt.get_dataset("focused:demo")
    collection = demo.collection(folder / "collection", verbose=False)
    qrels, topics = demo.get_qrels(), demo.folder / "topics.xml"
    run = qrels[qrels["label"] > 0].rename(columns={"highlights": "passages"}).assign(score=1.0)
    run = run[["qid", "docno", "score", "passages"]]
    ptf.write_run(run, folder / "submission.xml.gz", "inex-xml", collection=collection)
    (folder / "inex2009" / "runs" / "team7").mkdir(parents=True)
    ptf.write_run(run, folder / "inex2009" / "runs" / "team7" / "run3.fol")
    for place in (folder, folder / "inex2009"):
        ptf.write_qrels(qrels, place / "inex2009.qrels")
        shutil.copy(topics, place / "inex-2009-topics.xml")
    (folder / "inex2009" / "articles").mkdir()
    (folder / "inex2009" / "articles" / "1.xml").write_text("<article><p>One.</p></article>")
    return {"collection": collection}


GIVEN = {"collections.md": a_dump_of_wikipedia, "wikitext.md": a_dump_of_wikipedia, "formats.md": files_of_a_track}


HOW_TOS = [page for page in PAGES if page.startswith("howto_")]


def commands_of(page):
    """Each `$ command` of a page with the lines below it."""
    for block in re.findall(
        r"^```console\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    ):
        yield from re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.sub(r"\\\n *", "", block), re.MULTILINE)


@pytest.mark.parametrize("page", HOW_TOS)
def test_how_tos_show_what_their_commands_print(page, kept_demo, tmp_path, monkeypatch):
    """Each command ends with 0 and prints the lines below it; `...` stands for any lines."""
    shutil.copytree(kept_demo, tmp_path / "my-demo")
    monkeypatch.chdir(tmp_path / "my-demo")
    monkeypatch.setenv("COLUMNS", "100")
    done = ("pt-focused demo --keep my-demo > /dev/null", "cd my-demo")
    results = [(command, shown, output_of(command)) for command, shown in commands_of(page) if command not in done]
    same = doctest.OutputChecker().check_output
    assert [result for result in results if not same(*result[1:], doctest.ELLIPSIS)] == []


def output_of(command):
    """Run a command, one of ours in this process, and return what it prints."""
    program, *words = shlex.split(command)
    if program != "pt-focused":
        return subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True).stdout
    words = [name for word in words for name in (sorted(glob.glob(word)) if "*" in word else [word])]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main(words) == 0, command
    return out.getvalue()


def lines_of_shell(page):
    """Each command of a page's `sh` blocks."""
    text = (DOCS / page).read_text(encoding="utf-8")
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        yield from (line for line in re.sub(r"\\\n *", "", block).splitlines() if not line.startswith("#"))


# They need a network or a cluster of Ray
NOT_RUN = ("git ", "make demo", "pip install ", "mvn ", "RAY_ADDRESS=")
SHELL = {page: [line for line in lines_of_shell(page) if not line.startswith(NOT_RUN)] for page in PAGES}


def files_that_pages_name(folder, demo):
    """The demo's files under the names that the pages' commands have for the reader's."""
    shutil.copytree(demo, folder, dirs_exist_ok=True)
    dump = EXAMPLES / "lighthouses-pages-articles.xml.bz2"
    for name in ("dump.xml.bz2", "enwiki-pages-articles-multistream.xml.bz2"):
        shutil.copy(dump, folder / name)
    evidence = pd.read_json(folder / "evidence.jsonl", lines=True, dtype={"docno": str, "qid": str})
    for name in ("questions.csv", "my_questions.csv"):
        evidence.drop(columns="text").to_csv(folder / name, index=False)
    for ours, given in {
        "texts": "my_texts",
        "collection": "my-collection",
        "sections.jsonl": "results.jsonl",
        "sections-ric.run": "run1.txt",
        "articles-ric.run": "run2.txt",
    }.items():
        (folder / ours).rename(folder / given)
    for name in ("texts", "old_texts", "new_texts"):
        shutil.copytree(folder / "my_texts", folder / name)


def a_built_dump(folder):
    (folder / "my-collection").rename(folder / "wikipedia")


BEFORE = {"collection_files.md": a_built_dump}


@pytest.mark.long
@pytest.mark.parametrize("page", [page for page in PAGES if SHELL[page]])
def test_the_commands_of_a_page_run(page, kept_demo, tmp_path, monkeypatch, require):
    files_that_pages_name(tmp_path, kept_demo)
    monkeypatch.chdir(tmp_path)
    BEFORE.get(page, lambda folder: None)(tmp_path)
    codes = {line: main(shlex.split(line, comments=True)[1:]) for line in SHELL[page]}
    assert codes == dict.fromkeys(codes, 0)


def test_the_python_of_the_front_page_runs():
    page = (DOCS / "index.rst").read_text(encoding="utf-8")
    (block,) = re.findall(r"code-block:: python\n(?:   :.*\n)*\n((?:   .*\n)+)", page)
    names = {}
    exec(textwrap.dedent(block), names)
    assert len(names["measures"]) == 5


@pytest.mark.parametrize("page", PAGES)
def test_commands_stand_in_blocks_that_are_run(page):
    blocks = re.findall(r"^```\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert [block for block in blocks if re.match(r"\$ |(pt-focused|pip|git|make|mvn|python) ", block)] == []


def test_every_page_is_in_the_contents():
    trees = (DOCS / "index.rst").read_text(encoding="utf-8").split(".. toctree::")[1:]
    contents = [page for tree in trees for page in re.findall(r"^   (\w+)$", tree, re.MULTILINE)]
    pages = [path.stem for path in DOCS.iterdir() if path.suffix in (".md", ".rst") and path.name != "index.rst"]
    assert sorted(contents) == sorted(pages)


def test_the_page_to_start_with_has_a_row_for_each_extra():
    extras = set(metadata("pyterrier-focused").get_all("Provides-Extra", [])) - {"docs", "test"}
    rows = re.findall(r"^\| `(\w+)` \|", (DOCS / "start.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(rows) == sorted(extras)


@pytest.mark.parametrize("notebook", sorted(path.stem for path in EXAMPLES.glob("*.ipynb")))
def test_a_page_names_each_notebook(notebook):
    """The links from the rendered notebook to the documentation are made of these."""
    pages = [page for page in PAGES if page != "notebooks.md"]
    assert [page for page in pages if f"`{notebook}`" in (DOCS / page).read_text(encoding="utf-8")]


@pytest.mark.parametrize("notebook", sorted(path.name for path in EXAMPLES.glob("*.ipynb")))
def test_links_of_notebooks_lead_somewhere(notebook):
    links = re.findall(r"\]\(([\w./-]+\.(?:md|ipynb))[)#]", (EXAMPLES / notebook).read_text(encoding="utf-8"))
    assert [link for link in links if not (EXAMPLES / link).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_pages(page):
    links = re.findall(r"\]\(([\w./-]+\.md)[)#]", (DOCS / page).read_text(encoding="utf-8"))
    assert [link for link in links if not (DOCS / link).exists()] == []


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(block, id=f"{page}-{number}")
        for page in OF_MEASURES
        for number, block in enumerate(python_blocks(page))
    ],
)
def test_examples_of_measures_print_something(block, capsys):
    exec(block, {})
    assert capsys.readouterr().out.strip()


@pytest.mark.filterwarnings("ignore:INEX qrels hold", "ignore:.*passages.*ranking", "ignore:the run has no such")
@pytest.mark.parametrize("page", WITH_PYTHON)
def test_the_python_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_blocks(page, GIVEN.get(page, lambda folder: {})(tmp_path))
