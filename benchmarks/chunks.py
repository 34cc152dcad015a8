"""Chunks beside the peers' definitions: Chroma's chunking evaluation, TREC Genomics' PASSAGE2; what scoring costs.

    python benchmarks/chunks.py [--data ../shared/data/chunking] [--runs 7]

Real questions with references (questions.csv) over one text (wikitexts.md), BM25 by PISA, windows of 400 characters,
with and without 200 of overlap. The peers' measures are written here from their published definitions, over sets and
lists of characters:

    Chroma     N = characters in the union of chunk-reference intersections; recall N / sum of references, precision N /
               sum of chunk lengths, IoU N / (sum of chunk lengths + uncovered reference characters); precision-omega:
               N / union of all chunks that meet a reference, as if just these were retrieved
    PASSAGE2   average precision with each character as a ranked item, relevant characters seen before skipped

Scoring is timed on 472 questions at 20 chunks (the questions repeated), all measures in one call through ir_measures;
the recall curve and scoring through alternatives (each reference by itself is enough) beside it. What was retrieved is
also scored as bare texts, and texts are located in a corpus of generated documents.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from turns import in_turns

import pyterrier_focused as focused
from pyterrier_focused.collection.corpora import CorpusArticle
from pyterrier_focused.measures import CharIoU, CharMAP, CharP, CharR
from pyterrier_focused.rag import micro_averages
from pyterrier_focused.rag.chunks import Chunks
from pyterrier_focused.rag.evidence import read_spans
from pyterrier_focused.rag.find_texts import find_texts
from pyterrier_focused.rag.score import recall_curve
from pyterrier_focused.retrieval.passages.selectors import Windows
from pyterrier_focused.retrieval.tasks.focused import Focused

Span = tuple[int, int]
CUTOFFS = (1, 3, 5, 10)
MEASURES = (
    "SpanHit@5 SpanR@5 SpanRR CharR(overlap='once')@5 CharP(overlap='once')@5 CharIoU(overlap='once')@5 "
    "CharR(chars=2000,overlap='once') CharP(chars=2000,overlap='once') AiP(overlap='once')"
)
NAMES = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
ALL = focused.parse(
    " ".join(
        [f"{name}(overlap='once')@{k}" for name in ("CharR", "CharP", "CharF", "CharIoU") for k in (1, 3, 5, 10, 20)]
        + [f"{name}(chars={chars},overlap='once')" for name in ("CharR", "CharP") for chars in (500, 1000, 2000, 4000)]
        + [f"{name}@{k}" for name in ("SpanHit", "SpanR") for k in (1, 3, 5, 10)]
        + ["SpanRR CharMAP AiP(overlap='once') iP(overlap='once')@0.1"]
    )
)


def characters(spans: list[Span]) -> set[int]:
    return {offset for span in spans for offset in range(*span)}


def chroma(chunks: list[Span], references: list[Span]) -> dict[str, float]:
    """The retrieval scores of Chroma's chunking evaluation, of one question."""
    relevant = characters(references)
    found = characters(chunks) & relevant
    read = sum(end - start for start, end in chunks)
    return {
        "recall": len(found) / sum(end - start for start, end in references),
        "precision": len(found) / read if read else 0.0,
        "IoU": len(found) / (read + len(relevant - found)),
    }


def precision_omega(chunks: list[Span], references: list[Span]) -> float:
    """The precision of all the chunks that meet a reference, without those that do not."""
    relevant = characters(references)
    best = characters([chunk for chunk in chunks if characters([chunk]) & relevant])
    return len(best & relevant) / len(best) if best else 0.0


def passage2(chunks: list[Span], references: list[Span]) -> float:
    """PASSAGE2 of TREC Genomics 2007, of one question: character by character."""
    relevant, seen = characters(references), set()
    found = items = 0
    total = 0.0
    for start, end in chunks:
        for offset in range(start, end):
            if offset in relevant:
                if offset in seen:
                    continue
                seen.add(offset)
                found += 1
                total += found / (items + 1)
            items += 1
    return total / len(relevant)


def mean(run: pd.DataFrame, qrels: pd.DataFrame, measure: Any) -> float:
    return ir_measures.calc_aggregate([measure], qrels.rename(columns=NAMES), run.rename(columns=NAMES))[measure]


