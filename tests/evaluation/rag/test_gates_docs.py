"""The pytest file of the page on gates runs as it stands, twice: it saves the result, and compares with it."""

import subprocess
import sys

from page_examples import python_blocks


def test_the_file_for_pytest_runs(tmp_path):
    (code,) = python_blocks("rag_gates.md")
    (tmp_path / "test_retrieval.py").write_text(code, encoding="utf-8")
    run = "pytest.main(['-q', '-p', 'no:cacheprovider', 'test_retrieval.py'])"
    command = [sys.executable, "-c", f"import pytest; {run}; {run}"]  # one process, since each loads PyTerrier
    printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout
    assert printed.count("2 passed") == 2, printed
    assert (tmp_path / "main.zip").exists()
