"""The options that the commands for RAG share: the corpus, the evidence in it, the measures, and the table."""

from __future__ import annotations

import argparse
import sys
import textwrap
from typing import TYPE_CHECKING

from ...collection import read_corpus
from ...evaluation import expand_presets, parse
from ...rag.score import describe_counting
from ..options import CORPUS, add_errors, add_measures, add_table_output
from ..tables import DIGITS, format_table, tell_format, write_text

if TYPE_CHECKING:
    import pandas as pd
    from ir_measures import Measure

    from ...collection.corpora import Corpus
    from ...rag import RetrievedEvaluation


def add_evidence(parser: argparse.ArgumentParser, required: bool = True) -> None:
    parser.add_argument("--corpus", required=True, metavar="PATH", help=f"the documents: {CORPUS}")
    parser.add_argument(
        "--suffixes",
        metavar="ENDINGS",
        help="endings of the files in a folder that are documents, such as .py,.md (default: all that can be read, but "
        "JSON, CSV and Parquet beside texts)",
    )
    parser.add_argument(
        "--evidence",
        required=required,
        metavar="FILE",
        help="questions with the passages that answer them, as spans or quotes (CSV, JSON, ...)",
    )
    parser.add_argument(
        "--pages-from",
        type=int,
        choices=(0, 1),
        help="what a field 'page' counts from (default: 1, unless a page 0 or its metadata shows otherwise)",
    )
    add_errors(parser, "evidence that is not found in the corpus")
    parser.add_argument(
        "--repeated",
        choices=("report", "first", "all", "any"),
        default="report",
        help="what to do with texts that occur more than once in the corpus: refuse such evidence, and count such "
        "retrieved texts as not relevant (report), or take the first occurrence, all, or any of them (default: report)",
    )


def choose_corpus(arguments: argparse.Namespace) -> Corpus:
    """Return the corpus, of a folder the files that were chosen."""
    if arguments.suffixes is None:
        return str(arguments.corpus)
    return read_corpus(arguments.corpus, arguments.suffixes.lower().split(","))


def add_table(parser: argparse.ArgumentParser) -> None:
    add_measures(parser, "whether the evidence was found, how much, with how much else, and at which rank")
    add_table_output(parser)
    parser.add_argument("--plot", metavar="FILE", help="draw recall against the amount of text read (extra [plots])")


def parse_measures(arguments: argparse.Namespace) -> list[Measure] | None:
    """Return the measures that were asked for, with presets expanded; None for the default ones."""
    return None if arguments.measures is None else parse(expand_presets(arguments.measures))


def write_result(result: RetrievedEvaluation, table: pd.DataFrame, arguments: argparse.Namespace) -> None:
    """Write the table of a result; for readers, notes on counting, intervals and verdicts follow."""
    text = format_table(table, arguments)
    notes = "".join(f"{_wrap_line(note)}\n" for note in describe_counting(result.measures))
    if tell_format(arguments) in ("table", "markdown"):
        text += f"\n{notes}" if notes else ""
        if result.measures:
            intervals = result.format_intervals(DIGITS if arguments.places is None else arguments.places)
            title = f"{result.confidence:.0%} intervals"
            text += f"\n{format_table(intervals.rename(columns={'name': title}), arguments)}"
    else:
        sys.stderr.write(notes)
    write_text(text, arguments)


def _wrap_line(text: str) -> str:
    return textwrap.fill(text, 88, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
