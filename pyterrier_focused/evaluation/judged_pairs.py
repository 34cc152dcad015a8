"""Which articles of a run are judged: pairs of topic and article are looked up all at once."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..frames.spans import Ints

_FILTER_BITS = 20
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


class JudgedPairs:
    def __init__(self, topic: Ints, article: Ints, articles: int):
        self.numbers = topic * articles + article
        self._articles = articles
        self._filter = np.zeros(1 << _FILTER_BITS, dtype=bool)
        self._filter[_find_buckets(self.numbers)] = True

    def find(self, topic: Ints, article: Ints) -> Ints:
        """Return the row of the judgment of each topic and article, -1 for none; so are the numbers of unknown ones.

        Most articles of a run are not judged, which a filter says of nearly all of them before the look-up.
        """
        rows = np.flatnonzero((topic >= 0) & (article >= 0))
        numbers = topic[rows] * self._articles + article[rows]
        is_likely = self._filter[_find_buckets(numbers)]
        found = np.full(len(topic), -1, dtype=np.int64)
        judged = pc.index_in(pa.array(numbers[is_likely]), value_set=pa.array(self.numbers))
        found[rows[is_likely]] = pc.fill_null(judged, -1).to_numpy()
        return found


def _find_buckets(numbers: Ints) -> NDArray[np.uint64]:
    return (numbers.astype(np.uint64) * _SPREAD) >> np.uint64(64 - _FILTER_BITS)
