"""All that ir_measures and PyTerrier do differently once this package is used.

`pt_docs/upstream.md` lists each item with its reason, its figures and a patch for the other project. Each acts only on
names, columns and ids that would be an error, wrong or slow without it; other input passes unchanged. Importing
PyTerrier replaces `ir_measures.parse_trec_measure` only; `switch_on` does the rest.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

from ir_measures import Measure, providers

from ..measures import FocusedMeasure
from .asking_provider import ASKING_NEEDS, AskingProvider
from .measure_strings import parse_measure, suggest_names
from .pyterrier_conduct import extend_pyterrier
from .replacements import Replacement, TargetError, find_name, find_providers, warn_of_loss

_is_on = False


def register_provider(provider: providers.Provider) -> None:
    """Put the provider after all others of ir_measures, and let its measures be given as strings to PyTerrier."""
    providers.registry[provider.NAME] = provider
    try:
        known = find_providers()
    except TargetError as error:
        warn_of_loss(error, "ir_measures and pt.Experiment do not compute its measures")
    else:
        known[:] = [*(other for other in known if other.NAME != provider.NAME), provider]
    _PARSING.apply()


def await_first_use() -> None:
    """Switch on when a measure of the package is used; at once if nobody but the user imports it."""
    if not _is_on and (_is_being_imported("pyterrier") or _is_being_imported("ir_measures")):
        for name, plain in _PLAIN.items():
            setattr(FocusedMeasure, name, _watch(plain))
    else:
        switch_on()


def attach(package: ModuleType) -> None:
    """Wait for the first use of the package, too; if it has been used already, extend PyTerrier."""
    if _is_on:
        extend_pyterrier()
    elif not isinstance(package, _UnusedPackage):
        _UnusedPackage.used = type(package)
        package.__class__ = _UnusedPackage


def _is_being_imported(name: str) -> bool:
    return bool(getattr(getattr(sys.modules.get(name), "__spec__", None), "_initializing", False))


class _UnusedPackage(ModuleType):
    """A package until its first use: one of its names is asked for, or it is imported (which reads its `__spec__`)."""

    used: type[ModuleType]

    def __getattribute__(self, name: str) -> object:
        if name in ("__spec__", "__path__", "__version__", "__all__") or not name.startswith("_"):
            self.__class__ = _UnusedPackage.used  # type: ignore[assignment]
            switch_on()
            return getattr(self, name)
        return super().__getattribute__(name)


# ir_measures looks measures up, and PyTerrier compares them, before they ask a provider.
_PLAIN = {"__eq__": FocusedMeasure.__eq__, "__hash__": FocusedMeasure.__hash__}


def _watch(plain: Any) -> Callable[..., Any]:
    def watched(measure: FocusedMeasure, *others: object) -> object:
        switch_on()
        return plain(measure, *others)

    return watched


def switch_on() -> None:
    """Let all that `pt_docs/upstream.md` lists act from now on; an item whose target is missing is warned of."""
    global _is_on
    if _is_on:
        return
    _is_on = True
    for name, plain in _PLAIN.items():
        setattr(FocusedMeasure, name, plain)
    try:
        for need in ASKING_NEEDS:
            find_name(need)
        known = find_providers()
    except TargetError as error:
        warn_of_loss(error, "standard measures of frames with passages are slow, and ids must be texts")
    else:
        known[:] = [AskingProvider(), *(provider for provider in known if provider.NAME != AskingProvider.NAME)]
    if "pyterrier" in sys.modules and not _is_being_imported("pyterrier"):
        AskingProvider.is_late = _is_running("pyterrier._evaluation._execution")
        extend_pyterrier()


def _is_running(module: str) -> bool:
    """Tell whether a function of the module is on the call stack."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__") != module:
        frame = frame.f_back
    return frame is not None


def _parse_all_names(plain: Callable[[str], list[Measure]]) -> Callable[[str], list[Measure]]:
    @wraps(plain)
    def parse_trec_measure(measure: str) -> list[Measure]:
        try:
            return plain(measure)
        except ValueError as refusal:
            try:
                parsed = parse_measure(measure)
            except NameError:
                raise ValueError(f"{refusal}{suggest_names(measure)}") from None
            if isinstance(parsed, FocusedMeasure):
                switch_on()
            return [parsed]

    return parse_trec_measure


_PARSING = Replacement(
    "ir_measures:parse_trec_measure",
    "measure",
    _parse_all_names,
    "pt.Experiment takes its measures as objects (pt.focused.AiP), not as strings",
)
