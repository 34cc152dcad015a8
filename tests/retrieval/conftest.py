"""A collection with the tags that queries name, made for the tests, and an index of its parts."""

import importlib.util

import pytest


@pytest.fixture(scope="session")
def collection(tmp_path_factory):
    pytest.importorskip("pyarrow")
    from tagged_articles import build_collection

    return build_collection(tmp_path_factory.mktemp("tagged") / "articles")


@pytest.fixture(scope="session")
def pisa(require):
    require("pisa", importlib.util.find_spec("pyterrier_pisa"))


@pytest.fixture(scope="session")
def index(collection, tmp_path_factory):
    """Sections, paragraphs, headings and years."""
    return collection.index(
        tmp_path_factory.mktemp("index") / "parts", elements=("article", "sec", "ss1", "p", "st", "yr")
    )
