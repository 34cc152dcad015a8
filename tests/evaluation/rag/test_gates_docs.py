"""The pytest file of the page on gates runs as it stands, twice: it saves the result, and compares with it."""

import re
import subprocess
import sys
from pathlib import Path

import pyterrier_focused

PAGE = Path(pyterrier_focused.__file__).parent / "pt_docs" / "rag_gates.md"


def test_the_file_for_pytest_runs(tmp_path):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "test_retrieval.py").write_text(code, encoding="utf-8")
    for _ in range(2):
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_retrieval.py"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert "2 passed" in done.stdout, done.stdout
    assert (tmp_path / "main.zip").exists()
