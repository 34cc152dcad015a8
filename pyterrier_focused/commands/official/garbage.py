"""A decorator that leaves Python's garbage collector off: large inputs keep it busy, and hold no cycles."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def without_collector(function: Callable[P, R]) -> Callable[P, R]:
    """Leave the garbage collector off while *function* runs: a tenth of the time of the scorers of campaigns."""

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        before = gc.isenabled()
        gc.disable()
        try:
            return function(*args, **kwargs)
        finally:
            if before:
                gc.enable()

    return run
