"""The documentation: its examples run, its pages are all in the table of contents, its links lead to pages."""

import re

import pytest
from page_examples import DOCS, python_blocks

PAGES = sorted(path.name for path in DOCS.glob("*.md"))


def test_every_page_is_in_the_contents():
    trees = (DOCS / "index.rst").read_text(encoding="utf-8").split(".. toctree::")[1:]
    contents = [page for tree in trees for page in re.findall(r"^   (\w+)$", tree, re.MULTILINE)]
    pages = [path.stem for path in DOCS.iterdir() if path.suffix in (".md", ".rst") and path.name != "index.rst"]
    assert sorted(contents) == sorted(pages)


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_pages(page):
    links = re.findall(r"\]\(([\w./-]+\.md)[)#]", (DOCS / page).read_text(encoding="utf-8"))
    assert [link for link in links if not (DOCS / link).exists()] == []


OF_MEASURES = [
    pytest.param(block, id=f"{page}-{number}")
    for page in PAGES
    if page.startswith("measures")
    for number, block in enumerate(python_blocks(page))
]


@pytest.mark.parametrize("block", OF_MEASURES)
def test_examples_of_measures_print_something(block, capsys):
    exec(block, {})
    assert capsys.readouterr().out.strip()
