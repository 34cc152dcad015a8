"""Do assessors agree? Kappa over the articles both judged, and over the characters they highlighted."""

from __future__ import annotations

from numbers import Integral
from typing import Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ...errors import check_choice
from ...frames.checks import check_unique, row_name
from ...frames.columns import flatten
from ...frames.spans import Ints, coverage, sum_by, union

Unit = Literal["documents", "characters"]
UNITS = get_args(Unit)

_JUDGES = ("first", "second")
_CELLS = ["both", "first_only", "second_only", "neither"]


class Kappa(NamedTuple):
    """Agreement of two judges on relevant or not: observed, expected by chance, and chance-corrected.

    Args:
        observed: P(A), the share of the units on which they agree.
        expected: P(E), the share on which they would agree by chance, with pooled marginals.
        pooled: (P(A) - P(E)) / (1 - P(E)) with pooled marginals (equation 8.10; Scott's pi, Fleiss' kappa of two
            judges). At most 1, 0 for chance agreement, and NaN if there is nothing to judge or both judges gave all
            units one and the same label: chance alone would do that.
        cohen: The same with each judge's own marginals (Cohen's kappa).
    """

    observed: float
    expected: float
    pooled: float
    cohen: float

    @property
    def band(self) -> str:
        """The pooled kappa in a word: 'good' above 0.8, 'fair' from 0.67 to 0.8, 'dubious' below; '' for NaN."""
        if np.isnan(self.pooled):
            return ""
        if self.pooled > 0.8:
            return "good"
        return "fair" if self.pooled >= 0.67 else "dubious"


def kappa(both: int, first_only: int, second_only: int, neither: int) -> Kappa:
    """Correct the agreement in the 2 x 2 table of two judges' binary judgments for chance.

    Returns:
        A `Kappa`: `observed, expected, pooled, cohen`, and the `band` of pooled in words.

    Source: Manning, Raghavan and Schuetze, chapter 8.5, equation 8.10 and table 8.2.

    Example:
        >>> round(kappa(both=300, first_only=20, second_only=10, neither=70).pooled, 3)
        0.776
    """
    counts = (both, first_only, second_only, neither)
    if not all(isinstance(number, Integral) for number in counts) or min(counts) < 0:
        raise ValueError(f"counts of judgments are whole numbers and cannot be negative: {counts}")
    n = sum(counts)
    if n == 0:
        return Kappa(*[np.nan] * 4)
    observed = (both + neither) / n
    # the mean of the two judges' shares of relevant
    relevant = (2 * both + first_only + second_only) / n / 2
    expected = relevant**2 + (1 - relevant) ** 2
    return Kappa(observed, expected, _correct_for_chance(observed, expected), _compute_cohen(counts))


def agreement(first: pd.DataFrame, second: pd.DataFrame, unit: Unit = "documents") -> pd.DataFrame:
    """Measure how far two assessors' qrels agree, per topic and over all ('all', the last row).

    Only articles that both judged count.

    Args:
        unit: 'documents': an article is relevant to a judge who gave it a label of 1 or more. 'characters': each
            character of these articles is a unit, relevant if highlighted; needs `highlights` in both frames and a
            `length` in one at least.

    Returns:
        `qid, units, both, first_only, second_only, neither` (counts), `observed, expected, pooled, cohen, band` (see
        `Kappa`), `overlap` (both over those that at least one calls relevant), `F` (of one judge's relevant units
        against the other's, 2 both / (2 both + first_only + second_only); both NaN if nothing is relevant), and
        `unshared` (articles that only one judged). 'all' sums the counts over topics, then takes kappa once.

    Raises:
        ValueError: Columns are missing, an article is judged twice, or lengths differ or are passed by a highlight.

    Example:
        >>> first = pd.DataFrame([["1", "a", 1], ["1", "b", 0]], columns=["qid", "docno", "label"])
        >>> agreement(first, first.assign(label=1))[["qid", "both", "second_only", "observed"]].values.tolist()
        [['1', 1, 1, 0.5], ['all', 1, 1, 0.5]]
    """
    check_choice("unit", unit, UNITS)
    _check_judgments(first, "first qrels", unit)
    _check_judgments(second, "second qrels", unit)
    pair = first.merge(second, on=["qid", "docno"], how="outer", suffixes=("_first", "_second"), indicator=True)
    shared = pair[pair["_merge"] == "both"].reset_index(drop=True)
    counted = _count_documents(shared) if unit == "documents" else _count_characters(shared)
    counted.insert(0, "qid", shared["qid"])
    by_topic = counted.groupby("qid", sort=False).sum()
    unshared = pair[pair["_merge"] != "both"].groupby("qid", sort=False).size()
    qids = list(dict.fromkeys([*by_topic.index, *unshared.index]))
    by_topic = by_topic.reindex(qids, fill_value=0).astype(np.int64)
    by_topic["unshared"] = unshared.reindex(qids, fill_value=0).astype(np.int64)
    by_topic.loc["all"] = by_topic.sum()
    return _add_kappas(by_topic)


