"""`pt-focused convert`: runs and qrels from one file format to another."""

from __future__ import annotations

import argparse
import warnings
from typing import Any

from ..errors import LossWarning
from ..io import known_formats, read_qrels, read_run, tell_format, write_qrels, write_run
from ..io.formats import Kind, open_and_look
from ..rag import read_spans
from ..reading.files import plain_name
from .options import add_collection, add_errors, add_missing, open_collection
from .output import say

EXAMPLE = "pt-focused convert my.xml my.fol --collection my-collection"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("input", help="a run, or qrels with --qrels; may be compressed (.gz, .bz2)")
    parser.add_argument("output", help="file to write; compressed if its name ends in .gz or .bz2")
    parser.add_argument("--qrels", dest="is_qrels", action="store_true", help="the input is qrels")
    parser.add_argument("--from", dest="read", metavar="FORMAT", default="auto", help="of the input")
    parser.add_argument("--to", metavar="FORMAT", help="of the output (default: by its ending, see below)")
    parser.add_argument("--lossy", action="store_true", help="write even if passages, highlights or entry points go")
    parser.add_argument("--tag", help="name of the run in the output (default: its name in the input)")
    add_collection(parser, "to convert element paths into offsets and back, and bytes into characters")
    parser.add_argument("--unit", choices=("auto", "characters", "bytes"), default="auto", help="of the offsets read")
    add_errors(parser, "lines that cannot be read")
    add_missing(parser)
    parser.add_argument("--order", choices=("passages", "articles"), default="passages", help="of the results written")
    parser.add_argument("--passage-ids", action="store_true", help="for trec: a line a passage, ARTICLE#START-END")
    parser.add_argument("--submission", action="append", default=[], metavar="NAME=VALUE",
                        help="for inex-xml: an attribute, as task=Focused; may be repeated")  # fmt: skip
    lines = []
    for kind in ("run", "qrels"):
        for format in known_formats(kind).values():
            endings = " ".join(f".{ending}" for ending in format.endings if ending)
            lines.append(f"  {kind:6}{format.name:13}{endings}")
    parser.epilog = "formats, and the endings of files that are written in them:\n" + "\n".join(lines)


def run(arguments: argparse.Namespace) -> int:
    arguments.is_qrels |= arguments.read == "label-studio" or _is_annotated(arguments.input)
    kind: Kind = "qrels" if arguments.is_qrels else "run"
    to = arguments.to or _tell_by_ending(arguments.output, kind)
    collection = open_collection(arguments.collection)
    with warnings.catch_warnings():
        if not arguments.lossy:
            warnings.simplefilter("error", LossWarning)
        try:
            convert = _convert_qrels if arguments.is_qrels else _convert_run
            rows = convert(arguments, collection, to)
        except LossWarning as loss:
            raise ValueError(f"{arguments.output} is not written: {loss}; --lossy writes it all the same") from None
    say(f"{arguments.output}: {rows} {'judgments' if arguments.is_qrels else 'articles'}")
    return 0


def _is_annotated(path: str) -> bool:
    """Tell whether a file is an export of Label Studio, which has judgments only."""
    with open_and_look(path) as (_, head):
        return head.is_annotated


def _tell_by_ending(output: str, kind: Kind) -> str:
    name = plain_name(output.rsplit("/", 1)[-1])
    ending = name.rsplit(".", 1)[1].lower() if "." in name[1:] else ""
    for format in known_formats(kind).values():
        if ending in format.endings:
            return format.name
    writable = ", ".join(format.name for format in known_formats(kind).values() if format.write)
    raise ValueError(f"{output}: the ending .{ending} tells no format of a {kind}; add --to, one of {writable}")


def _convert_qrels(arguments: argparse.Namespace, collection: Any, to: str) -> int:
    if arguments.read == "auto" and collection and tell_format(arguments.input, "qrels").name == "spans":
        # These may hold quotes.
        qrels = read_spans(arguments.input, collection, errors=arguments.errors)
    else:
        options = {"collection": collection, "unit": arguments.unit, "errors": arguments.errors}
        qrels = read_qrels(arguments.input, arguments.read, **options, documents=to == "trec" and collection is None)
    write_qrels(qrels, arguments.output, to, collection=collection)
    return len(qrels)


def _convert_run(arguments: argparse.Namespace, collection: Any, to: str) -> int:
    reading = {name: getattr(arguments, name) for name in ("unit", "errors", "missing")}
    format = known_formats("run").get(arguments.read) or tell_format(arguments.input, "run")
    reading["file_fields"] = "file_fields" in format.read_options
    documents = to == "trec" and not arguments.passage_ids
    run = read_run(arguments.input, arguments.read, collection=collection, documents=documents, **reading)
    options: dict[str, Any] = {name: getattr(arguments, name) for name in ("tag", "order", "passage_ids")}
    options["submission"] = dict(pair.partition("=")[::2] for pair in arguments.submission)
    options["collection"] = collection
    known = known_formats("run").get(to)
    own = known.write_options if known else ()
    write_run(run, arguments.output, to, **{name: value for name, value in options.items() if name in own})
    return len(run)
