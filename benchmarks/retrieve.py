"""What a pipeline over parts costs beside the bare engine: same index, same queries, same number of results.

    python benchmarks/retrieve.py [cost] [overlap] [headings] [engines] [nexi] [scale]
        [--data DUMP] [--topics TOPICS] [--copies 1 100] [--runs 9] [--parts 1000000] [--engine pisa]

Without a name, the first three run. DUMP is ../shared/data/enwiki-sample.xml.bz2 unless given.

cost: the dump's sections are indexed with PISA, once as they are, and once a hundred times over, each copy with docnos
of its own with other words left out (226,100 sections, as of some ten thousand articles), so that a query finds a
thousand. 107 heading topics, 1,000 results each. In turns, in one process, medians and their ratios to the bare engine
as it comes, which searches with one thread, and to the bare engine with as many threads as the row has:

    engine     pyterrier_pisa's BM25 on the index's own files
    retriever  the same through PartIndex.bm25(): passage ids, any query text, no log lines
    pipeline   bm25() >> RemoveOverlap() >> RelevantInContext()
    compiled   (bm25() >> RemoveOverlap() >> RelevantInContext()).compile()

Without `threads=`, PartIndex.bm25() has as many as there are processors: the second group of rows.

overlap: RemoveOverlap alone on 1,000 passages for each of 107 topics, which overlap in few places, in many, in chains.
headings: how well systems do on all heading topics of the dump, beside the retrieval of whole articles.
engines: how many of PISA's ten best parts Terrier has among its ten best, on the topics of the demo (needs Java).
nexi: the processor time of INEX 2009's 115 castitles beside that of one bm25() call of the same depth for their titles,
over sections and paragraphs of the dump, with one thread (TOPICS is ../shared/data/inex-2009-topics.xml unless given).
scale: the time, memory and disk that so many parts take with one engine: the dump's paragraphs over and over, each copy
with other words left out. Texts are written to a file before; indexing and searching have a process each.
"""

from __future__ import annotations

import argparse
import itertools
import random
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
import pyterrier_pisa
from pyterrier_focused.retrieval.engines.choose import processors
from pyterrier_focused.retrieval.engines.pisa import STEMMER
from turns import in_turns

import pyterrier_focused as ptf
from pyterrier_focused.collection import Collection, heading_topics
from pyterrier_focused.io import read_topics
from pyterrier_focused.retrieval import (
    ArticleThenParts,
    Contextualise,
    Focused,
    NexiRetriever,
    PartIndex,
    RelevantInContext,
    RemoveOverlap,
)

TOPICS, RESULTS = 107, 1000


def copied(collection: Collection, copies: int, elements: str = "section") -> Iterator[dict[str, str]]:
    """The sections of a collection; of several copies each has its own ids and leaves out other words."""
    choose = random.Random(7)
    once = list(collection.parts(elements, headings="drop"))
    for copy in range(copies):
        for part in once:
            words = part["text"].split()
            if copies > 1:
                words = words[: int(len(words) * choose.uniform(0.6, 1)) + 1]
                del words[choose.randrange(5) :: choose.randrange(3, 12)]
            yield {"docno": f"{copy}x{part['docno']}", "text": " ".join(words)}


def pipelines(index: PartIndex, topics: pd.DataFrame, runs: int) -> None:
    pisa = pyterrier_pisa.PisaIndex(str(Path(str(index.path)) / "pisa"), stemmer=STEMMER)
    systems: dict[tuple[int, str], pt.Transformer] = {}
    for threads in sorted({1, processors()}):
        retriever = index.bm25(num_results=RESULTS, threads=threads)
        pipeline = retriever >> RemoveOverlap() >> RelevantInContext()
        systems[threads, "engine"] = pisa.bm25(num_results=RESULTS, threads=threads)
        systems[threads, "retriever"] = retriever
        systems[threads, "pipeline"] = pipeline
        systems[threads, "compiled"] = pipeline.compile()
    medians = in_turns(runs, *[lambda system=system: system(topics) for system in systems.values()])
    times = dict(zip(systems, medians, strict=True))
    print(f"{len(index):,} sections, {len(topics)} topics, {len(systems[1, 'engine'](topics)):,} results")
    print("  threads                         x the engine   x the engine with as many")
    for (threads, name), seconds in times.items():
        beside = f"{seconds / times[1, 'engine']:12.2f}   {seconds / times[threads, 'engine']:12.2f}"
        print(f"  {threads:7} {name:10} {seconds * 1e3:8.1f} ms {beside}")


