"""Running the tasks of a build, one per block: here, in processes beside this one, or on a Ray cluster."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from itertools import islice
from queue import SimpleQueue
from threading import Lock
from typing import Any, Literal, NamedTuple, TypeVar

from ..errors import CollectionError, import_extra
from .files.shard import write_shard
from .files.template_store import write_template_part
from .sources.find import SourceBlock

# Attempts at a block whose process dies.
ATTEMPTS = 3


Result = TypeVar("Result")
Arguments = TypeVar("Arguments", bound=tuple[Any, ...])
JobKind = Literal["templates", "pages", "articles"]


class ShardJob(NamedTuple):
    kind: JobKind

    folder: str
    number: int
    block: SourceBlock
    sources: list[str]
    options: dict[str, Any]


Tasks = Generator[ShardJob, None, None]


def run_job(task: ShardJob, progress: Callable[[int], None] | None = None) -> None:
    if task.kind == "articles":
        write_shard(*task[1:], progress)
    else:
        write_template_part(*task[1:], progress, task.kind)


def run_here(tasks: Iterator[ShardJob], progress: Callable[[int], None]) -> Tasks:
    """Run tasks one after the other in this process; *progress* is called with the bytes read of a task."""
    for task in tasks:
        run_job(task, progress)
        yield task


def run_in_processes(tasks: Iterator[ShardJob], workers: int) -> Tasks:
    """Run tasks in *workers* interpreters, not forks, which threads forbid; yields each task when it is done.

    They end when this process does, however it ends. One that dies is replaced and its block repeated.
    """
    idle: SimpleQueue[_Process] = SimpleQueue()
    processes = [_Process() for _ in range(workers)]
    for process in processes:
        idle.put(process)

    def run(task: ShardJob) -> ShardJob:
        process = idle.get()
        try:
            process.run(task)
        finally:
            idle.put(process)
        return task

    pool = ThreadPoolExecutor(workers)
    try:
        running = {pool.submit(run, task) for task in islice(tasks, 2 * workers)}
        while running:
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            running.update(pool.submit(run, task) for task in islice(tasks, len(finished)))
            for future in finished:
                yield future.result()
    finally:
        for process in processes:
            process.end()
        pool.shutdown(cancel_futures=True)
        for process in processes:
            process.stop()


class _Process:
    """A process that makes shards: it reads tasks and answers, a line each, until its input ends."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._starting = Lock()
        self._ended = False

    def run(self, task: ShardJob) -> None:
        line = json.dumps([*task[:3], task.block.as_json(), *task[4:]]).encode() + b"\n"
        for _ in range(ATTEMPTS):
            answer = self._ask_process(line)
            if answer:
                error = json.loads(answer)
                if error:
                    raise CollectionError(f"{task.block}: {error}; repeat the build to go on")
                return
            self.stop()
            if self._ended:
                raise CollectionError(f"{task.block}: the build was ended; repeat it to go on")
        raise CollectionError(
            f"{task.block}: the process that reads it died {ATTEMPTS} times (killed, or out of memory); repeat the "
            "build with fewer workers to go on"
        )

    def end(self) -> None:
        with self._starting:
            self._ended = True
            if self._process is not None:
                self._process.kill()

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _ask_process(self, line: bytes) -> bytes:
        with self._starting:
            if self._ended:
                return b""
            if self._process is None:
                self._process = _start_process()
            to = self._process.stdin
            back = self._process.stdout
        if to is None or back is None:
            return b""
        try:
            to.write(line)
            to.flush()
        except BrokenPipeError:
            return b""
        return back.readline()


def _start_process() -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-c", f"from {__name__} import serve; serve()"]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment, start_new_session=True)


def serve() -> None:
    """Make shards of the tasks that are read from standard input, until it ends; answers are errors, or empty."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # Nothing else may be written among the answers.
    os.dup2(2, 1)
    for line in sys.stdin.buffer:
        kind, folder, number, block, sources, options = json.loads(line)
        error = ""
        try:
            run_job(ShardJob(kind, folder, number, SourceBlock.from_json(block), sources, options))
        except (OSError, MemoryError, ValueError, ImportError) as raised:
            error = f"{type(raised).__name__}: {raised}"
        print(json.dumps(error), file=answers, flush=True)


def run_on_ray(tasks: Iterator[ShardJob]) -> Tasks:
    for (task,), error in map_on_ray(run_job, ((task,) for task in tasks)):
        if error is not None:
            raise CollectionError(f"{task.block}: {error}; repeat the build to go on") from error
        yield task


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
    remote = ray.remote(num_cpus=1, max_retries=10)(function)
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