def ideal_run(chunks: Chunks, qrels: pd.DataFrame) -> pd.DataFrame:
    """The run that returns just the chunks that meet a question's references."""
    spans = list(zip(chunks.start.tolist(), chunks.end.tolist(), strict=True))
    cells = [
        [span for span in spans if any(span[0] < end and start < span[1] for start, end in cell)]
        for cell in focused.cells(qrels["highlights"])
    ]
    run = qrels[["qid", "docno"]].assign(score=1.0, rank=0)
    run["passages"] = pd.Series(cells, dtype=object)
    return run


def repeated(frame: pd.DataFrame, qids: list[str], times: int) -> pd.DataFrame:
    """The rows of the questions again and again, under new ids, until there are as many questions as *qids*."""
    copies = [frame.assign(qid=frame["qid"].map(lambda qid, i=i: f"{qid}.{i}")) for i in range(times)]
    rows = pd.concat(copies, ignore_index=True)
    return rows[rows["qid"].isin(set(qids))].reset_index(drop=True)


def compare(name: str, chunks: Chunks, run: pd.DataFrame, qrels: pd.DataFrame) -> list[list[Any]]:
    parts = focused.unpack(run)
    _, start, end = focused.parse_ids(parts["docno"])
    retrieved: dict[str, list[Span]] = {qid: [] for qid in qrels["qid"]}
    for qid, first, last in zip(parts["qid"], start.tolist(), end.tolist(), strict=True):
        retrieved[qid].append((first, last))
    references = dict(zip(qrels["qid"], focused.cells(qrels["highlights"]), strict=True))
    rows: list[list[Any]] = []
    for k in CUTOFFS:
        theirs = [chroma(retrieved[qid][:k], spans) for qid, spans in references.items()]
        for label, ours in (("recall", CharR), ("precision", CharP), ("IoU", CharIoU)):
            measure = ours(overlap="noise") @ k
            micro = micro_averages(qrels, {"": run}, [measure]).iloc[0, 1]
            value = mean(run, qrels, measure)
            rows.append([name, f"{label} at {k}", statistics.fmean(s[label] for s in theirs), value, micro])
    spans = list(zip(chunks.start.tolist(), chunks.end.tolist(), strict=True))
    omega = statistics.fmean(precision_omega(spans, cell) for cell in references.values())
    best = ideal_run(chunks, qrels)
    micro = micro_averages(qrels, {"": best}, [CharP(overlap="once")]).iloc[0, 1]
    rows.append([name, "precision-omega", omega, mean(best, qrels, CharP(overlap="once")), micro])
    theirs2 = statistics.fmean(passage2(retrieved[qid], cell) for qid, cell in references.items())
    rows.append([name, "PASSAGE2", theirs2, mean(run, qrels, CharMAP), None])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data/chunking"))
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--documents", type=int, default=20_000, help="generated documents in which texts are located")
    arguments = parser.parse_args()
    qrels = read_spans(arguments.data / "questions.csv", arguments.data)
    topics = qrels[["qid", "query"]]

    rows, runs = [], {}
    for name, windows in (("400", Windows(400)), ("400, 200 shared", Windows(400, 200))):
        chunks = Chunks.from_splitter(arguments.data, windows)
        runs[name] = Focused(overlap="allow")(chunks.bm25(num_results=20)(topics))
        rows += compare(name, chunks, runs[name], qrels)
    print("| chunks | measure | peer | ours, macro | ours - peer | | ours, micro |")
    print("| --- | --- | ---: | ---: | ---: | --- | ---: |")
    for name, label, peer, ours, micro in rows:
        same = "equal" if abs(ours - peer) < 1e-12 else "different"
        shown = "" if micro is None else f"{micro:.4f}"
        print(f"| {name} | {label} | {peer:.4f} | {ours:.4f} | {ours - peer:+.4f} | {same} | {shown} |")

    perfect = [(100, 500), (100, 500)]
    print(f"\nA perfect chunk retrieved twice: Chroma's IoU {chroma(perfect, perfect[:1])['IoU']}, ", end="")
    twice = pd.DataFrame({"qid": ["1"], "docno": ["d"], "score": [1.0], "rank": [0], "passages": [perfect]})
    once = pd.DataFrame({"qid": ["1"], "docno": ["d"], "label": [1], "highlights": [perfect[:1]]})
    print(f"CharIoU(overlap='once') {mean(twice, once, CharIoU(overlap='once'))}")

    qids = [f"{qid}.{i}" for i in range(4) for qid in qrels["qid"]][:472]
    many, run = repeated(qrels, qids, 4), repeated(runs["400, 200 shared"], qids, 4)
    references = focused.cells(many["highlights"])
    cells = dict(zip(run["qid"], focused.cells(run["passages"]), strict=True))
    order = {qid: [(s, e) for s, e, _ in sorted(cell, key=lambda part: -part[2])] for qid, cell in cells.items()}
    retrieved = [order.get(qid, []) for qid in many["qid"]]

    def ours() -> None:
        ir_measures.calc_aggregate(ALL, many.rename(columns=NAMES), run.rename(columns=NAMES))

    def theirs() -> None:
        for chunks, spans in zip(retrieved, references, strict=True):
            for k in (1, 3, 5, 10, 20):
                chroma(chunks[:k], spans)

    mine, peers = in_turns(arguments.runs, ours, theirs)
    passages = sum(map(len, cells.values()))
    print(
        f"\nScoring {len(many)} questions, {passages} chunks: {len(ALL)} measures in {1000 * mine:.0f} ms (at most 100)"
    )
    print(
        f"Chroma's three at five cutoffs over sets of characters: {1000 * peers:.0f} ms, {peers / mine:.1f} times that"
    )
    numbered = many.assign(alternatives=pd.Series([list(range(1, len(cell) + 1)) for cell in references], dtype=object))
    plain = focused.parse(MEASURES)
    once, curve, best = in_turns(
        arguments.runs,
        lambda: ir_measures.calc_aggregate(plain, many.rename(columns=NAMES), run.rename(columns=NAMES)),
        lambda: recall_curve(many, {"": run}, None, None),
        lambda: ir_measures.calc_aggregate(plain, numbered.rename(columns=NAMES), run.rename(columns=NAMES)),
    )
    print(f"The recall curve at 40 budgets: {curve / once:.2f} times the default measures (at most 1.5)")
    print(f"The default measures through alternatives: {best / once:.2f} times those without (at most 2)")
    as_texts(arguments.data, qrels, runs)
    located(arguments.documents)


