"""Do more than two judges agree? Fleiss' kappa and Krippendorff's alpha, of any categories and of qrels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ...errors import check_choice
from ...frames.checks import row_name
from ...frames.columns import flatten
from ...frames.spans import Floats, Ints, union
from .agreement import UNITS, Unit, check_judgments

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS = get_args(Level)


def fleiss_kappa(counts: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Compute Fleiss' kappa: agreement of several judges on categories, corrected for chance.

    Args:
        counts: Units x categories, how many judges put the unit into the category; each unit has the same number of
            judges, at least 2.

    Returns:
        Kappa, at most 1, and 0 for chance agreement; NaN if all judges gave all units one category.

    Source: Fleiss, Measuring nominal scale agreement among many raters, Psychological Bulletin 76(5), 1971.

    Example:
        >>> round(fleiss_kappa([[3, 0], [0, 3], [2, 1], [3, 0]]), 3)
        0.625
    """
    table = np.asarray(counts, dtype=np.float64)
    judges = table.sum(axis=1) if table.ndim == 2 else np.empty(0)
    if not len(judges) or (judges != judges[0]).any() or judges[0] < 2 or (table < 0).any():
        raise ValueError("counts must be units x categories, with the same number of judges, 2 or more, in each row")
    weight = np.ones(len(table)) if weights is None else np.asarray(weights, dtype=np.float64)
    n = judges[0]
    observed = ((table**2).sum(axis=1) - n) / (n * (n - 1)) @ weight / weight.sum()
    expected = float(((weight @ table / (n * weight.sum())) ** 2).sum())
    return float((observed - expected) / (1 - expected)) if expected < 1 else np.nan


def krippendorff_alpha(values: ArrayLike, level: Level = "nominal", weights: ArrayLike | None = None) -> float:
    """Compute Krippendorff's alpha: agreement of any number of judges, who need not have judged every unit.

    Args:
        values: Judges x units, numbers; NaN if a judge has not judged.
        level: How far two values differ: 'nominal' (equal or not), 'ordinal', 'interval' or 'ratio'.
        weights: How often each unit occurs; by default once.

    Returns:
        Alpha, at most 1, and 0 for chance agreement; NaN if nothing was judged twice or all values are equal.

    Source: Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011.

    Example:
        >>> round(krippendorff_alpha([[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]]), 3)
        0.095
    """
    check_choice("level", level, LEVELS)
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"values must be judges x units, got an array of shape {table.shape}")
    weight = np.ones(table.shape[1]) if weights is None else np.asarray(weights, dtype=np.float64)
    is_judged = ~np.isnan(table)
    judges = is_judged.sum(axis=0)
    names = np.unique(table[is_judged])
    # units x values: how many judges gave the unit the value; units of one judge say nothing
    counts = np.stack([(table == name).sum(axis=0) for name in names], axis=1)[judges > 1] if len(names) else []
    if not len(counts):
        return np.nan
    share = weight[judges > 1] / (judges[judges > 1] - 1)
    coincidences = (counts * share[:, None]).T @ counts - np.diag(share @ counts)
    totals = coincidences.sum(axis=1)
    distance = _measure_distances(names, totals, level)
    expected = (np.outer(totals, totals) - np.diag(totals)) / (totals.sum() - 1)
    if not (expected * distance).sum() > 0:
        return np.nan
    return float(1 - (coincidences * distance).sum() / (expected * distance).sum())


def _measure_distances(names: Floats, totals: Floats, level: Level) -> Floats:
    if level == "nominal":
        return 1.0 - np.eye(len(names))
    if level == "ordinal":
        # half of a value's own judgments lie below it, so a distance is that of the middles
        middles = np.cumsum(totals) - totals / 2
        return (middles[:, None] - middles) ** 2
    difference = names[:, None] - names
    if level == "interval":
        return difference**2
    total = names[:, None] + names
    return np.divide(difference, total, out=np.zeros_like(difference), where=total != 0) ** 2


def group_agreement(
    judges: Mapping[str, pd.DataFrame] | Sequence[pd.DataFrame], unit: Unit = "documents"
) -> pd.DataFrame:
    """Measure how far more than two assessors agree on relevant or not, per topic and over all ('all', the last row).

    Args:
        judges: The qrels of each, by name or in a list.
        unit: 'documents' or 'characters', as in `agreement`.

    Returns:
        `qid, units` (judged by two or more), `alpha` (Krippendorff's, over these), `complete` (units judged by all)
        and `fleiss` (Fleiss' kappa, over those; NaN if there are none).

    Example:
        >>> first = pd.DataFrame([["1", "a", 1], ["1", "b", 0]], columns=["qid", "docno", "label"])
        >>> group_agreement([first, first, first])["alpha"].tolist()
        [1.0, 1.0]
    """
    check_choice("unit", unit, UNITS)
    named = dict(judges) if isinstance(judges, Mapping) else dict(enumerate(judges, start=1))
    if len(named) < 2:
        raise ValueError(f"agreement needs at least 2 judges, got {len(named)}")
    for name, qrels in named.items():
        check_judgments(qrels, f"qrels of judge {name!r}", unit)
    frames = [qrels.assign(judge=number) for number, qrels in enumerate(named.values())]
    units = (_list_documents if unit == "documents" else _list_characters)(pd.concat(frames, ignore_index=True))
    rows = [_describe_units(str(qid), part, len(named)) for qid, part in units.groupby("qid", sort=False)]
    return pd.DataFrame([*rows, _describe_units("all", units, len(named))])


