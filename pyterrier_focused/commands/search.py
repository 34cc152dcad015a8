"""`pt-focused search`: topics over an index to a run, or one query to a page of results."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from typing import TYPE_CHECKING, cast

import numpy as np
import pandas as pd
import pyterrier as pt

from .. import retrieval
from ..frames.ids import read_ids
from ..io import read_topics, write_run
from .options import add_collection, add_topics, open_collection, parse_count
from .output import escape_controls, say

if TYPE_CHECKING:
    from ..collection import Collection
    from ..retrieval import PartIndex

# Results of a query that are printed at most.
_SHOWN = 10
# Parts among which they are found: some overlap, and some are of one article.
_DEPTH = 1000
# Around words of the query: characters of no meaning, which say leaves as they are, and bold with underlining.
_MARKS = ("\ue000", "\ue001")
_STYLES = ("\x1b[1;4m", "\x1b[0m")
TASKS = ("focused", "ric", "bic")
EXAMPLE = "pt-focused search my-index --topics topics.tsv --task ric -o my.run"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("index", help="folder of an index, as made by pt-focused index")
    queries = parser.add_mutually_exclusive_group(required=True)
    add_topics(queries)
    queries.add_argument("--query", metavar="WORDS", help="print the best parts for these words")
    parser.add_argument(
        "--task", choices=TASKS, default="focused", help="focused: passages; ric: articles with their relevant "
        "passages; bic: articles with a place to begin reading (default: focused)",
    )  # fmt: skip
    parser.add_argument("-o", "--output", metavar="FILE", help="run to write, in FOL (default: standard output)")
    parser.add_argument("--model", default="bm25", help="bm25, qld, pl2, dph, or another of the engine")
    parser.add_argument("-k", type=parse_count, default=1000, metavar="N", help="parts a topic (default: 1000)")
    parser.add_argument("--per-article", type=parse_count, metavar="N", help="for ric: the best N passages of each")
    add_collection(parser, "whose texts --query prints (default: the one that was indexed)")
    parser.add_argument("--tag", default="pt-focused", help="name of the run in the file (default: pt-focused)")


def run(arguments: argparse.Namespace) -> int:
    if arguments.per_article is not None and arguments.task != "ric":
        raise ValueError("--per-article goes with --task ric")
    if arguments.collection is not None and arguments.query is None:
        raise ValueError("--collection goes with --query")
    index = retrieval.PartIndex(arguments.index)
    if arguments.query is not None:
        return _print_results(index, arguments)
    topics = read_topics(arguments.topics)
    retrieved = index.retriever(arguments.model, num_results=arguments.k)
    run = add_task(retrieved, arguments.task, arguments.per_article).transform(topics)
    write_run(run, arguments.output or sys.stdout, "fol", tag=arguments.tag)
    if arguments.output:
        missing = len(topics) - run["qid"].nunique()
        without = f" ({missing} without results)" if missing else ""
        say(f"{arguments.output}: {len(topics)} topics{without}, {len(run)} articles")
    return 0


def add_task(retrieved: pt.Transformer, task: str, per_article: int | None = None) -> pt.Transformer:
    """Return a pipeline that makes the run of a task from retrieved parts."""
    steps: pt.Transformer
    if task == "bic":
        steps = retrieved >> retrieval.BestInContext()
    elif task == "ric":
        steps = retrieved >> retrieval.RelevantInContext(per_article=per_article)
    else:
        steps = retrieved >> retrieval.Focused()
    return steps


def _print_results(index: PartIndex, arguments: argparse.Namespace) -> int:
    results = _find_parts(index, arguments)
    # In one line each.
    width = shutil.get_terminal_size((100, 24)).columns - 4
    language = index.meta.get("language", "english")
    snippets = retrieval.Snippets(chars=max(width, 20), language=language, marks=_MARKS)
    results = snippets.transform(results.assign(query=arguments.query))
    styles = _STYLES if _can_style() else ("", "")
    columns = (results[name] for name in ("docno", "title", "snippet", "score"))
    for rank, (docno, title, snippet, score) in enumerate(zip(*columns, strict=True), start=1):
        say(f"{rank:2}  {' '.join(title.split()) or docno.rpartition('#')[0]}  ({docno}, score {score:.2f})")
        shown = escape_controls(f"    {snippet}")
        for mark, style in zip(_MARKS, styles, strict=True):
            shown = shown.replace(mark, style)
        print(shown)
    absent = "nothing was found: no part has a word of the query; stop words do not count"
    print("parts that overlap a better one are left out" if len(results) else absent)
    return 0


def _can_style() -> bool:
    """Tell whether standard output is a terminal that shows bold and underlined words, and nobody asks it not to."""
    can = sys.stdout.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("NO_COLOR")
    return can and (os.name != "nt" or "WT_SESSION" in os.environ)


def _find_parts(index: PartIndex, arguments: argparse.Namespace) -> pd.DataFrame:
    """Return the first parts for a query as a task presents them, without overlap, with their titles and texts."""
    found = index.retriever(arguments.model, num_results=_DEPTH).search(arguments.query)
    parts = pd.DataFrame(retrieval.RemoveOverlap()(found))
    ids = read_ids(parts["docno"])
    parts = parts.assign(article=ids.article, start=ids.start)
    most = {"bic": 1, "ric": arguments.per_article}.get(arguments.task)
    parts = parts if most is None else parts.groupby("article", sort=False).head(most)
    parts = parts.head(min(arguments.k, _SHOWN))
    if arguments.task == "ric":
        # An article stands where its best part does, its parts in the order of the text.
        parts = parts.iloc[np.lexsort((parts["start"], parts["article"]))]
    opened = index.collection(open_collection(arguments.collection))
    loader = cast("Collection", opened).text_loader(["title", "text"])
    return pd.DataFrame(loader.transform(parts.drop(columns=["article", "start"])))
