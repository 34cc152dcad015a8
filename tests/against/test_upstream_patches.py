"""The patches of pt_docs/upstream.md: each applies to the release that it names, and its test passes there."""

import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import ir_measures
import pyterrier as pt
import pytest

import pyterrier_focused
from pyterrier_focused.evaluation import pyterrier_conduct, upstream

PAGE = (Path(pyterrier_focused.__file__).parent / "pt_docs" / "upstream.md").read_text(encoding="utf-8")
SECTIONS = {section.partition("\n")[0]: section for section in PAGE.split("\n## ")[1:]}
RELEASES = {"ir_measures": ("ir-measures", "0.4.3"), "pyterrier": ("pyterrier", "1.1.2")}

# our plugin would do what the patches do
WITHOUT_US = """
import importlib.metadata
found = importlib.metadata.entry_points
importlib.metadata.entry_points = lambda **given: [] if given.get("group") == "pyterrier.modules" else found(**given)
"""


def read_block(section, language):
    return re.search(rf"```{language}\n(.*?)```", section, re.DOTALL)[1]


def test_the_page_lists_all_that_is_replaced():
    replaced = [item.target.replace(":", ".") for item in (upstream._PARSING, *pyterrier_conduct.OF_PYTERRIER)]
    listed = re.findall(r"^\d\. .*?`((?:\w+\.)+\w+)`[;.]?$", PAGE, re.MULTILINE)
    assert sorted(listed) == sorted([*replaced, "pyterrier.io.SUPPORTED_RESULTS_FORMATS"])


@pytest.mark.long
@pytest.mark.parametrize("title", SECTIONS)
def test_a_patch_applies_and_does_what_it_says(title, tmp_path):
    patch = read_block(SECTIONS[title], "diff")
    package = re.search(r"\+\+\+ b/(\w+)/", patch)[1]
    distribution, release = RELEASES[package]
    if version(distribution) != release:
        pytest.skip(f"the patch is for {distribution} {release}, here is {version(distribution)}")
    source = Path({"ir_measures": ir_measures, "pyterrier": pt}[package].__file__).parent
    shutil.copytree(source, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "check.py").write_text(WITHOUT_US + read_block(SECTIONS[title], "python"), encoding="utf-8")
    if run_check(tmp_path).returncode == 0:
        pytest.skip("this release passes the check without the patch")
    subprocess.run(["git", "apply", "-"], input=patch, text=True, cwd=tmp_path, check=True)
    done = run_check(tmp_path)
    assert done.returncode == 0, done.stderr


def run_check(folder):
    """Run a patch's test in a process whose working folder holds the package."""
    command = [sys.executable, "-W", "ignore", "check.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
