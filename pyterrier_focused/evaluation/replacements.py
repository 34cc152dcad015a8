"""Functions of other projects that are replaced, each by itself, and a warning if one is missing or was changed."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ir_measures import providers

from ..errors import warn_caller

MARK = "_pyterrier_focused"
_told: set[str] = set()


@dataclass(frozen=True)
class Replacement:
    """A function of another project that is replaced.

    Args:
        target: Its module and name, as `pkgutil.resolve_name` takes them.
        parameters: The names of its first parameters, on which the replacement relies.
        make: Makes the replacement from it.
        needs: Other names that the replacement uses.
        loss: The feature that is lost without it.
    """

    target: str
    parameters: str
    make: Callable[[Any], Any]
    loss: str
    needs: tuple[str, ...] = ()

    def apply(self) -> None:
        """Put the replacement in its place; warn if the function is missing, or is not what it was."""
        try:
            plain = find_name(self.target)
            check_parameters(plain, self.target, self.parameters)
            for need in self.needs:
                find_name(need)
        except TargetError as error:
            warn_of_loss(error, self.loss)
        else:
            plain = getattr(plain, MARK, plain)
            module, _, names = self.target.partition(":")
            owner, _, name = names.rpartition(".")
            setattr(find_name(f"{module}:{owner}"), name, mark(self.make(plain), plain))


class TargetError(Exception):
    """A name of another project is missing, or is not what it was; the argument is the name."""


def find_name(target: str) -> Any:
    try:
        return pkgutil.resolve_name(target)
    except (ImportError, AttributeError):
        raise TargetError(target) from None


def check_parameters(function: Any, target: str, parameters: str) -> None:
    expected = parameters.split()
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        names = []
    if names[: len(expected)] != expected:
        raise TargetError(target)


def mark(new: Any, plain: Any) -> Any:
    setattr(new, MARK, plain)
    return new


def warn_of_loss(error: TargetError, loss: str) -> None:
    """Warn, once for each target, of what does not work."""
    (target,) = error.args
    if target not in _told:
        _told.add(target)
        warn_caller(
            f"pyterrier_focused does not know this release of {target.partition('.')[0].partition(':')[0]}, in which "
            f"{target.replace(':', '.')} is missing or was changed: {loss}"
        )


def find_providers() -> list[providers.Provider]:
    """Find the providers that ir_measures asks, in its own list."""
    target = "ir_measures:DefaultPipeline.providers"
    known = find_name(target)
    if not isinstance(known, list):
        raise TargetError(target)
    return known
