"""The options that the commands for RAG share: the corpus, the evidence in it, the measures, and the table."""

from __future__ import annotations

import argparse

from ..score.evaluate import WRITERS


def add_evidence(parser: argparse.ArgumentParser) -> None:
    """Add the options that name a corpus and the evidence in it."""
    parser.add_argument(
        "--corpus",
        required=True,
        metavar="DIR",
        help="documents: a folder of text files, a text file, or a file of JSON lines",
    )
    parser.add_argument(
        "--evidence",
        required=True,
        metavar="FILE",
        help="questions with the passages that answer them, as spans or quotes (CSV, JSON, ...)",
    )
    parser.add_argument(
        "--skip", action="store_true", help="leave out evidence that is not found in the corpus, with a warning"
    )
    parser.add_argument(
        "--repeated",
        choices=("report", "first", "all", "any"),
        default="report",
        help="how to treat texts that occur more than once in the corpus: refuse such evidence, and count such "
        "retrieved texts as not relevant (report), or take the first occurrence, all, or any of them (default: report)",
    )


def add_table(parser: argparse.ArgumentParser) -> None:
    """Add the options of the table and the plot."""
    parser.add_argument(
        "-m",
        "--measures",
        help="measures, separated by blanks (default: whether the evidence was found, and how much at budgets)",
    )
    parser.add_argument(
        "--format", choices=sorted(WRITERS), default="markdown", help="format of the table (default: markdown)"
    )
    parser.add_argument("--plot", metavar="FILE", help="draw recall against the amount of text read (extra [plots])")
