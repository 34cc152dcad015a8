"""What the package says to Python users, as the command line says it: warnings as notes, advice as options."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import TextIO

import tqdm

from ..errors import ForeignIdsWarning

# Advice as the package gives it to Python users; the option that it is about; the same advice on the command line.
_ADVICE = (
    (r"pass collection=Collection\(\.\.\.\) or lengths=\{docno: characters\}", "collection",
     "give --collection DIR, or ask for measures of whole articles, such as AP"),
    (r"pass collection=Collection\(\.\.\.\)", "collection", "give --collection DIR"),
    (r"collection=Collection\(\.\.\.\)", "collection", "--collection DIR"),
    (r"missing='official'", "missing", "--missing official"),
    (r"errors='skip'", "errors", "--errors skip"),
    (r"unit='(characters|bytes)'", "unit", r"--unit \1"),
    (r"order='articles'", "order", "--order articles"),
    (r"drop one with RemoveOverlap\(\), or count each character once with overlap='once'", "overlap",
     "--overlap once counts each character once"),
    (r"format= reads it as", "read", "--from FORMAT reads it as"),
    (r"result\.located lists", "located", "--located FILE lists"),
    (r"open it with PartIndex\(path\), or give overwrite=True", "overwrite", "--overwrite replaces it"),
    (r"make one with Collection\.index\(path\)", "index", "make one with pt-focused index"),
    (r"overwrite=True removes it", "overwrite", "--overwrite removes it"),
    (r"open it with PartIndex\(path, url=\.\.\.\)", "url", "name it with --url"),
    (r"open its index with PartIndex\(path\)", "overwrite", "its index is there"),
    (r"open it with Collection\('[^']*'\), or build", "path", "build"),
)  # fmt: skip


_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def escape_controls(text: object) -> str:
    """Return a text that does nothing to a terminal: control characters but tabs and line ends are written as \\x1b."""
    return _CONTROLS.sub(lambda match: f"\\x{ord(match[0]):02x}", str(text))


def say(text: object, file: TextIO | None = None) -> None:
    """Print a line that holds names and texts of files; *file* is standard output by default."""
    print(escape_controls(text), file=file)


@contextmanager
def notes(
    prefix: str, options: Iterable[str] = (), shown: Mapping[str, str] = MappingProxyType({})
) -> Iterator[set[type[Warning]]]:
    """Print the warnings of this package and its kind as one line each on standard error, without Python's place.

    Yields their categories, which are known when all is done. A note is printed once.
    """
    own_options = set(options)
    categories = set[type[Warning]]()
    printed = set[str]()

    def show(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
        text = on_the_command_line(" ".join(str(message).split()), own_options, shown)
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


def on_the_command_line(message: str, options: set[str], shown: Mapping[str, str] = MappingProxyType({})) -> str:
    """Turn advice for Python into advice for the command line.

    Args:
        options: The command's options; a clause about an option that it lacks goes.
        shown: Paths that are shown under another name, such as that of standard input.
    """
    for path, name in shown.items():
        message = message.replace(path, name)
    for python, option, advice in _ADVICE:
        if not re.search(python, message):
            continue
        if option in options:
            message = re.sub(python, advice, message)
        else:
            message = re.sub(rf"[;,] (?:[^;,(]|\((?=[^;,)]*\)))*{python}[^;]*?(?= \(found: |$|;)", "", message)
    return message


def warn_if_foreign(shared: bool, path: str, thing: str = "topic") -> None:
    """Warn that a run *shared* no topic with the judgments, which makes the exit code 2."""
    if not shared:
        message = f"{path}: no {thing} of it is judged; do both files use the same ids?"
        warnings.warn(message, ForeignIdsWarning, stacklevel=3)
