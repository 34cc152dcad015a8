"""The bridge to ir_measures: registers the measures, reads its run and qrels, joins them once for all measures.

The only file that knows ir_measures' interfaces.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np
from ir_measures import measures as ir_registry
from ir_measures import providers
from numpy.typing import NDArray

from ..errors import SpanError
from ..frames import misfits
from ..frames.alternatives import read_alternatives
from ..frames.checks import check_scored, check_unique, numbers, row_name, scores
from ..frames.columns import Spans, flatten
from ..frames.ranking_rule import article_order
from ..frames.spans import Floats, Ints
from ..measures import MEASURES, FocusedMeasure, alternatives
from ..measures.base import ask, asked_order
from ..measures.ranking import Beside, Judgments, Ranking

if TYPE_CHECKING:
    import pandas as pd

NAMES = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}  # PyTerrier's names, and ir_measures'
NO_SPANS = Spans(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64), None)


class FocusedEvaluator(providers.Evaluator):
    """Scores runs against one qrels; topics that a run misses get the measures' value of an empty ranking."""

    measures: list[FocusedMeasure]
    qrel_qids: list[str]

    def __init__(self, measures: Iterable[FocusedMeasure], qrels: Any):
        frame = _frame(qrels, "qrels", ["query_id", "doc_id"])
        self._topic_index, topic = _codes(frame, "query_id", "qrels")
        articles, article = _codes(frame, "doc_id", "qrels")
        self._articles = _as_bytes(articles.to_numpy(dtype=object))
        pair = self._pair(topic, article)
        self._pair_order = np.argsort(pair, kind="stable")
        self._pairs = pair[self._pair_order]
        if np.any(self._pairs[1:] == self._pairs[:-1]):
            check_unique(frame["query_id"].to_numpy(dtype=object), frame["doc_id"].to_numpy(dtype=object), "qrels")
        # they come as a set; PyTerrier's columns stand in the order in which values are yielded
        super().__init__(sorted(measures, key=asked_order), self._topic_index.tolist())
        wanted = {column for measure in self.measures for column in measure.QRELS_COLUMNS}
        highlights = _spans(frame, "highlights", wanted)
        self.judgments = Judgments(
            topics=self.qrel_qids,
            topic=topic,
            docno=articles.to_numpy(dtype=object)[article],
            labels=_labels(frame, wanted),
            highlight_spans=highlights,
            aspect_names=_beside(frame, "aspects", wanted, highlights),
            not_relevant_spans=_spans(frame, "not_relevant", wanted),
            beps=_whole(frame, "bep", wanted, missing=-1),
            lengths=_whole(frame, "length", wanted, missing=-1),
            numbers=None if highlights is None else read_alternatives(frame, highlights),
        )
        self._lengths = numbers(frame, "length")
        needs_highlights = all("highlights" in measure.QRELS_COLUMNS for measure in self.measures)
        label = numbers(frame, "relevance") if needs_highlights else None
        bep = numbers(frame, "bep")
        misfits.warn(misfits.of_qrels(highlights, label, bep, self._lengths, partial(row_name, frame)))

    def iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        """Yield the value of every measure for every judged topic, each exactly once."""
        return self._iter_calc(run)

    def _iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        ranking = self.join(run)
        if any(measure.NEEDS_PASSAGES for measure in self.measures):
            _ = ranking.passages  # an error where the run has none, whatever the measure makes of them
        for measure in self.measures:
            for qid, value in zip(self.qrel_qids, alternatives.values(measure, ranking).tolist(), strict=True):
                yield ir_measures.Metric(query_id=qid, measure=measure, value=value)

    def join(self, run: Any) -> Ranking:
        """Rank the run's articles and join them with the qrels."""
        frame = _frame(run, "run", ["query_id", "doc_id", "score"])
        topics, run_topic = _codes(frame, "query_id", "run")
        topic = self._topic_index.get_indexer(topics)[run_topic]
        docno = _names(frame, "doc_id", "run")
        score = scores(frame)
        known = np.flatnonzero(topic >= 0)
        order = known[article_order(topic[known], score[known], docno[known])]
        topic, docno = topic[order], docno[order]
        article = self._article_codes(docno)
        passages = self._passages(frame, order)
        self._warn_of_misfits(topics.tolist(), topic, docno, article, passages)
        ranking = Ranking(self.judgments, topic, docno, score[order], self._judged(topic, article), passages)
        for code, part in ranking.slices():
            if len(set(docno[part].tolist())) < part.stop - part.start:
                check_unique(np.full(part.stop - part.start, self.qrel_qids[code], dtype=object), docno[part], "run")
        if passages is not None and passages.score is not None and np.isnan(passages.score).any():
            row_topic = topic[passages.row]
            check_scored(row_topic, passages.score, np.array(self.qrel_qids, dtype=object)[row_topic])
        return ranking

    def _passages(self, frame: pd.DataFrame, order: Ints) -> Spans | None:
        if not len(frame):
            return NO_SPANS
        if "passages" not in frame.columns:
            return None
        if not any(measure.NEEDS_PASSAGES for measure in self.measures):
            return NO_SPANS
        return flatten(frame["passages"], "passages", frame).take(order)

    def _warn_of_misfits(
        self, run_topics: list[str], topic: Ints, docno: NDArray[np.object_], article: Ints, passages: Spans | None
    ) -> None:
        """Warn where the run's ids, or its passages, do not fit the qrels."""

        def row_name(row: int) -> str:
            return f"topic {self.qrel_qids[topic[row]]!r}, article {docno[row]!r}"

        found = misfits.of_ids(run_topics, self.qrel_qids, docno, article, self.judgments.docno)
        if not found and self._lengths is not None:
            row = self._judged(topic, article)
            found = misfits.of_passages(passages, np.where(row >= 0, self._lengths[row], -1.0), row_name)
        misfits.warn(found)

    def _article_codes(self, docno: NDArray[np.object_]) -> Ints:
        """Look up the judged articles' codes of docnos: int64, -1 where the qrels have none."""
        import pyarrow.compute as pc

        return pc.fill_null(pc.index_in(_as_bytes(docno), value_set=self._articles), -1).to_numpy().astype(np.int64)

    def _judged(self, topic: Ints, article: Ints) -> Ints:
        """Row of the judgments of each (topic, article), -1 where there is none."""
        pair = self._pair(topic, article)
        at = np.searchsorted(self._pairs, pair).clip(max=max(len(self._pairs) - 1, 0))
        if not len(self._pairs):
            return np.full(len(pair), -1, dtype=np.int64)
        return np.where((article >= 0) & (topic >= 0) & (self._pairs[at] == pair), self._pair_order[at], -1)

    def _pair(self, topic: Ints, article: Ints) -> Ints:
        return topic * np.int64(len(self._articles)) + article


