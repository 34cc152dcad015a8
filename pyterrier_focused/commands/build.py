"""`pt-focused build`: a collection from Wikipedia."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .. import collection
from ..errors import BuildError
from .output import say

EXAMPLE = "pt-focused build dewiki-pages-articles.xml.bz2 my-collection"
SOURCES = "a folder or file of text, Markdown, code, HTML or XML, a dump of Wikipedia, or JSON lines of texts"
# The options of `Collection.build` that are words, and those that are lists
OPTIONS = (
    ("id_from", "XPATH", "where the id of an article is in XML: an XPath, 'file' or 'path' (default: detected)"),
    ("docno", "id|title", "the docno of a MediaWiki page: its number, or its title (default: id)"),
    ("language", "CODE", "language of the dump, such as de (default: the one that it names)"),
    ("max_rejected", "SHARE", "the build fails if more articles than this are rejected (default: 0.01)"),
    ("profile", "KIND", "kind of XML that all files are read as (default: what each says)"),
    ("record", "XPATH", "the elements that are articles, if a file has several"),
    ("spaces", "RULE", "'source', 'blocks' (a space where a block ends) or 'even' (no longer white space)"),
)
LISTS = (
    ("namespaces", "N", "take the pages of these namespaces of a dump, by number (default: 0)"),
    ("title_from", "XPATH", "where titles are, relative to the record"),
    ("heading_tags", "TAG", "the tags of headings"),
    ("attributes", "NAME", "attributes to keep, for index --elements"),
    ("entities", "NAME=TEXT", "what entities of a DTD stand for"),
    ("templates", "NAME=TEXT", "what templates show, such as 'ship={1} ({2})'"),
    ("drop", "WHAT", "leave these out of the text: table, caption, figure, math"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", help=f"{SOURCES}, or an archive of these")
    parser.add_argument("path", help="folder for the new collection; an unfinished build in it is continued")
    parser.add_argument(
        "--format", choices=("auto", "mediawiki", "html", "inex", "text", "records"), default="auto",
        help="kind of source (default: detected)",
    )  # fmt: skip
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="number of processes (default: 1)")
    parser.add_argument("--engine", choices=("local", "ray"), default="local", help="ray: on the cluster $RAY_ADDRESS")
    parser.add_argument("--report", action="store_true", help="print what was left out of the text, and how often")
    for name, metavar, meaning in OPTIONS:
        parser.add_argument(f"--{name.replace('_', '-')}", metavar=metavar, help=meaning)
    for name, metavar, meaning in LISTS:
        parser.add_argument(f"--{name.replace('_', '-')}", nargs="+", metavar=metavar, help=meaning)
    parser.add_argument("--infobox", action="store_true", help="keep infoboxes, as rows of label and value")


def run(arguments: argparse.Namespace) -> int:
    given = {name: getattr(arguments, name) for name, *_ in (*OPTIONS, *LISTS)}
    options = {name: value for name, value in given.items() if value is not None}
    for name in ("title_from", "heading_tags", "attributes", "drop"):
        if name in options:
            options[name] = tuple(options[name])
    for name in ("entities", "namespaces", "templates"):
        if name in options:
            options[name] = _read_values(options[name], name)
    if "max_rejected" in options:
        options["max_rejected"] = float(options["max_rejected"])
    try:
        built = collection.Collection.build(
            arguments.source,
            arguments.path,
            format=arguments.format,
            workers=arguments.workers,
            engine=arguments.engine,
            infobox=arguments.infobox,
            verbose=sys.stderr.isatty(),
            **options,
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


def _read_values(values: list[str], name: str) -> object:
    """Read NAME=VALUE pairs as a dict, and whole numbers as a list."""
    pairs = [value.partition("=") for value in values]
    if all(before.strip() and equals for before, equals, _ in pairs):
        return {before: after for before, _, after in pairs}
    if name == "namespaces" and all(value.isascii() and value.isdigit() for value in values):
        return [int(value) for value in values]
    raise ValueError(f"--{name} {' '.join(values)}: write NAME=VALUE")
