"""How plots look: axes without a box, and lines that differ in colour, dash and marker, with a legend beside them."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import import_extra

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

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


def new_axes(ax: Axes | None, x: str, y: str, size: tuple[float, float] = (6.4, 3.6)) -> Axes:
    """Return the axes to draw into, those of a new figure if none are given, with labels and without a box.

    Args:
        size: Width and height of a new figure in inches, legend included.
    """
    if ax is None:
        ax = import_extra("matplotlib.pyplot", "plots").figure(figsize=size, layout="constrained").add_subplot()
    ax.set_xlabel(textwrap.fill(x, 50))
    ax.set_ylabel(textwrap.fill(y, 40))
    ax.spines[["top", "right"]].set_visible(False)
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
        label = textwrap.fill(str(name) if labels is None else labels[str(name)], 30)
        ax.plot(curve[x], curve[y], label=label, markevery=every, **style)


def label_lines(ax: Axes) -> Axes:
    """Name the lines in a legend right of the axes."""
    if any(ax.get_legend_handles_labels()):
        ax.legend(loc="upper left", bbox_to_anchor=(1.02, 1), frameon=False, fontsize="small", handlelength=3.2)
    return ax
