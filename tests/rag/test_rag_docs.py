"""The examples of the page on RAG run in order."""

import pytest
from page_examples import python_blocks


@pytest.mark.filterwarnings("ignore")
def test_the_examples_run(tmp_path, monkeypatch):
    pytest.importorskip("pyterrier_pisa")
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for block in python_blocks("rag.md"):
        exec(compile(block, "rag.md", "exec"), names)
    assert names["result"].table[["SpanHit@5", "SpanRR"]].values.tolist() == [[1, 0.75]]
    assert names["found"]["status"].tolist() == ["exact", "tolerant"]
    assert names["moved"].table["status"].tolist() == ["moved", "moved"]
    assert names["compared"].table["name"].tolist() == ["sentences", "50 characters", "50, half shared"]
    assert names["cited"].citations["status"].tolist() == ["verified"]
