"""Which measures there are: this package's, and those that entry points of the group pyterrier_focused.measures name.

The entry point's name is the measure's, so that a measure is imported when its name is asked for:

    [project.entry-points."pyterrier_focused.measures"]
    MyMeasure = "my_package.measures:MyMeasure"
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cache
from importlib.metadata import EntryPoint

from ir_measures import measures as ir_registry

from ..entry_points import Group, describe_fault, list_entry_points, try_entry_point
from ..errors import warn_caller
from ..measures import MEASURES, FocusedMeasure

GROUP: Group = "pyterrier_focused.measures"

# What was registered, by name; another plugin's measure of that name stays where it is.
_REGISTERED: dict[str, FocusedMeasure] = {}


def register_measures(measures: Iterable[FocusedMeasure]) -> None:
    """Put measures into ir_measures, and into pyterrier.measures; again does no harm.

    A name that another plugin has taken stays its own: a warning says so, and `parse` refuses that name.
    """
    names = {name: measure for measure in measures for name in measure.names()}
    _REGISTERED.update(names)
    taken = [name for name in names if is_taken(name)]
    if taken:
        warn_caller(
            f"another plugin has registered the measures {', '.join(taken)} in ir_measures; ours of these names are "
            f"objects only, such as {name_object(taken[0])}"
        )
    free = {name: measure for name, measure in names.items() if name not in taken}
    ir_registry.registry.update(free)
    # PyTerrier copies the registry once, before plugins are loaded.
    copied = sys.modules.get("pyterrier.measures")
    if copied is not None:
        for name, measure in free.items():
            setattr(copied, name, measure)


def load_measure(name: str) -> None:
    """Import and register the measure of an entry point of this name, if there is one."""
    for entry in list_entry_points(GROUP):
        if entry.name == name:
            _load_entry(entry)


def list_measures() -> tuple[FocusedMeasure, ...]:
    """List all measures: this package's, and then, imported and registered, those of entry points."""
    loaded = [_load_entry(entry) for entry in list_entry_points(GROUP)]
    return (*MEASURES, *dict.fromkeys(measure for measure in loaded if measure is not None))


def list_names() -> list[str]:
    """List the names that measures can be asked for by, ir_measures' too; nothing is imported."""
    return [*ir_registry.registry, *(entry.name for entry in list_entry_points(GROUP))]


def is_taken(name: str) -> bool:
    """Tell whether ir_measures knows another plugin's measure by the name of one that was registered here."""
    if name not in _REGISTERED or name not in ir_registry.registry:
        return False
    return type(ir_registry.registry[name]).__module__ != type(_REGISTERED[name]).__module__


def name_object(name: str) -> str:
    """Say where the measure that was registered here by a name is found."""
    return f"{type(_REGISTERED[name]).__module__}.{name}"


@cache
def _load_entry(entry: EntryPoint) -> FocusedMeasure | None:
    measure = try_entry_point(entry)
    if measure is None:
        return None
    if not isinstance(measure, FocusedMeasure) or entry.name not in measure.names():
        warn_caller(describe_fault(entry, f"is not a measure of the name {entry.name}"))
        return None
    register_measures([measure])
    return measure
