"""The engines an index of parts can have, the scoring models that all of them know, and the check of parameters."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np

from ...errors import MissingExtraError, check_choice, import_extra

NAMES = {"pisa": "PISA", "bm25s": "bm25s", "terrier": "Terrier"}
# the models of every engine, with their parameters and defaults
MODELS: dict[str, dict[str, float]] = {
    "bm25": {"k1": 0.9, "b": 0.4},
    "qld": {"mu": 1000.0},
    "pl2": {"c": 1.0},
    "dph": {},
}
# operators of Terrier's query language, as PyTerrier's query rewriters write them
TERRIER_LANGUAGE = re.compile(r"applypipeline:|#(?:combine|uw\d*|\d+|tag|prefix|band|base64|syn)\b|\^\d")
_LIMITS = {"k1": (0, math.inf), "b": (0, 1), "mu": (0, math.inf), "c": (0, math.inf)}


def open_engine(name: str) -> Any:
    """Import the module of an engine: `build`, `open_index`, `open_searcher`, `open_feedback`."""
    return import_module(f".{name}", __package__)


def choose_engine(name: str | None) -> str:
    """Return the name of the engine to index with: for None PISA where it is installed, and bm25s elsewhere."""
    if name is not None:
        check_choice("engine", name, NAMES)
        return name
    try:
        import_extra("pyterrier_pisa", "retrieval")
    except MissingExtraError:
        return "bm25s"
    return "pisa"


def read_parameters(
    engine: str, model: str, defaults: Mapping[str, float], given: Mapping[str, float]
) -> dict[str, float]:
    """Return a model's parameters with its defaults; raises ValueError for an unknown one, or a value out of range."""
    unknown = sorted(set(given) - set(defaults))
    if unknown:
        known = ", ".join(defaults) or "none"
        raise ValueError(f"{NAMES[engine]}'s {model!r} has no parameter {unknown[0]!r}; its parameters: {known}")
    for name, value in given.items():
        low, high = _LIMITS.get(name, (-math.inf, math.inf))
        if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not low <= value <= high:
            limits = f"from {low:g} to {high:g}" if math.isfinite(high) else f"of at least {low:g}"
            raise ValueError(f"{NAMES[engine]}'s {model!r}: {name}={value!r}; give a number {limits}")
    return {**defaults, **{name: float(value) for name, value in given.items()}}


def shared_model(engine: str, model: str) -> str:
    """Return the name of a model that every engine has; case does not matter. Raises ValueError for another."""
    name = model.lower() if isinstance(model, str) else model
    if name not in MODELS:
        raise ValueError(f"{NAMES[engine]} has no scoring model {model!r}; choose one of {', '.join(MODELS)}")
    return name


def processors() -> int:
    """Return how many processors this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1
