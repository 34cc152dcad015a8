"""The systems of one measure as a graph: means with their intervals, and bars over systems that are not told apart."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from .templates import macros

# heights and widths, in the units of the drawing
ROW = 22
SCALE = 230
STEP = 16
_LONGEST = 28  # characters of a name


def group_graph(
    measure: str,
    systems: Sequence[tuple[str, float, float, float]],
    groups: Sequence[Sequence[int]],
) -> Markup:
    """Draw systems as (name, mean, low, high), the best first, and groups of their positions that are not told apart.

    A bar for each group of at least two is to the right of the rows, with a dot on each of its members.
    """
    low = min(min(row[2], row[1]) for row in systems)
    high = max(max(row[3], row[1]) for row in systems)
    low, high = (low, high) if high > low else (low - 0.5, high + 0.5)

    left = 16 + 7.5 * max(min(len(name), _LONGEST) for name, *_ in systems)

    def across(value: float) -> float:
        return left + 8 + (value - low) / (high - low) * (SCALE - 16)

    rows = [
        {
            "name": name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…",
            "told": f"{name}: {mean:.4f}, interval {begin:.4f} to {end:.4f}",
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
    return macros("group_graph.html").graph(
        told=f"{measure}: means of {len(systems)} runs with their confidence intervals; "
        f"{len(bars)} bars over runs that are not told apart",
        rows=rows,
        bars=bars,
        ticks=[(across(low), f"{low:.3f}"), (across(high), f"{high:.3f}")],
        left=left,
        width=left + SCALE + STEP * (len(bars) + 1) + 6,
        height=len(systems) * ROW + 24,
    )