class FocusedProvider(providers.Provider):
    """Provides the measures of pyterrier_focused."""

    NAME = "focused"
    SUPPORTED_MEASURES = list(MEASURES)

    def supports(self, measure: ir_measures.Measure) -> bool:
        if not isinstance(measure, FocusedMeasure):
            return False
        measure.validate_params()
        return True

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> FocusedEvaluator:
        return FocusedEvaluator(measures, qrels)

    def run_inputs(self, measures: Iterable[Any]) -> list[str]:
        passages = ["passages"] if any(measure.NEEDS_PASSAGES for measure in measures) else []
        return ["query_id", "doc_id", "score", *passages]

    def qrel_inputs(self, measures: Iterable[Any]) -> list[str]:
        wanted = {column: None for measure in measures for column in measure.QRELS_COLUMNS}
        return ["query_id", "doc_id", *wanted]


def register() -> None:
    """Put the measures and their provider into ir_measures, and into pyterrier.measures; again does no harm.

    A name that another plugin has taken stays its own: a warning says so, and `parse` refuses that name.
    """
    registry = ir_registry.registry
    names = {name: measure for measure in MEASURES for name in measure.names() if not _is_taken(name)}
    taken = [name for measure in MEASURES for name in measure.names() if name not in names]
    if taken:
        warnings.warn(
            f"another plugin has registered the measures {', '.join(taken)} in ir_measures; pyterrier_focused's own of "
            "these names are to be had as objects alone, such as pyterrier_focused.measures.F",
            stacklevel=2,
        )
    registry.update(names)
    provider = FocusedProvider()
    others = [known for known in ir_measures.DefaultPipeline.providers if known.NAME != provider.NAME]
    ir_measures.DefaultPipeline.providers[:] = [*others, provider]
    providers.registry[provider.NAME] = provider
    copied = sys.modules.get("pyterrier.measures")  # it copies the registry once, before plugins are loaded
    if copied is not None:
        for name, measure in names.items():
            setattr(copied, name, measure)


def parse(measures: str | Iterable[str | ir_measures.Measure]) -> list[ir_measures.Measure]:
    """Parse measures as `pt.Experiment` wants them: a list of ir_measures measures.

    Takes one string, `"iP@0.01 AgP(task='bic') AP nDCG@10"`, measures separated by white space or commas, or a list of
    such strings and measures; trec_eval's names (`map`, `ndcg_cut_10`) are known too. Raises ValueError for others.
    The columns of `pt.Experiment` have this package's measures in this order, behind those of other providers.
    """
    parsed: list[ir_measures.Measure] = []
    one = isinstance(measures, str | ir_measures.Measure) or not isinstance(measures, Iterable)
    for item in [measures] if one else measures:
        if isinstance(item, ir_measures.Measure):
            parsed.append(item)
        elif isinstance(item, str):
            for text in _split(item):
                parsed.extend(_parse_one(text))
        else:
            raise ValueError(
                f"{item!r} is not a measure; give ir_measures measures, or strings such as 'iP@0.01 AgP AP'"
            )
    for measure in parsed:
        if isinstance(measure, FocusedMeasure):
            measure.validate_params()
            ask(measure)
    return parsed


