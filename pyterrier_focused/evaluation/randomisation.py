"""Fisher's randomisation test of many pairs of systems at once: exact for few topics that differ, else sampled.

Topics on which two systems tie take no part: exchanging equal values changes nothing. Of the m that are left, all 2^m
exchanges are counted up to m = 30, by two halves of 2^15 sums each.
"""

from __future__ import annotations

import numpy as np

from ..frames.spans import Floats
from .resampling import CELLS, TOLERANCE, Seed

EXACT = 30


def randomisation_p(differences: Floats, *, scale: Floats, alternative: str, resamples: int, seed: Seed) -> Floats:
    """Compute p for each column: how often exchanges of topics make a sum at least as extreme.

    Of two sides it is twice that of the observed one, at most 1.

    Args:
        differences: Topics (or groups of topics, exchanged together) x pairs of systems.
        scale: The largest value of each pair; differences that are rounding of it are ties.
        resamples: How many exchanges are drawn if there are too many to count.
        seed: Seed of the draws, which all pairs share.
    """
    differences = np.where(np.abs(differences) <= TOLERANCE * scale, 0.0, differences)
    observed = differences.sum(axis=0)
    slack = TOLERANCE * scale * len(differences)
    # a sum and its negative are equally probable, so one tail tells the other
    wanted = {"two-sided": np.abs(observed), "greater": observed, "less": -observed}[alternative] - slack
    exact = np.count_nonzero(differences, axis=0) <= EXACT
    p = np.empty(len(observed))
    for column in np.flatnonzero(exact):
        p[column] = _count_exactly(differences[differences[:, column] != 0, column], wanted[column])
    if not exact.all():
        p[~exact] = _draw_exchanges(differences[:, ~exact], wanted[~exact], resamples, seed)
    return np.minimum(2 * p, 1.0) if alternative == "two-sided" else p


def _count_exactly(differences: Floats, wanted: float) -> float:
    """Return the share of all exchanges whose sum is at least *wanted*."""
    half = len(differences) // 2
    first = _list_sums(differences[:half])
    second = np.sort(_list_sums(differences[half:]))
    below = np.searchsorted(second, wanted - first, side="left")
    return float((len(second) - below).sum() / (len(first) * len(second)))


def _list_sums(differences: Floats) -> Floats:
    """List the sums of all exchanges: [1, 2] gives 3, -1, 1 and -3, in some order."""
    sums = np.zeros(1)
    for difference in differences:
        sums = np.concatenate((sums + difference, sums - difference))
    return sums


def _draw_exchanges(differences: Floats, wanted: Floats, resamples: int, seed: Seed) -> Floats:
    """Estimate the share of exchanges whose sum is at least *wanted*; the observed one counts as drawn."""
    rng = np.random.default_rng(seed)
    topics, pairs = differences.shape
    exceeded = np.zeros(pairs, dtype=np.int64)
    block = max(1, CELLS // max(topics, pairs))
    for begin in range(0, resamples, block):
        rows = min(block, resamples - begin)
        signs = 2.0 * rng.integers(0, 2, size=(rows, topics)) - 1
        exceeded += np.count_nonzero(signs @ differences >= wanted, axis=0)
    return (exceeded + 1) / (resamples + 1)
