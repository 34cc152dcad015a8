"""`pt-focused convert`: runs and qrels from one format to another."""

from __future__ import annotations

import argparse
import re
import warnings
from collections.abc import Iterator
from typing import Any

import pandas as pd

from ...errors import FormatError, LossWarning
from ...frames import Spans
from ...frames.articles import ArticleCollection
from ...frames.columns import flatten
from ...io import Format, known_formats, read_qrels, read_run, tell_format, write_qrels, write_run
from ...io.formats import Kind
from ..messages import say
from ..options import add_collection, add_errors, add_missing, open_collection

_SUBMISSION = ("participant-id", "task", "query", "result-type")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "input",
        help="file to read: a run, or qrels with --qrels; may be compressed (.gz, .bz2)",
    )
    parser.add_argument(
        "output",
        help="file to write; it is compressed if its name ends in .gz or .bz2",
    )
    parser.add_argument("--qrels", action="store_true", help="the input is a file of qrels, not a run")
    tables = {"runs": known_formats("run"), "qrels": known_formats("qrels")}
    formats = ("auto", *dict.fromkeys(name for table in tables.values() for name in table))
    written = [format.name for table in tables.values() for format in table.values() if format.write]
    parser.add_argument(
        "--from",
        dest="read",
        default="auto",
        choices=formats,
        metavar="FORMAT",
        help="format of the input (default: detected)",
    )
    parser.add_argument(
        "--to",
        dest="write",
        choices=tuple(dict.fromkeys(written)),
        metavar="FORMAT",
        help="format of the output (default: from the ending of its name, see below)",
    )
    parser.add_argument(
        "--lossy",
        action="store_true",
        help="write the output even if its format has no place for the passages, highlights or best entry points",
    )
    parser.add_argument("--tag", help="name of the run in the output (default: its name in the input)")
    _add_options(parser)
    lines = (_describe_format(kind, format) for kind, table in tables.items() for format in table.values())
    parser.epilog = "formats (FOL: file, offset, length):\n" + "\n".join(lines)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter


def _describe_format(kind: str, format: Format) -> str:
    endings = ", ".join(f".{ending}" for ending in format.endings if ending)
    return f"  {kind:6} {format.name:12} {format.layout}" + (f" ({endings})" if endings else "")


