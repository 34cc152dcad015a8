"""Line charts as inline SVG for the report: they take their colours from the page, and need no script or library."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from markupsafe import Markup

from ..reading.json import JsonObject
from .templates import fill_macro

WIDTH = 360
HEIGHT = 290
# margins around the plot
LEFT = 46
RIGHT = 12
TOP = 12
BOTTOM = 42

# the marker of each series, centred on the origin; dashes are in the style sheet
MARKERS = (
    "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0",
    "M-3.2-3.2h6.4v6.4h-6.4z",
    "M0-4.2 4 3.2h-8z",
    "M0-4.5 4.5 0 0 4.5-4.5 0z",
    "M0 4.2 4-3.2h-8z",
    "M-1.3-4h2.6v2.7h2.7v2.6h-2.7v2.7h-2.6v-2.7h-2.7v-2.6h2.7z",
    "M-4-4 4 4M-4 4 4-4",
    "M4-3.2v6.4L-4 0z",
    "M-4-3.2v6.4L4 0z",
    "M0-4.6 1.3-1.4 4.5-1.4 2-.4 3 3.8 0 1.6-3 3.8-2-.4-4.5-1.4-1.3-1.4z",
)
# The number of lines that look different; as many more have filled markers.
STYLES = len(MARKERS)

Scale = Callable[[float], float]


class Series(NamedTuple):
    """A named line; a *hidden* one is shown on request."""

    name: str
    hidden: bool
    x: Sequence[float]
    y: Sequence[float]


def chart(series: Sequence[Series], x_label: str, y_label: str, *, log: bool = False, diagonal: bool = False) -> Markup:
    """Draw lines over x and y in [0, 1], or over x from 100 on a logarithmic axis."""
    low, high = scale(series, log=log)

    def across(value: float) -> float:
        share = ((math.log10(max(value, 1e-9)) if log else value) - low) / (high - low)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def up(value: float) -> float:
        return HEIGHT - BOTTOM - value * (HEIGHT - TOP - BOTTOM)

    lines = []
    for k, line in enumerate(series):
        shown = [(x, y) for x, y in zip(line.x, line.y, strict=True) if not log or math.log10(max(x, 1)) >= low]
        if shown:
            lines.append(_draw_line(k, line, [(across(x), up(y)) for x, y in shown]))
    return fill_macro(
        "chart.html",
        "chart",
        label=f"{y_label} against {x_label.lower()}, one line each for {', '.join(line.name for line in series)}",
        axes=_draw_axes(across, up, log, high, x_label, y_label),
        lines=lines,
        diagonal=f"M{across(0):.1f} {up(0):.1f}L{across(1):.1f} {up(1):.1f}" if diagonal else "",
    )


def scale(series: Sequence[Series], *, log: bool) -> tuple[float, float]:
    """Return the ends of the x axis: 0 and 1 or, on a logarithmic axis, those of the decimal logarithm."""
    if not log:
        return 0.0, 1.0
    top = max((max(line.x, default=1) for line in series), default=1)
    return 2.0, max(math.log10(max(top, 1)), 2.5)


def swatch(k: int) -> Markup:
    return fill_macro("chart.html", "swatch", k % STYLES, MARKERS[k % STYLES], k // STYLES % 2 == 1)


def _draw_line(k: int, line: Series, points: list[tuple[float, float]]) -> JsonObject:
    step = max(1, len(points) // 10)
    return {
        "name": line.name,
        "run": k,
        "hidden": line.hidden,
        "filled": k // STYLES % 2 == 1,
        "style": k % STYLES,
        "marker": MARKERS[k % STYLES],
        "path": "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points),
        # Staggered, so that lines that coincide both show.
        "markers": points[(k * step // STYLES) % step :: step],
    }


def _draw_axes(across: Scale, up: Scale, log: bool, high: float, x_label: str, y_label: str) -> JsonObject:
    x_ticks: Sequence[float] = [10**i for i in range(2, math.floor(high) + 1)] if log else [0, 0.2, 0.4, 0.6, 0.8, 1]
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "left": LEFT,
        "right": WIDTH - RIGHT,
        "top": TOP,
        "bottom": HEIGHT - BOTTOM,
        "x_ticks": [(across(value), _format_power(value) if log else f"{value:g}") for value in x_ticks],
        "y_ticks": [(up(value), f"{value:g}") for value in (0, 0.2, 0.4, 0.6, 0.8, 1)],
        "x_label": x_label,
        "y_label": y_label,
    }


def _format_power(value: float) -> str:
    for unit, name in ((1_000_000, "M"), (1_000, "k")):
        if value >= unit:
            return f"{value / unit:g}{name}"
    return f"{value:g}"
