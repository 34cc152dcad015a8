"""Print the lowest versions that pyproject.toml allows, as constraints for pip."""

import re
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
TOOLS = "test = ["  # the tools of tests and documentation, which may be new, stand last

for name, version in sorted(
    set(
        re.findall(
            r'"([\w.-]+)(?:\[\w+\])?>=([\d.]+)', PROJECT.read_text().partition("[project]")[2].partition(TOOLS)[0]
        )
    )
):
    print(f"{name}=={version}")
