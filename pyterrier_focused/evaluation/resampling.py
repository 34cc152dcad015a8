"""The bootstrap over topics, for many pairs of systems at once: how often chance makes such a difference.

Topics are resampled one by one or, if they belong together, in groups. Arrays are laid out as groups x columns, a
column being a pair of systems (or one system): *sums* holds the sum of a group's values, *sizes* its number of topics.
All columns share the same resamples, which is what makes many pairs cheap (scipy.stats.bootstrap would draw others for
each, and knows no groups).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..frames.span_cells import is_missing
from ..frames.spans import Floats, Ints

Seed = int | np.random.Generator | None

# of the largest value: differences below are rounding
TOLERANCE = 1e-12
# of one block of resamples: it stays in the cache
CELLS = 200_000


def group(values: Floats, cluster: ArrayLike | Sequence[Hashable] | None) -> tuple[Floats, Floats]:
    """Sum topics x columns over groups of topics that are resampled together.

    Args:
        cluster: One label per topic; None takes each topic by itself.

    Returns:
        (sums, sizes): groups x columns, and how many topics each group has.

    Example:
        >>> sums, sizes = group(np.array([[1.0], [2.0], [4.0]]), ["x", "y", "x"])
        >>> sums.tolist(), sizes.tolist()
        ([[5.0], [2.0]], [2.0, 1.0])
    """
    if cluster is None:
        return values, np.ones(len(values))
    labels = np.asarray(cluster, dtype=object)
    if labels.shape != (len(values),):
        raise ValueError(f"cluster= needs one label per topic: {len(values)} topics, labels of shape {labels.shape}")
    if any(map(is_missing, labels.tolist())):
        raise ValueError("cluster= has topics without a label (None or NaN)")
    codes, names = pd.factorize(labels)
    sums = np.zeros((len(names), values.shape[1]))
    np.add.at(sums, codes, values)
    return sums, np.bincount(codes, minlength=len(names)).astype(np.float64)


def count_exceeding(
    sums: Floats, sizes: Floats, *, scale: Floats, alternative: str, resamples: int, seed: Seed, studentised: bool
) -> Ints:
    """Count, for each column, the resamples whose mean difference is as extreme as the observed one, were it 0.

    The differences are shifted to a mean of 0 and resampled.

    Args:
        sums: Sums of the differences of each group of topics: groups x columns.
        scale: The largest value of each column.
        studentised: Compare means in units of their standard error, as Efron and Tibshirani's algorithm 16.2 does;
            without it, as they are.

    Example:
        >>> sums = np.array([[1.0], [1.0], [-1.0]])
        >>> options = {"resamples": 100, "seed": 0, "studentised": False}
        >>> count_exceeding(0 * sums, np.ones(3), scale=np.ones(1), alternative="greater", **options).tolist()
        [100]
    """
    total = sizes.sum()
    means = sums.sum(axis=0) / total
    means[np.abs(means) <= TOLERANCE * scale] = 0.0
    residuals = sums - means * sizes[:, None]
    residuals[np.abs(residuals) <= TOLERANCE * scale] = 0.0
    error = np.sqrt((residuals**2).sum(axis=0)) / total
    exceeded = np.zeros(sums.shape[1], dtype=np.int64)
    for weights in draw_groups(len(sums), sums.shape[1], resamples, seed):
        size = (weights @ sizes)[:, None]
        drawn = (weights @ residuals) / size
        observed = means[None, :]
        slack = TOLERANCE * scale
        # drawn / its error against observed / error, without the divisions by what may be 0
        if studentised:
            squares = weights @ residuals**2 - 2 * drawn * (weights @ (residuals * sizes[:, None]))
            squares += drawn**2 * (weights @ sizes**2)[:, None]
            drawn = drawn * error
            observed = observed * (np.sqrt(squares.clip(0)) / size)
            slack = slack * scale
        exceeded += np.count_nonzero(_is_as_extreme(drawn, observed, slack, alternative), axis=0)
    # the same difference in every group: no resample does as much
    if studentised:
        constant = (error == 0) & (means != 0)
        against = {"two-sided": np.zeros(len(means), dtype=bool), "greater": means < 0, "less": means > 0}[alternative]
        exceeded[constant] = np.where(against, resamples, 0)[constant]
    return exceeded


def _is_as_extreme(drawn: Floats, observed: Floats, slack: Floats, alternative: str) -> np.ndarray:
    if alternative == "two-sided":
        return np.abs(drawn) >= np.abs(observed) - slack
    return drawn >= observed - slack if alternative == "greater" else drawn <= observed + slack


def draw_groups(groups: int, columns: int, resamples: int, seed: Seed) -> Iterator[Floats]:
    """Draw groups with replacement: how often each was drawn, as blocks of resamples x groups."""
    rng = np.random.default_rng(seed)
    block = max(1, CELLS // max(groups, columns))
    for begin in range(0, resamples, block):
        rows = min(block, resamples - begin)
        drawn = rng.integers(0, groups, size=(rows, groups)) + np.arange(rows)[:, None] * groups
        yield np.bincount(drawn.ravel(), minlength=rows * groups).reshape(rows, groups).astype(np.float64)