def overlap(runs: int) -> None:
    rng = np.random.default_rng(5)
    start = rng.integers(0, 100_000, TOPICS * RESULTS)
    chain = np.tile(np.arange(RESULTS), TOPICS)
    shapes = {
        "50 articles, up to 500 characters": (rng.integers(0, 50, len(start)), start, rng.integers(1, 500, len(start))),
        "1 article, up to 10,000 characters": (0 * start, start, rng.integers(1, 10_000, len(start))),
        "chains of windows that overlap by half": (0 * start, 50 * chain, np.full(len(start), 100)),
    }
    print(f"RemoveOverlap, {TOPICS} topics of {RESULTS:,} passages")
    for name, (article, first, length) in shapes.items():
        ids = [f"{a}#{s}-{s + n}" for a, s, n in zip(article.tolist(), first.tolist(), length.tolist(), strict=True)]
        qid = np.repeat([str(topic) for topic in range(TOPICS)], RESULTS)
        score = chain[::-1].astype(float) if "chains" in name else rng.random(len(ids))
        parts = pd.DataFrame({"qid": qid, "docno": ids, "score": score})
        print(f"  {name:40} {in_turns(runs, lambda parts=parts: RemoveOverlap()(parts))[0]:6.3f} s")


def headings(collection: Collection, folder: Path) -> None:
    topics, qrels = heading_topics(collection)
    index = {
        name: collection.index(folder / name, elements=elements, headings="drop", titles=titles)
        for name, elements, titles in (
            ("articles", "article", False),
            ("sections", "section", False),
            ("paragraphs", "p", False),
            ("both", ("section", "p"), False),
            ("sections with titles", "section", True),
            ("both with titles", ("section", "p"), True),
        )
    }
    bm25 = {name: parts.bm25() for name, parts in index.items()}
    first = ArticleThenParts(bm25["articles"], bm25["sections with titles"])
    mixed = ArticleThenParts(bm25["articles"], bm25["both with titles"]) >> Contextualise(0.3)
    parts = {
        "articles": bm25["articles"],
        "sections": bm25["sections"] >> RemoveOverlap(),
        "paragraphs": bm25["paragraphs"],
        "sections and paragraphs": bm25["both"] >> RemoveOverlap(),
        "sections with titles": bm25["sections with titles"] >> RemoveOverlap(),
        "articles, then sections": first >> RemoveOverlap(),
        "articles, then both, in context": mixed >> RemoveOverlap(),
    }
    focused = pt.Experiment(
        [system >> Focused() for system in parts.values()],
        topics,
        qrels,
        ptf.parse("AiP iP@0.01"),
        names=list(parts),
    ).set_index("name")
    in_context = pt.Experiment(
        [system >> RelevantInContext(per_article=1) for system in parts.values()],
        topics,
        qrels,
        ptf.parse("AgP AgP(task='bic') AP P@1"),
        names=list(parts),
    ).set_index("name")
    print(
        f"{len(topics):,} heading topics: Focused (AiP, iP@0.01); the best part of each article in context (the others)"
    )
    print(focused.join(in_context).round(3).to_string())


def engines(folder: Path, depth: int = 10) -> None:
    demo = pt.get_dataset("focused:demo")
    collection, topics = demo.collection(folder / "demo", verbose=False), demo.get_topics()
    best: dict[str, dict[str, set[str]]] = {}
    for engine in ("pisa", "terrier"):
        index = collection.index(folder / f"demo-{engine}", engine=engine)
        found = index.bm25(num_results=depth)(topics)
        best[engine] = {str(qid): set(rows["docno"]) for qid, rows in found.groupby("qid")}
    print(f"of PISA's {depth} best parts of the demo's index ({len(index)} parts), Terrier has among its own:")
    shared = {qid: (len(names & best["terrier"][qid]), len(names)) for qid, names in best["pisa"].items()}
    print("  " + ", ".join(f"{both} of {of}" for both, of in shared.values()))
    print(f"  all of them for {sum(both == of for both, of in shared.values())} of {len(shared)} topics")


