"""The pictures: they return their Axes, draw the points of points.py, and are told apart without colour."""

import numpy as np
import pandas as pd
import pytest

from pyterrier_focused import ADM
from pyterrier_focused.analysis import (
    adm_plane,
    char_precision_recall,
    pairwise,
    plot_adm_plane,
    plot_article_precision_recall,
    plot_char_precision_recall,
    plot_generalised_precision,
    plot_intervals,
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


DRAW = [
    plot_char_precision_recall,
    plot_article_precision_recall,
    plot_roc,
    plot_recall_by_characters,
    plot_generalised_precision,
]


@pytest.mark.parametrize("draw", DRAW)
@pytest.mark.parametrize("qid", [None, "2"])
def test_one_line_a_run_told_apart_without_colour(case, draw, qid):
    qrels, runs, _ = case
    ax = draw(qrels, runs, qid=qid)
    assert isinstance(ax, matplotlib.axes.Axes)
    lines = [line for line in ax.lines if not line.get_label().startswith("_")]
    assert [line.get_label().split(" ")[0] for line in lines] == list(runs)
    assert len({line.get_marker() for line in lines}) == len(runs)
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


@pytest.mark.parametrize("draw", DRAW)
def test_bands_on_request(case, draw):
    qrels, runs, _ = case
    assert not draw(qrels, runs).collections
    ax = draw(qrels, runs, confidence=0.95)
    assert len(ax.collections) == len(runs)


def test_a_roc_without_non_relevant_articles_says_so(case):
    qrels, runs, _ = case
    ax = plot_roc(qrels[qrels["label"] == 1], runs)
    assert not ax.lines
    assert "No ROC curve of 3 of 3 topics" in ax.texts[0].get_text()
    lacking = qrels[(qrels["qid"] != "1") | (qrels["label"] == 1)]
    ax = plot_roc(lacking, runs)
    assert ax.get_title(loc="left").startswith("No ROC curve of 1 of 3 topics")


@pytest.fixture
def three_systems(per_query):
    """By AgP, a is .5 above b on each of twelve topics, and c is as often above b as below it."""
    noise = np.tile([1, -1], 6) / 64
    values = np.stack([np.full(12, 0.75), np.full(12, 0.25), 0.25 + noise], axis=1)
    return pairwise(per_query(values, names=["a", "b", "c"]))


def test_intervals_of_the_differences_to_a_baseline(three_systems):
    ax = plot_intervals(three_systems, "b")
    labels = [text.get_text() for text in ax.get_yticklabels()]
    middles = [line.get_xdata()[1] for line in ax.lines[1:]]
    assert dict(zip(labels, middles, strict=True)) == pytest.approx({"a, AgP": 0.5, "c, AgP": 0.0})


def test_intervals_by_several_measures_are_labelled_by_both(per_query):
    values = np.linspace(0, 1, 36).reshape(12, 3)
    pairs = pairwise(pd.concat([per_query(values, measure, names=["a", "b", "c"]) for measure in ("AgP", "AP")]))
    labels = [text.get_text() for text in plot_intervals(pairs, "b").get_yticklabels()]
    assert labels == ["c, AgP", "a, AgP", "c, AP", "a, AP"]


def test_only_markers_of_significant_differences_are_filled(three_systems):
    _, first, second = plot_intervals(three_systems, "b").lines
    assert [line.get_markerfacecolor() == "white" for line in (first, second)] == [False, True]


def test_the_baseline_is_one_of_the_systems(three_systems):
    with pytest.raises(ValueError, match=r"baseline='d': name one of \['a', 'b', 'c'\]"):
        plot_intervals(three_systems, "d")


def test_a_plane_of_several_runs_has_a_mark_for_each(case):
    qrels, runs, _ = case
    ax = plot_adm_plane(qrels, runs)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    values = [plot_adm_plane(qrels, run).get_title().removeprefix("ADM = ") for run in runs.values()]
    assert labels == [f"{name} (ADM {value})" for name, value in zip(runs, values, strict=True)]
    assert ax.get_title() == "ADM"
