"""The Python blocks of the documentation's pages."""

import re
from pathlib import Path

import pyterrier_focused

DOCS = Path(pyterrier_focused.__file__).parent / "pt_docs"


def python_blocks(page: str) -> list[str]:
    """Return the Python blocks of a page of the documentation."""
    return re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def run_blocks(page: str, names: dict) -> dict:
    """Run the blocks of a page in order and return the names that they define, *names* among them."""
    for block in python_blocks(page):
        exec(compile(block, page, "exec"), names)
    return names
