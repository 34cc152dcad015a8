"""Pictures for papers: precision-recall, ROC, recall by characters, the ADM plane, and comparisons of systems.

Each function draws into *ax* (a new figure's without) and returns the Axes. They need matplotlib, the extra `[plots]`.
Lines differ by dash and marker in black and greys, so that they survive a photocopier. *runs* is a run frame, or a dict
of them by name; *qid* picks one topic, without it curves are means over all judged topics.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..errors import import_extra
from ..ir_measures_provider import parse
from . import curve_data
from .pairs import triangle
from .rankings import MeasureComparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Runs = pd.DataFrame | Mapping[str, pd.DataFrame]

_STYLES: tuple[dict[str, Any], ...] = (
    {"color": "0.0", "linestyle": "-", "marker": "o"},
    {"color": "0.0", "linestyle": "--", "marker": "s"},
    {"color": "0.45", "linestyle": "-", "marker": "^"},
    {"color": "0.45", "linestyle": "-.", "marker": "D"},
    {"color": "0.0", "linestyle": ":", "marker": "v"},
    {"color": "0.65", "linestyle": "-", "marker": "P"},
    {"color": "0.65", "linestyle": "--", "marker": "X"},
)


def plot_char_precision_recall(
    qrels: pd.DataFrame, runs: Runs, *, qid: str | None = None, overlap: str = "error", ax: Axes | None = None
) -> Axes:
    """Draw interpolated precision over characters at 101 recall levels (INEX 2007); the legend gives AiP, its mean."""
    ax = _square(ax, "Recall (characters)", "Interpolated precision")
    for name, run, style in _each(runs):
        curve = curve_data.char_precision_recall(qrels, run, qid=qid, overlap=overlap)
        label = _label(name, "AiP", curve["precision"].mean())
        ax.plot(curve["recall"], curve["precision"], markevery=10, label=label, **style)
    return _legend(ax)


def plot_article_precision_recall(
    qrels: pd.DataFrame, runs: Runs, *, qid: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw 11-point interpolated precision over articles; of one topic (*qid*), the saw-tooth under it.

    The legend gives IAP11, the mean of the points. Source: Manning et al., figures 8.2 and 8.3.
    """
    ax = _square(ax, "Recall (articles)", "Interpolated precision" if qid is None else "Precision")
    for name, run, style in _each(runs):
        curve = curve_data.article_precision_recall(qrels, run, qid=qid)
        label = _label(name, "IAP11", curve["precision"].mean())
        if qid is not None:
            teeth = curve_data.saw_tooth(qrels, run, qid)
            ax.plot(teeth["recall"], teeth["precision"], color=style["color"], linewidth=0.6, alpha=0.6)
        ax.plot(curve["recall"], curve["precision"], label=label, **style)
    return _legend(ax)


