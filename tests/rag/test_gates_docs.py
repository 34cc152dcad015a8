"""The pytest file of the page on gates runs as it stands, twice: it saves the result, and compares with it."""

import pytest
from page_examples import python_blocks


def test_the_file_for_pytest_runs(tmp_path, monkeypatch, capsys):
    (code,) = python_blocks("rag_gates.md")
    (tmp_path / "test_retrieval.py").write_text(code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    plugins = [word for name in ("cacheprovider", "xdist", "hypothesispytest") for word in ("-p", f"no:{name}")]
    for _ in range(2):
        pytest.main(["-q", "--import-mode=importlib", *plugins, "test_retrieval.py"])
    assert capsys.readouterr().out.count("2 passed") == 2
    assert (tmp_path / "main.zip").exists()
