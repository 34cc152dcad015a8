"""`pt-focused build`: a collection from Wikipedia."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ... import collection
from ...errors import BuildError
from ..messages import say
from ..options import SOURCES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", help=SOURCES)
    parser.add_argument(
        "path",
        help="folder for the new collection; if it has an unfinished build, that build is continued",
    )
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="number of local processes (default: 1)")
    parser.add_argument(
        "--engine",
        choices=("local", "ray"),
        default="local",
        help="where to build: on this machine, or on the Ray cluster at $RAY_ADDRESS (default: local)",
    )
    parser.add_argument(
        "--report",
        action="store_true",
        help="after the build, print what was left out of the text, by kind and template, and how often",
    )
    parser.add_argument(
        "--max-rejected",
        type=float,
        default=0.01,
        metavar="SHARE",
        help="the build fails if more than this share of the articles is rejected (default: 0.01)",
    )
    _add_reading_options(parser.add_argument_group("how the source is read"))
    _add_text_options(parser.add_argument_group("what becomes text"))
    _add_xml_options(parser.add_argument_group("XML of other kinds"))


def _add_reading_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--from",
        dest="source_format",
        choices=("auto", "mediawiki", "html", "inex", "text", "records"),
        default="auto",
        help="kind of source (default: detected)",
    )
    group.add_argument(
        "--id-from",
        metavar="XPATH",
        default="auto",
        help="where to find the id of an article in XML: 'file' (the file's name), 'path' (its folders, too), an "
        "XPath such as header/id, or 'auto', which tries header/id, then the id of name, then the file's name "
        "(default: auto)",
    )
    group.add_argument(
        "--docno",
        choices=("id", "title"),
        default="id",
        help="use the number of a MediaWiki page as its docno, or its title (default: id, the number)",
    )
    group.add_argument(
        "--language",
        default="",
        metavar="CODE",
        help="language of the dump, such as de (default: the language that the dump names)",
    )
    group.add_argument(
        "--namespaces",
        type=int,
        nargs="+",
        metavar="N",
        help="take the pages of these namespaces of a dump, given by number (default: 0, the articles)",
    )


def _add_xml_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--profile",
        metavar="KIND",
        default="",
        help="kind of XML that all files are read as (default: what each file says that it is)",
    )
    group.add_argument(
        "--record",
        default="",
        metavar="XPATH",
        help="the elements that are articles, if a file has several; names without a prefix match in any namespace",
    )
    group.add_argument(
        "--title-from", default=(), nargs="+", metavar="XPATH", help="where titles are, relative to the record"
    )
    group.add_argument("--heading-tags", default=(), nargs="+", metavar="TAG", help="the tags of headings")
    group.add_argument(
        "--attributes", default=(), nargs="+", metavar="NAME", help="attributes to keep, for index --elements"
    )
    group.add_argument(
        "--spaces",
        choices=("source", "blocks", "even"),
        default="",
        help="'blocks' puts a space where a block ends without one, 'even' makes one space of longer white space, too "
        "(default: source for INEX, even for TEI, else blocks)",
    )
    group.add_argument(
        "--entity",
        action="append",
        default=[],
        metavar="NAME=TEXT",
        help="what an entity of a DTD stands for; those of HTML are known; may be given several times",
    )


def _add_text_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--drop",
        nargs="+",
        default=(),
        metavar="WHAT",
        help="leave these out of the text: table, caption, figure, math",
    )
    group.add_argument("--infobox", action="store_true", help="keep infoboxes, as rows of label and value")
    group.add_argument(
        "--template",
        action="append",
        default=[],
        metavar="NAME=PATTERN",
        help="text that replaces a template, such as 'ship={1} ({2})'; may be given several times",
    )


def run(arguments: argparse.Namespace) -> int:
    try:
        built = collection.Collection.build(
            arguments.source,
            arguments.path,
            format=arguments.source_format,
            workers=arguments.workers,
            engine=arguments.engine,
            docno=arguments.docno,
            id_from=arguments.id_from,
            language=arguments.language,
            namespaces=arguments.namespaces,
            templates=_read_pairs(arguments.template, "--template", "ship={1} ({2})") or {},
            drop=tuple(arguments.drop),
            infobox=arguments.infobox,
            profile=arguments.profile,
            record=arguments.record,
            title_from=tuple(arguments.title_from),
            heading_tags=tuple(arguments.heading_tags),
            entities=_read_pairs(arguments.entity, "--entity", "product=Widget"),
            attributes=tuple(arguments.attributes),
            spaces=arguments.spaces,
            max_rejected=arguments.max_rejected,
            verbose=sys.stderr.isatty(),
        )
    except BuildError as error:
        say(f"pt-focused build: {error}", file=sys.stderr)
        return 1
    meta = built.meta
    errors = f" (see {Path(arguments.path).absolute() / 'errors.jsonl'})" if meta["rejected"] else ""
    # On a terminal the count is below the bar.
    if not sys.stderr.isatty():
        print(f"{meta['articles']:,} articles, {meta['elements']:,} elements, {meta['rejected']:,} rejected{errors}")
        if kinds := collection.describe_kinds(meta["xml"].get("kinds", {})):
            print(kinds)
    if arguments.report:
        print(built.report().to_csv(sep="\t", index=False), end="")
    return 0


def _read_pairs(entries: list[str], option: str, example: str) -> dict[str, str]:
    """Return the values of an option that is given as NAME=VALUE, by their names."""
    pairs = {}
    for entry in entries:
        name, equals, value = entry.partition("=")
        if not equals or not name.strip():
            raise ValueError(f"{option} {entry!r}: give a name and what it stands for, as in {example!r}")
        pairs[name] = value
    return pairs
