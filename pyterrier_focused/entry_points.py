"""Additions from other packages: objects that their entry points name, in the groups `pyterrier_focused.*`.

[project.entry-points."pyterrier_focused.measures"]
MyMeasure = "my_package.measures:MyMeasure"
"""

from __future__ import annotations

import importlib.metadata
from functools import cache
from importlib.metadata import EntryPoint
from typing import Literal

from .errors import warn_caller

Group = Literal[
    "pyterrier_focused.formats", "pyterrier_focused.measures", "pyterrier_focused.commands", "pyterrier_focused.shapes"
]


@cache
def list_entry_points(group: Group) -> tuple[EntryPoint, ...]:
    return tuple(sorted(importlib.metadata.entry_points(group=group), key=lambda entry: entry.name))


def load_entry_point(entry: EntryPoint) -> object:
    """Import an entry point's object. Raises ImportError, naming the distribution, whatever goes wrong."""
    try:
        return entry.load()
    except Exception as error:
        # Modules of other packages fail in any way.
        raise ImportError(describe_fault(entry, f"cannot be loaded ({type(error).__name__}: {error})")) from error


@cache
def try_entry_point(entry: EntryPoint) -> object | None:
    """Import an entry point's object; None, after one warning, if that fails."""
    try:
        return load_entry_point(entry)
    except ImportError as error:
        if isinstance(error.__cause__, ModuleNotFoundError) and entry.value.startswith(f"{__package__}."):
            # A part of this package that is left out, such as the campaigns, is no fault.
            return None
        warn_caller(str(error))
        return None


def describe_fault(entry: EntryPoint, fault: str) -> str:
    """Say what is wrong with an entry point: its distribution and its place, then the fault."""
    package = entry.dist.name if entry.dist else "a package"
    kind = entry.group.rpartition(".")[2].removesuffix("s")
    return f"{package}: the {kind} {entry.value} {fault}"