def nexi(collection: Collection, topics: pd.DataFrame, folder: Path, runs: int) -> None:
    topics = topics[["qid", "query", "castitle"]]
    for engine in ("pisa", "bm25s"):
        index = collection.index(folder / f"nexi-{engine}", engine=engine)
        bm25 = index.bm25(num_results=RESULTS, threads=1)
        systems = {"bm25": bm25} | {name: NexiRetriever(bm25, collection, name) for name in ("strict", "vague")}
        medians = in_turns(runs, *[lambda s=s: s(topics) for s in systems.values()], clock=time.process_time)
        print(f"{engine}, {len(topics)} castitles")
        for name, seconds in zip(systems, medians, strict=True):
            print(f"  {name:8} {seconds * 1e3:7.1f} ms {seconds / medians[0]:6.2f}")


def measured(function: Callable[..., Any], *arguments: Any) -> tuple[Any, str]:
    """Call a function in a process of its own; what it returns, and what it took, with the processes it started."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(_measured, function, *arguments).result()


def _measured(function: Callable[..., Any], *arguments: Any) -> tuple[Any, str]:
    start = time.perf_counter()
    result = function(*arguments)
    used = [resource.getrusage(which) for which in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    seconds = sum(each.ru_utime + each.ru_stime for each in used)
    memory = " + ".join(f"{each.ru_maxrss / 1e6:.2f} GB" for each in used)
    return result, f"{time.perf_counter() - start:.1f} s, processor {seconds:.1f} s, memory {memory} (processes it ran)"


def index_file(file: Path, path: Path, engine: str) -> int:
    with file.open(encoding="utf-8") as lines:
        parts = (dict(zip(("docno", "text"), line.rstrip("\n").split("\t"), strict=True)) for line in lines)
        return len(PartIndex.from_parts(parts, path, engine))


def search(path: Path, topics: pd.DataFrame) -> str:
    start = time.perf_counter()
    retriever = PartIndex(path).bm25(num_results=RESULTS, threads=1)
    retriever(topics.iloc[:1])
    opened = time.perf_counter() - start
    used = time.process_time()
    found = retriever(topics)
    used = time.process_time() - used
    return f"open, first search {opened:.2f} s; then {used / len(topics) * 1e3:.1f} ms a topic, {len(found):,} results"


def scale(collection: Collection, topics: pd.DataFrame, count: int, engine: str, folder: Path) -> None:
    texts, path = folder / "texts.tsv", folder / "index"
    with texts.open("w", encoding="utf-8") as file:
        for part in itertools.islice(copied(collection, count, "p"), count):
            file.write(f"{part['docno']}\t{part['text']}\n")
    print(f"{count:,} paragraphs, {texts.stat().st_size / 1e6:,.0f} MB, {engine}", flush=True)
    print("  index: ", measured(index_file, texts, path, engine)[1], flush=True)
    print(f"  disk:   {sum(file.stat().st_size for file in path.rglob('*') if file.is_file()) / 1e6:,.0f} MB")
    print("  search:", *measured(search, path, topics), sep="\n    ", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    here = Path(__file__).resolve().parents[2]
    names = ["cost", "overlap", "headings", "engines", "nexi", "scale"]
    parser.add_argument("what", nargs="*", metavar="|".join(names), help="(without: the first three)")
    parser.add_argument("--data", type=Path, default=here / "shared" / "data" / "enwiki-sample.xml.bz2")
    parser.add_argument("--topics", type=Path, default=here / "shared" / "data" / "inex-2009-topics.xml")
    parser.add_argument("--copies", type=int, nargs="+", default=[1, 100])
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--parts", type=int, default=1_000_000, help="how many, for scale (1000000)")
    parser.add_argument("--engine", default="pisa", help="for scale (pisa)")
    arguments = parser.parse_args()
    what = arguments.what or names[:3]
    if unknown := set(what) - set(names):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; choose from {', '.join(names)}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if {"cost", "headings", "nexi", "scale"} & set(what):
            collection = Collection.build(arguments.data, folder / "collection", verbose=False)
            topics = heading_topics(collection)[0].sample(TOPICS, random_state=1).reset_index(drop=True)
        if "cost" in what:
            for copies in arguments.copies:
                index = PartIndex.from_parts(copied(collection, copies), folder / f"sections-{copies}")
                pipelines(index, topics, arguments.runs)
        if "overlap" in what:
            overlap(arguments.runs)
        if "headings" in what:
            headings(collection, folder)
        if "engines" in what:
            engines(folder)
        if "nexi" in what:
            nexi(collection, read_topics(arguments.topics), folder, arguments.runs)
        if "scale" in what:
            scale(collection, topics, arguments.parts, arguments.engine, folder)


if __name__ == "__main__":
    main()
