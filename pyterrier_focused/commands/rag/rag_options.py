"""The options that the commands for RAG share: the corpus, the evidence in it, the measures, and the table."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ... import io
from ...evaluation import expand_presets, parse
from ...evaluation.rag.counting import describe_counting
from ..options import CORPUS, InputPath, OutputPath, add_errors, add_measures, add_table_output
from ..tables import format_table, tell_format, write_text

if TYPE_CHECKING:
    import pandas as pd
    from ir_measures import Measure

    from ...io.texts.corpus import Corpus


def add_evidence(parser: argparse.ArgumentParser) -> None:
    """Add the options that name a corpus and the evidence in it."""
    parser.add_argument(
        "--corpus",
        required=True,
        metavar="PATH",
        type=InputPath,
        help=f"the documents: {CORPUS}",
    )
    parser.add_argument(
        "--suffixes",
        metavar="ENDINGS",
        help="endings of the files in a folder that are documents, such as .py,.md (default: all that can be read, but "
        "JSON, CSV and Parquet beside texts)",
    )
    parser.add_argument(
        "--evidence",
        required=True,
        metavar="FILE",
        type=InputPath,
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
    return io.read_corpus(arguments.corpus, arguments.suffixes.lower().split(","))


def add_table(parser: argparse.ArgumentParser) -> None:
    """Add the options of the measures, the table and the plot."""
    add_measures(parser, "whether the evidence was found, how much, with how much else, and at which rank")
    add_table_output(parser)
    parser.add_argument(
        "--plot", metavar="FILE", type=OutputPath, help="draw recall against the amount of text read (extra [plots])"
    )


def parse_measures(arguments: argparse.Namespace) -> list[Measure] | None:
    """Return the measures that were asked for, with presets expanded; None for the default ones."""
    return None if arguments.measures is None else parse(expand_presets(arguments.measures))


def write_result(
    table: pd.DataFrame,
    measures: Sequence[Measure],
    arguments: argparse.Namespace,
    intervals: pd.DataFrame | None = None,
) -> None:
    """Write the table of a result; for readers, what its names do not say and the intervals follow."""
    text = _format_frame(table, arguments)
    notes = "".join(f"{note}\n" for note in describe_counting(measures))
    if tell_format(arguments) in ("table", "markdown"):
        text += f"\n{notes}" if notes else ""
        text += "" if intervals is None else f"\n{_format_frame(intervals, arguments)}"
    else:
        sys.stderr.write(notes)
    write_text(text, arguments)


def _format_frame(frame: pd.DataFrame, arguments: argparse.Namespace) -> str:
    return format_table(list(frame.columns), frame.astype(object).values.tolist(), arguments)
