"""Limits of the parameters of ir_measures' own measures, so that no provider is asked for the impossible.

pytrec_eval ends the process for a cutoff of 0, reads recall levels as hundredths, and takes its own default where a
number has an exponent; other providers divide by 0, or fail on an assertion without words.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from subprocess import CalledProcessError
from typing import Any

from ir_measures import Measure
from ir_measures.measures import ParamInfo

_OF_TYPE = {
    bool: "True or False",
    dict: "a dict from whole numbers to whole numbers of at most 100,000",
    float: "a number with a decimal point",
    int: "a whole number",
}
_MAX_GAIN = 100_000


@dataclass(frozen=True)
class _Range:
    """The numbers from *low* to *high*, with at most so many *digits* after the point; *is_open*: without the ends."""

    low: float
    high: float
    is_open: bool = False
    digits: int | None = None

    def holds(self, value: float) -> bool:
        if self.is_open and value in (self.low, self.high):
            return False
        if self.digits is not None and math.isfinite(value) and value != round(value, self.digits):
            return False
        return self.low <= value <= self.high

    def __str__(self) -> str:
        if self.is_open:
            return f"between {self.low} and {self.high}, both excluded"
        digits = "" if self.digits is None else f", with at most {self.digits} digits after the point"
        return f"from {self.low} to {self.high}{digits}"


_NDEVAL = ("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "P_IA", "StRecall")
_RANGES = {
    "cutoff": _Range(1, 2**53),
    "rel": _Range(1, 2**31 - 1),
    "max_rel": _Range(1, 2**31 - 1),
    "min_rel": _Range(-(2**31), 2**31 - 1),
    "p": _Range(0.0, 1.0, is_open=True),
    "alpha": _Range(0.0, 1.0),
    "beta": _Range(0.0, 1.0, is_open=True),
    "T": _Range(0.0, 1e100, is_open=True),
    "recall": _Range(0.0, 1.0, digits=2),
}
# Ranges of single measures. Bpref reads as far as `rel` in an array that ends with the highest label; numbers
# outside the range of SetF are written with an exponent.
_OWN_RANGES = {
    ("SetP", "rel"): _Range(0, 2**31 - 1),
    ("NumRet", "rel"): _Range(0, 2**31 - 1),
    ("Bpref", "rel"): _Range(1, 1000),
    ("SetF", "beta"): _Range(0.0001, 1e15),
    **{(name, "cutoff"): _Range(1, 20) for name in _NDEVAL},
}


def check_limits(measure: Measure) -> None:
    """Raise a ValueError if a measure of ir_measures has a parameter that its providers cannot compute."""
    if not type(measure).__module__.startswith("ir_measures."):
        return
    name = measure.NAME or type(measure).__name__
    for key in measure.params.keys() - measure.SUPPORTED_PARAMS.keys():
        supported = ", ".join(measure.SUPPORTED_PARAMS) or "none"
        raise ValueError(f"{name} has no parameter {key}; its parameters: {supported}")
    for key, spec in measure.SUPPORTED_PARAMS.items():
        if key in measure.params:
            _check_value(name, key, spec, measure.params[key])
        elif spec.required or (name in _NDEVAL and key == "cutoff"):
            raise ValueError(f"{name} needs the parameter {key} ({spec.desc})")


def _check_value(name: str, key: str, spec: ParamInfo, value: Any) -> None:
    allowed = _OWN_RANGES.get((name, key), _RANGES.get(key))
    is_right = spec.validate(value) and (not isinstance(value, bool) or spec.dtype is bool)
    if is_right and spec.dtype is dict:
        is_right = all(type(gain) is int and abs(gain) <= _MAX_GAIN for pair in value.items() for gain in pair)
    if is_right and allowed is not None:
        is_right = allowed.holds(value)
    if not is_right:
        expected = f"one of {', '.join(map(repr, spec.choices))}" if spec.dtype is str else _OF_TYPE[spec.dtype]
        raise ValueError(f"{name}: {key}={value!r}: it must be {expected}{'' if allowed is None else f', {allowed}'}")


@contextmanager
def naming_provider(provider: str, measures: Sequence[Measure]) -> Iterator[None]:
    """Turn an error of a provider of ir_measures into a ValueError that names the provider and the measures."""
    try:
        yield
    except (ArithmeticError, AssertionError, LookupError, SystemError, TypeError, CalledProcessError) as error:
        if provider in ("focused", "runtime"):
            raise
        names = ", ".join(map(str, measures))
        raise ValueError(
            f"ir_measures' provider {provider} cannot compute {names} of these qrels and run "
            f"({type(error).__name__}: {error}); leave the measure out"
        ) from error
