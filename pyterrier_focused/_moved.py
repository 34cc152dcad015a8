"""What has moved to another room: old names and modules are still found for one release, with a warning.

`data/moved.json` says where: modules by their old path, names by the room that had them ("" for the package itself).
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec
from os.path import dirname, join
from types import ModuleType
from typing import Any

from .libraries import json

PACKAGE = __name__.rpartition(".")[0]


@cache
def _read_table() -> dict[str, Any]:
    with open(join(dirname(__file__), "data", "moved.json"), encoding="utf-8") as file:
        table: dict[str, Any] = json.load(file)
    return table


def find_moved(room: str, name: str) -> Any:
    """Return what *room* called *name* in the last release; AttributeError if it had nothing of that name.

    For the `__getattr__` of a room: the warning points at the line that asks that for the name.
    """
    old = ".".join(part for part in (room, name) if part)
    table = _read_table()
    home = table["modules"].get(old) or table["names"].get(room, {}).get(name)
    if home is None:
        raise AttributeError(f"module {'.'.join(part for part in (PACKAGE, room) if part)!r} has no attribute {name!r}")
    found = import_module(f"{PACKAGE}.{home}")
    if old in table["modules"]:
        _warn_of_move(f"{PACKAGE}.{old}", f"{PACKAGE}.{home}", stacklevel=4)
        return found
    _warn_of_move(f"{PACKAGE}.{old}", f"{PACKAGE}.{home}.{name}", stacklevel=4)
    return getattr(found, name)


def _warn_of_move(old: str, new: str, stacklevel: int) -> None:
    message = f"{old} has moved to {new}; the old name goes with the next release"
    warnings.warn(message, DeprecationWarning, stacklevel=stacklevel)


class _OldModules:
    """Finds and loads modules by their old paths, after all other finders (`importlib.abc` is slow to import)."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, old = fullname.partition(".")
        if package != PACKAGE or old not in _read_table()["modules"]:
            return None
        return ModuleSpec(fullname, self)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """Let the import system make a module."""

    def exec_module(self, module: ModuleType) -> None:
        # the import system takes the module that is here in the end
        new = f"{PACKAGE}.{_read_table()['modules'][module.__name__.partition('.')[2]]}"
        _warn_of_move(module.__name__, new, stacklevel=3)
        sys.modules[module.__name__] = import_module(new)


def find_old_modules() -> None:
    """Let `import` find modules by their old paths; again does no harm."""
    if not any(type(finder).__name__ == _OldModules.__name__ for finder in sys.meta_path):
        sys.meta_path.append(_OldModules())
