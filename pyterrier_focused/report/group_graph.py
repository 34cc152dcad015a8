"""The systems of one measure as a graph: means with intervals, and bars that join systems without a difference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from .templates import fill_macro

# heights and widths, in the units of the drawing
ROW = 22
SCALE = 230
STEP = 16
_NAME_CHARACTERS = 28


class SystemMean(NamedTuple):
    name: str
    mean: float
    low: float
    high: float


def group_graph(measure: str, systems: Sequence[SystemMean], groups: Sequence[Sequence[int]]) -> Markup:
    """Draw systems, best first, with a bar for each group of two or more that do not differ significantly.

    *groups* holds positions in *systems*. Bars are to the right of the rows, with a dot on each member.
    """
    low = min(min(system.low, system.mean) for system in systems)
    high = max(max(system.high, system.mean) for system in systems)
    if low >= high:
        low -= 0.5
        high += 0.5
    left = 16 + 7.5 * max(min(len(system.name), _NAME_CHARACTERS) for system in systems)

    def across(value: float) -> float:
        return left + 8 + (value - low) / (high - low) * (SCALE - 16)

    rows = [
        {
            "name": name if len(name) <= _NAME_CHARACTERS else name[: _NAME_CHARACTERS - 1] + "…",
            "label": f"{name}: {mean:.4f}, interval {begin:.4f} to {end:.4f}",
            "y": i * ROW + ROW / 2,
            "mean": across(mean),
            "low": across(begin),
            "high": across(end),
        }
        for i, (name, mean, begin, end) in enumerate(systems)
    ]
    bars = [
        (left + SCALE + STEP * (i + 1), [member * ROW + ROW / 2 for member in members])
        for i, members in enumerate(group for group in groups if len(group) > 1)
    ]
    return fill_macro(
        "group_graph.html",
        "graph",
        label=f"{measure}: means of {len(systems)} runs with their confidence intervals; "
        f"{len(bars)} bars over runs that do not differ significantly",
        rows=rows,
        bars=bars,
        ticks=[(across(low), f"{low:.3f}"), (across(high), f"{high:.3f}")],
        left=left,
        width=left + SCALE + STEP * (len(bars) + 1) + 6,
        height=len(systems) * ROW + 24,
    )
