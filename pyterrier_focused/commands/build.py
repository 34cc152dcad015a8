"""`pt-focused build`: a collection from Wikipedia."""

from __future__ import annotations

import argparse
import sys


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "source",
        help="a MediaWiki dump (.xml, .xml.bz2), HTML of MediaWiki (.ndjson, .tar.gz, .zim, a folder of .html), or "
        "article XML: a file, a folder or a tar archive",
    )
    parser.add_argument("path", help="the folder of the collection; an unfinished build in it is continued")
    parser.add_argument(
        "--format",
        choices=("auto", "mediawiki", "html", "inex"),
        default="auto",
        help="kind of source (default: detected)",
    )
    parser.add_argument("--workers", type=int, default=1, help="how many local processes build (default 1)")
    parser.add_argument(
        "--engine", choices=("local", "ray"), default="local", help="ray: build on the Ray cluster of RAY_ADDRESS"
    )
    parser.add_argument(
        "--id-from",
        default="auto",
        help="where article XML has its id: 'auto', 'file' (the file's name), or an XPath such as header/id",
    )
    parser.add_argument(
        "--language", default="", metavar="CODE", help="language of a dump whose own data names none or a wrong one"
    )
    parser.add_argument(
        "--namespaces",
        type=int,
        nargs="+",
        metavar="N",
        help="numbers of the namespaces of a dump whose pages are taken (default 0, the articles)",
    )
    parser.add_argument(
        "--drop", nargs="+", default=(), metavar="WHAT", help="leave these out of the text: table, caption, math"
    )
    parser.add_argument("--infobox", action="store_true", help="keep information boxes, as rows of label and value")
    parser.add_argument(
        "--template",
        action="append",
        default=[],
        metavar="NAME=PATTERN",
        help="what a template shows in the text, as in 'ship={1} ({2})'; may be repeated",
    )
    parser.add_argument(
        "--report",
        action="store_true",
        help="print which templates were left out of sentences, and how often, when the build has ended",
    )
    parser.add_argument(
        "--max-rejected",
        type=float,
        default=0.01,
        metavar="SHARE",
        help="largest share of articles that may be rejected before the build counts as failed (default 0.01)",
    )


def run(arguments: argparse.Namespace) -> int:
    from ..collection import Collection
    from ..errors import BuildError

    try:
        collection = Collection.build(
            arguments.source,
            arguments.path,
            format=arguments.format,
            workers=arguments.workers,
            engine=arguments.engine,
            id_from=arguments.id_from,
            language=arguments.language,
            namespaces=arguments.namespaces,
            templates=_templates(arguments.template),
            drop=tuple(arguments.drop),
            infobox=arguments.infobox,
            max_rejected=arguments.max_rejected,
        )
    except BuildError as error:
        print(f"pt-focused build: {error}", file=sys.stderr)
        return 1
    if arguments.report:
        print(collection.report().to_csv(sep="\t", index=False), end="")
    return 0


def _templates(given: list[str]) -> dict[str, str]:
    """Return the patterns of `--template NAME=PATTERN`."""
    templates = {}
    for entry in given:
        name, equals, pattern = entry.partition("=")
        if not equals or not name.strip():
            raise ValueError(f"--template {entry!r}: give NAME=PATTERN, as in 'ship={{1}} ({{2}})'")
        templates[name] = pattern
    return templates