def plot_roc(qrels: pd.DataFrame, runs: Runs, *, qid: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw the ROC curve over the judged articles; the legend gives the area under it, ROCAUC (Manning et al., 8.4)."""
    ax = _square(ax, "False positive rate (1 − specificity)", "True positive rate (sensitivity)")
    ax.plot([0, 1], [0, 1], color="0.8", linewidth=0.8, zorder=0)
    (measure,) = parse("ROCAUC")
    for name, run, style in _each(runs):
        curve = curve_data.roc(qrels, run, qid=qid)
        area = measure.calculate(curve_data.join(qrels, run, measure, qid=qid)).mean()  # type: ignore[attr-defined]
        ax.plot(curve["fpr"], curve["tpr"], markevery=0.1, label=_label(name, "AUC", area), **style)
    return _legend(ax, "lower right")


def plot_recall_by_characters(
    qrels: pd.DataFrame,
    runs: Runs,
    *,
    qid: str | None = None,
    budgets: Sequence[int] | None = None,
    overlap: str = "error",
    ax: Axes | None = None,
) -> Axes:
    """Draw recall of the highlighted text against characters read, on a logarithmic axis.

    Reading follows the ranking and stops inside a passage where the budget ends. budgets: the numbers of characters;
    without them up to all that any run retrieved for a topic.
    """
    ax = _axes(ax, "Characters read", "Recall (characters)")
    drawn = list(_each(runs))
    if budgets is None:
        reach = [curve_data.recall_by_characters(qrels, run, qid=qid, overlap=overlap) for _, run, _ in drawn]
        budgets = np.geomspace(100, max(curve["characters"].max() for curve in reach), 101).round().astype(int).tolist()
    for name, run, style in drawn:
        curve = curve_data.recall_by_characters(qrels, run, qid=qid, budgets=budgets, overlap=overlap)
        ax.plot(curve["characters"], curve["recall"], markevery=0.1, label=name, **style)
    ax.set_xscale("log")
    ax.set_ylim(0, 1.02)
    return _legend(ax)


def plot_adm_plane(
    qrels: pd.DataFrame, run: pd.DataFrame, *, qid: str | None = None, measure: Any = None, ax: Axes | None = None
) -> Axes:
    """Draw the documents on the URS/SRS plane, over- and under-evaluated areas told apart; the title gives ADM.

    measure: the ADM whose scores are drawn, `ADM(urs='specificity')` for example; plain ADM without.
    Source: Della Mea and Mizzaro, NTCIR-4 slides 8, 12 and 18.
    """
    (measure,) = parse(["ADM"] if measure is None else [measure])
    plane = curve_data.adm_plane(qrels, run, qid=qid, measure=measure)
    value = measure.calculate(curve_data.join(qrels, run, measure, qid=qid)).mean()
    ax = _square(ax, "User relevance score (URS)", "System relevance score (SRS)")
    ax.fill_between([0, 1], [0, 1], 1, color="0.94", linewidth=0)
    ax.fill_between([0, 1], 0, [0, 1], facecolor="none", edgecolor="0.85", hatch="////", linewidth=0)
    ax.plot([0, 1], [0, 1], color="0.4", linewidth=0.8)
    over = plane["srs"] > plane["urs"]
    under = plane["srs"] < plane["urs"]
    for rows, label, marker, fill in (
        (over, "over-evaluated", "^", "none"),
        (under, "under-evaluated", "v", "0.0"),
        (~over & ~under, "as the user", "o", "0.6"),
    ):
        if rows.any():
            ax.scatter(
                plane["urs"][rows], plane["srs"][rows], s=22, marker=marker, facecolors=fill, edgecolors="0.0",
                linewidths=0.8, label=f"{label} ({rows.sum()})", clip_on=False, zorder=3,
            )  # fmt: skip
    ax.set_title(f"{measure} = {value:.3f}", fontsize="medium")
    ax.legend(
        loc="upper center", bbox_to_anchor=(0.45, -0.16), ncols=3, frameon=False, fontsize="small",
        columnspacing=0.8, handletextpad=0.1,
    )  # fmt: skip
    return ax


def plot_pairwise(pairs: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw the triangular table of `pairwise`: a filled square where the row's system is significantly better."""
    table = triangle(pairs)
    n = len(table)
    side = max(2.4, 0.32 * n + 1.2)
    ax = ax if ax is not None else import_extra("matplotlib.pyplot", "plots").subplots(figsize=(side, side))[1]
    for rows, marker, size, shade in (
        (pairs[pairs["significant"]], "s", 55, "0.15"),
        (pairs[~pairs["significant"]], "_", 28, "0.55"),
    ):
        ax.scatter(rows["worse_rank"] - 1, rows["better_rank"] - 1, marker=marker, s=size, color=shade)
    ax.set_xticks(range(n), table.columns, rotation=90)
    ax.set_yticks(range(n), table.index)
    ax.set_xlim(-0.6, n - 0.4)
    ax.set_ylim(n - 0.4, -0.6)
    ax.xaxis.tick_top()
    ax.set_aspect("equal")
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    count = f"{int(pairs['significant'].sum())} of {len(pairs)} pairs"
    ax.set_xlabel(f"{pairs['measure'].iloc[0]}: {count} differ significantly", fontsize="medium")
    return ax


def plot_measures(comparison: MeasureComparison, ax: Axes | None = None) -> Axes:
    """Draw the two rankings of `compare_measures` side by side; lines that cross are upsets.

    A system that moves by three ranks or more is drawn in black.
    """
    systems = comparison.systems
    n = len(systems)
    if ax is None:
        ax = import_extra("matplotlib.pyplot", "plots").subplots(figsize=(4.2, max(2.4, 0.26 * n + 0.8)))[1]
    for name, left, right in zip(systems["name"], systems["first_rank"], systems["second_rank"], strict=True):
        color, width = ("0.0", 1.3) if abs(left - right) >= 3 else ("0.6", 0.9)
        ax.plot([0, 1], [left, right], marker="o", markersize=3, color=color, linewidth=width)
        ax.text(-0.04, left, f"{name}  {left}", ha="right", va="center", fontsize="small")
        ax.text(1.04, right, f"{right}  {name}", ha="left", va="center", fontsize="small")
    ax.set_xlim(-0.05, 1.05)
    ax.set_ylim(n + 0.6, 0.4)
    ax.set_xticks([0, 1], [comparison.first, comparison.second])
    ax.xaxis.tick_top()
    ax.set_yticks([])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_xlabel(
        rf"Kendall's $\tau$ = {comparison.tau:.3f}, $\tau_{{AP}}$ = {comparison.tau_ap:.3f}", fontsize="small"
    )
    return ax


def _each(runs: Runs) -> Iterator[tuple[str, pd.DataFrame, dict[str, Any]]]:
    named = {"": runs} if isinstance(runs, pd.DataFrame) else runs
    for i, (name, run) in enumerate(named.items()):
        style = _STYLES[i % len(_STYLES)]
        fill = "white" if i // len(_STYLES) % 2 == 0 else style["color"]  # more runs than styles: markers are filled
        yield name, run, {"markersize": 4, "linewidth": 1.2, "markerfacecolor": fill, **style}


def _axes(ax: Axes | None, x: str, y: str) -> Axes:
    if ax is None:
        ax = import_extra("matplotlib.pyplot", "plots").subplots(figsize=(4.4, 3.6), layout="constrained")[1]
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _square(ax: Axes | None, x: str, y: str) -> Axes:
    ax = _axes(ax, x, y)
    ax.set_xlim(-0.01, 1.01)
    ax.set_ylim(-0.01, 1.02)
    return ax


def _label(name: str, measure: str, value: float) -> str:
    return f"{name} ({measure} {value:.3f})" if name else f"{measure} {value:.3f}"


def _legend(ax: Axes, where: Any = "best") -> Axes:
    if any(ax.get_legend_handles_labels()[1]):
        ax.legend(loc=where, frameon=False, fontsize="small", handlelength=3.2)
    return ax
