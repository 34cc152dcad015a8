"""The options that the commands for RAG share: the corpus, the evidence in it, the measures, and the table."""

from __future__ import annotations

import argparse

from ..options import InputPath, OutputPath, add_errors, add_measures, add_table_output


def add_evidence(parser: argparse.ArgumentParser) -> None:
    """Add the options that name a corpus and the evidence in it."""
    parser.add_argument(
        "--corpus",
        required=True,
        metavar="DIR",
        type=InputPath,
        help="documents: a folder of text files, a text file, or a file of JSON lines",
    )
    parser.add_argument(
        "--evidence",
        required=True,
        metavar="FILE",
        type=InputPath,
        help="questions with the passages that answer them, as spans or quotes (CSV, JSON, ...)",
    )
    add_errors(parser, "evidence that is not found in the corpus")
    parser.add_argument(
        "--repeated",
        choices=("report", "first", "all", "any"),
        default="report",
        help="what to do with texts that occur more than once in the corpus: refuse such evidence, and count such "
        "retrieved texts as not relevant (report), or take the first occurrence, all, or any of them (default: report)",
    )


def add_table(parser: argparse.ArgumentParser) -> None:
    """Add the options of the measures, the table and the plot."""
    add_measures(parser, "whether the evidence was found, and how much at budgets")
    add_table_output(parser)
    parser.add_argument(
        "--plot", metavar="FILE", type=OutputPath, help="draw recall against the amount of text read (extra [plots])"
    )
