"""Which of several systems is best on a measure, by how much, and how certainly: one sentence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..frames.spans import Floats
from .intervals import differ_on_few, difference_intervals
from .randomisation import randomisation_p
from .resampling import TOLERANCE

_ALPHA = 0.05
_RESAMPLES = 10_000


@dataclass(frozen=True)
class Lead:
    """The best system and the next, their means, and p and the interval (with its kind) of the difference."""

    best: str
    second: str
    best_mean: float
    second_mean: float
    p: float
    low: float
    high: float
    interval: str
    is_significant: bool
    alpha: float = _ALPHA

    def describe(self, rivals: str = "") -> str:
        """Say who leads; *rivals* ends the sentence with others that it beats significantly."""
        if self.best_mean <= self.second_mean:
            return f"{self.best} and {self.second} are level at {self.best_mean:.3f}."
        shown = "< .001" if self.p < 0.001 else f"= {self.p:.3f}".replace("0.", ".")
        certainty = (
            f"p {shown}; difference {self.best_mean - self.second_mean:.3f}, {1 - self.alpha:.0%} interval "
            f"{self.low:.3f} to {self.high:.3f} ({self.interval})"
        )
        verdict = "is best" if self.is_significant else "is ahead, but not for certain"
        means = f"{self.best_mean:.3f} against {self.second_mean:.3f} of {self.second}"
        return f"{self.best} {verdict}: {means} ({certainty}){rivals}."


def compare_two(names: tuple[str, str], values: Floats, is_share: bool) -> Lead:
    """Compare two systems by the two-sided randomisation test over topics; *values* has a row for each."""
    means = [float(f"{mean:.15g}") for mean in values.mean(axis=1).tolist()]
    better, worse = sorted((0, 1), key=lambda k: (-means[k], names[k]))
    scale = np.array([np.abs(values).max()])
    differences = (values[better] - values[worse])[:, None]
    differences[np.abs(differences) <= TOLERANCE * scale] = 0.0
    p = float(randomisation_p(differences, scale=scale, alternative="two-sided", resamples=_RESAMPLES, seed=0)[0])
    bounded = np.array([is_share])
    ends = difference_intervals(differences, np.ones(len(differences)), bounded, level=1 - _ALPHA)
    return Lead(
        names[better],
        names[worse],
        means[better],
        means[worse],
        p,
        float(ends.low[0]),
        float(ends.high[0]),
        "Gaffke" if is_share and differ_on_few(differences)[0] else "Student",
        p <= _ALPHA and means[better] > means[worse],
    )
