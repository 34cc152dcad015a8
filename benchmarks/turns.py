"""Timing side by side: functions are called in turns, so that what else the machine does falls on all of them."""

from __future__ import annotations

import gc
import shutil
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any


def in_turns(
    runs: int,
    *functions: Callable[[], Any],
    clean: Sequence[Path] = (),
    clock: Callable[[], float] = time.perf_counter,
) -> list[float]:
    """Median seconds of each function over *runs* turns, after one that does not count.

    What a function returns is freed outside of its time. The folders *clean* are deleted before each call, untimed.
    *clock* tells the time: `time.process_time` for that of the processor.
    """
    taken: list[list[float]] = [[] for _ in functions]
    for _ in range(runs + 1):
        for function, times in zip(functions, taken, strict=True):
            for folder in clean:
                shutil.rmtree(folder, ignore_errors=True)
            gc.collect()
            start = clock()
            result = function()
            times.append(clock() - start)
            del result
    return [statistics.median(times[1:]) for times in taken]  # the first is the warm-up
