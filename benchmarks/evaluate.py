"""How long scoring takes, beside trec_eval's measures through ir_measures: seconds of CPU, and their ratios.

    python benchmarks/evaluate.py [--runs 7] [--shapes 1000x100 50x1000 1000x1000]

All in one run, in turns; medians. The first table is of one `pt.Experiment` with standard measures (AP, nDCG@10, P@10),
with focused ones (CharP, CharR, iP@0.01, AiP, AgP), and with both, over topics x articles of a passage each; ratios are
to ir_measures in a process without this package. Narrow frames have no spans, and are handed on as they come. The
second is of the forms that a run may have: every measure of this package that reads passages, and ADM, on 160,500
passages, to standard ones on as many documents.
The third is of experiments that save a run of 200 topics x 1,000 articles, and of those that use it again.
"""

from __future__ import annotations

import argparse
import pickle
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
from inex_task import make_qrels, make_run
from standard_alone import MEASURES as THEIRS
from turns import in_turns

import pyterrier_focused as focused
from pyterrier_focused.frames.columns import flatten, span_column

OURS = focused.parse(
    "CharP CharR CharF CharIoU CharP@10 CharR@10 CharAP iP@0 iP@0.01 iP@0.05 iP@0.1 AiP "
    "gP@5 gP@10 gP@25 gP@50 gR@10 gR@50 AgP AgP(beta=0.25) AgP(task='bic') AgP(task='bic',n=1000) gP(task='bic')@10 "
    "AgP(task='doc') ADM ADM(srs='rank') ADM(urs='specificity')"
)
FOCUSED = focused.parse("CharP CharR iP@0.01 AiP AgP")
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


