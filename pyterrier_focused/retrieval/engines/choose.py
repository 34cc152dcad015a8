"""All known engines: those of this package, and those of others by their entry points."""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.resources import files

from ...errors import MissingExtraError, check_choice, import_extra
from .base import Engine

GROUP = "pyterrier_focused.engines"


def engine_names() -> list[str]:
    """Return the names of all engines: those of this package first."""
    own = _list_own_engines()
    return [*own, *sorted({entry.name for entry in entry_points(group=GROUP)} - set(own))]


@cache
def _list_own_engines() -> tuple[str, ...]:
    """Return the names of the modules here that define `ENGINE`; none is imported, since most need an extra."""
    modules = [file for file in files(__package__).iterdir() if file.name.endswith(".py")]
    return tuple(sorted(file.name[:-3] for file in modules if b"\nENGINE = " in file.read_bytes()))


def open_engine(name: str) -> Engine:
    """Import an engine by its name.

    Args:
        name: One of this package's engines, such as 'pisa' or 'bm25s', or the name of an entry point of another's.

    Example:
        >>> open_engine("bm25s").name
        'bm25s'
    """
    engine: Engine
    if name in _list_own_engines():
        engine = import_module(f".{name}", __package__).ENGINE
    else:
        check_choice("engine", name, engine_names())
        (entry, *_) = entry_points(group=GROUP, name=name)
        engine = entry.load()
    return engine


def choose_engine(name: str | None) -> str:
    """Choose the engine to index with.

    Args:
        name: The engine's name; None takes PISA if it is installed, and bm25s elsewhere.

    Example:
        >>> choose_engine("bm25s")
        'bm25s'
    """
    if name is not None:
        check_choice("engine", name, engine_names())
        return name
    try:
        import_extra("pyterrier_pisa", "retrieval")
    except MissingExtraError:
        return "bm25s"
    return "pisa"


def engines_that_keep(option: str) -> list[str]:
    """Return the names of the engines that have an ability: 'blocks', 'fields', 'terrier_language' ..."""
    return [name for name in engine_names() if getattr(open_engine(name).can, option)]


def processors() -> int:
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1
