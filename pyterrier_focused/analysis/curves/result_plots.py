"""Plots of results: pairs of systems, rankings by two measures, and differences by topic.

Each function draws into *ax* (default: a new one) and returns it. They need matplotlib, the extra `[plots]`.
*results* is the frame of `pt.Experiment(..., perquery=True)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ...evaluation.plot_style import fit_figure, label_lines, line_style, new_axes, row_height, wrap_name
from ..statistics.pairs import AnyMeasure, MeasureValues, Results, check_pairs, round_means, triangle, values_of
from ..statistics.rankings import MeasureComparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INTERVAL_LINES = {"Student": "-", "Tukey": "-", "Gaffke": (0, (3, 1.5))}


def plot_pairwise(pairs: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw the triangular table of `pairwise`: a filled square if the row's system is significantly better.

    Example:
        >>> from pyterrier_focused.analysis import pairwise
        >>> rows = [(name, qid, "AP", best * qid / 9) for name, best in (("a", 1), ("b", 0.5)) for qid in range(1, 10)]
        >>> ax = plot_pairwise(pairwise(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])))
        >>> [label.get_text() for label in ax.get_yticklabels()]
        ['a', 'b']
    """
    table = triangle(pairs)
    n = len(table)
    names = [wrap_name(name) for name in table.index]
    side = max(1.2, row_height(names, 0.32) * n)
    count = f"{int(pairs['significant'].sum())} of {len(pairs)} pairs"
    ax = new_axes(ax, f"{pairs['measure'].iloc[0]}: {count} differ significantly", "", (side, side))
    for rows, marker, size, shade in (
        (pairs[pairs["significant"]], "s", 55, "0.15"),
        (pairs[~pairs["significant"]], "_", 28, "0.55"),
    ):
        ax.scatter(rows["worse_rank"] - 1, rows["better_rank"] - 1, marker=marker, s=size, color=shade)
    ax.set_xticks(range(n), names, rotation=90)
    ax.set_yticks(range(n), names)
    ax.set_xlim(-0.6, n - 0.4)
    ax.set_ylim(n - 0.4, -0.6)
    ax.xaxis.tick_top()
    ax.set_aspect("equal")
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return fit_figure(ax)


