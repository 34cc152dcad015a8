"""Each recipe for a vector store or framework runs as it stands, where its package is, and finds the evidence."""

from importlib.util import find_spec

import pytest
from page_examples import python_blocks

SHARED, *RECIPES = python_blocks("chunking_recipes.md")
NEEDS = ["faiss", "chromadb", "qdrant_client", "pyterrier_pisa", "langchain_core", "llama_index"]


def test_every_recipe_is_here():
    assert len(RECIPES) == len(NEEDS)


@pytest.mark.parametrize(
    ("recipe", "package"),
    # others take a second to load
    [
        pytest.param(recipe, package, marks=[] if package in ("faiss", "pyterrier_pisa") else pytest.mark.long)
        for recipe, package in zip(RECIPES, NEEDS, strict=True)
    ],
    ids=NEEDS,
)
@pytest.mark.filterwarnings("ignore")
def test_recipes(recipe, package, capsys, require):
    require(package, find_spec(package))
    if package == "langchain_core":
        require("langchain_text_splitters", find_spec("langchain_text_splitters"))
    names = {}
    exec(SHARED, names)
    exec(recipe, names)
    assert "SpanHit@5" in capsys.readouterr().out
    table = names["result"].table
    assert (table["SpanHit@5"] == 1).all()
    assert (table["placed"] == 1).all() if "placed" in table else len(table) == 2
