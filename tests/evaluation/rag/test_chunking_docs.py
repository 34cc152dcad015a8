"""The examples of the page on chunking run in order."""

import re
from pathlib import Path

import pytest

import pyterrier_focused

PAGE = Path(pyterrier_focused.__file__).parent / "pt_docs" / "chunking.md"


def test_the_examples_run():
    pytest.importorskip("pyterrier_pisa")
    names = {}
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 7
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
        if "evaluate_retrieved(" in block:
            assert names["result"].table[["SpanHit@5", "SpanRR"]].values.tolist() == [[1, 0.75]]
    assert names["result"].table["name"].tolist() == ["sentences", "50 characters", "50, half shared"]
    assert [chunk["docno"] for chunk in names["chunks"]][:2] == ["harbour#0-26", "harbour#28-50"]
