"""Messages of the command line: warnings as notes, paths by the names that were given."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import TextIO

import tqdm

from ..errors import ForeignIdsWarning

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


# The user and password of an address.
_CREDENTIALS = re.compile(r"\b([a-z][a-z0-9+.-]+:/+)\S*@", re.IGNORECASE)


def escape_controls(text: object) -> str:
    """Return a text without control characters, and without passwords of addresses.

    Control characters but tabs and line ends are written as \\x1b.
    """
    return _CONTROLS.sub(lambda match: f"\\x{ord(match[0]):02x}", _CREDENTIALS.sub(r"\1", str(text)))


def say(text: object, file: TextIO | None = None) -> None:
    """Print a line that holds names and texts of files; *file* is standard output by default."""
    print(escape_controls(text), file=file)


@contextmanager
def notes(prefix: str, shown: Mapping[str, str] = MappingProxyType({})) -> Iterator[set[type[Warning]]]:
    """Print warnings of this package and its kind as one line each on standard error, without Python's file and line.

    Yields their categories, which are known when all is done. A note is printed once.
    """
    categories = set[type[Warning]]()
    printed = set[str]()

    def show(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
        text = show_paths(" ".join(str(message).split()), shown)
        # Readers begin with the file, which the prefix of a command that reads several names already.
        line = f"{prefix}: note: {text.removeprefix(prefix.rpartition(': ')[2] + ': ')}"
        categories.add(category)
        if line not in printed:
            printed.add(line)
            # This does not break a line into a progress bar.
            tqdm.tqdm.write(escape_controls(line), file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield categories


def show_paths(message: str, shown: Mapping[str, str]) -> str:
    """Show paths under other names, such as that of standard input."""
    for path, name in shown.items():
        message = message.replace(path, name)
    return message


def warn_if_foreign(shared: bool, path: str, thing: str = "topic") -> None:
    """Warn that a run *shared* no topic with the judgments, which makes the exit code 2."""
    if not shared:
        message = f"{path}: no {thing} of it is judged; do both files use the same ids?"
        warnings.warn(message, ForeignIdsWarning, stacklevel=3)
