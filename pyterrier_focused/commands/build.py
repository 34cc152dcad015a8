"""`pt-focused build`: a collection from Wikipedia XML."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "source", help="a MediaWiki dump (.xml, .xml.bz2), or article XML: a file, folder or tar archive"
    )
    parser.add_argument("path", help="the folder of the collection; an unfinished build in it goes on")
    parser.add_argument("--format", choices=("auto", "mediawiki", "inex"), default="auto", help="kind of source")
    parser.add_argument("--workers", type=int, default=1, help="local processes (default 1)")
    parser.add_argument(
        "--engine", choices=("local", "ray"), default="local", help="ray: on the cluster of RAY_ADDRESS"
    )
    parser.add_argument("--id-from", default="auto", help="article XML: 'auto', 'file', or an XPath such as header/id")
    parser.add_argument("--strict", action="store_true", help="exit code 1 where any article was rejected")


def run(arguments: argparse.Namespace) -> int:
    from ..collection import Collection

    collection = Collection.build(
        arguments.source,
        arguments.path,
        format=arguments.format,
        workers=arguments.workers,
        engine=arguments.engine,
        id_from=arguments.id_from,
    )
    return 1 if arguments.strict and collection.meta["rejected"] else 0
