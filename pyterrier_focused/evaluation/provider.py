"""The bridge to ir_measures: registers the measures, reads its run and qrels, joins them once for all measures.

The only file that knows ir_measures' interfaces.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from operator import attrgetter
from typing import cast

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import providers
from numpy.typing import NDArray

from ..errors import OverlapError
from ..frames import consistency
from ..frames.checks import check_scored, check_unique, numbers, row_name, scores
from ..frames.items import RunPassages, read_passages
from ..frames.ranking_rule import article_order
from ..frames.span_attributes import ALTERNATIVES, COVER, read_numbers
from ..frames.spans import Ints
from ..measures import MEASURES, FocusedMeasure
from ..measures.best_alternative import values
from ..measures.ranking import Judgments, Ranking
from ..measures.registration import register_measures
from . import span_frames
from .input_columns import (
    NAMES,
    NO_SPANS,
    find_distinct_judgments,
    number_ids,
    read_frame,
    read_labels,
    read_spans,
    read_whole_numbers,
)
from .registry import let_pyterrier_parse_names, parse

__all__ = ["NAMES", "FocusedEvaluator", "FocusedProvider", "parse", "register"]


class FocusedEvaluator(providers.Evaluator):
    """Score runs against one qrels; topics that a run misses get the measures' value of an empty ranking.

    Example:
        >>> from pyterrier_focused import CharP
        >>> qrels = pd.DataFrame({"query_id": ["q1"], "doc_id": ["7"], "relevance": [1], "highlights": [[(0, 40)]]})
        >>> run = pd.DataFrame({"query_id": ["q1"], "doc_id": ["7"], "score": [1.0], "passages": [[(0, 80)]]})
        >>> [metric.value for metric in FocusedEvaluator([CharP], qrels).iter_calc(run)]
        [0.5]
    """

    measures: list[FocusedMeasure]
    qrel_qids: list[str]

    def __init__(self, measures: Iterable[FocusedMeasure], qrels: object):
        frame = read_frame(qrels, "qrels", ["query_id", "doc_id"])
        self._topics, topic = number_ids(frame, "query_id", "qrels")
        self._articles, article = number_ids(frame, "doc_id", "qrels")
        pair = topic * len(self._articles) + article
        rows = find_distinct_judgments(frame, pair)
        if len(rows) < len(frame):
            frame = frame.iloc[rows]
            topic = topic[rows]
            article = article[rows]
        self._pairs = pd.Index(pair[rows])
        # they come as a set; PyTerrier's columns are in the order in which values are yielded
        super().__init__(sorted(measures, key=attrgetter("asked")), self._topics.tolist())
        wanted = {column for measure in self.measures for column in measure.QRELS_COLUMNS}
        highlights = read_spans(frame, "highlights", wanted)
        self.judgments = Judgments(
            topics=self.qrel_qids,
            topic=topic,
            docno=self._articles.to_numpy()[article],
            labels=read_labels(frame, wanted),
            highlight_spans=highlights,
            beps=read_whole_numbers(frame, "bep", wanted, missing=-1),
            lengths=read_whole_numbers(frame, "length", wanted, missing=-1),
            numbers=None if highlights is None else read_numbers(frame, ALTERNATIVES, highlights),
            covers=None if highlights is None else read_numbers(frame, COVER, highlights),
        )
        self._lengths = numbers(frame, "length")
        needs_highlights = all("highlights" in measure.QRELS_COLUMNS for measure in self.measures)
        label = numbers(frame, "relevance") if needs_highlights else None
        bep = numbers(frame, "bep")
        consistency.warn(
            consistency.describe_contradictions(highlights, label, bep, self._lengths, partial(row_name, frame))
        )

    def iter_calc(self, run: object) -> Iterator[ir_measures.Metric]:
        """Yield the value of every measure for every judged topic, each exactly once."""
        yield from self.score(self.join(run), self.measures)

    def score(self, ranking: Ranking, measures: Iterable[FocusedMeasure]) -> Iterator[ir_measures.Metric]:
        """Yield values, as `iter_calc` does, of a joined run, for any measures that read the same columns."""
        for measure in measures:
            if measure.NEEDS_PASSAGES:
                ranking.require_passages()
            try:
                of_topics = values(measure, ranking).tolist()
            except OverlapError as error:
                raise _name_divided_topic(error, ranking.derived["divided_topics"]) from None
            for qid, value in zip(self.qrel_qids, of_topics, strict=True):
                yield ir_measures.Metric(query_id=qid, measure=measure, value=value)

    def join(self, run: object) -> Ranking:
        """Join a run with the qrels; its passages are read if a measure needs them."""
        frame = read_frame(run, "run", ["query_id", "doc_id", "score"])
        topics, run_topic = number_ids(frame, "query_id", "run")
        docnos, name = number_ids(frame, "doc_id", "run")
        topic = self._topics.get_indexer(topics)[run_topic]
        score = scores(frame)
        in_qrels = np.flatnonzero(topic >= 0)
        order = in_qrels[article_order(topic[in_qrels], score[in_qrels], docnos.to_numpy()[name[in_qrels]])]
        is_ordered = len(order) == len(frame) and bool(np.all(order == np.arange(len(order))))
        if not is_ordered:
            topic = topic[order]
            name = name[order]
            score = score[order]
        docno = docnos.to_numpy()[name]
        article = self._articles.get_indexer(docnos)
        passages = self._read_passages(frame)
        if passages is not None and not is_ordered:
            passages = passages.take(order)
        judged = self._find_judgments(topic, article[name])
        in_topics = np.flatnonzero(np.bincount(name, minlength=len(docnos)))
        is_foreign = consistency.warn_of_foreign_ids(
            topics.tolist(),
            self.qrel_qids,
            docnos.to_numpy()[in_topics],
            article[in_topics] >= 0,
            self._articles.to_numpy(),
        )
        ranking = Ranking(self.judgments, topic, docno, score, judged, passages)
        ranking.derived["divided_topics"] = frame.attrs.get("divided_topics", {})
        if not is_foreign:
            self._warn_of_passages_beyond(ranking)
        self._warn_of_mixtures(frame, order, ranking)
        if pd.Series(topic * len(docnos) + name).duplicated().any():
            check_unique(np.array(self.qrel_qids, dtype=object)[topic], docno, "run")
        spans = None if passages is None else passages.spans
        if spans is not None and spans.score is not None and np.isnan(spans.score).any():
            row_topic = topic[spans.row]
            check_scored(row_topic, spans.score, np.array(self.qrel_qids, dtype=object)[row_topic])
        return ranking

    def _find_judgments(self, topic: Ints, article: Ints) -> Ints:
        """Return the row of the judgment of each topic and article (code, -1 for none), -1 for none."""
        pair = np.where(article >= 0, topic * len(self._articles) + article, -1)
        found: Ints = self._pairs.get_indexer(pair).astype(np.int64)
        return found

    def _read_passages(self, frame: pd.DataFrame) -> RunPassages | None:
        if not len(frame):
            return RunPassages(NO_SPANS)
        if "passages" not in frame.columns:
            return None
        if not any(measure.NEEDS_PASSAGES for measure in self.measures):
            return RunPassages(NO_SPANS)
        return read_passages(frame)

    def _warn_of_passages_beyond(self, ranking: Ranking) -> None:
        if self._lengths is None or ranking.run_passages is None:
            return
        lengths = np.where(ranking.judged >= 0, self._lengths[ranking.judged], -1.0)
        name = partial(self._name_row, ranking.topic, ranking.docno)
        consistency.warn(consistency.describe_passages_beyond(ranking.run_passages.spans, lengths, name))

    def _warn_of_mixtures(self, frame: pd.DataFrame, order: Ints, ranking: Ranking) -> None:
        """Warn if systems of two kinds seem to have been joined in the run, or if its two orders differ."""
        passages = ranking.run_passages
        if passages is None or not any(measure.NEEDS_PASSAGES for measure in self.measures):
            return
        name = partial(self._name_row, ranking.topic, ranking.docno)
        found = []
        if len(frame):
            missing = frame["passages"].isna().to_numpy()[order]
            found += consistency.describe_missing_cells(missing, ranking.docno, name)
        found += consistency.describe_order(ranking.topic, ranking.score, passages.spans, name)
        for finding in found:
            consistency.warn([finding])

    def _name_row(self, topic: Ints, docno: NDArray[np.object_], row: int) -> str:
        return f"topic {self.qrel_qids[topic[row]]!r}, article {docno[row]!r}"


class FocusedProvider(providers.Provider):
    NAME = "focused"
    SUPPORTED_MEASURES = list(MEASURES)

    def supports(self, measure: ir_measures.Measure) -> bool:
        if not isinstance(measure, FocusedMeasure):
            return False
        measure.validate_params()
        return True

    def _evaluator(self, measures: Iterable[ir_measures.Measure], qrels: object) -> FocusedEvaluator:
        return FocusedEvaluator(cast("Iterable[FocusedMeasure]", measures), qrels)

    def run_inputs(self, measures: Iterable[ir_measures.Measure]) -> list[str]:
        ours = cast("Iterable[FocusedMeasure]", measures)
        passages = ["passages"] if any(measure.NEEDS_PASSAGES for measure in ours) else []
        return ["query_id", "doc_id", "score", *passages]

    def qrel_inputs(self, measures: Iterable[ir_measures.Measure]) -> list[str]:
        ours = cast("Iterable[FocusedMeasure]", measures)
        wanted = {column: None for measure in ours for column in measure.QRELS_COLUMNS}
        return ["query_id", "doc_id", *wanted]


def _name_divided_topic(error: OverlapError, divided: Mapping[str, tuple[int, int]]) -> OverlapError:
    """Return an error that tells of two blocks of lines of its topic in the run's file, if there are."""
    if error.qid not in divided:
        return error
    first, second = divided[error.qid]
    advice = f"the lines of this topic are apart in the run's file, lines {first} and {second}: keep one of its blocks"
    return OverlapError(error.qid, error.docno, error.first, error.second, f"{advice}, or {error.advice}")


def register() -> None:
    """Put the measures and the providers into ir_measures' registries, and let PyTerrier know measures by name."""
    register_measures(MEASURES)
    ours = FocusedProvider()
    providers.register(ours)
    known = ir_measures.DefaultPipeline.providers
    known[:] = [*(provider for provider in known if provider.NAME != ours.NAME), ours]
    span_frames.register()
    let_pyterrier_parse_names()
