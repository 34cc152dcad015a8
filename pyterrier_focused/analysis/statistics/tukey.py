"""Tukey's HSD: all pairs of systems at once, with the chance of one false alarm among all of them under control.

*values* is an array of topics x systems; topics are the blocks of a two-way analysis of variance without replication.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import studentized_range

from ...evaluation.resampling import CELLS, TOLERANCE, Seed
from ...frames.spans import Floats, Ints


@dataclass(frozen=True)
class Anova:
    """The residual variance without the effects of topics and systems, and the precision of means."""

    systems: int
    degrees: int
    error: float

    @classmethod
    def of(cls, values: Floats) -> Anova:
        topics, systems = values.shape
        residuals = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
        residuals[np.abs(residuals) <= TOLERANCE * np.abs(values).max()] = 0.0
        degrees = (topics - 1) * (systems - 1)
        return cls(systems, degrees, float(np.sqrt((residuals**2).sum() / degrees / topics)))

    def p(self, differences: Floats) -> Floats:
        """Compute p for differences of means: the chance of a range of means that wide between equal systems."""
        if self.error == 0:
            return np.where(differences == 0, 1.0, 0.0)
        p: Floats = studentized_range.sf(np.abs(differences) / self.error, self.systems, self.degrees)
        return p

    def reach(self, alpha: float) -> float:
        """Return half the width of the simultaneous confidence intervals of all differences."""
        return float(studentized_range.isf(alpha, self.systems, self.degrees)) * self.error


def randomised_p(values: Floats, first: Ints, second: Ints, *, resamples: int, seed: Seed) -> Floats:
    """Compute p for pairs of systems: how often shuffled systems have a range of means as wide as their difference.

    Each resample shuffles the systems' values within every topic. Source: Carterette, Multiple testing in statistical
    analysis of systems-based information retrieval experiments, ACM TOIS 30(1), 2012.
    """
    rng = np.random.default_rng(seed)
    means = values.mean(axis=0)
    wanted = np.abs(means[first] - means[second]) - TOLERANCE * np.abs(values).max()
    exceeded = np.zeros(len(first), dtype=np.int64)
    block = max(1, CELLS // values.size)
    for begin in range(0, resamples, block):
        shape = (min(block, resamples - begin), *values.shape)
        ranges = np.ptp(rng.permuted(np.broadcast_to(values, shape), axis=2).mean(axis=1), axis=1)
        exceeded += np.count_nonzero(ranges[:, None] >= wanted, axis=0)
    return (exceeded + 1) / (resamples + 1)
