"""`pt-focused convert`: runs and qrels from one format to another, telling what the new one cannot hold."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..errors import FormatError
from ..frames import flatten
from ..io import CAMPAIGNS, QRELS_FORMATS, RUN_FORMATS, read_qrels, read_run, tell_run_format, write_qrels, write_run
from ..io.files import open_binary

if TYPE_CHECKING:
    import pandas as pd

_TABLES = {"runs": RUN_FORMATS, "qrels": QRELS_FORMATS}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("input", metavar="INPUT", help="run (or qrels, with --qrels) to read; .gz, .bz2")
    parser.add_argument("output", metavar="OUTPUT", help="file to write; .gz, .bz2 are compressed")
    parser.add_argument("--qrels", action="store_true", help="convert qrels, not a run")
    parser.add_argument("--from", dest="read", default="auto", metavar="FORMAT", help="format of INPUT (found out)")
    parser.add_argument("--to", dest="write", metavar="FORMAT", help="format of OUTPUT (fol; inex for qrels)")
    parser.add_argument(
        "--collection", metavar="DIR", help="collection: paths to offsets and back, bytes to characters"
    )
    parser.add_argument("--unit", choices=("auto", "characters", "bytes"), default="auto", help="what offsets count")
    parser.add_argument("--errors", choices=("raise", "skip"), default="raise", help="what becomes of bad lines")
    parser.add_argument(
        "--missing", choices=("raise", "official"), default="raise", help="and of parts that do not exist"
    )
    parser.add_argument("--order", choices=("passages", "articles"), default="passages", help="order of a run's file")
    parser.add_argument("--tag", help="name of the run (its own)")
    known = (f"  {kind:6} {name:9} {entry[2]}" for kind, table in _TABLES.items() for name, entry in table.items())
    parser.epilog = "formats:\n" + "\n".join(known)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter


def run(arguments: argparse.Namespace) -> int:
    collection: Any = None
    if arguments.collection:
        from ..collection import Collection

        collection = Collection(arguments.collection)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", UserWarning)
        rows = (_qrels if arguments.qrels else _run)(arguments, collection)
    for warning in told:
        print(f"pt-focused convert: note: {warning.message}", file=sys.stderr)
    print(f"{arguments.output}: {rows} {'judgments' if arguments.qrels else 'results'}")
    return 0


def _qrels(arguments: argparse.Namespace, collection: Any) -> int:
    options = {"collection": collection, "unit": arguments.unit, "errors": arguments.errors}
    qrels = read_qrels(arguments.input, arguments.read, **options)
    write_qrels(qrels, arguments.output, arguments.write or "inex")
    return len(qrels)


def _run(arguments: argparse.Namespace, collection: Any) -> int:
    write = arguments.write or "fol"
    with open_binary(arguments.input) as stream:
        try:
            read = tell_run_format(stream, arguments.input) if arguments.read == "auto" else arguments.read
        except FormatError as error:
            raise ValueError(f"{error}; --qrels converts qrels") from error
    known = {"collection": collection, "unit": arguments.unit, "errors": arguments.errors, "missing": arguments.missing}
    run = read_run(arguments.input, read, **known, file_fields=read not in ("trec", *CAMPAIGNS))
    for loss in _losses(run, read, write):
        warnings.warn(loss, stacklevel=2)
    options: dict[str, Any] = {"tag": arguments.tag}
    if write != "trec":
        options["order"] = arguments.order
    if write in ("inex-xml", "paths"):
        options["collection"] = collection
    write_run(run, arguments.output, write, **options)
    return len(flatten(run["passages"]).row)


def _losses(run: pd.DataFrame, read: str, write: str) -> Iterator[str]:
    """What the new file does not say any more, beyond what its writer tells itself."""
    if read == "inex-xml" and write != "inex-xml":
        attributes = ", ".join(name for name in run.attrs["submission"] if name != "run-id")
        yield f"not in the new file: {attributes}, the run's description and topic fields"
    if read in ("paths", "inex-xml") and write == "fol":
        yield "element paths, where there were any, are offsets in the new file"
    if read == "trec" and write != "trec":
        yield "each article of the TREC run has become one part, its whole text"
    if "file_rank" in run.columns and write != "trec":
        ranks = run["file_rank"].explode().astype(int)
        ranks = ranks[ranks >= 0]
        topics = ranks.groupby(run["qid"].loc[ranks.index].to_numpy())
        if any(sorted(own) != list(range(1, len(own) + 1)) for _, own in topics):
            yield "the old file's ranks did not count 1, 2, 3 ... in each topic; the new file's do"
