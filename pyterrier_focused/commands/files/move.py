"""`pt-focused move`: qrels of a text for another text of the same documents."""

from __future__ import annotations

import argparse
import warnings

from ...errors import LossWarning
from ...io import known_formats, move_qrels, read_qrels, tell_format, write_qrels
from ...texts.as_collection import as_collection
from ..messages import say
from ..options import CORPUS, add_errors
from ..tables import write_table
from .convert import choose_format


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("qrels", help="file of judgments or evidence, in any format")
    parser.add_argument("old", help=f"the texts that they were made on: {CORPUS}")
    parser.add_argument("new", help="the texts that they are to be for, in the same ways")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="file to write the moved qrels to")
    writable = [format.name for format in known_formats("qrels").values() if format.write]
    parser.add_argument(
        "--to", choices=writable, metavar="FORMAT",
        help=f"format of FILE: {', '.join(writable)} (default: from the ending of its name)",
    )  # fmt: skip
    add_errors(parser, "highlights that are lost")
    parser.add_argument(
        "--table", metavar="FILE",
        help="also write what became of each highlight: a table in .tsv, .csv, .jsonl, .md or .tex",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    write = choose_format(arguments.output, arguments.to, "qrels")
    old = as_collection(arguments.old)
    new = as_collection(arguments.new)
    takes_collection = "collection" in tell_format(arguments.qrels, "qrels").read_options
    qrels = read_qrels(arguments.qrels, collection=old if takes_collection else None)
    moved = move_qrels(qrels, old, new, errors=arguments.errors)
    with warnings.catch_warnings():
        warnings.simplefilter("error", LossWarning)
        try:
            write_qrels(moved.qrels, arguments.output, write, collection=new)
        except LossWarning as loss:
            raise ValueError(f"{arguments.output} is not written: {loss}; choose another format with --to") from None
    if arguments.table:
        to_file = argparse.Namespace(output=arguments.table, format=None, places=None)
        write_table(list(moved.table.columns), moved.table.itertuples(index=False, name=None), to_file)
    count = moved.table["status"].value_counts()
    counts = ", ".join(f"{count.get(status, 0)} {status}" for status in ("moved", "partly", "lost"))
    say(f"{arguments.output}: {len(moved.qrels)} judgments; highlights: {counts}")
    return 0
