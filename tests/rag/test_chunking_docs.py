"""The examples of the pages on RAG, evidence and chunks run in order."""

import pytest
from page_examples import python_blocks

PAGES = ["rag.md", "evidence.md", "chunking.md"]


def run_examples():
    """The names that the examples define, and the table of each result on the way."""
    names: dict = {}
    tables = []
    for page, block in [(name, block) for name in PAGES for block in python_blocks(name)]:
        exec(compile(block, page, "exec"), names)
        if "result = evaluate_retrieved(" in block:
            tables.append(names["result"].table)
    return names, tables


def test_the_examples_run():
    pytest.importorskip("pyterrier_pisa")
    assert [len(python_blocks(page)) for page in PAGES] == [4, 3, 2]
    names, tables = run_examples()
    assert names["moved"].table["status"].tolist() == ["moved", "moved"]
    assert names["generated"]["docno"].tolist() == ["harbour"]
    assert [table[["SpanHit@5", "SpanRR"]].values.tolist() for table in tables] == [[[1, 0.75]]]
    assert names["result"].table["name"].tolist() == ["sentences", "50 characters", "50, half shared"]
    assert [chunk["docno"] for chunk in names["chunks"]][:2] == ["harbour#0-26", "harbour#28-50"]