def as_texts(data: Path, qrels: pd.DataFrame, runs: dict[str, pd.DataFrame]) -> None:
    """Score the runs as bare texts in their order, and say how far their values are from those through ids."""
    text = focused.io.read_corpus(data)["text"][0]
    results: dict[str, dict[str, list[str]]] = {}
    for name, run in runs.items():
        parts = focused.unpack(run)
        _, start, end = focused.parse_ids(parts["docno"])
        results[name] = {qid: [] for qid in qrels["qid"]}
        for qid, first, last in zip(parts["qid"], start.tolist(), end.tolist(), strict=True):
            results[name][qid].append(text[first:last])
    found = focused.evaluate_retrieved(qrels, results, data, MEASURES)
    differences = [
        abs(found.table[str(measure)][i] - mean(run, qrels, measure))
        for i, run in enumerate(runs.values())
        for measure in focused.parse(MEASURES)
    ]
    print(f"As bare texts: {len(found.located)} located, values within {max(differences):.1e} of those through ids")


def located(documents: int) -> None:
    """Locate texts cut out of generated documents of 10,000 characters, five for each document."""
    rng = np.random.default_rng(0)
    words = ["".join(map(chr, rng.integers(97, 123, rng.integers(2, 10)))) for _ in range(20_000)]
    corpus = {f"d{i}": " ".join(words[j] for j in rng.integers(0, len(words), 1540).tolist()) for i in range(documents)}
    places = zip(rng.integers(0, documents, 5 * documents).tolist(), rng.integers(0, 9000, 5 * documents).tolist(),
                 strict=True)  # fmt: skip
    texts = [corpus[f"d{i}"][start : start + 400].strip() for i, start in places]
    began = time.perf_counter()
    found = find_texts(texts, (CorpusArticle(*item) for item in corpus.items()))
    seconds = time.perf_counter() - began
    size = sum(map(len, corpus.values())) / 1e6
    unique = sum(len(places) == 1 for places, _ in found)
    print(f"{unique} of {len(texts)} texts located once in {documents} documents, {size:.0f} MB: {seconds:.1f} s")


if __name__ == "__main__":
    main()
