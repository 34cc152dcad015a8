"""Many strings in a file, opened memory-mapped, and the numbers of sorted ones."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...frames.spans import Ints


class Strings:
    """Strings in a memory-mapped file, by their number."""

    def __init__(self, path: Path, name: str):
        self._bytes = np.memmap(path / f"{name}.utf8", dtype=np.uint8, mode="r")
        self._ends = np.load(path / f"{name}.ends.npy", mmap_mode="r")

    @staticmethod
    def write(path: Path, name: str, strings: Iterable[str]) -> None:
        """Write strings so that `Strings(path, name)` reads them."""
        ends = []
        end = 0
        with (path / f"{name}.utf8").open("wb") as file:
            for string in strings:
                end += file.write(string.encode("utf-8"))
                ends.append(end)
        np.save(path / f"{name}.ends.npy", np.array(ends, dtype=np.int64))

    @cached_property
    def numbers(self) -> dict[str, int]:
        return {string: number for number, string in enumerate(self)}

    def __len__(self) -> int:
        return len(self._ends)

    def __iter__(self) -> Iterator[str]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, number: int) -> str:
        start = int(self._ends[number - 1]) if number else 0
        return self._bytes[start : int(self._ends[number])].tobytes().decode("utf-8")


def find_sorted(strings: Sequence[str] | Strings, wanted: str) -> int:
    """Return the number of a string among sorted ones, -1 if it is not there."""
    number = bisect_left(strings, wanted)
    return number if number < len(strings) and strings[number] == wanted else -1


def read_statistics(
    lexicon: Sequence[str] | Strings, terms: Iterable[str], held_by: Ints | NDArray[np.int32], occurs: Ints
) -> dict[str, tuple[int, int]]:
    """Return for each of the *terms* how many parts hold it, and how often it occurs in all: by their numbers."""
    statistics = {}
    for term in terms:
        number = find_sorted(lexicon, term)
        statistics[term] = (int(held_by[number]), int(occurs[number])) if number >= 0 else (0, 0)
    return statistics
