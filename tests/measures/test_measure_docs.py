"""The documentation: its examples run, its pages are all in the table of contents, its links lead to pages."""

import re
from pathlib import Path

import pytest

import pyterrier_focused

DOCS = Path(pyterrier_focused.__file__).parent / "pt_docs"
PAGES = sorted(path.name for path in DOCS.glob("*.md"))


def test_every_page_is_in_the_contents():
    trees = (DOCS / "index.rst").read_text(encoding="utf-8").split(".. toctree::")[1:]
    contents = [page for tree in trees for page in re.findall(r"^   (\w+)$", tree, re.MULTILINE)]
    pages = [path.stem for path in DOCS.iterdir() if path.suffix in (".md", ".rst") and path.name != "index.rst"]
    assert sorted(contents) == sorted(pages)


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_pages(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([\w./-]+\.md)[)#]", text):
        assert (DOCS / target).exists(), target


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("measures")])
def test_examples_of_measures_run(page, capsys):
    for example in re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL):
        exec(example, {})
        assert capsys.readouterr().out.strip()
