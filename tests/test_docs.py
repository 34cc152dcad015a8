"""The Python blocks of the documentation run as they stand, page by page; some pages have a test of their own."""

import re
import shutil
from pathlib import Path

import pyterrier as pt
import pytest

import pyterrier_focused as ptf

EXAMPLES = Path(__file__).parents[1] / "examples"
PAGES = Path(ptf.__file__).parent / "pt_docs"
ELSEWHERE = {"retrieval.md", "analysis.md", "chunking.md", "chunking_recipes.md"}


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


WITH_PYTHON = [page for page in sorted(PAGES.glob("*.md")) if blocks(page) and page.name not in ELSEWHERE]


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


GIVEN = {"collections.md": a_dump_of_wikipedia, "formats.md": files_of_a_track}


@pytest.mark.filterwarnings("ignore:INEX qrels hold", "ignore:.*passages.*ranking", "ignore:the run does not")
@pytest.mark.parametrize("page", WITH_PYTHON, ids=lambda page: page.name)
def test_blocks_run_in_order(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict = GIVEN.get(page.name, lambda folder: {})(tmp_path)
    for block in blocks(page):
        exec(compile(block, str(page), "exec"), names)
