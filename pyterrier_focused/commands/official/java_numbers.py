"""Numbers as the official programs that are written in Java compute and print them."""

from __future__ import annotations

import math

import numpy as np


def java_log(value: float) -> float:
    """Return the natural logarithm; -Infinity of 0, and NaN of negative numbers."""
    if value > 0:
        return math.log(value)
    return -math.inf if value == 0 else math.nan


def java_double(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return np.format_float_positional(value, trim="0")
    digits, exponent = np.format_float_scientific(value, trim="0", exp_digits=1).split("e")
    return f"{digits}E{int(exponent)}"
