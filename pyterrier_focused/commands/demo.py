"""`pt-focused demo`: from Wikipedia XML to one table of focused, in-context and standard measures."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import pyterrier as pt

from .. import collection, io, retrieval
from ..analysis.statistics.pairs import pairwise
from ..collection import Collection
from ..errors import EvaluationWarning
from ..evaluation import parse
from ..frames.columns import flatten
from .search import add_task

MEASURES = "AiP iP@0.01 CharP AgP AgP(task='bic') AP nDCG@10 P@10"
EXAMPLE = "pt-focused demo --keep my-demo"
READING = {
    "AiP": "passages, the whole ranking: precision in characters, averaged over 101 levels of recall",
    "iP@0.01": "passages, the top: best precision once 1% of the relevant text is found",
    "CharP": "all that was returned: the share of its characters that is relevant",
    "AgP": "articles, each by how well its returned text fits the relevant text (relevant in context)",
    "AgP(task='bic')": "articles, each by how near the point to start reading is (best in context)",
    "AP": "whole articles, relevant or not, whatever part was returned",
    "nDCG@10": "whole articles, top 10, rewarding earlier ranks",
    "P@10": "whole articles: the share of relevant ones among the top 10",
}
NEXT = """\
What pt-focused demo --keep wrote, and what to try in this folder:

articles/ collection/      the articles as XML, and the collection that was built of them
index/ index-*/            what was indexed: sections (index/), articles, paragraphs, sections with paragraphs
topics.tsv qrels.txt       12 topics, and the judged articles with their highlights
*.run                      a run for each system and task
texts/ evidence.jsonl      the same articles as plain text, and the highlights as evidence for RAG
sections.jsonl paragraphs.jsonl   what two systems retrieved, best first
answers.jsonl              answers that cite the best section

