"""`pt-focused index`: the parts of a collection, ready to be searched."""

from __future__ import annotations

import argparse
import math

from ... import collection, retrieval
from ..messages import say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("collection", help="folder of a collection, as made by pt-focused build")
    parser.add_argument("index", help="folder for the new index")
    parser.add_argument(
        "--elements",
        nargs="+",
        metavar="TAG",
        help="elements to index, such as article, figure or p (default: sections and paragraphs if they hold the "
        "text, else the elements that hold it in pieces of a fair length, else windows; metadata are left out)",
    )
    parser.add_argument(
        "--windows", type=int, metavar="SIZE", help="index windows of this many characters instead of elements"
    )
    parser.add_argument(
        "--step", type=int, metavar="N", help="characters from one window to the next (default: the size)"
    )
    parser.add_argument(
        "--headings",
        choices=("keep", "drop"),
        default="keep",
        help="whether the headings within an element are indexed with it (default: keep)",
    )
    parser.add_argument(
        "--exclude",
        choices=("boilerplate",),
        help="leave out the parts in sections such as See also or References (default: index them)",
    )
    parser.add_argument("--titles", action="store_true", help="index each part with the title of its article")
    parser.add_argument(
        "--language", default="english", help="language of the stemmer, such as german (default: english)"
    )
    parser.add_argument(
        "--engine", help="search engine, such as pisa, bm25s or terrier (default: pisa if installed, else bm25s)"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace an index that is there")


def run(arguments: argparse.Namespace) -> int:
    elements = arguments.elements
    if arguments.windows is not None:
        elements = _choose_windows(arguments)
    elif arguments.step is not None:
        raise ValueError("--step goes with --windows")
    index = collection.Collection(arguments.collection).index(
        arguments.index,
        arguments.engine,
        elements=elements,
        exclude=arguments.exclude,
        headings=arguments.headings,
        titles=arguments.titles,
        language=arguments.language,
        overwrite=arguments.overwrite,
    )
    say(f"{arguments.index}: {len(index):,} parts indexed with {index.engine}")
    usual = index.meta["usual"]
    if usual:
        # 99.97% is not all of it
        share = f"{math.floor(usual['share'] * 1000) / 10:g}"
        say(f"they are {', '.join(usual['names'])}, with {share}% of the text; --elements or --windows takes others")
    return 0


def _choose_windows(arguments: argparse.Namespace) -> object:
    if arguments.elements:
        raise ValueError("give --elements or --windows, not both")
    return retrieval.Windows(arguments.windows, arguments.windows if arguments.step is None else arguments.step)
