"""Plots for papers: precision and recall, generalised precision, ROC, recall by characters, ADM, and intervals.

Each function draws into *ax* (default: a new one) and returns it. They need matplotlib, the extra `[plots]`.
Lines differ in colour, dash and marker, so that they survive a photocopier. *runs* is a
run (a frame or the path of a file), a dict of runs by name, or a list; *qid* picks one topic, without it curves are
means over all judged topics. *options* are those of the function in `points.py` that computes the curve; *confidence*,
say 0.95, adds a band around each line (`confidence_interval`).
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd
from ir_measures import Measure

from ...evaluation.inputs import Runs, as_qrels
from ...evaluation.plot_style import draw_lines, label_lines, line_style, new_axes, unit_square
from ...evaluation.registry import parse
from ...measures import AiP, FocusedMeasure
from ..statistics.pairs import check_pairs
from . import points as curve_data
from .per_article import adm_plane
from .points import Judged

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_char_precision_recall(
    qrels: Judged, runs: Runs, *, qid: str | None = None, ax: Axes | None = None, **options: Any
) -> Axes:
    """Draw interpolated precision over characters at 101 recall levels (INEX 2007); labels give AiP.

    Example:
        >>> qrels = pd.DataFrame({"qid": ["q1"], "docno": ["7"], "label": [1], "highlights": [[(0, 40)]]})
        >>> run = pd.DataFrame({"qid": ["q1"], "docno": ["7"], "score": [1.0], "passages": [[(0, 80)]]})
        >>> ax = plot_char_precision_recall(qrels, {"mine": run})
        >>> ax.figure.savefig("curve.pdf")
        >>> ax.lines[0].get_label()
        'mine (AiP 0.500)'
    """
    qrels = as_qrels(qrels)
    named = curve_data.name_runs(runs)
    curves = curve_data.char_precision_recall(qrels, named, qid=qid, **options)
    aip = AiP(overlap=options.get("overlap", "error"))
    means = {name: curve_data.mean_value(qrels, run, aip, qid=qid) for name, run in named.items()}
    ax = unit_square(ax, "Recall (characters)", "Interpolated precision")
    draw_lines(ax, curves, "recall", "precision", _label_lines("AiP", means))
    return label_lines(ax)


def plot_article_precision_recall(
    qrels: Judged, runs: Runs, *, qid: str | None = None, ax: Axes | None = None, **options: Any
) -> Axes:
    """Draw 11-point interpolated precision over articles; labels give IAP11, the mean of the points.

    Source: Manning et al., figures 8.2 and 8.3.

    Example:
        >>> qrels = pd.DataFrame({"qid": "q1", "docno": ["a", "b"], "label": [1, 0]})
        >>> run = pd.DataFrame({"qid": "q1", "docno": ["b", "a"], "score": [2.0, 1.0]})
        >>> plot_article_precision_recall(qrels, {"mine": run}).lines[0].get_label()
        'mine (IAP11 0.500)'
    """
    qrels = as_qrels(qrels)
    named = curve_data.name_runs(runs)
    curves = curve_data.article_precision_recall(qrels, named, qid=qid, **options)
    ax = unit_square(ax, "Recall (articles)", "Interpolated precision" if qid is None else "Precision")
    for i, run in enumerate(named.values() if qid is not None else ()):
        teeth = curve_data.saw_tooth(qrels, run, str(qid))
        ax.plot(teeth["recall"], teeth["precision"], color=line_style(i)["color"], linewidth=0.6, alpha=0.6)
    means = {name: float(curves["precision"][curves["name"] == name].mean()) for name in named}
    draw_lines(ax, curves, "recall", "precision", _label_lines("IAP11", means))
    return label_lines(ax)


def plot_generalised_precision(
    qrels: Judged, runs: Runs, *, qid: str | None = None, ax: Axes | None = None, **options: Any
) -> Axes:
    """Draw generalised precision after each of the first articles, gP@r (INEX 2007, equation 11).

    Example:
        >>> qrels = pd.DataFrame({"qid": ["q1"], "docno": ["7"], "label": [1], "highlights": [[(0, 40)]]})
        >>> run = pd.DataFrame({"qid": ["q1"], "docno": ["7"], "score": [1.0], "passages": [[(0, 80)]]})
        >>> plot_generalised_precision(qrels, run, ranks=[1, 2]).lines[0].get_ydata().round(3).tolist()
        [0.667, 0.333]
    """
    named = curve_data.name_runs(runs)
    curves = curve_data.generalised_precision(qrels, named, qid=qid, **options)
    ax = new_axes(ax, "Articles read (r)", "Generalised precision (gP@r)")
    draw_lines(ax, curves, "rank", "precision", {name: name or "gP" for name in named})
    ax.set_ylim(0, None)
    return label_lines(ax)


def plot_roc(qrels: Judged, runs: Runs, *, qid: str | None = None, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the ROC curve over the judged articles; labels give the area under it, ROCAUC (Manning et al., 8.4).

    Topics without relevant or without judged non-relevant articles have no curve; the plot says how many there are.

    Example:
        >>> qrels = pd.DataFrame({"qid": "q1", "docno": ["a", "b"], "label": [1, 0]})
        >>> run = pd.DataFrame({"qid": "q1", "docno": ["b", "a"], "score": [2.0, 1.0]})
        >>> [line.get_label() for line in plot_roc(qrels, {"mine": run}).lines if "mine" in line.get_label()]
        ['mine (AUC 0.000)']
    """
    qrels = as_qrels(qrels)
    named = curve_data.name_runs(runs)
    curves = curve_data.roc(qrels, named, qid=qid, **options)
    note = curve_data.roc_note(qrels, qid=qid)
    ax = unit_square(ax, "False positive rate (1 − specificity)", "True positive rate (sensitivity)")
    if curves.empty:
        ax.text(0.5, 0.5, note.replace(": ", ":\n"), ha="center", va="center", transform=ax.transAxes)
        return ax
    ax.set_title(textwrap.fill(note, 60), fontsize="small", loc="left")
    areas = {name: curve_data.roc_area(qrels, run, qid=qid) for name, run in named.items()}
    draw_lines(ax, curves, "fpr", "tpr", _label_lines("AUC", areas))
    ax.plot([0, 1], [0, 1], color="0.8", linewidth=0.8, zorder=0)
    return label_lines(ax)