def _add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how to read and what to write, other than the formats."""
    add_collection(parser, "to convert element paths into offsets and back, and bytes into characters")
    parser.add_argument(
        "--unit",
        choices=("auto", "characters", "bytes"),
        default="auto",
        help="unit of the offsets in the input (default: detected with --collection, characters without it)",
    )
    add_errors(parser, "lines that cannot be read")
    add_missing(parser)
    parser.add_argument(
        "--order",
        choices=("passages", "articles"),
        default="passages",
        help="order of the results in the output: the ranking of passages, or article by article (default: passages)",
    )
    parser.add_argument(
        "--passage-ids", action="store_true", help="for trec: write a line per passage, with docno ARTICLE#START-END"
    )
    for name in _SUBMISSION:
        default = "the kind of its results" if name == "result-type" else "that of the input"
        parser.add_argument(
            f"--{name}", metavar="VALUE", help=f"for inex-xml: value of the attribute {name} (default: {default})"
        )


def run(arguments: argparse.Namespace) -> int:
    kind: Kind = "qrels" if arguments.qrels else "run"
    write = _format_to_write(arguments, kind)
    if arguments.read not in ("auto", *known_formats(kind)):
        names = ", ".join(known_formats(kind))
        raise ValueError(f"--from {arguments.read}: {'qrels' if arguments.qrels else 'runs'} are read as {names}")
    collection = open_collection(arguments)
    with warnings.catch_warnings():
        if not arguments.lossy:
            warnings.simplefilter("error", LossWarning)
        try:
            rows = (_convert_qrels if arguments.qrels else _convert_run)(arguments, collection, write)
        except LossWarning as loss:
            raise ValueError(f"{arguments.output} is not written: {loss}; --lossy writes it all the same") from None
    say(f"{arguments.output}: {rows} {'judgments' if arguments.qrels else 'results'}")
    return 0


def choose_format(output: str, to: str | None, kind: Kind, advice: str = "") -> str:
    """Return the format to write: *to*, or as the ending of the output's name says. Raises ValueError if neither does.

    advice: what else can be done about a name that says none.
    """
    table = known_formats(kind)
    writable = [format.name for format in table.values() if format.write]
    if to is not None:
        if to not in writable:
            raise ValueError(f"--to {to}: {'runs' if kind == 'run' else kind} are written as {', '.join(writable)}")
        return to
    endings = {ending: format.name for format in table.values() for ending in format.endings}
    name = re.sub(r"\.(gz|bz2)$", "", output.rsplit("/", 1)[-1])
    ending = name.rsplit(".", 1)[1].lower() if "." in name[1:] else ""
    if ending not in endings:
        raise ValueError(
            f"{output}: cannot tell the format from '.{ending}'; add --to FORMAT, one of {', '.join(writable)}{advice}"
        )
    return endings[ending]


def _format_to_write(arguments: argparse.Namespace, kind: Kind) -> str:
    """Return the format of the output. Raises ValueError if nothing says it, or it does not hold what was given."""
    advice = "" if arguments.qrels else ", or --qrels if the input holds judgments"
    write = choose_format(arguments.output, arguments.write, kind, advice)
    attributes = [f"--{name}" for name in _read_attributes(arguments)]
    if attributes and write != "inex-xml":
        raise ValueError(f"{', '.join(attributes)}: only for --to inex-xml; the format {write} does not hold it")
    if arguments.passage_ids and write != "trec":
        raise ValueError(f"--passage-ids: only for --to trec, not for {write}")
    return write


def _read_attributes(arguments: argparse.Namespace) -> dict[str, str]:
    values = {name: getattr(arguments, name.replace("-", "_")) for name in _SUBMISSION}
    return {name: value for name, value in values.items() if value is not None}


def _convert_qrels(arguments: argparse.Namespace, collection: ArticleCollection | None, write: str) -> int:
    options = {"collection": collection, "unit": arguments.unit, "errors": arguments.errors}
    qrels = read_qrels(arguments.input, arguments.read, **options, documents=write == "trec" and collection is None)
    write_qrels(qrels, arguments.output, write, collection=collection)
    return len(qrels)


def _convert_run(arguments: argparse.Namespace, collection: ArticleCollection | None, write: str) -> int:
    read = arguments.read
    if read == "auto":
        try:
            read = tell_format(arguments.input, "run").name
        except FormatError as error:
            raise ValueError(f"{error}; --qrels converts qrels") from error
    reading = {"collection": collection, "unit": arguments.unit}
    reading |= {"errors": arguments.errors, "missing": arguments.missing}
    documents = write == "trec" and not arguments.passage_ids
    file_fields = "file_fields" in known_formats("run")[read].read_options
    run = read_run(arguments.input, read, **reading, file_fields=file_fields, documents=documents)
    for loss in _list_losses(run, read, write):
        warnings.warn(loss, stacklevel=2)
    options: dict[str, Any] = {
        "tag": arguments.tag,
        "passage_ids": arguments.passage_ids,
        "order": arguments.order,
        "collection": collection,
        "submission": _read_attributes(arguments),
    }
    own_options = known_formats("run")[write].write_options
    write_run(run, arguments.output, write, **{name: value for name, value in options.items() if name in own_options})
    return len(run) if documents else len(_flatten_passages(run).row)


def _flatten_passages(run: pd.DataFrame) -> Spans:
    return flatten(run["passages"], "passages", run)


def _list_losses(run: pd.DataFrame, read: str, write: str) -> Iterator[str]:
    """Yield what the new file does not hold any more, other than what its writer reports."""
    if read == "inex-xml":
        attributes = [name for name in run.attrs["submission"] if name != "run-id"]
        lost = [*attributes, *(f"<{tag}>" for tag in run.attrs["submission_elements"])]
        if write == "inex-xml":
            lost = [tag for tag in lost if tag == "<in>"]
        if lost:
            yield f"not in the new file: {', '.join(lost)}"
    if read in ("paths", "inex-xml") and write == "fol":
        yield "element paths, where there were any, are offsets in the new file"
    if read == "trec" and write != "trec" and _flatten_passages(run).score is None:
        yield "each article of the TREC run has become one passage, its whole text"
    if "file_rank" in run.columns and write != "trec":
        ranks = run["file_rank"].explode().astype(int)
        ranks = ranks[ranks >= 0]
        topics = ranks.groupby(run["qid"].loc[ranks.index].to_numpy())
        if any(sorted(of_topic) != list(range(1, len(of_topic) + 1)) for _, of_topic in topics):
            yield "the old file's ranks did not count 1, 2, 3 ... in each topic; the new file's do"
