"""The package's names: all of them are in the docs."""

import re
from pathlib import Path

import pytest

import pyterrier_focused
from pyterrier_focused.measures import MEASURES

PACKAGE = Path(pyterrier_focused.__file__).parent


def read_pages():
    pages = [path for path in (PACKAGE / "pt_docs").iterdir() if path.suffix in (".md", ".rst")]
    return {path.name: path.read_text(encoding="utf-8") for path in pages}


@pytest.mark.parametrize("name", pyterrier_focused.__all__)
def test_every_name_at_the_top_is_in_the_docs(name):
    assert any(re.search(rf"\b{name}\b", page) for page in read_pages().values())


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_every_measure_is_in_the_reference(measure):
    assert re.search(rf"autofunction:: \S+\.{measure.NAME}\n", read_pages()["api_measures.rst"])


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_every_measure_is_at_the_top(measure):
    assert all(getattr(pyterrier_focused, name) is measure for name in measure.names())
    assert set(measure.names()) <= set(pyterrier_focused.__all__)


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_every_measure_is_in_the_table_of_families(measure):
    table = read_pages()["measures.md"].partition("\n## ")[0]
    assert re.search(rf"\| .*\b{measure.NAME}\b.* \|", table)
