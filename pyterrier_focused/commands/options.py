"""Arguments that several commands share, each with one meaning, and the paths that a command reads and writes."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, combinations

from ..frames.articles import ArticleCollection
from ..reading.files import is_same_file
from ..texts.as_collection import as_collection

# Sources of `build`.
SOURCES = (
    "a folder or file of text, Markdown, code, HTML or XML, a dump of Wikipedia (MediaWiki, Enterprise or ZIM), an "
    "archive of these, or JSON lines with docno and text"
)
# Articles, as every command takes them.
CORPUS = f"a collection; {SOURCES}; or records in JSON, CSV or Parquet"
TABLE_FORMATS = ("table", "tsv", "csv", "jsonl", "markdown", "latex")


class InputPath(str):
    """A path that a command reads; `-` is standard input, and `shown` what was typed."""

    @property
    def shown(self) -> str:
        return str(self)


class SpooledInput(InputPath):
    @property
    def shown(self) -> str:
        return "-"


class OutputPath(str):
    """A path that a command writes."""


def parse_count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def add_qrels_and_runs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "qrels",
        type=InputPath,
        help="file with relevance judgments: INEX or TREC qrels, or evidence as CSV or JSON lines; - is standard input",
    )
    parser.add_argument(
        "runs",
        nargs="+",
        metavar="run",
        type=InputPath,
        help="file with a run: INEX FOL (FOL: file, offset, length), INEX XML, paths or TREC; - is standard input",
    )


def add_collection(parser: argparse._ActionsContainer, purpose: str) -> None:
    parser.add_argument("--collection", metavar="DIR", type=InputPath, help=f"the articles, {purpose}: {CORPUS}")


def open_collection(arguments: argparse.Namespace) -> ArticleCollection | None:
    """Open the collection that `--collection` names, or make one of what it names, if it is given."""
    return as_collection(arguments.collection) if arguments.collection else None


def add_topics(parser: argparse._ActionsContainer, purpose: str) -> None:
    parser.add_argument(
        "--topics",
        metavar="FILE",
        type=InputPath,
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
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=OutputPath, help="write the table to a file (default: standard output)"
    )
    parser.add_argument(
        "--format",
        choices=TABLE_FORMATS,
        help="format of the table (default: from the ending of the output's name: .tsv, .csv, .jsonl, .md, .tex; else "
        "table, which is for reading and fits the terminal)",
    )
    parser.add_argument(
        "-p",
        "--places",
        type=int,
        metavar="N",
        help="decimal places (default: 4 in table, markdown and latex, all digits in tsv, csv and jsonl)",
    )


def find_ending(path: str, known: Iterable[str]) -> str:
    """Return the ending of a path, which names the format to write. Raises ValueError for an unknown one."""
    ending = os.path.splitext(path)[1].lower()
    if ending not in known:
        raise ValueError(f"{path}: {ending} tells no format; the endings are {', '.join(filter(None, known))}")
    return ending


def file_ending_in(*endings: str) -> Callable[[str], OutputPath]:
    """Return the type of an argument: a file to write, whose name has one of these endings or none."""

    def read(path: str) -> OutputPath:
        try:
            find_ending(path, ("", *endings))
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None
        return OutputPath(path)

    return read


@contextmanager
def ready_paths(arguments: argparse.Namespace) -> Iterator[dict[str, str]]:
    """Check the paths of a command before anything is opened, and put standard input, if asked for, into a file.

    Yields the paths that messages should show under another name. Raises ValueError if a file that the command
    writes is one that it reads, or is written twice.
    """
    lists = [value if isinstance(value, list) else [value] for value in vars(arguments).values()]
    values = list(chain.from_iterable(lists))
    inputs = [value for value in values if isinstance(value, InputPath)]
    outputs = [value for value in values if isinstance(value, OutputPath)]
    _refuse_overwriting(inputs, outputs)
    if "-" not in inputs:
        yield {}
        return
    if inputs.count(InputPath("-")) > 1:
        raise ValueError("- (standard input) can be given for one file only")
    if sys.stdin is None:
        raise ValueError("- is standard input, which is closed; give a file, or a command's output by |")
    with tempfile.TemporaryDirectory(prefix="pt-focused-") as folder:
        spooled = SpooledInput(os.path.join(folder, "standard-input"))
        with open(spooled, "wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        for name, value in vars(arguments).items():
            if isinstance(value, list):
                setattr(arguments, name, [_replace_stdin(entry, spooled) for entry in value])
            else:
                setattr(arguments, name, _replace_stdin(value, spooled))
        yield {str(spooled): spooled.shown}


def _replace_stdin(value: object, spooled: SpooledInput) -> object:
    return spooled if isinstance(value, InputPath) and value == "-" else value


def _refuse_overwriting(inputs: list[InputPath], outputs: list[OutputPath]) -> None:
    for output in outputs:
        for path in inputs:
            if path != "-" and is_same_file(output, path):
                raise ValueError(f"{output}: this file is also read ({path}); write to another file")
            # A name without an ending is that of a folder.
            is_file = os.path.splitext(output)[1] and not os.path.isdir(output)
            if os.path.isdir(path) and is_file and _lies_in(output, path):
                raise ValueError(f"{output}: this file lies in the folder {path}, which is read; write it elsewhere")
    for output, other in combinations(outputs, 2):
        if is_same_file(output, other):
            raise ValueError(f"{output}: this file would be written twice; give each output a name of its own")


def _lies_in(path: str, folder: str) -> bool:
    real = os.path.realpath(path)
    above = os.path.realpath(folder)
    return os.path.commonpath([real, above]) == above
