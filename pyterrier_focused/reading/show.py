"""Values that users pass, as messages quote them: short, whatever they hold and however deeply they are nested."""

from __future__ import annotations

import json
import reprlib

from .json import Row

_REPR = reprlib.Repr()
_REPR.maxlevel = 4
_REPR.maxstring = _REPR.maxother = 200
_WIDTH = 80


def show_value(value: object) -> str:
    """Write a value as Python does, cut short; values nested too deeply, or in themselves, are left out."""
    return _REPR.repr(value)[:_WIDTH]


def show_row(row: Row) -> str:
    """Write a row as JSON, or as `show_value` does if JSON cannot hold it."""
    try:
        return json.dumps(row, default=str)
    except (RecursionError, ValueError, TypeError):
        return show_value(dict(row))
