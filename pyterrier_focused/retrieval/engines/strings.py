"""Many strings in a file, opened memory-mapped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np


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

    def __len__(self) -> int:
        return len(self._ends)

    def __iter__(self) -> Iterator[str]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, number: int) -> str:
        start = int(self._ends[number - 1]) if number else 0
        return self._bytes[start : int(self._ends[number])].tobytes().decode("utf-8")
