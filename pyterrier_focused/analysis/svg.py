"""Line charts as inline SVG for the report: they take their colours from the page, and need no script or library."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

WIDTH, HEIGHT = 360, 290
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 12, 42  # margins around the plot

# the marker of each series, centred on the origin; dashes are in the style sheet
MARKERS = (
    "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0",
    "M-3.2-3.2h6.4v6.4h-6.4z",
    "M0-4.2 4 3.2h-8z",
    "M0-4.5 4.5 0 0 4.5-4.5 0z",
    "M0 4.2 4-3.2h-8z",
    "M-1.3-4h2.6v2.7h2.7v2.6h-2.7v2.7h-2.6v-2.7h-2.7v-2.6h2.7z",
    "M-4-4 4 4M-4 4 4-4",
)
STYLES = len(MARKERS)


Scale = Callable[[float], float]


class Series(NamedTuple):
    """A named line."""

    name: str
    x: Sequence[float]
    y: Sequence[float]


def chart(series: Sequence[Series], x_label: str, y_label: str, *, log: bool = False, diagonal: bool = False) -> str:
    """Draw lines over x and y in [0, 1], or over x from 100 on a logarithmic axis."""
    top = max((max(line.x, default=1) for line in series), default=1) if log else 1.0
    low, high = (2.0, max(math.log10(max(top, 1)), 2.5)) if log else (0.0, 1.0)

    def across(value: float) -> float:
        share = ((math.log10(max(value, 1e-9)) if log else value) - low) / (high - low)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def up(value: float) -> float:
        return HEIGHT - BOTTOM - value * (HEIGHT - TOP - BOTTOM)

    parts = [_axes(across, up, log, high, x_label, y_label)]
    if diagonal:
        parts.append(f'<path class="grid" d="M{across(0):.1f} {up(0):.1f}L{across(1):.1f} {up(1):.1f}"/>')
    for k, line in enumerate(series):
        points = [
            (across(x), up(y)) for x, y in zip(line.x, line.y, strict=True) if not log or math.log10(max(x, 1)) >= low
        ]
        if not points:
            continue
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        step = max(1, len(points) // 10)
        marks = "".join(
            f'<path class="m m{k % STYLES}" d="{MARKERS[k % STYLES]}" transform="translate({x:.1f} {y:.1f})"/>'
            for x, y in points[(k * step // STYLES) % step :: step]  # staggered, so that lines that coincide both show
        )
        parts.append(f'<g><title>{escape(line.name)}</title><path class="l l{k % STYLES}" d="M{path}"/>{marks}</g>')
    told = f"{y_label} against {x_label.lower()}, one line each for {', '.join(line.name for line in series)}"
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}"'
    return f'<svg class="chart" {size} role="img" aria-label="{escape(told)}">{"".join(parts)}</svg>'


def swatch(k: int) -> str:
    """The line and marker of series *k*, for a legend."""
    line = f'<path class="l l{k % STYLES}" d="M0 6h36"/>'
    mark = f'<path class="m m{k % STYLES}" d="{MARKERS[k % STYLES]}" transform="translate(18 6)"/>'
    return f'<svg class="swatch" viewBox="0 0 36 12" aria-hidden="true">{line}{mark}</svg>'


def _axes(across: Scale, up: Scale, log: bool, high: float, x_label: str, y_label: str) -> str:
    x_ticks = [10**i for i in range(2, math.floor(high) + 1)] if log else [0, 0.2, 0.4, 0.6, 0.8, 1]
    left, bottom = LEFT, HEIGHT - BOTTOM
    parts = [f'<path class="axis" d="M{left} {TOP}V{bottom}H{WIDTH - RIGHT}"/>']
    for value in x_ticks:
        x = across(value)
        name = _short(value) if log else f"{value:g}"
        parts.append(
            f'<path class="axis" d="M{x:.1f} {bottom}v4"/><text class="x" x="{x:.1f}" y="{bottom + 17}">{name}</text>'
        )
    for value in (0, 0.2, 0.4, 0.6, 0.8, 1):
        y = up(value)
        parts.append(f'<path class="grid" d="M{left} {y:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text class="y" x="{left - 6}" y="{y + 4:.1f}">{value:g}</text>')
    parts.append(f'<text class="x" x="{(left + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 6}">{escape(x_label)}</text>')
    parts.append(
        f'<text class="x" transform="translate(12 {(TOP + bottom) / 2:.0f})rotate(-90)">{escape(y_label)}</text>'
    )
    return "".join(parts)


def _short(value: float) -> str:
    """Write a power of ten: 100, 1k, 10k, ... 1M."""
    for unit, name in ((1_000_000, "M"), (1_000, "k")):
        if value >= unit:
            return f"{value / unit:g}{name}"
    return f"{value:g}"