def _is_taken(name: str) -> bool:
    """Tell whether ir_measures knows another plugin's measure by the name of one of ours."""
    known = ir_registry.registry.get(name)
    return known is not None and not type(known).__module__.startswith("pyterrier_focused.")


def _parse_one(text: str) -> list[ir_measures.Measure]:
    ours = {name for measure in MEASURES for name in measure.names()}
    name = text.split("(")[0].split("@")[0]
    if name in ours and _is_taken(name):
        raise ValueError(
            f"{name!r} is another plugin's measure in ir_measures, not that of pyterrier_focused; give the object "
            f"pyterrier_focused.measures.{name}"
        )
    try:
        return [ir_measures.parse_measure(text)]
    except NameError:
        try:
            return ir_measures.parse_trec_measure(text)
        except ValueError:
            close = get_close_matches(name, ir_registry.registry, n=3)
            hint = f"; did you mean {', '.join(close)}?" if close else ""
            raise ValueError(f"no measure is called {name!r}{hint}") from None


def _split(text: str) -> list[str]:
    """Split at white space and commas outside parentheses and quotes."""
    parts, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif depth == 0 and (character.isspace() or character == ","):
            parts.append("")
            continue
        parts[-1] += character
    return [part for part in parts if part]


def _as_bytes(names: NDArray[np.object_]) -> Any:
    """Make an Arrow array of names, in which Arrow finds them faster than Python does in a dict."""
    import pyarrow as pa

    try:
        return pa.array(names, pa.large_string()).cast(pa.large_binary())
    except UnicodeEncodeError:  # half a character of UTF-16, which is a name like any other
        return pa.array([name.encode("utf-8", "surrogatepass") for name in names], pa.large_binary())


def _frame(rows: Any, what: str, columns: list[str]) -> pd.DataFrame:
    """Read whatever ir_measures takes as a frame, keeping the columns that it does not know."""
    import pandas as pd

    if isinstance(rows, dict):
        flat = [(topic, article, value) for topic, articles in rows.items() for article, value in articles.items()]
        frame = pd.DataFrame(flat, columns=["query_id", "doc_id", "score" if what == "run" else "relevance"])
    elif hasattr(rows, "itertuples"):
        frame = rows
    elif isinstance(rows, Iterable) and not isinstance(rows, str):
        frame = _records(list(rows), what, columns)
    else:
        raise ValueError(
            f"the {what} must be a DataFrame, named tuples, dataclasses or a dict of dicts, not {type(rows)}"
        )
    missing = [column for column in columns if column not in frame.columns]
    if missing and len(frame):
        theirs = (
            "; qid, docno and label are PyTerrier's names: pt.Experiment and pt.Evaluate take frames that have them"
        )
        hint = theirs if "qid" in frame.columns else ""
        raise ValueError(f"the {what} lacks the columns {missing} (found {list(frame.columns)}){hint}")
    return frame.reindex(columns=[*columns, *frame.columns.difference(columns)]) if missing else frame


def _records(rows: list[Any], what: str, columns: list[str]) -> pd.DataFrame:
    import pandas as pd

    if not rows:
        return pd.DataFrame(columns=columns)
    names = getattr(rows[0], "_fields", None) or (is_dataclass(rows[0]) and [field.name for field in fields(rows[0])])
    if not names:
        raise ValueError(
            f"the {what} must hold named tuples or dataclasses with the fields {columns}, not {type(rows[0])}"
        )
    if len(set(map(type, rows))) == 1 and isinstance(rows[0], tuple):
        values: list[Any] = [list(map(itemgetter(i), rows)) for i in range(len(names))]
    else:
        values = [[getattr(row, name, None) for row in rows] for name in names]
    data: dict[str, Any] = {}
    for name, column in zip(names, values, strict=True):
        if name in ("passages", "highlights"):
            cells = np.empty(len(column), dtype=object)
            cells[:] = column
            data[name] = cells
        else:
            data[name] = pd.Series(column, dtype=object) if name in columns[:2] else column
    return pd.DataFrame(data)


