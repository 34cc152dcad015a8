"""Scores and compares two passage runs of INEX 2010: `python benchmarks/inex_2010.py FOLDER`.

The folder holds three files of the public project Zendelo/ipcs: INEX_Qrels.txt as qrels.txt, and as run-1.txt and
run-2.txt bert_inex_converted_1.run and bert_inex_converted.run. The judgments are of 120 topics of INEX 2009 and 2010.
In run-1 the passages of an article were brought together, where its first one stands:

    lines.sort(key=lambda line: places[tuple(line.split()[:3])])  # the place of the topic's article in the file

Scored are the topics that both runs answer, by the order of the lines, as the official program does (`pt-focused
inex-eval --release 3.1`), and by the order of the ranks. Passages of run-2 overlap: each character counts once.
"""

import sys
import warnings
from pathlib import Path

import pandas as pd
import pyterrier as pt

import pyterrier_focused as ptf
from pyterrier_focused.analysis import pairwise

MEASURES = {
    "AiP(overlap='once')": "MAiP",
    "AgP(overlap='once')": "MAgP",
    "AgP(beta=0.25,overlap='once')": "MAgP, beta .25",
    "AgP(irr=300,task='t2i',overlap='once')": "T2I(300)",
    "AgP(irr=1000,task='t2i',overlap='once')": "T2I(1000)",
    "AP": "MAP",
}


def rank_by_ranks(path):
    """Read a run in the order of its ranks; `read_run` takes that of its lines."""
    run = ptf.read_run(path, file_fields=True)
    rows = zip(ptf.cells(run["passages"]), run["file_rank"], strict=True)
    passages = [[(*span[:2], -rank) for span, rank in zip(spans, ranks, strict=True)] for spans, ranks in rows]
    return run[["qid", "docno"]].assign(score=[-min(ranks) for ranks in run["file_rank"]], passages=passages)


def main(folder):
    # Two highlights have no character, and lines of runs are not in the order of their ranks.
    warnings.simplefilter("ignore")
    qrels = ptf.read_qrels(folder / "qrels.txt")
    paths = {name: folder / f"{name}.txt" for name in ("run-1", "run-2")}
    runs = {f"{name}, lines": ptf.read_run(path) for name, path in paths.items()}
    runs.update({f"{name}, ranks": rank_by_ranks(path) for name, path in paths.items()})
    answered = set(qrels["qid"]).intersection(*(run["qid"] for run in runs.values()))
    topics = pd.DataFrame({"qid": sorted(answered), "query": ""})
    print(f"{len(topics)} topics")
    measures = ptf.parse(list(MEASURES))
    names = {str(measure): name for measure, name in zip(measures, MEASURES.values(), strict=True)}
    results = pt.Experiment(runs, topics, qrels, measures, perquery=True)
    results["measure"] = results["measure"].map(names)
    means = results.pivot_table(index="name", columns="measure", values="value")
    print(means[list(names.values())].round(4).to_string())
    pairs = pairwise(results[results["name"].str.endswith("lines")])
    pairs["p, six tests"] = (6 * pairs["p"]).clip(upper=1)
    shown = ["measure", "better", "difference", "low", "high", "interval", "p", "p, six tests"]
    print(pairs[shown].round(4).to_string(index=False))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
