"""The points of the curves, as frames; `plots.py` draws them and the report embeds them.

Each takes qrels and a run, as frames or paths, and averages over the judged topics, those that the run misses included;
*qid* picks one topic. Given several runs, a dict by name or a list, the frame begins with a column `name`. With
*confidence*, say 0.95, the columns `low` and `high` bound each point (`confidence_interval`). Values are those of
the measures: the mean of interpolated precision over characters is AiP, over articles IAP11. If evidence has
alternatives, each point takes each topic's best one, as the measure of that point does. With *overlap* 'error'
passages that overlap are an OverlapError, 'once' counts each character once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...evaluation.curves import Curve, tabulate_curves, trace_reading
from ...evaluation.evaluation import join
from ...evaluation.inputs import Paths, Runs, as_qrels, as_run, as_runs, is_one_run
from ...frames.spans import Floats, ratio
from ...measures import IAP11, AgP, AiP, gP, gR, iP
from ...measures.alternatives import by_alternative
from ...measures.base import FocusedMeasure
from ...measures.best_alternative import values
from ...measures.budget import Reading
from ...measures.documents import ROCAUC, interpolated_precision
from ...measures.ranking import Ranking

Judged = pd.DataFrame | Paths


def mean_value(qrels: pd.DataFrame, run: pd.DataFrame, measure: FocusedMeasure, *, qid: str | None = None) -> float:
    return float(values(measure, join(qrels, run, measure, qid=qid)).mean())


def char_precision_recall(
    qrels: Judged, runs: Runs, *, qid: str | None = None, overlap: str = "error", confidence: float | None = None
) -> pd.DataFrame:
    """Interpolate precision over characters at the recall levels 0.00, 0.01, ... 1.00: columns `recall, precision`.

    Each point is the mean over topics of iP at that level (INEX 2007, section 4.2); their mean is AiP, unless evidence
    has alternatives.

    Example:
        >>> qrels = pd.DataFrame({"qid": ["q1"], "docno": ["7"], "label": [1], "highlights": [[(0, 40)]]})
        >>> run = pd.DataFrame({"qid": ["q1"], "docno": ["7"], "score": [1.0], "passages": [[(0, 80)]]})
        >>> char_precision_recall(qrels, run)["precision"].unique().tolist()
        [0.5]
    """
    levels = [i / 100 for i in range(101)]
    at_levels = [iP(recall=level, overlap=overlap) for level in levels]
    return _trace_runs(
        lambda ranking: Curve("recall", levels, {"precision": _find_values(at_levels, ranking)}),
        qrels, runs, AiP, qid, confidence,
    )  # fmt: skip


def article_precision_recall(
    qrels: Judged, runs: Runs, *, qid: str | None = None, confidence: float | None = None
) -> pd.DataFrame:
    """Interpolate precision over articles at the recall levels 0.0, 0.1, ... 1.0: columns `recall, precision`.

    Each point is a mean over topics (Manning et al., equation 8.7 and table 8.1); the mean of the 11 is IAP11.

    Example:
        >>> qrels = pd.DataFrame({"qid": "q1", "docno": ["a", "b"], "label": [1, 0]})
        >>> run = pd.DataFrame({"qid": "q1", "docno": ["b", "a"], "score": [2.0, 1.0]})
        >>> article_precision_recall(qrels, run)["precision"].unique().tolist()
        [0.5]
    """
    return _trace_runs(
        lambda ranking: Curve("recall", np.arange(11) / 10, {"precision": interpolated_precision(ranking, 11)}),
        qrels, runs, IAP11, qid, confidence,
    )  # fmt: skip


def generalised_precision(
    qrels: Judged,
    runs: Runs,
    *,
    qid: str | None = None,
    ranks: Sequence[int] = tuple(range(1, 51)),
    confidence: float | None = None,
    **parameters: object,
) -> pd.DataFrame:
    """Compute generalised precision and recall after each of the first articles: columns `rank, precision, recall`.

    Each point is the mean over topics of gP@r and gR@r (INEX 2007, equations 11 and 12).

    Args:
        parameters: Those of gP: task ('ric' by default), beta, A, n, overlap.

    Example:
        >>> qrels = pd.DataFrame({"qid": ["q1"], "docno": ["7"], "label": [1], "highlights": [[(0, 40)]]})
        >>> run = pd.DataFrame({"qid": ["q1"], "docno": ["7"], "score": [1.0], "passages": [[(0, 80)]]})
        >>> generalised_precision(qrels, run, ranks=[1, 2]).round(3).values.tolist()
        [[1.0, 0.667, 1.0], [2.0, 0.333, 1.0]]
    """
    columns = {"precision": gP(**parameters), "recall": gR(**parameters)}

    def trace(ranking: Ranking) -> Curve:
        values = {name: _find_values([measure @ rank for rank in ranks], ranking) for name, measure in columns.items()}
        return Curve("rank", list(ranks), values)

    return _trace_runs(trace, qrels, runs, AgP(**parameters), qid, confidence)


def saw_tooth(qrels: pd.DataFrame, run: pd.DataFrame, qid: str) -> pd.DataFrame:
    """Compute precision and recall of a topic after each retrieved article: columns `recall, precision`.

    Source: Manning et al., figure 8.2.

    Example:
        >>> qrels = pd.DataFrame({"qid": "q1", "docno": ["a", "b"], "label": [1, 0]})
        >>> run = pd.DataFrame({"qid": "q1", "docno": ["b", "a"], "score": [2.0, 1.0]})
        >>> saw_tooth(qrels, run, "q1").values.tolist()
        [[0.0, 0.0], [1.0, 0.5]]
    """
    ranking = join(as_qrels(qrels), as_run(run), IAP11, qid=qid)
    hits = np.cumsum(ranking.relevant)
    total = int(ranking.judgments.relevant.sum())
    return pd.DataFrame({"recall": ratio(hits, np.full(len(hits), total)), "precision": hits / (ranking.position + 1)})


def roc(
    qrels: Judged, runs: Runs, *, qid: str | None = None, points: int = 101, confidence: float | None = None
) -> pd.DataFrame:
    """Trace the ROC curve over the judged articles: columns `fpr, tpr`, from (0, 0) to (1, 1).

    Articles that were not retrieved come last, tied: a straight line. Over several topics, each point is the mean true
    positive rate at that false positive rate. Topics that lack relevant or judged non-relevant articles have no curve
    and are left out; `roc_note` says how many.

    Args:
        points: How many false positive rates, from 0 to 1 in equal steps, a curve over several topics has.

    Returns:
        A row per point. The curve of one topic is exact: a point after each judged article. Empty if no topic has a
        curve.

    Source: Manning et al., figure 8.4.

    Example:
        >>> qrels = pd.DataFrame({"qid": "q1", "docno": ["a", "b"], "label": [1, 0]})
        >>> run = pd.DataFrame({"qid": "q1", "docno": ["b", "a"], "score": [2.0, 1.0]})
        >>> roc(qrels, run).values.tolist()
        [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 1.0]]
    """

    def trace(ranking: Ranking) -> Curve:
        topics = np.flatnonzero(_find_topics_with_both_classes(ranking)).tolist()
        curves = [_trace_roc(ranking, topic) for topic in topics]
        if not curves:
            return Curve("fpr", np.zeros(0), {"tpr": np.zeros((0, 0))})
        if len(curves) == 1 and confidence is None:
            return Curve("fpr", curves[0][0], {"tpr": curves[0][1][None]})
        levels: Floats = np.linspace(0, 1, points, dtype=np.float64)
        rates = [np.append(0.0, _find_highest_rates(levels, fpr, tpr)) for fpr, tpr in curves]
        return Curve("fpr", np.append(0.0, levels), {"tpr": np.array(rates)})

    return _trace_runs(trace, qrels, runs, IAP11, qid, confidence)


def roc_area(qrels: pd.DataFrame, run: pd.DataFrame, *, qid: str | None = None) -> float:
    ranking = join(qrels, run, ROCAUC, qid=qid)
    areas = ROCAUC.calculate(ranking)[_find_topics_with_both_classes(ranking)]
    return float(areas.mean()) if len(areas) else np.nan


def roc_note(qrels: pd.DataFrame, *, qid: str | None = None) -> str:
    """Say how many topics have no ROC curve, and why; '' if all have one.

    Example:
        >>> roc_note(pd.DataFrame({"qid": ["q1"], "docno": ["a"], "label": [1]}))
        'No ROC curve of 1 of 1 topics: none of their judged articles, or all, are relevant.'
    """
    if qid is not None:
        qrels = qrels[qrels["qid"].map(str) == str(qid)]
    share = (qrels["label"] >= 1).groupby(qrels["qid"]).mean()
    lacking = int(share.isin([0, 1]).sum())
    what = "none of their judged articles, or all, are relevant"
    return f"No ROC curve of {lacking} of {len(share)} topics: {what}." if lacking else ""


def recall_by_characters(
    qrels: Judged,
    runs: Runs,
    *,
    qid: str | None = None,
    budgets: Sequence[int] | None = None,
    overlap: str = "error",
    confidence: float | None = None,
) -> pd.DataFrame:
    """Compute recall of the highlighted text after so many characters: columns `characters, recall, precision`.

    The passages are read in ranking order, and reading stops at the budget, inside a passage if need be.

    Args:
        budgets: Numbers of characters; without them 101 in equal ratios from 100 up to all that was retrieved for any
            topic, and 0.

    Returns:
        A row per budget: recall and precision (over the characters read, fewer than the budget if the ranking ends) as
        means over topics.

    Example:
        >>> qrels = pd.DataFrame({"qid": ["q1"], "docno": ["7"], "label": [1], "highlights": [[(0, 40)]]})
        >>> run = pd.DataFrame({"qid": ["q1"], "docno": ["7"], "score": [1.0], "passages": [[(0, 80)]]})
        >>> recall_by_characters(qrels, run, budgets=[20, 80]).values.tolist()
        [[20.0, 0.5, 1.0], [80.0, 1.0, 0.5]]
    """
    if budgets is not None and (not len(budgets) or min(budgets) < 0):
        raise ValueError(f"budgets={budgets!r}: give numbers of characters, 0 or more")

    def trace(ranking: Ranking) -> Curve:
        # This refuses overlap, unless each character counts once.
        ranking.ranked_passages(overlap)
        reading = Reading(by_alternative(ranking))
        most = max(int(reading.total.max(initial=0)), 200)
        reached = [0, *np.unique(np.geomspace(100, most, 101).round().astype(int)).tolist()]
        return trace_reading("characters", reached if budgets is None else budgets, reading, ranking)

    return _trace_runs(trace, qrels, runs, AiP, qid, confidence)


def _trace_runs(
    trace: Callable[[Ranking], Curve],
    qrels: Judged,
    runs: Runs,
    measure: FocusedMeasure,
    qid: str | None,
    confidence: float | None,
) -> pd.DataFrame:
    """Trace the curve of each run, joined with the columns that *measure* reads; of one run the table has no `name`."""
    qrels = as_qrels(qrels)
    rankings = {name: join(qrels, run, measure, qid=qid) for name, run in name_runs(runs).items()}
    table = tabulate_curves({name: trace(ranking) for name, ranking in rankings.items()}, confidence)
    return table.drop(columns="name") if is_one_run(runs) else table


def name_runs(runs: Runs) -> dict[str, pd.DataFrame]:
    """Return runs as frames by name; a run by itself has the name ''."""
    return {"": as_run(runs)} if is_one_run(runs) else as_runs(runs)


def _find_values(measures: Sequence[FocusedMeasure], ranking: Ranking) -> Floats:
    return np.array([values(measure, ranking) for measure in measures]).T


def _find_topics_with_both_classes(ranking: Ranking) -> NDArray[np.bool_]:
    """Return for each topic whether it has relevant and judged non-relevant articles."""
    judgments = ranking.judgments
    return (judgments.count(judgments.relevant) > 0) & (judgments.count(~judgments.relevant) > 0)


def _trace_roc(ranking: Ranking, topic: int) -> tuple[Floats, Floats]:
    """Return (fpr, tpr) of one topic with both classes, a point after each judged article."""
    judgments = ranking.judgments
    relevant = judgments.relevant[judgments.topic == topic]
    part = slice(*ranking.bounds[topic : topic + 2])
    hits = ranking.relevant[part][ranking.judged[part] >= 0]
    tpr = np.cumsum(hits) / relevant.sum()
    fpr = np.cumsum(~hits) / (~relevant).sum()
    return np.concatenate(([0.0], fpr, [1.0])), np.concatenate(([0.0], tpr, [1.0]))


def _find_highest_rates(levels: Floats, fpr: Floats, tpr: Floats) -> Floats:
    """Return the highest TPR of a curve at each FPR: the upper end if it rises straight up.

    fpr 0 0 .5 1, tpr 0 .6 .6 1: at the levels 0, .25 and .75 it is .6, .6 and .8.
    """
    # The last of the points with one FPR.
    last = np.append(fpr[1:] > fpr[:-1], True)
    first = np.insert(fpr[1:] > fpr[:-1], 0, True)
    below = np.searchsorted(fpr[last], levels, side="right") - 1
    above = np.minimum(below + 1, last.sum() - 1)
    x0 = fpr[last][below]
    y0 = tpr[last][below]
    x1 = fpr[first][above]
    y1 = tpr[first][above]
    rates: Floats = y0 + (y1 - y0) * ratio(levels - x0, x1 - x0)
    return rates
