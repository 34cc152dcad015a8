"""The pictures: they return their Axes, draw the points of curve_data.py, and are told apart without colour."""

import numpy as np
import pandas as pd
import pytest

from pyterrier_focused import ADM
from pyterrier_focused.analysis import (
    adm_plane,
    char_precision_recall,
    compare_measures,
    pairwise,
    plot_adm_plane,
    plot_article_precision_recall,
    plot_char_precision_recall,
    plot_measures,
    plot_pairwise,
    plot_recall_by_characters,
    plot_roc,
    recall_by_characters,
)

matplotlib = pytest.importorskip("matplotlib", reason="needs the extra [plots]")
matplotlib.use("Agg")
pytest.importorskip("matplotlib.pyplot")  # before any test draws, whichever comes first


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    matplotlib.pyplot.close("all")


@pytest.fixture(scope="module")
def case():
    rng = np.random.default_rng(0)
    qrels = [(q, f"d{i}", int(i < 4), [(10, 60)] if i < 4 else [], -1, 100) for q in "123" for i in range(20)]
    qrels = pd.DataFrame(qrels, columns=["qid", "docno", "label", "highlights", "bep", "length"])

    def run(seed):
        score = np.random.default_rng(seed).random(len(qrels))
        return qrels[["qid", "docno"]].assign(score=score, passages=[[(0, 40)], [(20, 80)], [(50, 70)]] * 20)

    return qrels, {name: run(i) for i, name in enumerate(["sections", "paragraphs", "windows"])}, rng


def is_grey(color):
    red, green, blue, _ = matplotlib.colors.to_rgba(color)
    return red == green == blue


DRAW = [plot_char_precision_recall, plot_article_precision_recall, plot_roc, plot_recall_by_characters]


@pytest.mark.parametrize("draw", DRAW)
@pytest.mark.parametrize("qid", [None, "2"])
def test_one_line_a_run_told_apart_without_colour(case, draw, qid):
    qrels, runs, _ = case
    ax = draw(qrels, runs, qid=qid)
    assert isinstance(ax, matplotlib.axes.Axes)
    lines = [line for line in ax.lines if not line.get_label().startswith("_")]
    assert [line.get_label().split(" ")[0] for line in lines] == list(runs)
    assert len({(line.get_linestyle(), line.get_marker(), line.get_color()) for line in lines}) == len(runs)
    assert all(is_grey(line.get_color()) for line in ax.lines)
    assert ax.get_xlabel()
    assert ax.get_ylabel()
    ax.figure.canvas.draw()


def test_the_lines_are_the_points(case):
    qrels, runs, _ = case
    ax = plot_char_precision_recall(qrels, runs["sections"])
    assert np.allclose(ax.lines[0].get_ydata(), char_precision_recall(qrels, runs["sections"])["precision"])
    ax = plot_recall_by_characters(qrels, runs["sections"], budgets=[10, 100])
    assert np.allclose(
        ax.lines[0].get_ydata(), recall_by_characters(qrels, runs["sections"], budgets=[10, 100])["recall"]
    )


@pytest.mark.parametrize("draw", DRAW)
def test_draws_into_given_axes(case, draw):
    qrels, runs, _ = case
    _, ax = matplotlib.pyplot.subplots()
    assert draw(qrels, runs, ax=ax) is ax


def test_the_saw_tooth_lies_under_the_points(case):
    qrels, runs, _ = case
    ax = plot_article_precision_recall(qrels, runs["sections"], qid="1")
    assert len(ax.lines) == 2
    assert ax.lines[0].get_ydata().max() <= ax.lines[1].get_ydata().max()


def test_the_plane_counts_over_and_under_evaluated(case):
    qrels, runs, _ = case
    measure = ADM(urs="specificity")
    ax = plot_adm_plane(qrels, runs["windows"], measure=measure)
    plane = adm_plane(qrels, runs["windows"], measure=measure)
    labels = ax.get_legend_handles_labels()[1]
    assert f"over-evaluated ({(plane['srs'] > plane['urs']).sum()})" in labels
    assert f"under-evaluated ({(plane['srs'] < plane['urs']).sum()})" in labels
    assert ax.get_title().startswith("ADM(urs='specificity') = 0.")
    ax.figure.canvas.draw()


def test_systems_and_measures(per_query, case):
    rng = case[2]
    first = per_query(rng.random((20, 5)) + np.linspace(0, 1, 5), "AgP")
    second = per_query(rng.random((20, 5)) + np.linspace(1, 0, 5), "AP")
    results = pd.concat([first, second])
    pairs = pairwise(results, "AgP")
    ax = plot_pairwise(pairs)
    assert [len(points.get_offsets()) for points in ax.collections] == [
        pairs["significant"].sum(),
        (~pairs["significant"]).sum(),
    ]
    assert "of 10 pairs" in ax.get_xlabel()
    ax.figure.canvas.draw()
    ax = plot_measures(compare_measures(results, "AgP", "AP"))
    assert len(ax.lines) == 5
    ax.figure.canvas.draw()
