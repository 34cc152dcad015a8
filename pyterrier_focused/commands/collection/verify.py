"""`pt-focused verify`: whether the files of a collection or an index are what was written."""

from __future__ import annotations

import argparse
import sys

from ...collection.files.checksums import verify_checksums
from ...collection.files.storage import StoragePath
from ...errors import CollectionError
from ..messages import say
from ..options import InputPath


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=InputPath, help="folder of a collection or of an index")


def run(arguments: argparse.Namespace) -> int:
    folder = StoragePath(arguments.path)
    if not folder.entries():
        raise CollectionError(f"{folder}: no such folder, or nothing is in it")
    try:
        count = verify_checksums(folder)
    except CollectionError as error:
        say(f"pt-focused verify: {error}", file=sys.stderr)
        return 1
    print(f"OK: all {count:,} files match their checksums")
    return 0