def _check_judgments(qrels: pd.DataFrame, what: str, unit: Unit) -> None:
    if not isinstance(qrels, pd.DataFrame):
        raise ValueError(f"the {what} must be a frame, got {type(qrels).__name__}")
    column = "label" if unit == "documents" else "highlights"
    missing = [name for name in ("qid", "docno", column) if name not in qrels.columns]
    if missing:
        raise ValueError(f"the {what} lack the columns {missing} (found {list(qrels.columns)})")
    check_unique(qrels["qid"].to_numpy(dtype=object), qrels["docno"].to_numpy(dtype=object), what)


def _count_documents(shared: pd.DataFrame) -> pd.DataFrame:
    labels = []
    for which in _JUDGES:
        label = pd.to_numeric(shared[f"label_{which}"], errors="coerce").to_numpy(dtype=np.float64)
        if np.isnan(label).any():
            row = int(np.argmax(np.isnan(label)))
            raise ValueError(f"the {which} qrels, {row_name(shared, row)}: the label is missing")
        labels.append(label >= 1)
    return _lay_out_counts(
        labels[0] & labels[1], labels[0] & ~labels[1], labels[1] & ~labels[0], ~labels[0] & ~labels[1]
    )


def _count_characters(shared: pd.DataFrame) -> pd.DataFrame:
    n = len(shared)
    sizes = []
    merged = []
    reach = np.zeros(n, dtype=np.int64)
    for which in _JUDGES:
        spans = flatten(shared[f"highlights_{which}"], "highlights", shared)
        own = union(spans.row, spans.start, spans.end)
        np.maximum.at(reach, own.group, own.end)
        merged.append(own)
        sizes.append(sum_by(own.group, own.end - own.start, n))
    both = sum_by(merged[0].group, coverage(*merged[0], *merged[1]), n)
    length = _read_lengths(shared)
    short = length < reach
    if short.any():
        raise ValueError(
            f"{row_name(shared, int(np.argmax(short)))}: the length is {length[short][0]}, a highlight ends at "
            f"{reach[short][0]}; lengths and highlights are in characters"
        )
    return _lay_out_counts(both, sizes[0] - both, sizes[1] - both, length - (sizes[0] + sizes[1] - both))


def _read_lengths(shared: pd.DataFrame) -> Ints:
    columns = [name for name in ("length", "length_first", "length_second") if name in shared.columns]
    if not columns:
        raise ValueError("agreement on characters needs the column 'length' in one of the qrels: article lengths")
    given = shared[columns].apply(pd.to_numeric, errors="coerce")
    given = given.where(given >= 0)
    length = given.max(axis=1).to_numpy()
    other = given.min(axis=1).to_numpy()
    for bad, what in ((np.isnan(length), "neither qrels give the article's length"),
                      (length > other, "the two qrels give different lengths")):  # fmt: skip
        if bad.any():
            raise ValueError(f"{row_name(shared, int(np.argmax(bad)))}: {what}")
    whole: Ints = length.astype(np.int64)
    return whole


def _lay_out_counts(*counts: ArrayLike) -> pd.DataFrame:
    return pd.DataFrame(dict(zip(_CELLS, counts, strict=True)), dtype=np.int64)


def _add_kappas(counts: pd.DataFrame) -> pd.DataFrame:
    cells = counts[_CELLS].to_numpy().tolist()
    kappas = [kappa(*row) for row in cells]
    table = counts.drop(columns="unshared").reset_index(names="qid")
    table.insert(1, "units", [sum(row) for row in cells])
    for name in Kappa._fields:
        table[name] = [getattr(each, name) for each in kappas]
    table["band"] = [each.band for each in kappas]
    either = table["both"] + table["first_only"] + table["second_only"]
    table["overlap"] = (table["both"] / either).where(either > 0)
    table["F"] = (2 * table["both"] / (table["both"] + either)).where(either > 0)
    table["unshared"] = counts["unshared"].to_numpy()
    return table


def _compute_cohen(counts: tuple[int, int, int, int]) -> float:
    both, first_only, second_only, neither = counts
    n = sum(counts)
    first = both + first_only
    second = both + second_only
    expected = (first * second + (n - first) * (n - second)) / n**2
    return _correct_for_chance((both + neither) / n, expected)


def _correct_for_chance(observed: float, expected: float) -> float:
    return np.nan if expected == 1 else (observed - expected) / (1 - expected)
