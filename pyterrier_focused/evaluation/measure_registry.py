"""All known measures: this package's, and those of entry points of the group pyterrier_focused.measures.

The entry point's name is the measure's, so that a measure is imported when its name is asked for:

    [project.entry-points."pyterrier_focused.measures"]
    MyMeasure = "my_package.measures:MyMeasure"
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint

from ir_measures import measures as ir_registry

from ..entry_points import Group, describe_fault, list_entry_points, try_entry_point
from ..errors import warn_caller
from ..measures import MEASURES, FocusedMeasure
from ..measures.registry import register_measures

GROUP: Group = "pyterrier_focused.measures"


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
