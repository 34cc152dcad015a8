"""Pairs of entries of one group, and sums within topics."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...frames.spans import Ints, ranges


def pair_up(group: Ints, reference: Ints) -> tuple[Ints, Ints]:
    """List all pairs of one group: (position in *group*, position in *reference*), in order of both.

    *reference* must be sorted; a group that it lacks, such as -1, has no pairs. Groups 2, -1, 0 and references 0, 2, 2
    make the pairs (0, 1), (0, 2) and (2, 0).
    """
    first = np.searchsorted(reference, group, side="left")
    count = np.searchsorted(reference, group, side="right") - first
    return np.repeat(np.arange(len(group)), count), ranges(first, count)


def running_sum(values: NDArray[np.generic], topic: Ints, bounds: Ints) -> Ints:
    """Sum whole numbers up to each entry of its topic; topic t's entries are `bounds[t]:bounds[t + 1]`.

    values 1 0 2 5, topic 0 0 1 1, bounds 0 2 4  ->  1 1 2 7
    """
    total = np.concatenate(([0], np.cumsum(values, dtype=np.int64)))
    sums: Ints = total[1:] - total[bounds[:-1]][topic]
    return sums
