"""`pt-focused demo`: from Wikipedia XML to one table of focused, in-context and standard measures."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path
from typing import Any

from .options import InputPath, OutputPath

MEASURES = "AiP iP@0.01 CharP AgP AgP(task='bic') AP nDCG@10 P@10"
READING = {
    "AiP": "passages, the whole ranking: precision in characters, averaged over 101 levels of recall",
    "iP@0.01": "passages, the top: best precision once 1% of the relevant text is found",
    "CharP": "all that was returned: the share of its characters that is relevant",
    "AgP": "articles, each by how well its returned text fits the relevant text (relevant in context)",
    "AgP(task='bic')": "articles, each by how near the point to start reading is (best in context)",
    "AP": "articles alone, relevant or not, whatever part was returned",
    "nDCG@10": "articles alone, the first ten, the higher the earlier",
    "P@10": "articles alone: the share of relevant ones among the first ten",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--dump", metavar="FILE", type=InputPath, help="use this MediaWiki dump, with topics made of its headings"
    )
    parser.add_argument(
        "--dir",
        metavar="DIR",
        type=OutputPath,
        help="keep the collection and indexes in this folder (default: a temporary one)",
    )
    parser.add_argument(
        "--topics",
        type=int,
        default=500,
        metavar="N",
        help="with --dump: use at most N topics, spread evenly over the collection (default: 500)",
    )


def run(arguments: argparse.Namespace) -> int:
    if arguments.topics < 1:
        raise ValueError(f"--topics {arguments.topics}: give a whole number of at least 1")
    folder = Path(arguments.dir or tempfile.mkdtemp(prefix="pt-focused-demo-"))
    try:
        _demo(arguments.dump, folder, arguments.topics)
    finally:
        if not arguments.dir:
            shutil.rmtree(folder, ignore_errors=True)
    return 0


def _demo(dump: str | None, folder: Path, most: int) -> None:
    import pyterrier as pt

    from ..collection import Collection, heading_topics
    from ..retrieval.engines.choose import choose_engine, open_engine

    if dump:
        collection = Collection.build(dump, folder / "collection", format="mediawiki")
        topics, qrels = heading_topics(collection)
        topics = topics.iloc[:: max(1, -(-len(topics) // most))]
        qrels = qrels[qrels["qid"].isin(topics["qid"])]
        print(f"{len(topics)} topics from headings: the query is title and heading, the highlight the section's body")
    else:
        dataset: Any = pt.get_dataset("focused:demo")
        collection = dataset.collection(folder / "collection")
        topics, qrels = dataset.get_topics(), dataset.get_qrels()
        print(f"{len(topics)} topics, {len(qrels)} judged articles, {int((qrels['label'] > 0).sum())} with highlights")
    engine = choose_engine(None)
    systems = _systems(collection, folder, engine, headings="drop" if dump else "keep")
    name = open_engine(engine).name
    print(f"{len(systems)} runs with BM25 of {name}: the elements that are indexed, and the task of the run\n")
    _print_table(systems, topics, qrels)
    print("\nHow to read it")
    for name, meaning in READING.items():
        print(f"  {name:16} {meaning}")
    print(
        "\nWhole articles find the right articles and drown the reader in text; parts give less to read, and more of it"
        "\nis relevant. Next: examples/1_quickstart.ipynb, or `pt-focused demo --dump FILE` on a Wikipedia dump."
    )


def _systems(collection: Any, folder: Path, engine: str, headings: str) -> dict[str, Any]:
    """Return the pipelines by name: four ways to index, each with the tasks that apply to it."""
    from ..retrieval import BestInContext, Focused, RelevantInContext, RemoveOverlap

    section = "section" if collection.meta["source_format"] == "mediawiki" else "sec"
    systems: dict[str, Any] = {}
    for name, tags in {
        "articles": ("article",),
        "sections": (section,),
        "paragraphs": ("p",),
        "sections+paragraphs": (section, "p"),
    }.items():
        index = collection.index(folder / name, engine, elements=tags, headings=headings, overwrite=True)
        retrieved = index.bm25(num_results=1000)
        separate = retrieved if name in ("articles", "paragraphs") else retrieved >> RemoveOverlap()
        systems[f"{name}, Focused"] = separate >> Focused()
        systems[f"{name}, RiC"] = separate >> RelevantInContext(per_article=3)
        if name != "articles":  # its entry point would always be the article's start
            systems[f"{name}, BiC"] = retrieved >> BestInContext()
    return systems


def _print_table(systems: dict[str, Any], topics: Any, qrels: Any) -> None:
    import pandas as pd
    import pyterrier as pt

    from ..evaluation.measure_strings import parse

    table = pt.Experiment(
        list(systems.values()), topics, qrels, parse(MEASURES), names=list(systems), plan="tree", verbose=False
    )
    table = table[["name", *(str(measure) for measure in parse(MEASURES))]]
    with pd.option_context("display.width", 200, "display.max_columns", None):
        print(table.to_string(index=False, float_format="{:.3f}".format))
