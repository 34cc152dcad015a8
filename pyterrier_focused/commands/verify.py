"""`pt-focused verify`: whether the files of a collection or an index are what was written."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..collection.build import MANIFEST
from ..collection.files.checksums import CHECKSUMS, verify_checksums
from ..errors import CollectionError
from .output import say

EXAMPLE = "pt-focused verify my-collection"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", help="folder of a collection or of an index")


def run(arguments: argparse.Namespace) -> int:
    folder = Path(arguments.path)
    names = {file.name for file in folder.iterdir()} if folder.is_dir() else set()
    if not names:
        raise CollectionError(f"{folder}: no such folder, or nothing is in it")
    if {CHECKSUMS, MANIFEST}.isdisjoint(names):
        raise CollectionError(f"{folder}: this is no collection or index; pt-focused build and index make them")
    try:
        count = verify_checksums(folder)
    except CollectionError as error:
        say(f"pt-focused verify: {error}", file=sys.stderr)
        return 1
    print(f"OK: all {count:,} files match their checksums")
    return 0
