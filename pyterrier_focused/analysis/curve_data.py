"""The points of the curves, as frames: what `plots.py` draws and the report embeds.

Each takes qrels and one run, and averages over the judged topics, those that the run misses included; *qid* picks one
topic. Values are those of the measures: the mean of interpolated precision over characters is AiP, over articles IAP11.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from .. import spans
from ..ir_measures_provider import FocusedEvaluator
from ..measures import ADM, IAP11, AiP, iP
from ..measures.documents import interpolated_precision
from ..measures.ranking import Ranking, ratio
from ..spans import Floats, Ints

_NAMES = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}


def join(qrels: pd.DataFrame, run: pd.DataFrame, *measures: Any, qid: str | None = None) -> Ranking:
    """Join a run with the qrels, with the columns that the *measures* read; of one topic where *qid* is given."""
    if qid is not None:
        qrels, run = (frame[frame["qid"].map(str) == str(qid)] for frame in (qrels, run))
        if not len(qrels):
            raise ValueError(f"the qrels have no topic {qid!r}")
    evaluator = FocusedEvaluator(measures, qrels.rename(columns=_NAMES))
    return evaluator.join(run.rename(columns=_NAMES))


def char_precision_recall(
    qrels: pd.DataFrame, run: pd.DataFrame, *, qid: str | None = None, overlap: str = "error"
) -> pd.DataFrame:
    """Interpolated precision over characters at the recall levels 0.00, 0.01, ... 1.00: columns `recall, precision`.

    Each point is the mean over topics of iP at that level (INEX 2007, section 4.2); their mean is AiP.
    """
    ranking = join(qrels, run, AiP, qid=qid)
    levels = [i / 100 for i in range(101)]
    precision = np.array([iP(recall=level, overlap=overlap).calculate(ranking) for level in levels])
    return pd.DataFrame({"recall": levels, "precision": _mean(precision.T)})


def article_precision_recall(qrels: pd.DataFrame, run: pd.DataFrame, *, qid: str | None = None) -> pd.DataFrame:
    """Interpolated precision over articles at the recall levels 0.0, 0.1, ... 1.0: columns `recall, precision`.

    Each point is a mean over topics (Manning et al., equation 8.7 and table 8.1); the mean of the 11 is IAP11.
    """
    ranking = join(qrels, run, IAP11, qid=qid)
    return pd.DataFrame({"recall": np.arange(11) / 10, "precision": _mean(interpolated_precision(ranking, 11))})


def saw_tooth(qrels: pd.DataFrame, run: pd.DataFrame, qid: str) -> pd.DataFrame:
    """Precision and recall of one topic after each retrieved article, not interpolated: columns `recall, precision`.

    Source: Manning et al., figure 8.2.
    """
    ranking = join(qrels, run, IAP11, qid=qid)
    hits = np.cumsum(ranking.relevant)
    total = int(ranking.judgments.relevant.sum())
    return pd.DataFrame({"recall": ratio(hits, np.full(len(hits), total)), "precision": hits / (ranking.position + 1)})


def roc(qrels: pd.DataFrame, run: pd.DataFrame, *, qid: str | None = None, points: int = 101) -> pd.DataFrame:
    """The ROC curve over the judged articles: columns `fpr, tpr`, from (0, 0) to (1, 1).

    Articles that were not retrieved come last, tied: a straight line. Over several topics, each point is the mean true
    positive rate at that false positive rate; a topic that lacks relevant or other judged articles counts as the
    diagonal, as it does in ROCAUC. Of one topic, the curve is exact: a point after each judged article.
    Source: Manning et al., figure 8.4.
    """
    ranking = join(qrels, run, IAP11, qid=qid)
    curves = [_roc_of(ranking, topic) for topic in range(len(ranking.judgments.topics))]
    if len(curves) == 1:
        return pd.DataFrame({"fpr": curves[0][0], "tpr": curves[0][1]})
    levels: Floats = np.linspace(0, 1, points, dtype=np.float64)
    rates = np.array([_highest_at(levels, fpr, tpr) for fpr, tpr in curves])
    return pd.DataFrame({"fpr": np.append(0.0, levels), "tpr": np.append(0.0, _mean(rates))})


def recall_by_characters(
    qrels: pd.DataFrame,
    run: pd.DataFrame,
    *,
    qid: str | None = None,
    budgets: Sequence[int] | None = None,
    overlap: str = "error",
) -> pd.DataFrame:
    """Recall of the highlighted text after reading a number of characters: columns `characters, recall, precision`.

    The passages are read in ranking order, and reading stops at the budget, inside a passage where need be. budgets:
    numbers of characters; without them 101 in equal ratios from 100 up to all that was retrieved for any topic, and 0.
    Recall and precision (over the characters read, fewer than the budget where the ranking ends) are means over topics.
    """
    ranking = join(qrels, run, AiP, qid=qid)
    topic, row, start, end = _reading_order(ranking, overlap)
    n = len(ranking.judgments.topics)
    bounds = np.searchsorted(topic, np.arange(n + 1))
    read = np.concatenate(([0], np.cumsum(end - start)))
    most = int(np.diff(read[bounds]).max(initial=0))
    if budgets is None:
        budgets = sorted({0, *np.geomspace(100, max(most, 200), 101).round().astype(int).tolist()})
    if min(budgets, default=0) < 0 or not len(budgets):
        raise ValueError(f"budgets={budgets!r}: give numbers of characters, 0 or more")
    asked = np.asarray(budgets, dtype=np.int64)
    found = np.concatenate(([0], np.cumsum(_relevant(ranking, row, start, end))))
    first = bounds[:-1, None]
    # the passage in which each topic's reading stops at each budget; the topic's end where the budget reaches beyond
    stop = np.searchsorted(read[1:], read[first] + asked[None, :], side="right").clip(None, bounds[1:, None])
    left = read[first] + asked[None, :] - read[stop]
    inside = stop < bounds[1:, None]
    hits = found[stop] - found[first]
    at = stop[inside]
    hits[inside] += _relevant(ranking, row[at], start[at], start[at] + left[inside])
    characters = read[stop] - read[first] + np.where(inside, left, 0)
    recall = ratio(hits, np.broadcast_to(ranking.judgments.topic_size[:, None], hits.shape))
    return pd.DataFrame({"characters": asked, "recall": _mean(recall), "precision": _mean(ratio(hits, characters))})


def adm_plane(qrels: pd.DataFrame, run: pd.DataFrame, *, qid: str | None = None, measure: Any = ADM) -> pd.DataFrame:
    """The documents on the URS/SRS plane: columns `qid, docno, urs, srs`, as *measure*, an ADM, takes them.

    Above the diagonal (SRS > URS) a document is over-evaluated, below it under-evaluated. Source: ADM slides 8 and 18.
    """
    ranking = join(qrels, run, measure, qid=qid)
    plane = measure.plane(ranking)
    topics = np.array(ranking.judgments.topics, dtype=object)
    return pd.DataFrame({"qid": topics[plane.topic], "docno": plane.docno, "urs": plane.urs, "srs": plane.srs})


def _mean(values: Floats) -> Floats:
    return values.mean(axis=0) if len(values) else np.zeros(values.shape[1])


def _reading_order(ranking: Ranking, overlap: str) -> tuple[Ints, Ints, Ints, Ints]:
    """The passages as they are read: (topic, position of their article in the ranking, start, end)."""
    ranking.ranked_passages(overlap)  # refuses what overlaps, unless each character counts once
    parts, order = ranking.passages, ranking.passage_ranking
    row, start, end = parts.row[order], parts.start[order], parts.end[order]
    if overlap == "once":
        index, start, end = spans.novel(row, start, end)
        row = row[index]
    return ranking.topic[row], row, start, end


def _relevant(ranking: Ranking, row: Ints, start: Ints, end: Ints) -> Ints:
    """Highlighted characters in each span, which lies in the article at position *row* of the ranking."""
    count = np.zeros(len(row), dtype=np.int64)
    judged = np.flatnonzero((ranking.judged[row] >= 0) & (end > start))
    count[judged] = spans.coverage(ranking.judged[row[judged]], start[judged], end[judged], *ranking.judgments.merged)
    return count


def _roc_of(ranking: Ranking, topic: int) -> tuple[Floats, Floats]:
    """(fpr, tpr) of one topic, a point after each judged article; the diagonal where a class is missing."""
    judgments = ranking.judgments
    relevant = judgments.relevant[judgments.topic == topic]
    positives, negatives = int(relevant.sum()), int((~relevant).sum())
    part = slice(*ranking.bounds[topic : topic + 2])
    judged = ranking.judged[part] >= 0
    hits = ranking.relevant[part][judged]
    if not positives or not negatives or part.start == part.stop:
        return np.array([0.0, 1.0]), np.array([0.0, 1.0])
    tpr, fpr = np.cumsum(hits) / positives, np.cumsum(~hits) / negatives
    return np.concatenate(([0.0], fpr, [1.0])), np.concatenate(([0.0], tpr, [1.0]))


def _highest_at(levels: Floats, fpr: Floats, tpr: Floats) -> Floats:
    """The highest TPR of a curve at each FPR: the upper end where it rises straight up."""
    last = np.append(fpr[1:] > fpr[:-1], True)  # of the points with one FPR
    first = np.insert(fpr[1:] > fpr[:-1], 0, True)
    below = np.searchsorted(fpr[last], levels, side="right") - 1
    above = np.minimum(below + 1, last.sum() - 1)
    x0, y0, x1, y1 = fpr[last][below], tpr[last][below], fpr[first][above], tpr[first][above]
    return y0 + (y1 - y0) * ratio(levels - x0, x1 - x0)
