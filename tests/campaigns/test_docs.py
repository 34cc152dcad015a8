"""The page on campaigns: its examples print what it says, and its commands run on the package's examples."""

import contextlib
import io
from importlib.resources import files

import pytest
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
    shown = [f"    {line}" for line in run_examples()]
    assert len(shown) == 3
    assert [line for line in PAGE.splitlines() if line.startswith("    {")] == shown


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("genomics-eval genomics-gold.tsv genomics-run.txt", "genomics-run\tDOCUMENT\t1\t0.83333333"),
        ("bioasq-eval -e 8 -verbose bioasq-golden.json bioasq-submission.json", "MAP snippets: 0.7875"),
        ("kilt-eval kilt-guess.jsonl kilt-gold.jsonl", "OrderedDict([   ('Rprec', 0.75),"),
    ],
)  # fmt: skip
def test_commands_run_on_the_examples(command, line, monkeypatch, capsys):
    assert f"pt-focused {command.split()[0]}" in PAGE
    monkeypatch.chdir(FOLDER)
    assert main(command.split()) == 0
    assert line.split() in [printed.split() for printed in capsys.readouterr().out.splitlines()]
