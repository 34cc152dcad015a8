"""Messages of the command line, and warnings as notes."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def escape_controls(text: object) -> str:
    r"""Return a text with control characters, but tabs and line ends, written as \x1b."""
    return _CONTROLS.sub(lambda match: f"\\x{ord(match[0]):02x}", str(text))


def say(text: object, file: TextIO | None = None) -> None:
    """Print a line that holds names and texts of files; *file* is standard output by default."""
    print(escape_controls(text), file=file)


@contextmanager
def notes(prefix: str) -> Iterator[set[type[Warning]]]:
    """Print warnings as one line each on standard error; yields their categories, known when all is done."""
    categories = set[type[Warning]]()

    def show(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
        categories.add(category)
        say(f"{prefix}: note: {' '.join(str(message).split())}", sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield categories