pt-focused search index --query "lighthouse lenses"
pt-focused evaluate qrels.txt *.run -m "focused AP"
pt-focused retrieved sections.jsonl paragraphs.jsonl --corpus texts --evidence evidence.jsonl
"""
SYSTEMS = {"articles": ("article",), "sections": ("sec",), "paragraphs": ("p",), "sections+paragraphs": ("sec", "p")}
TASKS = {"focused": "Focused", "ric": "RiC", "bic": "BiC"}
# Passages of an article in the runs of relevant in context.
PER_ARTICLE = 3
# Topics that are made of the headings of a dump.
MOST_TOPICS = 500


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--keep",
        metavar="DIR",
        help="keep everything in this new folder: articles, collection, indexes, topics, qrels, a run for each system, "
        "and texts, evidence and results for the RAG commands",
    )
    parser.add_argument("--dump", metavar="FILE", help="use this MediaWiki dump, with topics made of its headings")


def run(arguments: argparse.Namespace) -> int:
    if arguments.keep:
        folder = Path(arguments.keep)
        if folder.exists() and any(folder.iterdir()):
            raise ValueError(f"--keep {folder}: this folder is not empty; give a new one")
        _run_demo(arguments.dump, folder)
        print(f"\nEverything is in {folder}: see {folder}/README.txt for what to try next.")
        return 0
    with tempfile.TemporaryDirectory(prefix="pt-focused-demo-") as temporary:
        _run_demo(arguments.dump, Path(temporary) / "demo")
    print("\nNext: pt-focused demo --keep my-demo keeps all files, and says what to try with them.")
    return 0


def _run_demo(dump: str | None, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    data = _build_from_dump(dump, folder) if dump else _build_own(folder)
    engine = retrieval.choose_engine(None)
    systems = _make_systems(data.collection, folder, engine, headings="drop" if dump else "keep")
    runs = {name: system.transform(data.topics) for name, system in systems.items()}
    print(f"{len(systems)} runs with BM25 of {engine}; each name gives the indexed elements and the task\n")
    _print_table(runs, data.topics, data.qrels)
    print("\nHow to read it")
    for name, meaning in READING.items():
        print(f"  {name:16} {meaning}")
    print("\nIs the best run really better than the next?")
    tested = _test_runs(runs, data.topics, data.qrels)
    print(tested.to_string(index=False, float_format="{:.3f}".format))
    _write_files(folder, data, runs)


@dataclass(frozen=True)
class DemoData:
    collection: Collection
    topics: pd.DataFrame
    qrels: pd.DataFrame


def _build_own(folder: Path) -> DemoData:
    dataset: Any = pt.get_dataset("focused:demo")
    shutil.copytree(dataset.source, folder / "articles")
    data = DemoData(dataset.collection(folder / "collection", verbose=False), dataset.get_topics(), dataset.get_qrels())
    with_highlights = int((data.qrels["label"] > 0).sum())
    print(
        f"{len(data.collection)} articles, {len(data.topics)} topics, {len(data.qrels)} judged articles, "
        f"{with_highlights} with highlights"
    )
    return data


def _build_from_dump(dump: str, folder: Path) -> DemoData:
    built = collection.Collection.build(dump, folder / "collection", format="mediawiki", verbose=sys.stderr.isatty())
    topics, qrels = collection.heading_topics(built)
    # Spread evenly over the collection.
    topics = topics.iloc[:: max(1, -(-len(topics) // MOST_TOPICS))]
    print(
        f"{len(built)} articles, {len(topics)} topics from headings: the query is title and heading, "
        "the highlight the section's body"
    )
    return DemoData(built, topics, qrels[qrels["qid"].isin(topics["qid"])])


def _make_systems(
    collection: Collection, folder: Path, engine: str, headings: Literal["keep", "drop"]
) -> dict[str, pt.Transformer]:
    """Return the pipelines by name: four ways to index, each with the tasks that apply to it."""
    tags = {"sec": "section"} if collection.meta["source_format"] == "mediawiki" else {}
    systems = {}
    for elements, names in SYSTEMS.items():
        path = folder / ("index" if elements == "sections" else f"index-{elements}")
        indexed = tuple(tags.get(name, name) for name in names)
        index = collection.index(path, engine, elements=indexed, headings=headings)
        for task, label in TASKS.items():
            if elements == "articles" and task == "bic":
                # The entry point would always be the article's start.
                continue
            per_article = PER_ARTICLE if task == "ric" else None
            systems[f"{elements}, {label}"] = add_task(index.bm25(num_results=1000), task, per_article)
    return systems


def _print_table(runs: dict[str, pd.DataFrame], topics: pd.DataFrame, qrels: pd.DataFrame) -> None:
    measures = parse(MEASURES)
    table = pt.Experiment(list(runs.values()), topics, qrels, measures, names=list(runs), verbose=False)
    table = table[["name", *map(str, measures)]]
    with pd.option_context("display.width", 200, "display.max_columns", None):
        print(table.to_string(index=False, float_format="{:.3f}".format))


def _test_runs(runs: dict[str, pd.DataFrame], topics: pd.DataFrame, qrels: pd.DataFrame) -> pd.DataFrame:
    """Test the two best runs by AiP and by AgP, corrected for all pairs."""
    measures = parse("AiP AgP")
    results = pt.Experiment(
        list(runs.values()), topics, qrels, measures, names=list(runs), perquery=True, verbose=False
    )
    with warnings.catch_warnings():
        # that so few topics can hardly tell so many pairs apart
        warnings.simplefilter("ignore", EvaluationWarning)
        pairs = pairwise(results).groupby("measure", sort=False).first().reset_index()
    return pairs[["measure", "better", "worse", "difference", "low", "high", "p_corrected", "significant"]]


def _write_files(folder: Path, data: DemoData, runs: dict[str, pd.DataFrame]) -> None:
    """Write topics, qrels and runs, and for RAG the texts, the evidence and what two systems retrieved."""
    io.write_topics(data.topics, folder / "topics.tsv")
    io.write_qrels(data.qrels, folder / "qrels.txt", "inex")
    for name, run in runs.items():
        file_name = name.lower().replace(", ", "-")
        io.write_run(run, folder / f"{file_name}.run", "fol", tag=file_name)
    texts = {article["docno"]: article["text"] for article in data.collection.articles()}
    (folder / "texts").mkdir()
    for docno, text in texts.items():
        (folder / "texts" / f"{docno}.txt").write_text(text, encoding="utf-8", newline="")
    questions = dict(zip(data.topics["qid"], data.topics["query"], strict=True))
    _write_lines(folder / "evidence.jsonl", _list_spans(data.qrels, "highlights", questions, texts, None))
    for system in ("sections", "paragraphs"):
        spans = _list_spans(runs[f"{system}, Focused"], "passages", questions, texts, 10)
        _write_lines(folder / f"{system}.jsonl", spans)
    best = _list_spans(runs["sections, Focused"], "passages", questions, texts, 1)
    answers = ({**span, "answer": [{"text": span["text"], "citations": [span]}]} for span in best)
    _write_lines(folder / "answers.jsonl", answers)
    (folder / "README.txt").write_text(NEXT, encoding="utf-8")


def _list_spans(
    frame: pd.DataFrame, column: str, questions: dict[str, str], texts: dict[str, str], most: int | None
) -> Iterator[dict[str, object]]:
    """Yield each span as a row with its question and text; of a run the *most* best ones a topic, best first."""
    spans = flatten(frame[column], column, frame)
    qids = frame["qid"].to_numpy()[spans.row]
    docnos = frame["docno"].to_numpy()[spans.row]
    order = range(len(qids)) if spans.score is None else (-spans.score).argsort(kind="stable").tolist()
    written: Counter[str] = Counter()
    for span in order:
        qid = qids[span]
        docno = docnos[span]
        start = int(spans.start[span])
        end = int(spans.end[span])
        written[qid] += 1
        if most is None or written[qid] <= most:
            place = {"docno": docno, "start": start, "end": end}
            yield {"qid": qid, "question": questions[qid], **place, "text": texts[docno][start:end]}


def _write_lines(path: Path, rows: Iterator[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
