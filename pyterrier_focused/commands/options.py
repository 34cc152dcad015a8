"""Arguments that several commands share, each with one meaning, and what becomes of them."""

from __future__ import annotations

import argparse

from ..collection.corpora import as_collection
from ..frames.articles import ArticleCollection

# Articles, as every command takes them
CORPUS = (
    "a collection, a folder or file of text, Markdown, HTML or XML, a dump of Wikipedia, or records in JSON, CSV or "
    "Parquet"
)


def parse_count(text: str) -> int:
    """Read a whole number of at least 1."""
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def add_collection(parser: argparse._ActionsContainer, purpose: str) -> None:
    parser.add_argument("--collection", metavar="PATH", help=f"the articles, {purpose}: {CORPUS}")


def open_collection(path: str | None) -> ArticleCollection | None:
    """Open a collection, or make one of what a path names, if one is given."""
    return as_collection(path) if path else None


def add_topics(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--topics", metavar="FILE", help="topics: INEX XML, or a table (CSV, TSV, JSON lines) with qid and query"
    )


def add_measures(parser: argparse._ActionsContainer, default: str) -> None:
    parser.add_argument("-m", "--measures", metavar="NAMES", help=f"measures, separated by blanks (default: {default})")


def add_output(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("-o", "--output", metavar="FILE", help="write the table to this file, .csv or .tsv")


def add_qrels_and_runs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("qrels", help="judgments: INEX or TREC qrels, or evidence as CSV or JSON lines")
    parser.add_argument("runs", nargs="+", metavar="run", help="a run: lines with offsets or paths, INEX XML, or TREC")


def add_overlap(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--overlap", choices=("error", "once"), default="error",
        help="passages that overlap are an error, or count once (default: error)",
    )  # fmt: skip


def add_missing(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--missing",
        choices=("raise", "official"),
        default="raise",
        help="passages that do not exist, such as X X in FOL runs, are an error, or 18 characters that are not "
        "relevant, as for the official INEX tool (default: raise)",
    )


def add_errors(parser: argparse._ActionsContainer, faulty: str) -> None:
    parser.add_argument(
        "--errors",
        choices=("raise", "skip"),
        default="raise",
        help=f"stop at {faulty}, or leave them out and count them (default: raise)",
    )
