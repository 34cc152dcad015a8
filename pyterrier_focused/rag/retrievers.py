"""Retrievers, called unchanged: functions, PyTerrier's transformers, retrievers of LangChain, LlamaIndex and Haystack.

Each is asked every question of the evidence; its answers are read as results are, and the time that it took is kept.

name  qid  seconds  batch  error
mine  1    0.21     False
mine  2    nan      False  TimeoutError('no answer')      counts as nothing retrieved
"""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, Union

import pandas as pd
from tqdm.auto import tqdm

from ..collection.corpora import as_frame, is_frame
from ..errors import warn_caller
from ..frames.packing import unpack
from ..reading.show import show_value
from .items import Item
from .results import Columns, Question, Results, read_list
from .scores import question_texts

if TYPE_CHECKING:
    import pyterrier as pt


class Invokes(Protocol):
    """A retriever of LangChain."""

    def invoke(self, input: str, /) -> object: ...


class Retrieves(Protocol):
    """A retriever of LlamaIndex."""

    def retrieve(self, query: str, /) -> object: ...


class Runs(Protocol):
    """A component of Haystack."""

    def run(self, query: str) -> object: ...


class Searches(Protocol):
    """Anything else that searches."""

    def search(self, query: str, /) -> object: ...


Retriever: TypeAlias = Union[Callable[[str], object], Invokes, Retrieves, Runs, Searches, "pt.Transformer"]
RetrieverInput: TypeAlias = Retriever | Mapping[str, Retriever]
# The methods to call, in this order; coroutines come last.
_METHODS = ("invoke", "retrieve", "run", "search", "ainvoke", "aretrieve", "asearch")


@dataclass(frozen=True, eq=False)
class _Answer:
    """What was retrieved for a question; *batch*: the seconds are a share of those that all questions took."""

    items: list[Item]
    seconds: float
    batch: bool = False
    error: Exception | None = None


def is_retriever(value: object) -> bool:
    if isinstance(value, str | list | tuple | Mapping) or is_frame(as_frame(value)):
        return False
    return callable(value) or any(callable(getattr(value, name, None)) for name in _METHODS)


