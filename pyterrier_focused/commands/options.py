"""Arguments that several commands share, each with one meaning."""

from __future__ import annotations

import argparse

from ..collection.corpora import as_collection
from ..frames.articles import ArticleCollection

# Sources of `build`.
SOURCES = (
    "a folder or file of text, Markdown, code, HTML or XML, a dump of Wikipedia (MediaWiki, Enterprise or ZIM), an "
    "archive of these, or JSON lines with docno and text"
)
# Articles, as every command takes them.
CORPUS = f"a collection; {SOURCES}; or records in JSON, CSV or Parquet"
TABLE_FORMATS = ("table", "tsv", "csv", "jsonl", "markdown")


def parse_count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def add_qrels_and_runs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "qrels",
        help="file with relevance judgments: INEX or TREC qrels, or evidence as CSV or JSON lines",
    )
    parser.add_argument(
        "runs",
        nargs="+",
        metavar="run",
        help="file with a run: INEX FOL (FOL: file, offset, length), INEX XML, paths or TREC",
    )


def add_collection(parser: argparse._ActionsContainer, purpose: str) -> None:
    parser.add_argument("--collection", metavar="DIR", help=f"the articles, {purpose}: {CORPUS}")


def open_collection(arguments: argparse.Namespace) -> ArticleCollection | None:
    """Open the collection that `--collection` names, or make one of what it names, if it is given."""
    return as_collection(arguments.collection) if arguments.collection else None


def add_topics(parser: argparse._ActionsContainer, purpose: str) -> None:
    parser.add_argument(
        "--topics",
        metavar="FILE",
        help="topics: INEX XML, a table (CSV, TSV, JSON lines) with qid and query, or lines qid<tab>query" + purpose,
    )


def add_measures(parser: argparse._ActionsContainer, default: str) -> None:
    parser.add_argument(
        "-m", "--measures", metavar="MEASURES", help=f"measures, separated by blanks (default: {default})"
    )


def add_overlap(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--overlap",
        choices=("error", "once"),
        default="error",
        help="what to do if retrieved passages overlap: stop with an error, or count each character once "
        "(default: error)",
    )


def add_missing(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--missing",
        choices=("raise", "official"),
        default="raise",
        help="what to do with passages that do not exist, such as X X in FOL runs: stop with an error, or keep each as "
        "18 characters that are not relevant, as the official INEX tool does (default: raise)",
    )


def add_errors(parser: argparse._ActionsContainer, faulty: str) -> None:
    parser.add_argument(
        "--errors",
        choices=("raise", "skip"),
        default="raise",
        help=f"what to do with {faulty}: stop with an error, or skip and count them (default: raise)",
    )


def add_table_output(parser: argparse._ActionsContainer) -> None:
    """Add the options that say to which file and how a command's table is written: `-o`, `--format` and `-p`."""
    parser.add_argument("-o", "--output", metavar="FILE", help="write the table to a file (default: standard output)")
    parser.add_argument(
        "--format",
        choices=TABLE_FORMATS,
        help="format of the table (default: from the ending of the output's name: .tsv, .csv, .jsonl, .md; else "
        "table, which is for reading and fits the terminal)",
    )
    parser.add_argument(
        "-p",
        "--places",
        type=int,
        metavar="N",
        help="decimal places (default: 4 in table and markdown, all digits in tsv, csv and jsonl)",
    )
