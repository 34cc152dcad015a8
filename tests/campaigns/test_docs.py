"""The page on campaigns: its examples print what it says, and its commands run on the package's examples."""

import contextlib
import io
import re
from importlib.resources import files

from page_examples import DOCS, run_blocks

from pyterrier_focused.cli import main

PAGE = (DOCS / "campaigns.md").read_text(encoding="utf-8")
FOLDER = files("pyterrier_focused") / "data" / "campaigns"


def run_examples():
    """The lines that the page's code prints, block after block."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        run_blocks("campaigns.md", {})
    return printed.getvalue().splitlines()


def test_examples_print_what_the_page_says():
    (shown,) = run_examples()
    # the page breaks the line
    assert " ".join(re.findall(r"^    (\{[^}]*\})$", PAGE, re.MULTILINE)[0].split()) == shown


def test_the_command_runs_on_the_example(monkeypatch, capsys):
    assert "pt-focused bioasq-eval" in PAGE
    monkeypatch.chdir(FOLDER)
    assert main(["bioasq-eval", "-e", "8", "-verbose", "bioasq-golden.json", "bioasq-submission.json"]) == 0
    assert "MAP snippets: 0.7875" in capsys.readouterr().out.splitlines()