class _EventLoop:
    """An event loop in a thread of its own, beside one that may run already, as in a notebook."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()

    def wait_for(self, answer: Awaitable[object]) -> object:
        """Return the result of an awaitable; all share one loop, to which clients bind their connections."""

        async def wait() -> object:
            return await answer

        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, daemon=True).start()
        return asyncio.run_coroutine_threadsafe(wait(), self._loop).result()

    def stop(self) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)


class AskedRetrievers:
    """The answers of retrievers to the questions of the evidence.

    If a retriever raises an error for all questions, that is raised.

    Args:
        columns: Names of fields of what is retrieved, as in `read_retrieved`.
        workers: How many questions are asked at a time, in threads.
        stop: Let the first error of a retriever stop everything.
    """

    def __init__(
        self,
        retrievers: RetrieverInput,
        qrels: pd.DataFrame,
        columns: Columns | None,
        *,
        workers: int,
        stop: bool,
        verbose: bool,
    ):
        if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
            raise ValueError(f"workers={workers!r}: give how many questions are asked at a time, 1 or more")
        if "query" not in qrels.columns or qrels["query"].isna().any():
            raise ValueError("the evidence has questions without a text, which no retriever can be asked")
        self.questions = question_texts(qrels)
        self.columns = columns or {}
        self.workers = workers
        self.stop = stop
        self.verbose = verbose
        self._loop = _EventLoop()
        named = retrievers if isinstance(retrievers, Mapping) else {"results": retrievers}
        try:
            self._answers = {str(name): self._ask(str(name), retriever) for name, retriever in named.items()}
        finally:
            self._loop.stop()

    @property
    def results(self) -> Results:
        """What was retrieved, as `read_retrieved` reads it."""
        return {
            name: {Question(qid, qid, self.questions[qid]): answer.items for qid, answer in answers.items()}
            for name, answers in self._answers.items()
        }

    @property
    def calls(self) -> pd.DataFrame:
        """A row per system and question: name, qid, seconds, batch, error."""
        rows = [
            (name, qid, answer.seconds, answer.batch, repr(answer.error) if answer.error else "")
            for name, answers in self._answers.items()
            for qid, answer in answers.items()
        ]
        return pd.DataFrame(rows, columns=["name", "qid", "seconds", "batch", "error"])

    def _ask(self, name: str, retriever: Retriever) -> dict[str, _Answer]:
        """Ask a retriever all questions; one warning tells of its errors."""
        import pyterrier as pt

        if isinstance(retriever, pt.Transformer):
            answers = self._ask_transformer(name, retriever)
        else:
            answers = self._ask_each(name, _find_call(name, retriever))
        failed = {qid: answer.error for qid, answer in answers.items() if answer.error}
        if failed:
            qid, error = next(iter(failed.items()))
            if len(failed) == len(answers):
                raise error
            warn_caller(
                f"system {name!r} raised for {len(failed)} of {len(answers)} questions, which count as nothing "
                f"retrieved, first for {self.questions[qid]!r:.80}: {error!r}; errors='raise' stops there"
            )
        return answers

    def _ask_each(self, name: str, call: Callable[[str], object]) -> dict[str, _Answer]:
        def ask(qid: str) -> _Answer:
            begin = time.perf_counter()
            try:
                found = call(self.questions[qid])
                if inspect.isawaitable(found):
                    found = self._loop.wait_for(found)
                seconds = time.perf_counter() - begin
                # A tool of an agent returns one text.
                found = [found] if isinstance(found, str) else found
                return _Answer(read_list(found, self._describe(name, qid), self.columns), seconds)
            except Exception as error:  # whatever a stranger's program raises
                if self.stop:
                    raise
                return _Answer([], float("nan"), error=error)

        if self.workers == 1:
            # In this thread, to which a retriever may be bound.
            return self._collect(name, map(ask, self.questions))
        with ThreadPoolExecutor(self.workers) as pool:
            try:
                return self._collect(name, pool.map(ask, self.questions))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise

    def _collect(self, name: str, answers: Iterable[_Answer]) -> dict[str, _Answer]:
        bar = tqdm(answers, name, len(self.questions), delay=1, leave=False, disable=not self.verbose)
        return dict(zip(self.questions, bar, strict=True))

    def _ask_transformer(self, name: str, transformer: pt.Transformer) -> dict[str, _Answer]:
        """Ask a transformer all questions at once; if that raises an error, one by one, to find the question."""
        begin = time.perf_counter()
        try:
            found = _rank(transformer.transform(self._make_topics(list(self.questions))))
        except Exception:  # whatever a stranger's program raises
            if self.stop:
                raise
            call = {query: qid for qid, query in self.questions.items()}
            return self._ask_each(name, lambda query: _rank(transformer.transform(self._make_topics([call[query]]))))
        seconds = (time.perf_counter() - begin) / len(self.questions)
        by_qid = dict(tuple(found.groupby("qid")))
        return {
            qid: _Answer(read_list(by_qid.get(qid, []), self._describe(name, qid), self.columns), seconds, True)
            for qid in self.questions
        }

    def _make_topics(self, qids: list[str]) -> pd.DataFrame:
        return pd.DataFrame({"qid": qids, "query": [self.questions[qid] for qid in qids]})

    def _describe(self, name: str, qid: str) -> str:
        return f"system {name!r}, question {self.questions[qid]!r:.80}"


def _rank(found: pd.DataFrame) -> pd.DataFrame:
    """Return what a transformer retrieved in the order of its ranks, else of its scores."""
    if not is_frame(found):
        raise ValueError(f"a transformer returns a frame, the list of what it retrieved, not {show_value(found)}")
    if "passages" in found.columns:
        found = unpack(found).drop(columns="text", errors="ignore")
    found = found.assign(qid=found["qid"].astype(str)).drop(columns=["docid", "query"], errors="ignore")
    if "rank" not in found.columns and "score" in found.columns:
        return found.sort_values("score", ascending=False, kind="stable")
    return found


def _find_call(name: str, retriever: Any) -> Callable[[str], object]:
    method = next((method for method in _METHODS if callable(getattr(retriever, method, None))), None)
    call: Callable[..., object] = retriever if method is None else getattr(retriever, method)
    if method != "run":
        return call
    parameters = inspect.signature(call).parameters
    if "query" not in parameters and all(of.kind is not of.VAR_KEYWORD for of in parameters.values()):
        raise ValueError(
            f"system {name!r}: run() of {type(retriever).__name__} takes no query, but {', '.join(parameters)}; give a "
            "function of the question, such as lambda question: pipeline.run({'retriever': {'query': question}})"
        )
    return lambda question: call(query=question)
