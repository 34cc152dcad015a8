"""Calls of a function in other processes or on a Ray cluster, answered in the order in which they were made."""

from __future__ import annotations

import multiprocessing
import multiprocessing.process
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
from itertools import islice
from typing import Any, TypeVar

from ..errors import CollectionError, import_extra

# Attempts at a call whose process dies.
ATTEMPTS = 3

Result = TypeVar("Result")
Arguments = TypeVar("Arguments", bound=tuple[Any, ...])


def map_in_order(
    function: Callable[..., Result], tasks: Iterable[tuple[Any, ...]], workers: int, engine: str
) -> Generator[Result, None, None]:
    """Yield what a function returns for each of some arguments, in their order, a few calls ahead."""
    if engine == "ray":
        return _map_on_ray_in_order(function, tasks)
    return _map_in_processes(function, tasks, workers) if workers > 1 else (function(*task) for task in tasks)


def _map_in_processes(
    function: Callable[..., Result], tasks: Iterable[tuple[Any, ...]], workers: int
) -> Generator[Result, None, None]:
    waiting = iter(tasks)
    calls: deque[tuple[Any, ...]] = deque(islice(waiting, 3 * workers))
    attempts = 0
    while calls:
        # No forks, which threads forbid.
        pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _end_with_parent)
        try:
            running = deque(_submit(pool, function, task) for task in calls)
            while running:
                yield running.popleft().result()
                calls.popleft()
                attempts = 0
                for task in islice(waiting, 1):
                    calls.append(task)
                    running.append(_submit(pool, function, task))
        except BrokenProcessPool as error:
            attempts += 1
            if attempts == ATTEMPTS:
                raise CollectionError(
                    f"a process died {ATTEMPTS} times (killed, or out of memory); repeat the build with fewer workers "
                    "to go on"
                ) from error
        finally:
            pool.shutdown(cancel_futures=True)


def _submit(pool: ProcessPoolExecutor, function: Callable[..., Result], task: tuple[Any, ...]) -> Future[Result]:
    """Call a function in a pool, whose new processes do not run the user's script again, as they do by default."""
    is_main = threading.current_thread() is threading.main_thread()
    # A new process leaves Ctrl-C to this one from its first moment.
    interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN) if is_main else None
    main = vars(sys.modules["__main__"])
    kept = {name: main.pop(name, None) for name in ("__file__", "__spec__")}
    main["__spec__"] = None
    try:
        return pool.submit(function, *task)
    finally:
        main.update(kept)
        if is_main:
            signal.signal(signal.SIGINT, interrupt)


def _end_with_parent() -> None:
    """Make a process end when the one that started it does, however it does, and leave Ctrl-C to that one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_wait_and_end, args=[parent], daemon=True).start()


def _wait_and_end(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _map_on_ray_in_order(
    function: Callable[..., Result], tasks: Iterable[tuple[Any, ...]]
) -> Generator[Result, None, None]:
    numbered = ((number, *task) for number, task in enumerate(tasks))
    early: dict[int, Result] = {}
    wanted = 0
    for (number, *_), result in map_on_ray(_Numbered(function), numbered):
        if isinstance(result, Exception):
            raise CollectionError(f"{result}; repeat the build to go on") from result
        early[number] = result
        while wanted in early:
            yield early.pop(wanted)
            wanted += 1


class _Numbered:
    def __init__(self, function: Callable[..., Any]):
        self._function = function

    def __call__(self, number: int, *task: object) -> Any:
        return self._function(*task)


def map_on_ray(
    function: Callable[..., Result], tasks: Iterable[Arguments]
) -> Generator[tuple[Arguments, Result | Exception], None, None]:
    """Call *function* with each of some arguments on Ray; yields these and what it returned or raised, in any order.

    The Ray cluster is the one that RAY_ADDRESS names or that is found, else a local one that is started. Ray repeats
    the tasks of workers and nodes that are lost. Files that a function reads or writes must be there for all nodes.
    """
    ray = import_extra("ray", "ray")
    started = not ray.is_initialized()
    if started:
        ray.init(log_to_driver=False)
    remote = ray.remote(num_cpus=1, max_retries=10)(lambda *task: function(*task))
    waiting = iter(tasks)
    try:
        ahead = max(4, 3 * int(ray.cluster_resources().get("CPU", 1)))
        running = {remote.remote(*task): task for task in islice(waiting, ahead)}
        while running:
            (ready, *_), _ = ray.wait(list(running), num_returns=1)
            task = running.pop(ready)
            running.update((remote.remote(*more), more) for more in islice(waiting, 1))
            try:
                result = ray.get(ready)
            except ray.exceptions.RayError as error:
                result = getattr(error, "cause", None) or error
            yield task, result
    finally:
        if started:
            ray.shutdown()
