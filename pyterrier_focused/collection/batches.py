"""Batches: lists of items that are processed together."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def cut_into_batches(
    items: Iterable[Item],
    most: float = math.inf,
    size_of: Callable[[Item], int] = lambda item: 0,
    most_size: float = math.inf,
) -> Iterator[list[Item]]:
    """Yield items in lists of at most *most*, cut where their sizes reach *most_size* together."""
    batch: list[Item] = []
    size = 0
    for item in items:
        batch.append(item)
        size += size_of(item)
        if len(batch) >= most or size >= most_size:
            yield batch
            batch = []
            size = 0
    if batch:
        yield batch
