"""How a measure gets its name in ir_measures and PyTerrier."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from ir_measures import measures as ir_registry

from ..errors import warn_caller
from .base import FocusedMeasure

# What was registered, by name; another plugin's measure of that name stays where it is.
_REGISTERED: dict[str, FocusedMeasure] = {}


def register(measure: type[FocusedMeasure] | FocusedMeasure) -> FocusedMeasure:
    """Register a measure of your own, and return it; from then on its `NAME` can be asked for like any other.

    A class that is registered again, as when a notebook's cell runs twice, takes the place of the first.

    Args:
        measure: The class, with `NAME` and `calculate(ranking)`; see the page "Your own measure".

    Raises:
        ValueError: If it has no `NAME`, or another measure has this name.
    """
    if not getattr(measure, "NAME", None) or not callable(getattr(measure, "names", None)):
        raise ValueError(f"{measure!r} is not a measure: give a class of FocusedMeasure that has a NAME")
    made = measure() if isinstance(measure, type) else measure
    for name in made.names():
        other = type(ir_registry.registry.get(name, made))
        if (other.__module__, other.__qualname__) != (type(made).__module__, type(made).__qualname__):
            raise ValueError(f"{name} is a measure of {other.__module__} already: choose another NAME")
    register_measures([made])
    return made


def register_measures(measures: Iterable[FocusedMeasure]) -> None:
    """Put measures into ir_measures and pyterrier.measures. Idempotent.

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


def is_taken(name: str) -> bool:
    """Tell whether ir_measures knows another plugin's measure by the name of one that was registered here."""
    if name not in _REGISTERED or name not in ir_registry.registry:
        return False
    return type(ir_registry.registry[name]).__module__ != type(_REGISTERED[name]).__module__


def name_object(name: str) -> str:
    return f"{type(_REGISTERED[name]).__module__}.{name}"
