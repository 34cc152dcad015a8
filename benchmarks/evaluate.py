"""How long scoring takes: all focused, in-context and ADM measures, beside trec_eval's through ir_measures.

    python benchmarks/evaluate.py [--runs 7]

Both sides in one process, in turns; medians and their ratios. (a) scores every measure of this package that reads
passages, and ADM, on a run of 160,500 passages; (b) scores AP, nDCG@10 and P@10 through pytrec_eval on a document run
of as many rows.
"""

from __future__ import annotations

import argparse
import tracemalloc
from typing import Any, NamedTuple

import ir_measures
import numpy as np
import pandas as pd
from inex_task import make_qrels, make_run
from turns import in_turns

import pyterrier_focused as focused
from pyterrier_focused.frames.columns import flatten, span_column

OURS = focused.parse(
    "CharP CharR CharF CharIoU CharP@10 CharR@10 CharAP iP@0 iP@0.01 iP@0.05 iP@0.1 AiP "
    "gP@5 gP@10 gP@25 gP@50 gR@10 gR@50 AgP AgP(beta=0.25) AgP(task='bic') AgP(task='bic',n=1000) gP(task='bic')@10 "
    "AgP(task='doc') ADM ADM(srs='rank') ADM(urs='specificity')"
)
THEIRS = [ir_measures.AP, ir_measures.nDCG @ 10, ir_measures.P @ 10]
NAMES = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}


class Row(NamedTuple):
    query_id: str
    doc_id: str
    score: float
    passages: list[tuple[int, int, float]]


def arrow(cells: Any) -> Any:
    """Make an Arrow column of lists of tuples, as this package's readers and transformers do."""
    spans = flatten(cells)
    return span_column(spans.row, len(cells), spans.start, spans.end, spans.score)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=7)
    runs = parser.parse_args().runs

    rng = np.random.default_rng(7)
    qrels = make_qrels(rng).rename(columns=NAMES)
    tuples = make_run(rng, qrels.rename(columns={v: k for k, v in NAMES.items()})).rename(columns=NAMES)
    run = tuples.assign(passages=arrow(tuples["passages"]))
    repeated = run.index.repeat(run["passages"].list.len())
    parts = run.loc[repeated, ["query_id", "doc_id", "score"]].reset_index(drop=True)
    documents = parts.assign(doc_id=[f"{docno}.{i % 3}" for i, docno in enumerate(parts["doc_id"])])
    single = parts.assign(
        doc_id=documents["doc_id"],
        score=rng.random(len(parts)),
        passages=arrow([[(s, e)] for cell in tuples["passages"] for s, e, _ in cell]),
    )
    ours, theirs = ir_measures.evaluator(OURS, qrels), ir_measures.evaluator(THEIRS, qrels)
    our_rows = [Row(*row) for row in tuples[["query_id", "doc_id", "score", "passages"]].itertuples(index=False)]
    their_rows = [ir_measures.ScoredDoc(*row) for row in documents.itertuples(index=False)]
    print(f"ours: {len(parts):,} passages in {len(run):,} articles, {len(OURS)} measures")
    print(f"pytrec_eval: {len(documents):,} documents, {len(THEIRS)} measures")
    print(f"{'':38}{'ours':>9}{'pytrec_eval':>13}{'ratio':>8}")

    def report(what: str, a: float, b: float) -> None:
        print(f"{what:38}{a:8.3f}s{b:12.3f}s{a / b:8.2f}")

    report("scoring, from frames", *in_turns(runs, lambda: ours.calc(run), lambda: theirs.calc(documents)))
    report("  from lists of tuples", *in_turns(runs, lambda: ours.calc(tuples), lambda: theirs.calc(documents)))
    report("  one passage per article", *in_turns(runs, lambda: ours.calc(single), lambda: theirs.calc(documents)))
    report("scoring, from named tuples", *in_turns(runs, lambda: ours.calc(our_rows), lambda: theirs.calc(their_rows)))
    report(
        "building the evaluator",
        *in_turns(runs, lambda: ir_measures.evaluator(OURS, qrels), lambda: ir_measures.evaluator(THEIRS, qrels)),
    )
    large = pd.concat([run.assign(query_id=run["query_id"] + f"-{i}") for i in range(10)], ignore_index=True)
    more = pd.concat([qrels.assign(query_id=qrels["query_id"] + f"-{i}") for i in range(10)], ignore_index=True)
    wide = ir_measures.evaluator(OURS, more)
    ten, one = in_turns(max(3, runs // 2), lambda: wide.calc(large), lambda: ours.calc(run))
    print(f"{'10 times the passages':38}{ten:8.3f}s{one:12.3f}s{ten / one:8.2f}  (this row: over 1 time)")

    frame_bytes = int(run.memory_usage(deep=True).sum())
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    ours.calc(run)
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    print(f"peak memory {peak / 1e6:.1f} MB, the frame's own {frame_bytes / 1e6:.1f} MB: {peak / frame_bytes:.2f}")


if __name__ == "__main__":
    main()
