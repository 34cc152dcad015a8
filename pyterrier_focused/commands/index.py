"""`pt-focused index`: the parts of a collection, ready to be searched."""

from __future__ import annotations

import argparse
import math

from .. import collection, retrieval
from .options import parse_count
from .output import say

EXAMPLE = "pt-focused index my-collection my-index --elements sec p"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("collection", help="folder of a collection, as made by pt-focused build")
    parser.add_argument("path", help="folder for the new index")
    parts = parser.add_mutually_exclusive_group()
    parts.add_argument(
        "--elements",
        nargs="+",
        metavar="TAG",
        help="elements to index, such as sec or p (default: sections and paragraphs if they hold the text, else the "
        "elements that hold it in pieces of a fair length, else windows)",
    )
    parts.add_argument("--windows", type=parse_count, metavar="SIZE", help="index windows of so many characters")
    parser.add_argument("--step", type=parse_count, metavar="N", help="characters between windows (default: the size)")
    parser.add_argument("--headings", choices=("keep", "drop"), default="keep", help="of elements (default: keep)")
    parser.add_argument("--exclude", choices=("boilerplate",), help="leave out parts of See also, References ...")
    parser.add_argument("--titles", action="store_true", help="index each part with the title of its article")
    parser.add_argument("--language", default="english", help="language of the stemmer (default: english)")
    parser.add_argument("--engine", help="pisa, bm25s or terrier (default: pisa if installed, else bm25s)")
    parser.add_argument("--overwrite", action="store_true", help="replace an index that is there")


def run(arguments: argparse.Namespace) -> int:
    if arguments.step is not None and arguments.windows is None:
        raise ValueError("--step goes with --windows")
    size = arguments.windows
    index = collection.Collection(arguments.collection).index(
        arguments.path,
        arguments.engine,
        elements=arguments.elements if size is None else retrieval.Windows(size, arguments.step or size),
        exclude=arguments.exclude,
        headings=arguments.headings,
        titles=arguments.titles,
        language=arguments.language,
        overwrite=arguments.overwrite,
    )
    say(f"{arguments.path}: {len(index):,} parts indexed with {index.engine}")
    if usual := index.meta["usual"]:
        # 99.97% is not all of it
        share = f"{math.floor(usual['share'] * 1000) / 10:g}"
        say(f"they are {', '.join(usual['names'])}, with {share}% of the text; --elements or --windows takes others")
    return 0
