"""`pt-focused verify`: whether the files of a collection or an index are what was written."""

from __future__ import annotations

import argparse
import sys

from ...collection.build import MANIFEST, UNSEALED
from ...collection.files.checksums import CHECKSUMS, read_sealed, verify_checksums
from ...collection.files.storage import StoragePath
from ...errors import CollectionError
from ..messages import say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", help="folder of a collection or of an index")


def run(arguments: argparse.Namespace) -> int:
    folder = StoragePath(arguments.path)
    if not folder.entries():
        raise CollectionError(f"{folder}: no such folder, or nothing is in it")
    if {CHECKSUMS, MANIFEST}.isdisjoint(entry.name for entry in folder.entries()):
        raise CollectionError(f"{folder}: this is no collection or index; pt-focused build and index make them")
    try:
        count = verify_checksums(folder)
    except CollectionError as error:
        say(f"pt-focused verify: {error}", file=sys.stderr)
        return 1
    print(f"OK: all {count:,} files match their checksums")
    meta = read_sealed(folder / MANIFEST) or {}
    if meta.get("type") == "collection" and not meta.get("seals"):
        print(f"Note: {UNSEALED}")
    return 0