def plot_recall_by_characters(
    qrels: Judged, runs: Runs, *, qid: str | None = None, ax: Axes | None = None, **options: Any
) -> Axes:
    """Draw recall of the highlighted text against characters read, on a logarithmic axis.

    Reading follows the ranking and stops at the end of the budget, inside a passage if need be.

    Example:
        >>> qrels = pd.DataFrame({"qid": ["q1"], "docno": ["7"], "label": [1], "highlights": [[(0, 40)]]})
        >>> run = pd.DataFrame({"qid": ["q1"], "docno": ["7"], "score": [1.0], "passages": [[(0, 80)]]})
        >>> plot_recall_by_characters(qrels, run, budgets=[20, 80]).lines[0].get_ydata().tolist()
        [0.5, 1.0]
    """
    qrels = as_qrels(qrels)
    named = curve_data.name_runs(runs)
    if "budgets" not in options:
        reach = curve_data.recall_by_characters(qrels, named, qid=qid, **options | {"confidence": None})
        options["budgets"] = np.geomspace(100, reach["characters"].max(), 101).round().astype(int).tolist()
    curves = curve_data.recall_by_characters(qrels, named, qid=qid, **options)
    ax = new_axes(ax, "Characters read", "Recall (characters)")
    ax.set_xscale("log")
    ax.set_ylim(0, 1.02)
    draw_lines(ax, curves, "characters", "recall")
    return label_lines(ax)


def plot_adm_plane(
    qrels: Judged,
    runs: Runs,
    *,
    qid: str | None = None,
    measure: Measure | str = "ADM",
    ax: Axes | None = None,
) -> Axes:
    """Draw the documents on the URS/SRS plane: over-evaluated above the diagonal, under-evaluated below.

    The marks of one run tell these apart, and the title gives ADM; of several runs each has a mark, and the legend ADM.

    Source: Della Mea and Mizzaro, NTCIR-4 slides 8, 12 and 18.

    Example:
        >>> qrels = pd.DataFrame({"qid": "q1", "docno": ["a", "b"], "label": [1, 0]})
        >>> run = pd.DataFrame({"qid": "q1", "docno": ["a", "b", "c"], "score": [2.0, 1.5, 1.0]})
        >>> plot_adm_plane(qrels, run).get_title()
        'ADM = 0.750'
    """
    qrels = as_qrels(qrels, real_labels=True)
    named = curve_data.name_runs(runs)
    (adm,) = cast("list[FocusedMeasure]", parse([measure]))
    means = {name: curve_data.mean_value(qrels, run, adm, qid=qid) for name, run in named.items()}
    planes = {name: adm_plane(qrels, run, qid=qid, measure=adm) for name, run in named.items()}
    ax = unit_square(ax, "User relevance score (URS)", "System relevance score (SRS)")
    ax.fill_between([0, 1], [0, 1], 1, color="0.94", linewidth=0)
    ax.fill_between([0, 1], 0, [0, 1], facecolor="none", edgecolor="0.85", hatch="////", linewidth=0)
    ax.plot([0, 1], [0, 1], color="0.4", linewidth=0.8)
    if len(named) == 1:
        ((name, value),) = means.items()
        ax.set_title(f"{name}: {adm} = {value:.3f}" if name else f"{adm} = {value:.3f}", fontsize="medium", wrap=True)
        _draw_sides(ax, planes[name])
    else:
        ax.set_title(str(adm), fontsize="medium")
        for i, (name, label) in enumerate(_label_lines("ADM", means).items()):
            style = line_style(i)
            _draw_documents(ax, planes[name], textwrap.fill(label, 30), style["marker"], "none", style["color"])
    return label_lines(ax)


