"""How plots look: axes, lines that differ in colour, dash and marker, labels at their ends, and room for all text."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from ..errors import import_extra

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The sizes of the axes of figures that were made here, in inches.
_AXES_SIZES: WeakKeyDictionary[Figure, tuple[float, float]] = WeakKeyDictionary()
# The margin of figures, in inches.
_MARGIN = 0.08
# Okabe and Ito's palette for the colour-blind, darkened as white paper needs it, and three more; dashes and markers
# tell the lines apart without colour
_STYLES: tuple[dict[str, Any], ...] = (
    {"color": "#000000", "linestyle": "-", "marker": "o"},
    {"color": "#0072b2", "linestyle": (0, (6, 2)), "marker": "s"},
    {"color": "#c75100", "linestyle": (0, (1.5, 1.5)), "marker": "^"},
    {"color": "#00805c", "linestyle": (0, (7, 2, 1.5, 2)), "marker": "D"},
    {"color": "#a3529b", "linestyle": (0, (10, 3)), "marker": "v"},
    {"color": "#8a6d00", "linestyle": (0, (3, 1.5, 1, 1.5)), "marker": "P"},
    {"color": "#77766f", "linestyle": "-", "marker": "X"},
    {"color": "#56a0d0", "linestyle": (0, (2, 3)), "marker": "<"},
    {"color": "#8c1c13", "linestyle": (0, (12, 2, 2, 2)), "marker": ">"},
    {"color": "#3f3f9f", "linestyle": (0, (4, 1, 1, 1, 1, 1)), "marker": "*"},
)


def line_style(i: int) -> dict[str, Any]:
    """Return the look of the i-th line: ten that differ, then the same with filled markers."""
    style = _STYLES[i % len(_STYLES)]
    fill = "white" if i // len(_STYLES) % 2 == 0 else style["color"]
    return {"markersize": 4.2, "linewidth": 1.3, "markerfacecolor": fill, **style}


def new_axes(ax: Axes | None, x: str, y: str, size: tuple[float, float] = (4.4, 3.0)) -> Axes:
    """Return the axes to draw into, those of a new figure if none are given, with labels and without a box.

    Args:
        size: Width and height of new axes in inches; `fit_figure` makes room for what is around them.
    """
    if ax is None:
        figure = import_extra("matplotlib.pyplot", "plots").figure(figsize=size)
        _AXES_SIZES[figure] = size
        ax = figure.add_axes((0, 0, 1, 1))
    ax.set_xlabel(wrap_name(x, 50))
    ax.set_ylabel(wrap_name(y, 40))
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def wrap_name(name: object, width: int = 30) -> str:
    """Break a long name into lines of at most *width* letters."""
    return textwrap.fill(str(name), width)


def row_height(names: Sequence[str], least: float) -> float:
    """Return the height in inches of rows with these names, which `wrap_name` has broken into lines."""
    return max(least, 0.17 * max(1 + name.count("\n") for name in names))


def fit_figure(ax: Axes) -> Axes:
    """Enlarge a figure of `new_axes` to hold the axes and all text around them."""
    figure = ax.get_figure(root=True)
    if figure is None or figure not in _AXES_SIZES:
        return ax
    width, height = _AXES_SIZES[figure]
    figure.set_size_inches(width, height)
    ax.set_position((0, 0, 1, 1))
    figure.draw_without_rendering()
    drawn = figure.get_tightbbox()
    left = _MARGIN - min(drawn.x0, 0)
    bottom = _MARGIN - min(drawn.y0, 0)
    # up to quarters of an inch, as fonts differ a little between machines
    whole_width = math.ceil(4 * (left + max(drawn.x1, width) + _MARGIN)) / 4
    whole_height = math.ceil(4 * (bottom + max(drawn.y1, height) + _MARGIN)) / 4
    figure.set_size_inches(whole_width, whole_height)
    ax.set_position((left / whole_width, bottom / whole_height, width / whole_width, height / whole_height))
    return ax


def unit_square(ax: Axes | None, x: str, y: str) -> Axes:
    ax = new_axes(ax, x, y)
    ax.set_xlim(-0.01, 1.01)
    ax.set_ylim(-0.01, 1.02)
    return ax


def draw_lines(ax: Axes, curves: pd.DataFrame, x: str, y: str, labels: Mapping[str, str] | None = None) -> None:
    """Draw a line for each `name` of a table of points, with its band if there is one."""
    for i, (name, curve) in enumerate(curves.groupby("name", sort=False)):
        style = line_style(i)
        if "low" in curve:
            ax.fill_between(curve[x], curve["low"], curve["high"], color=style["color"], alpha=0.13, linewidth=0)
        every = (i * 2 % 10, 10) if len(curve) > 20 else None
        label = wrap_name(name if labels is None else labels[str(name)])
        ax.plot(curve[x], curve[y], label=label, markevery=every, **style)


def label_lines(ax: Axes) -> Axes:
    """Write each line's label at its right end, moved apart if they would overlap, and make room for all.

    One line alone gets a legend.
    """
    lines = [line for line in ax.lines if not str(line.get_label()).startswith("_")]
    if len(lines) < 2:
        if lines:
            ax.legend(frameon=False, fontsize="small", handlelength=3.2)
        return fit_figure(ax)
    # The limits are final then.
    ax.autoscale_view()
    to_axes = ax.transData + ax.transAxes.inverted()
    points = [to_axes.transform(line.get_xydata()) for line in lines]
    # In points, of which an inch has 72.
    height = ax.get_window_extent().height / ax.get_figure(root=True).dpi * 72  # type: ignore[union-attr]
    heights = [12 / height * (1 + str(line.get_label()).count("\n")) for line in lines]
    places = _move_apart([(of_line[-1, 1], of_line[:, 1].mean()) for of_line in points], heights)
    for i, (line, of_line, y) in enumerate(zip(lines, points, places, strict=True)):
        fixed: dict[str, Any] = {"transform": ax.transAxes, "clip_on": False, "scalex": False, "scaley": False}
        leader = [min(of_line[-1, 0], 1.0), 1.05], [of_line[-1, 1], y]
        ax.plot(*leader, color=line.get_color(), linewidth=0.5, **fixed)
        ax.plot([1.05, 1.1, 1.15], [y] * 3, markevery=[1], **line_style(i), **fixed)
        ax.text(1.17, y, str(line.get_label()), fontsize="small", va="center", transform=ax.transAxes)
    return fit_figure(ax)


def _move_apart(wanted: Sequence[tuple[float, float]], heights: Sequence[float]) -> list[float]:
    """Return places for labels of some heights, as near to the wanted ones as possible, in the order given."""
    from scipy.optimize import isotonic_regression

    order = sorted(range(len(wanted)), key=lambda i: (wanted[i], -i))
    halves = np.array([heights[i] / 2 for i in order])
    steps = np.cumsum(np.append(0, halves[:-1] + halves[1:]))
    places = isotonic_regression([wanted[i][0] for i in order] - steps).x + steps
    places += max(0.0, -float(places[0])) - max(0.0, float(places[-1]) - max(1.0, float(steps[-1])))
    moved = np.empty(len(order))
    moved[order] = places
    return list(map(float, moved))