def make_frames(topics: int, articles: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make qrels and a run in PyTerrier's columns: a passage an article, 50 judged articles a topic."""
    rng = np.random.default_rng(7)
    rows = topics * articles
    start = rng.integers(0, 2000, rows)
    run = pd.DataFrame(
        {
            "qid": np.repeat([str(topic) for topic in range(topics)], articles),
            "docno": [f"d{i}" for _ in range(topics) for i in rng.permutation(5 * articles)[:articles]],
            "score": -np.sort(-rng.random((topics, articles)), axis=1).ravel(),
            "rank": np.tile(np.arange(articles), topics),
            "passages": span_column(np.arange(rows), rows, start, start + rng.integers(1, 400, rows)),
        }
    )
    judged = np.sort(np.concatenate([topic * articles + rng.permutation(articles)[:50] for topic in range(topics)]))
    label = rng.integers(0, 2, len(judged))
    relevant = np.flatnonzero(label)
    begin = rng.integers(0, 2000, len(relevant))
    qrels = run.loc[judged, ["qid", "docno"]].assign(
        label=label, highlights=span_column(relevant, len(judged), begin, begin + 300), bep=-1, length=20_000
    )
    return qrels.reset_index(drop=True), run


def time_side_by_side(topics: int, articles: int, runs: int) -> None:
    """Print a row of the first table: medians, and ratios to the process without this package."""
    qrels, run = make_frames(topics, articles)
    narrow = qrels[["qid", "docno", "label"]], run[["qid", "docno", "score"]]
    queries = pd.DataFrame({"qid": qrels["qid"].unique(), "query": "x"})

    def experiment(judged: pd.DataFrame, ranked: pd.DataFrame, measures: list[Any]) -> Callable[[], float]:
        def take() -> float:
            start = time.process_time()
            pt.Experiment([ranked.copy()], queries, judged, measures, verbose=False)
            return time.process_time() - start

        return take

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "frames.pickle"
        path.write_bytes(pickle.dumps(tuple(frame.rename(columns=NAMES) for frame in narrow)))
        command = [sys.executable, "-W", "ignore", Path(__file__).with_name("standard_alone.py"), path]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:

            def ask_process() -> float:
                assert process.stdin
                assert process.stdout
                print(file=process.stdin, flush=True)
                return float(process.stdout.readline())

            sides = [
                ask_process,
                experiment(*narrow, THEIRS),
                experiment(qrels, run, THEIRS),
                experiment(qrels, run, FOCUSED),
                experiment(qrels, run, [*THEIRS, *FOCUSED]),
            ]
            taken = [[side() for side in sides] for _ in range(runs + 1)][1:]  # the first is the warm-up
    medians = [statistics.median(times) for times in zip(*taken, strict=True)]
    cells = "".join(f"{seconds:9.3f} {seconds / medians[0]:5.2f}" for seconds in medians)
    print(f"{f'{topics:,} x {articles:,}':16}{cells}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--shapes", nargs="*", default=["1000x100", "50x1000", "1000x1000"])
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", "3 of 160500 passages end|30 of 1605000 passages end")  # the real run has them
    runs = arguments.runs
    print(f"pandas {pd.__version__}, ir_measures {ir_measures.__version__}")
    titles = ("without us", "narrow", "standard", "focused", "both")
    print(f"{'topics x rows':16}" + "".join(f"{title:>15}" for title in titles))
    for shape in arguments.shapes:
        time_side_by_side(*map(int, shape.split("x")), runs)
    time_forms(runs)
    time_saving(max(3, runs // 2))


def time_saving(runs: int) -> None:
    """Print the third table: seconds, without passages and with them, and the bytes of the TREC file and beside it."""
    qrels, run = make_frames(200, 1000)
    queries = pd.DataFrame({"qid": run["qid"].unique(), "query": "x"})
    topics = dict(tuple(run.groupby("qid", sort=False)))
    system = pt.apply.generic(lambda inp: pd.concat([topics[qid] for qid in inp["qid"]], ignore_index=True))
    systems = [system >> pt.apply.generic(lambda inp: inp.drop(columns="passages")), system]
    with tempfile.TemporaryDirectory() as name:

        def save(number: int, measure: Any, mode: str, size: int | None = None) -> None:
            folder = Path(name) / f"{number}-{size}"
            folder.mkdir(exist_ok=True)
            pt.Experiment(
                [systems[number]], queries, qrels, [measure], names=["run"], save_dir=str(folder), save_mode=mode,
                batch_size=size, verbose=False, validate="ignore",
            )  # fmt: skip

        print(f"\n{'200 x 1,000 articles':38}{'plain':>9}{'passages':>13}{'ratio':>8}")
        for what, measure, mode, size in (
            ("saved", ir_measures.AP, "overwrite", None),
            ("saved, 3 topics at a time", ir_measures.AP, "overwrite", 3),
            ("used again, AP", ir_measures.AP, "reuse", None),
            ("used again, AiP", focused.AiP, "reuse", None),
        ):
            plain, ours = in_turns(
                runs,
                partial(save, 0, ir_measures.AP, mode, size),
                partial(save, 1, measure, mode, size),
                clock=time.process_time,
            )
            print(f"{what:38}{plain:8.3f}s{ours:12.3f}s{ours / plain:8.2f}")
        files = [file.stat().st_size for file in sorted((Path(name) / "1-None").glob("run.res.gz*"))]
        print(f"bytes of the TREC file, and beside it: {', '.join(f'{size:,}' for size in files)}")


def time_forms(runs: int) -> None:
    """Print the second table."""
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
    labels = qrels[["query_id", "doc_id", "relevance"]]
    ours, theirs = ir_measures.evaluator(OURS, qrels), ir_measures.evaluator(THEIRS, labels)
    our_rows = [Row(*row) for row in tuples[["query_id", "doc_id", "score", "passages"]].itertuples(index=False)]
    their_rows = [ir_measures.ScoredDoc(*row) for row in documents.itertuples(index=False)]
    print(f"\nours: {len(parts):,} passages in {len(run):,} articles, {len(OURS)} measures")
    print(f"pytrec_eval: {len(documents):,} documents, {len(THEIRS)} measures")
    print(f"{'':38}{'ours':>9}{'pytrec_eval':>13}{'ratio':>8}")

    def report(what: str, a: Callable[[], Any], b: Callable[[], Any]) -> None:
        ours, theirs = in_turns(runs, a, b, clock=time.process_time)
        print(f"{what:38}{ours:8.3f}s{theirs:12.3f}s{ours / theirs:8.2f}")

    report("scoring, from frames", lambda: ours.calc(run), lambda: theirs.calc(documents))
    report("  from lists of tuples", lambda: ours.calc(tuples), lambda: theirs.calc(documents))
    report("  one passage per article", lambda: ours.calc(single), lambda: theirs.calc(documents))
    report("scoring, from named tuples", lambda: ours.calc(our_rows), lambda: theirs.calc(their_rows))
    report(
        "building the evaluator",
        lambda: ir_measures.evaluator(OURS, qrels),
        lambda: ir_measures.evaluator(THEIRS, labels),
    )
    large = pd.concat([run.assign(query_id=run["query_id"] + f"-{i}") for i in range(10)], ignore_index=True)
    more = pd.concat([qrels.assign(query_id=qrels["query_id"] + f"-{i}") for i in range(10)], ignore_index=True)
    wide = ir_measures.evaluator(OURS, more)
    ten, one = in_turns(max(3, runs // 2), lambda: wide.calc(large), lambda: ours.calc(run), clock=time.process_time)
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