def plot_intervals(pairs: pd.DataFrame, baseline: str, *, ax: Axes | None = None) -> Axes:
    """Draw how far the other systems are above *baseline* by each measure, with the intervals of `pairwise`.

    The marker of a significant difference is filled, and Gaffke's intervals are dashed. The intervals are not corrected
    for the number of pairs.

    Args:
        pairs: The frame of `pairwise`.

    Example:
        >>> from pyterrier_focused.analysis import pairwise
        >>> rows = [(name, qid, "AP", best * qid / 9) for name, best in (("a", 1), ("b", 0.5)) for qid in range(1, 10)]
        >>> pairs = pairwise(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]))
        >>> plot_intervals(pairs, "b").get_xlabel()
        'a − b'
    """
    check_pairs(pairs)
    names = sorted({*pairs["better"], *pairs["worse"]})
    if baseline not in names:
        raise ValueError(f"baseline={baseline!r}: name one of {names}")
    pairs = pairs[(pairs["better"] == baseline) | (pairs["worse"] == baseline)]
    above = pairs["worse"] == baseline
    system = pairs["better"].where(above, pairs["worse"])
    ends = pairs[["low", "difference", "high"]].mul(np.where(above, 1, -1), axis=0)
    others = list(system.unique())
    rows = pairs["measure"] if len(others) == 1 else system + ", " + pairs["measure"]
    what = f"{others[0] if len(others) == 1 else 'system'} − {baseline}"
    labels = [textwrap.fill(row, 30) for row in rows]
    ax = new_axes(ax, what, "", (6.4, 1 + 0.2 * sum(label.count("\n") + 1.5 for label in labels)))
    ax.axvline(0, color="0.4", linewidth=0.8)
    drawn = zip(system, pairs["significant"], pairs["interval"], ends.to_numpy(), strict=True)
    for y, (name, significant, kind, values) in enumerate(drawn):
        style = line_style(others.index(name))
        style |= {"linestyle": "-" if kind == "Student" else "--", "markevery": [1]}
        style["markerfacecolor"] = style["color"] if significant else "white"
        ax.plot(values, [y] * 3, label=f"_{kind}", **style)
    ax.set_yticks(range(len(pairs)), labels)
    ax.set_ylim(len(pairs) - 0.5, -0.5)
    return ax


def _draw_sides(ax: Axes, plane: pd.DataFrame) -> None:
    over = plane["srs"] > plane["urs"]
    under = plane["srs"] < plane["urs"]
    for rows, label, marker, fill in (
        (over, "over-evaluated", "^", "none"),
        (under, "under-evaluated", "v", "0.0"),
        (~over & ~under, "as the user", "o", "0.6"),
    ):
        if rows.any():
            _draw_documents(ax, plane[rows], f"{label} ({rows.sum()})", marker, fill, "0.0")


def _draw_documents(ax: Axes, plane: pd.DataFrame, label: str, marker: str, fill: str, edge: str) -> None:
    ax.scatter(
        plane["urs"], plane["srs"], s=22, marker=marker, facecolors=fill, edgecolors=edge, linewidths=0.8,
        label=label, clip_on=False, zorder=3,
    )  # fmt: skip


def _label_lines(measure: str, values: dict[str, float]) -> dict[str, str]:
    """Label each run with its name, if it has one, and its value by the measure."""
    shown = {name: f"{measure} {value:.3f}" for name, value in values.items()}
    return {name: f"{name} ({value})" if name else value for name, value in shown.items()}