def _list_documents(rows: pd.DataFrame) -> pd.DataFrame:
    """List articles as units: `qid, weight`, how many `judged` them and called them `relevant`."""
    rows = rows.assign(relevant=rows["label"] >= 1, judged=1, weight=1)
    found = rows.groupby(["qid", "docno"], sort=False)
    return found.agg(weight=("weight", "first"), judged=("judged", "sum"), relevant=("relevant", "sum")).reset_index()


def _list_characters(rows: pd.DataFrame) -> pd.DataFrame:
    """List pieces of text that the same judges highlighted as units, weighted by their number of characters.

    Highlights (0, 4) and (2, 6) of a text of 10 characters give pieces of 2, 2, 2 and 4 with 1, 2, 1 and 0 judges.
    """
    found = rows.groupby(["qid", "docno"], sort=False, dropna=False)
    articles = found.size().reset_index(name="judged")
    article = np.asarray(found.ngroup(), dtype=np.int64)
    spans = flatten(rows["highlights"], "highlights", rows)
    row, start, end = union(spans.row, spans.start, spans.end)
    reach = np.zeros(len(articles), dtype=np.int64)
    np.maximum.at(reach, article[row], end)
    # texts are cut at both ends, and at those of each highlight, where the number of judges steps up or down
    whole = np.arange(len(articles))
    cut = np.concatenate((whole, whole, article[row], article[row]))
    offset = np.concatenate((np.zeros_like(whole), _read_lengths(rows, article, reach), start, end))
    step = np.repeat([0, 1, -1], [2 * len(whole), len(row), len(row)])
    order = np.lexsort((offset, cut))
    size = np.diff(offset[order])
    piece = np.flatnonzero((size > 0) & (np.diff(cut[order]) == 0))
    units = articles.iloc[cut[order][piece]].reset_index(drop=True)
    return units.assign(weight=size[piece], relevant=np.cumsum(step[order])[piece])


def _read_lengths(rows: pd.DataFrame, article: Ints, reach: Ints) -> Ints:
    """Read the length of each article, on which all who give one agree; its last highlight ends at *reach*."""
    given = pd.to_numeric(rows.get("length", pd.Series(np.nan, rows.index)), errors="coerce")
    lengths = given.astype(np.float64).where(given >= 0).groupby(article)
    shortest = lengths.min().to_numpy()
    wrong = np.flatnonzero((shortest != lengths.max().to_numpy()) | (shortest < reach))
    if not len(wrong):
        return shortest.astype(np.int64)
    first = int(wrong[0])
    told = sorted(given[(article == first) & (given >= 0)].unique().tolist())
    what = f"the length is {shortest[first]:.0f}, a highlight ends at {reach[first]}"
    if len(told) != 1:
        what = f"the judges give different lengths, {told}" if told else "no judge gives the length"
        what += "; characters are counted in the column 'length'"
    raise ValueError(f"{row_name(rows, int(np.argmax(article == first)))}: {what}")


def _describe_units(qid: str, units: pd.DataFrame, judges: int) -> dict[str, object]:
    units = units[(units["judged"] > 1) & (units["weight"] > 0)]
    complete = units[units["judged"] == judges]
    return {
        "qid": qid,
        "units": int(units["weight"].sum()),
        "alpha": _compute_alpha(units),
        "complete": int(complete["weight"].sum()),
        "fleiss": _compute_fleiss(complete),
    }


def _compute_alpha(units: pd.DataFrame) -> float:
    """Compute alpha of binary judgments from counts: a column of ones and zeros for each unit."""
    if not len(units):
        return np.nan
    place = np.arange(int(units["judged"].max()))[:, None]
    relevant = (place < units["relevant"].to_numpy()).astype(np.float64)
    relevant[place >= units["judged"].to_numpy()] = np.nan
    return krippendorff_alpha(relevant, weights=units["weight"])


def _compute_fleiss(units: pd.DataFrame) -> float:
    if not len(units):
        return np.nan
    relevant = units["relevant"].to_numpy()
    return fleiss_kappa(np.stack([relevant, units["judged"].to_numpy() - relevant], axis=1), units["weight"])