def _names(frame: pd.DataFrame, column: str, what: str) -> NDArray[np.object_]:
    """Read a column of names as strings."""
    names = frame[column].to_numpy(dtype=object)
    kinds = set(map(type, names))
    if kinds <= {str}:
        return names
    missing = frame[column].isna().to_numpy()
    if missing.any():
        raise ValueError(f"the {what} has no {column} in row {int(np.argmax(missing))}; each row needs one")
    return np.array([str(name) for name in names], dtype=object)


def _codes(frame: pd.DataFrame, column: str, what: str) -> tuple[pd.Index, Ints]:
    """Number the names of a column: (names as strings, in order of appearance; code per row)."""
    import pandas as pd

    codes, names = pd.factorize(frame[column])
    if (codes < 0).any():
        raise ValueError(f"the {what} has no {column} in row {int(np.argmax(codes < 0))}; each row needs one")
    index = pd.Index(np.asarray(names, dtype=object), dtype=object)
    if not set(map(type, index)) <= {str}:
        again, index = pd.factorize(index.map(str).astype(object))  # 7 and "7" are one topic
        return index, again[codes].astype(np.int64)
    return index, codes.astype(np.int64)


def _labels(frame: pd.DataFrame, wanted: set[str]) -> Ints | Floats | None:
    """Read the labels as int64, or as float64 where they are finite numbers, and one of them is not whole."""
    given = numbers(frame, "relevance") if "relevance" in wanted else None
    if given is not None and np.isfinite(given).all() and np.any(given != np.floor(given)):
        return given
    return _whole(frame, "relevance", wanted)


def _whole(frame: pd.DataFrame, column: str, wanted: set[str], missing: int | None = None) -> Ints | None:
    """Read a column of whole numbers; None where it is not wanted or not there. *missing* stands for NaN."""
    if not len(frame):
        return np.zeros(0, dtype=np.int64)
    if column not in wanted or column not in frame.columns:
        return None
    name = "label" if column == "relevance" else column
    given = frame[column].to_numpy()
    if given.dtype == np.int64 and (missing is None or not len(given) or given.min() >= missing):
        return given  # exact beyond 2**53, where floats are not
    try:
        values: NDArray[np.float64] = frame[column].to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        raise ValueError(f"column {name!r} of the qrels holds something that is not a number: {error}") from None
    gone = np.isnan(values)
    if missing is None and gone.any():
        raise ValueError(
            f"column {name!r}, {row_name(frame, int(np.argmax(gone)))}: the value is missing; judge it or drop the row"
        )
    values = np.where(gone, missing or 0, values)
    bad = ~(np.isfinite(values) & (values == np.floor(values)) & (np.abs(values) < 2**53))
    if missing is not None:
        bad |= values < missing
    if bad.any():
        allowed = "a whole number" if missing is None else f"a whole number of characters, or {missing} for none"
        raise SpanError(f"column {name!r}, {row_name(frame, int(np.argmax(bad)))}: {values[bad][0]} is not {allowed}")
    return values.astype(np.int64)


def _spans(frame: pd.DataFrame, column: str, wanted: set[str]) -> Spans | None:
    """Read a column of spans of the qrels; None where it is not wanted or not there."""
    if not len(frame):
        return NO_SPANS
    if column not in wanted or column not in frame.columns:
        return None
    spans = flatten(frame[column], column, frame)
    if spans.score is not None:
        at = np.zeros(len(frame), dtype=bool)
        at[spans.row[~np.isnan(spans.score)]] = True
        where = row_name(frame, int(np.argmax(at)))
        raise SpanError(f"column {column!r}, {where}: these are (start, end) pairs, without scores")
    return spans


def _beside(frame: pd.DataFrame, column: str, wanted: set[str], highlights: Spans | None) -> Beside | None:
    """Read what stands beside the highlights: a value each, or a list of them. Numbers are their own codes."""
    if column not in wanted or highlights is None or (len(frame) and column not in frame.columns):
        return None
    bounds = np.searchsorted(highlights.row, np.arange(len(frame) + 1)).tolist()
    codes: dict[str, int] = {}
    highlight, code = [], []
    for row, cell in enumerate(frame[column].tolist() if len(frame) else ()):
        values = [] if cell is None or isinstance(cell, float) or type(cell).__name__ == "NAType" else list(cell)
        first, count = bounds[row], bounds[row + 1] - bounds[row]
        if len(values) != count:
            raise ValueError(
                f"column {column!r}, {row_name(frame, row)}: {len(values)} entries beside "
                f"{count} highlights; give each highlight one entry"
            )
        for at, value in enumerate(values, start=first):
            for name in value if isinstance(value, list | tuple | np.ndarray) else [value]:
                highlight.append(at)
                code.append(codes.setdefault(name, len(codes)) if isinstance(name, str) else int(name))
    return Beside(np.array(highlight, dtype=np.int64), np.array(code, dtype=np.int64))