def plot_intervals(pairs: pd.DataFrame, baseline: str, *, ax: Axes | None = None) -> Axes:
    """Draw how far the other systems are above *baseline* by each measure, with the intervals of `pairwise`.

    The marker of a significant difference is filled, and Gaffke's intervals are dashed. Only Tukey's are corrected for
    the number of pairs.

    Args:
        pairs: The frame of `pairwise`.

    Example:
        >>> from pyterrier_focused.analysis import pairwise
        >>> rows = [(name, qid, "AP", best * qid / 9) for name, best in (("a", 1), ("b", 0.5)) for qid in range(1, 10)]
        >>> pairs = pairwise(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]))
        >>> plot_intervals(pairs, "b").get_xlabel()
        'AP: a − b'
    """
    check_pairs(pairs)
    names = sorted({*pairs["better"], *pairs["worse"]})
    if baseline not in names:
        raise ValueError(f"baseline={baseline!r}: name one of {names}")
    pairs = pairs[(pairs["better"] == baseline) | (pairs["worse"] == baseline)]
    above = pairs["worse"] == baseline
    system = pairs["better"].where(above, pairs["worse"])
    others = list(system.unique())
    measures = pairs["measure"].unique()
    ends = pairs[["low", "difference", "high"]].mul(np.where(above, 1, -1), axis=0)
    what = f"{others[0] if len(others) == 1 else 'system'} − {baseline}"
    if len(measures) > 1:
        rows = pairs["measure"] if len(others) == 1 else system + ", " + pairs["measure"]
    else:
        rows = system
        what = f"{measures[0]}: {what}"
    labels = [wrap_name(row) for row in rows]
    ax = new_axes(ax, what, "", (4.4, row_height(labels, 0.3) * len(pairs)))
    ax.axvline(0, color="0.4", linewidth=0.8)
    drawn = zip(system, pairs["significant"], pairs["interval"], ends.to_numpy(), strict=True)
    for y, (name, significant, kind, values) in enumerate(drawn):
        style = line_style(others.index(name) if len(measures) > 1 else 0)
        style["linestyle"] = _INTERVAL_LINES[kind]
        fill = style["color"] if significant else "white"
        ax.plot(values, [y] * 3, **{**style, "markevery": [1], "markersize": 5.5, "markerfacecolor": fill})
    if pairs["interval"].nunique() > 1:
        for kind in pairs["interval"].unique():
            ax.plot([], [], color="0.0", linewidth=1.3, linestyle=_INTERVAL_LINES[kind], label=f"{kind}’s interval")
        ax.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1.02, 1))
    ax.set_yticks(range(len(pairs)), labels)
    ax.set_ylim(len(pairs) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    return fit_figure(ax)


def plot_measures(comparison: MeasureComparison, ax: Axes | None = None) -> Axes:
    """Draw the two rankings of `compare_measures` side by side; lines that cross are upsets.

    Systems of one mean share a rank. One that moves by three ranks or more is drawn in black.

    Example:
        >>> from pyterrier_focused.analysis import compare_measures
        >>> rows = [(name, qid, "AP", best * qid / 9) for name, best in (("a", 1), ("b", 0.5)) for qid in range(1, 10)]
        >>> results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
        >>> comparison = compare_measures(pd.concat([results, results.assign(measure="RR")]), "AP", "RR")
        >>> [text.get_text() for text in plot_measures(comparison).texts]
        ['a  1', '1  a', 'b  2', '2  b']
    """
    if not isinstance(comparison, MeasureComparison):
        raise ValueError(f"plot_measures draws what compare_measures returns, got {type(comparison).__name__}")
    systems = comparison.systems
    n = len(systems)
    taus = rf"Kendall's $\tau$ = {comparison.tau:.3f}, $\tau_{{AP}}$ = {comparison.tau_ap:.3f}"
    names = [wrap_name(name) for name in systems["name"]]
    ax = new_axes(ax, "", "", (2.0, max(1.6, row_height(names, 0.26) * n)))
    ax.set_xlabel(f"{taus}\nblack: moved by 3 ranks or more\ngrey: by fewer")
    means = [pd.Series(round_means(systems[column])) for column in ("first_mean", "second_mean")]
    # Systems of one mean meet in the middle of their rows.
    heights = zip(*(mean.rank(ascending=False) for mean in means), strict=True)
    ranks = list(zip(*(mean.rank(ascending=False, method="min").astype(int) for mean in means), strict=True))
    for ends, (left, right) in zip(heights, ranks, strict=True):
        color, width = ("0.0", 1.3) if abs(left - right) >= 3 else ("0.6", 0.9)
        ax.plot([0, 1], ends, marker="o", markersize=3, color=color, linewidth=width)
    rows = zip(names, systems["first_rank"], systems["second_rank"], ranks, strict=True)
    for name, left_row, right_row, (left, right) in rows:
        ax.text(-0.04, left_row, f"{name}  {left}", ha="right", va="center", fontsize="small")
        ax.text(1.04, right_row, f"{right}  {name}", ha="left", va="center", fontsize="small")
    ax.set_xlim(-0.05, 1.05)
    ax.set_ylim(n + 0.6, 0.4)
    ax.set_xticks([0, 1], [wrap_name(comparison.first, 20), wrap_name(comparison.second, 20)])
    ax.xaxis.tick_top()
    ax.set_yticks([])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return fit_figure(ax)


def plot_stability(stable: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw the frame of `stability`: Kendall's tau between rankings by two sets of topics, by the size of a set.

    A band holds 90% of the samples; the legend gives the difference needed with the largest sets.

    Example:
        >>> from pyterrier_focused.analysis import stability
        >>> rows = [(name, qid, "AP", best * qid / 9) for name, best in (("a", 1), ("b", 0.5)) for qid in range(1, 10)]
        >>> stable = stability(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]), topics=[2, 4])
        >>> plot_stability(stable).get_xlabel()
        'Topics'
    """
    if not isinstance(stable, pd.DataFrame) or "tau_low" not in stable:
        raise ValueError(f"plot_stability draws the frame of stability, got {type(stable).__name__}")
    ax = new_axes(ax, "Topics", r"Kendall's $\tau$ between two sets of topics")
    for i, (measure, rows) in enumerate(stable.groupby("measure", sort=False)):
        style = line_style(i)
        needed = rows["needed"].iloc[-1]
        difference = "none large enough" if np.isnan(needed) else f"{needed:.2f}"
        ax.fill_between(
            rows["topics"], rows["tau_low"], rows["tau_high"], color=style["color"], alpha=0.13, linewidth=0
        )
        ax.plot(rows["topics"], rows["tau"], label=wrap_name(f"{measure} (difference needed: {difference})"), **style)
    ax.set_ylim(top=1.02)
    return label_lines(ax)


def plot_differences(
    results: Results, measure: AnyMeasure | None = None, *, systems: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """Draw by how much the first of two systems is above the second on each topic, the largest difference first.

    Args:
        systems: The names of two systems of the results; they may be left out if there are two only.

    Example:
        >>> rows = [("a", "q1", "AP", 0.25), ("a", "q2", "AP", 0.5), ("b", "q1", "AP", 0.0), ("b", "q2", "AP", 1.0)]
        >>> plot_differences(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])).get_title(loc="left")
        'a higher on 1 of 2 topics, lower on 1'
    """
    values = _read_one_measure(results, measure)
    chosen = list(values.names if systems is None else systems)
    unknown = [name for name in chosen if name not in values.names]
    if len(chosen) != 2 or unknown or chosen[0] == chosen[1]:
        raise ValueError(f"systems={chosen}: name two of {values.names}")
    first, second = (values.values[:, values.names.index(name)] for name in chosen)
    difference = first - second
    order = np.argsort(-difference, kind="stable")
    n = len(order)
    ax = new_axes(ax, "Topic", f"{values.measure}: {chosen[0]} − {chosen[1]}", (max(4.4, 0.14 * n), 2.6))
    up = difference[order] > 0
    ax.bar(np.flatnonzero(up), difference[order][up], color="#0072b2", width=0.8)
    ax.bar(np.flatnonzero(~up), difference[order][~up], facecolor="white", edgecolor="#c75100", hatch="////", width=0.8)
    ax.axhline(0, color="0.0", linewidth=0.8)
    mean = float(difference.mean())
    ax.axhline(mean, color="0.4", linewidth=0.8, linestyle="--")
    ax.annotate(f"mean {mean:+.3f}", (1, mean), xycoords=("axes fraction", "data"), fontsize="small", va="center")
    _name_topic_ticks(ax, [values.qids[t] for t in order])
    title = f"{chosen[0]} higher on {int((difference > 0).sum())} of {n} topics, lower on {int((difference < 0).sum())}"
    ax.set_title(wrap_name(title, 60), fontsize="medium", loc="left")
    return fit_figure(ax)


def _read_one_measure(results: Results, measure: AnyMeasure | None) -> MeasureValues:
    tables = values_of(results, measure)
    if len(tables) != 1:
        raise ValueError(f"the plot shows one measure, the results have {[v.measure for v in tables]}; choose one")
    return tables[0]


def _name_topic_ticks(ax: Axes, qids: Sequence[str]) -> None:
    """Name the topics under the axis, every so many of them if there are many."""
    step = max(1, -(-len(qids) // 60))
    names = [wrap_name(qid, 60) for qid in qids[::step]]
    ax.set_xticks(range(0, len(qids), step), names, rotation=90, fontsize="x-small")
    ax.set_xlim(-0.8, len(qids) - 0.2)
