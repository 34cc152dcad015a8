"""Which chunks should be retrieved? Splitters side by side: evidence found, noise read with it, at each budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyterrier as pt
from tqdm.auto import tqdm

from ..collection.corpora import articles
from ..errors import takes_corpus
from ..evaluation.registry import MeasureNames, parse, require_measures
from ..evaluation.tokens import Tokens
from ..frames.ids import parse_ids
from ..frames.packing import unpack
from ..retrieval.tasks.focused import Focused
from .chunks import Chunks
from .evidence import EvidenceInput
from .results import question_texts
from .score import (
    DEFAULT,
    RetrievedEvaluation,
    UnitInput,
    check_articles,
    count_measures,
    keep_answerable,
    make_unit,
    read_evidence,
    recall_curve,
    show_evidence,
    take_fingerprints,
)

if TYPE_CHECKING:
    from ir_measures import Measure

    from ..collection.corpora import Corpus

# PyTerrier's tests, by its names for them
_TESTS = {"t": "paired t-test", "wilcoxon": "Wilcoxon's signed-rank test", "tost": "equivalence test (TOST)"}


@takes_corpus
def compare_chunkers(
    corpus: Corpus,
    qrels: EvidenceInput,
    splitters: Mapping[str, object],
    retriever: Callable[[Chunks], pt.Transformer] | None = None,
    *,
    topics: pd.DataFrame | None = None,
    measures: MeasureNames | None = None,
    k: int = 100,
    budgets: Sequence[int] | None = None,
    unit: UnitInput | None = None,
    verbose: bool = True,
    **experiment: Any,
) -> RetrievedEvaluation:
    """Cut a corpus with each splitter, index and retrieve the chunks, and score them by the evidence they bring.

    Args:
        corpus: Texts in any form that `Chunks.from_splitter` takes.
        qrels: A qrels frame, as `read_spans` makes it, or evidence that `read_spans` reads.
        splitters: {name: splitter}, as for `Chunks.from_splitter`; for windows, `Windows(400, 200)`.
        retriever: A function that takes the `Chunks` and returns a transformer from `qid, query` to rows of chunks
            (their docno is the passage id): any PyTerrier retriever over an index of them. It may return other spans
            of the articles too, as `MergeAdjacent()` and parent-document retrievers do. Without it, BM25 by PISA.
        topics: A frame `qid, query`; without it the qrels' own questions, their column `query`.
        measures: As in `evaluate_retrieved`; by default also character recall and precision at 2,000 characters.
        k: Chunks retrieved for each question.
        budgets: Of the curve, in characters; without them 40 up to all that was retrieved.
        unit: As in `evaluate_retrieved`, for the measures and the curve. Default budgets are 500 tokens in place of
            2,000 characters.
        experiment: Handed to `pt.Experiment` (baseline, test, correction, round ...). With a baseline and no `test`,
            PyTerrier makes a paired t-test, which the result names; `pairwise(comparison.per_query())` is this
            package's randomisation test.

    Example:
        >>> corpus = {"a": "Cats sleep all day. Cats eat fish at noon. Dogs run in the park."}
        >>> evidence = [{"question": "What do cats eat?", "docno": "a", "quote": "Cats eat fish"}]
        >>> comparison = compare_chunkers(corpus, evidence, {"sentences": lambda text: text.split(". ")})
        >>> comparison.table[["name", "chunks", "SpanHit@5"]].values.tolist()
        [['sentences', 3, 1.0]]
    """
    _check_options(splitters, retriever, k)
    read = list(articles(corpus))
    texts = {article.docno: article.text for article in read}
    counted = make_unit(unit, texts, read)
    if measures is None:
        budget = 2000 if unit is None else 500
        has_budget = unit is None or isinstance(counted, Tokens)
        measures = f"{DEFAULT} CharR(chars={budget}) CharP(chars={budget})" if has_budget else DEFAULT
    asked = count_measures(parse(measures), counted)
    require_measures(asked)
    qrels = check_articles(read_evidence(qrels, read), (article.docno for article in read))
    qrels = qrels if any(measure.NAME == "Abstain" for measure in asked) else keep_answerable(qrels)
    topics = _check_topics(topics, qrels)
    chunks = {}
    runs = {}
    for name in tqdm(splitters, "splitters", unit=" splitters", delay=1, leave=False, disable=not verbose):
        cut = chunks[name] = Chunks.from_splitter(read, splitters[name], verbose=False)
        retrieve = cut.bm25(num_results=k) if retriever is None else retriever(cut)
        runs[name] = _retrieve_run(retrieve, topics, cut, k, name)
    table = pt.Experiment(list(runs.values()), topics, qrels, asked, names=list(runs), **experiment)
    if isinstance(table, pd.DataFrame) and "name" in table.columns and "measure" not in table.columns:
        table = _add_chunk_columns(table, chunks, asked)
        if experiment.get("baseline") is not None:
            test = experiment.get("test", "t")
            name = _TESTS.get(test) or getattr(test, "__name__", test)
            ours = "pairwise(comparison.per_query()) makes this package's test, with intervals"
            table.attrs["note"] = f"p: {name} of pt.Experiment; {ours}"
    return RetrievedEvaluation(
        kind="chunks",
        table=table,
        questions=_make_questions(qrels, runs, texts),
        points=recall_curve(qrels, runs, budgets, counted),
        chunks=chunks,
        qrels=qrels,
        runs=runs,
        measures=asked,
        unit=counted,
        texts=texts,
        fingerprints=take_fingerprints(qrels, texts),
    )


def _check_options(splitters: object, retriever: object, k: object) -> None:
    if not isinstance(splitters, Mapping) or not splitters:
        raise ValueError(f"splitters is {splitters!r:.80}; give {{name: splitter}} with at least one")
    if retriever is not None and (isinstance(retriever, pt.Transformer) or not callable(retriever)):
        raise ValueError(
            f"{retriever!r:.80} is not a function of the chunks: each splitter has an index of its own; "
            "give a function such as lambda chunks: chunks.bm25() >> chunks.text_loader() >> reranker"
        )
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise ValueError(f"k={k!r}; give a whole number of at least 1")


def _add_chunk_columns(table: pd.DataFrame, chunks: Mapping[str, Chunks], asked: Iterable[Measure]) -> pd.DataFrame:
    about = pd.DataFrame({
        "name": list(chunks),
        "chunks": [len(cut) for cut in chunks.values()],
        "length": [float((cut.end - cut.start).mean()) for cut in chunks.values()],
    })  # fmt: skip
    columns = dict.fromkeys([str(measure) for measure in asked if str(measure) in table.columns])
    columns.update(dict.fromkeys(column for column in table.columns if column != "name"))
    return about.merge(table[["name", *columns]], on="name")


def _check_topics(topics: pd.DataFrame | None, qrels: pd.DataFrame) -> pd.DataFrame:
    if topics is None:
        if "query" not in qrels.columns or qrels["query"].isna().any():
            raise ValueError("the qrels have no column 'query' with each question's text; give topics= with qid, query")
        topics = qrels[["qid", "query"]].drop_duplicates("qid").reset_index(drop=True)
    missing = [column for column in ("qid", "query") if column not in topics.columns]
    if missing:
        raise ValueError(f"topics need the columns qid and query; missing: {missing}, found: {list(topics.columns)}")
    if not len(topics):
        raise ValueError("no question has evidence; chunks are compared by the evidence that they hold, so give some")
    return topics


def _retrieve_run(retrieve: pt.Transformer, topics: pd.DataFrame, chunks: Chunks, k: int, name: str) -> pd.DataFrame:
    found = retrieve(topics)
    if not isinstance(found, pd.DataFrame) or "docno" not in found.columns:
        raise ValueError(f"splitter {name!r}: the retriever returned no frame with qid, docno and score")
    if not len(found):
        raise ValueError(
            f"splitter {name!r}: nothing was retrieved for any of {len(topics)} questions (first: "
            f"{topics['query'].iloc[0]!r:.80}); do its words occur in the chunks?"
        )
    if "passages" in found.columns:
        return found
    article, start, end = parse_ids(found["docno"])
    length = np.array([len(chunks.texts.get(docno, "")) for docno in article], dtype=np.int64)
    foreign = np.flatnonzero((start < 0) | (end > length))
    if len(foreign):
        raise ValueError(
            f"splitter {name!r}: the retriever returned {found['docno'].iloc[foreign[0]]!r}, which lies in none of the "
            f"corpus' articles; index the chunks by their docno, such as {chunks.docnos()[0]!r}"
        )
    run: pd.DataFrame = Focused(k=k, overlap="allow").transform(found)
    return run


def _make_questions(qrels: pd.DataFrame, runs: Mapping[str, pd.DataFrame], texts: Mapping[str, str]) -> pd.DataFrame:
    """Make a row for each question and splitter: its evidence, and the chunk that was retrieved first."""
    query = question_texts(qrels)
    evidence = show_evidence(qrels, texts)
    rows = []
    for name, run in runs.items():
        best = unpack(run).drop_duplicates("qid")
        docnos, starts, ends = parse_ids(best["docno"])
        found = [texts[docno][start:end] for docno, start, end in zip(docnos, starts, ends, strict=True)]
        first = dict(zip(best["qid"].astype(str), found, strict=True))
        rows += [(name, qid, query[qid], evidence.get(qid, ""), first.get(qid, "")) for qid in query]
    return pd.DataFrame(rows, columns=["name", "qid", "query", "evidence", "found"])
