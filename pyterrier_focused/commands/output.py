"""What commands print: frames, messages, and warnings as notes; and what they do not write over."""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import pandas as pd

from ..reading.files import is_same_file, write_bytes

# The arguments of commands that name files to read, and files to write
_INPUTS = ("input", "qrels", "runs", "run", "topics", "evidence", "results", "answers", "source", "corpus", "main")
_OUTPUTS = ("output", "located", "questions", "save", "plot", "json")
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


def print_frame(frame: pd.DataFrame, output: str | None = None) -> None:
    """Print a frame as pandas does, or write it to a file: tab-separated if its name ends in .tsv, else CSV."""
    if output is not None:
        write_bytes(output, frame.to_csv(sep="\t" if output.endswith(".tsv") else ",", index=False).encode())
    elif len(frame):
        say(frame.to_string(index=False, float_format="{:.4f}".format))


def refuse_inputs_as_outputs(arguments: argparse.Namespace) -> None:
    """Raise ValueError if a command would write over one of the files that it reads."""
    given = vars(arguments)
    inputs = [path for name in _INPUTS for path in _list_paths(given.get(name))]
    for name in _OUTPUTS:
        for path in _list_paths(given.get(name)):
            if any(is_same_file(path, other) for other in inputs):
                raise ValueError(f"{path} is one of the inputs; write to another file")


def _list_paths(value: object) -> list[str]:
    if isinstance(value, list | tuple):
        return [path for path in value if isinstance(path, str)]
    return [value] if isinstance(value, str) else []
