"""The transformer that retrieves parts from an index: an engine's retriever behind the index's own terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt

from ..frames.ranking_rule import positions
from .engines import open_retriever
from .transformer import PartsTransformer, check_count, check_topics


class PartRetriever(PartsTransformer):
    """Retrieve parts: from `qid` and `query` to a row per part found (`docno` = passage id, `score`, `rank`).

    Any text is a query. Topics with `query_toks` are searched by these terms and their weights.

    Args:
        index: A `PartIndex`.
        model: The scoring model, by the engine's name for it; *parameters* are its own.
    """

    def __init__(self, index: Any, model: str = "bm25", num_results: int = 1000, **parameters: float):
        check_count(self, "num_results", num_results, 1)
        self.index = index
        self.model = model
        self.num_results = num_results
        self._names = tuple(parameters)
        self._opened: dict[bool, tuple[object, Any]] = {}
        # an attribute each, which PyTerrier's GridScan sets
        for name, value in parameters.items():
            setattr(self, name, value)

    def _open_engine(self, weighted: bool) -> Any:
        settings = self.settings()
        opened = self._opened.get(weighted)
        if opened is None or opened[0] != settings:
            parameters = {name: getattr(self, name) for name in self._names}
            index = self.index.engine_index()
            engine = open_retriever(self.index.engine, index, self.model, self.num_results, parameters, weighted)
            opened = self._opened[weighted] = settings, engine
        return opened[1]

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        with pt.validate.any(inp, context=self) as modes:
            modes.query_frame(extra_columns=["query"], mode="query")
            modes.query_frame(extra_columns=["query_toks"], mode="query_toks")
        check_topics(inp, self)
        weighted = modes.mode == "query_toks" or "query_toks" in inp
        if weighted or not self.index.reads_text:
            asked = inp if weighted else self.index.terms.transform(inp)
            topics = asked[asked["query_toks"].map(len) > 0].reset_index(drop=True)
            numbered = pd.DataFrame({"qid": topics.index.astype(str), "query_toks": topics["query_toks"], "query": ""})
            weighted = True
        else:
            topics = inp.reset_index(drop=True)
            numbered = pd.DataFrame(
                {"qid": topics.index.astype(str), "query": topics["query"].map(self.index.terms.write_ascii)}
            )
        engine = self._open_engine(weighted) if len(topics) else None
        found = engine.transform(numbered) if engine else numbered.assign(docno="", score=0.0)
        row = found["qid"].to_numpy().astype(np.int64)
        falling = -found["score"].to_numpy(dtype=np.float64)
        columns = {name: found[name].to_numpy() for name in ("docid", "docno", "score") if name in found}
        # most engines give rows in this order
        step = np.diff(row)
        if not np.all((step > 0) | ((step == 0) & (np.diff(falling) >= 0))):
            order = np.lexsort((falling, row))
            row = row[order]
            columns = {name: values[order] for name, values in columns.items()}
        parts = topics[inp.columns].drop(columns=["score", "rank"], errors="ignore").iloc[row]
        return parts.reset_index(drop=True).assign(**columns, rank=positions(row))

    def settings(self) -> dict[str, object]:
        return {"index": self.index, "model": self.model, "num_results": self.num_results} | {
            name: getattr(self, name) for name in self._names
        }

    def attributes(self) -> list[pt.inspect.TransformerAttribute]:
        return [pt.inspect.TransformerAttribute(name, value) for name, value in self.settings().items()]

    def apply_attributes(self, **changed: object) -> pt.Transformer:
        return _make_again(self.settings() | changed)

    def fuse_rank_cutoff(self, k: int) -> pt.Transformer | None:
        return _make_again(self.settings() | {"num_results": min(k, self.num_results)}) if k >= 1 else None

    def __reduce__(self) -> tuple[Callable[..., PartRetriever], tuple[dict[str, Any]]]:
        return _make_again, (self.settings(),)


def _make_again(settings: dict[str, Any]) -> PartRetriever:
    return PartRetriever(**settings)
