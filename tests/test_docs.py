"""The Python blocks of the documentation run as they stand, page by page; some pages have a test of their own."""

import re
from pathlib import Path

import pytest

import pyterrier_focused as ptf

PAGES = Path(ptf.__file__).parent / "pt_docs"
ELSEWHERE = {"retrieval.md", "analysis.md", "chunking.md", "chunking_recipes.md", "collections.md", "formats.md"}


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


WITH_PYTHON = [page for page in sorted(PAGES.glob("*.md")) if blocks(page) and page.name not in ELSEWHERE]


@pytest.mark.parametrize("page", WITH_PYTHON, ids=lambda page: page.name)
def test_blocks_run_in_order(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for block in blocks(page):
        exec(compile(block, str(page), "exec"), names)
