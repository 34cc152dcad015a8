"""`pt-focused chunks`: compare chunk sizes by the evidence that their chunks bring, as a table and a curve."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from ... import rag
from ...collection import articles
from ...frames.columns import flatten
from ...reading.files import written_whole
from ...retrieval import Windows
from ..options import parse_count
from .rag_gates import add_gates, check_options, run_gates
from .rag_options import add_evidence, add_table, choose_corpus, parse_measures, write_result


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_evidence(parser)
    parser.add_argument(
        "--splitters",
        metavar="NAMES",
        help="text splitters to compare instead of windows, with size and overlap, such as "
        "langchain-recursive:400:100,semantic-text-splitter:400 (extra [splitters]), sentences:3 or words:80:20",
    )
    parser.add_argument(
        "--sizes", default="200,400,800", help="characters of the chunks to compare (default: 200,400,800)"
    )
    parser.add_argument(
        "--chunk-overlaps",
        metavar="SIZES",
        default="0",
        help="characters that neighbouring chunks share, each combined with each size (default: 0)",
    )
    parser.add_argument(
        "-k", type=parse_count, metavar="N", default=100, help="number of chunks retrieved per question (default: 100)"
    )
    add_table(parser)
    add_gates(parser)


def run(arguments: argparse.Namespace) -> int:
    check_options(arguments)
    splitters = _make_splitters(arguments)
    corpus = list(articles(choose_corpus(arguments)))
    options = {"repeated": arguments.repeated, "errors": arguments.errors, "pages_from": arguments.pages_from}
    qrels = rag.read_spans(arguments.evidence, corpus, **options)
    spans = len(flatten(qrels["highlights"], "highlights").row)
    characters = sum(len(article.text) for article in corpus)
    print(
        f"{len(corpus)} articles, {characters} characters; {qrels['qid'].nunique()} questions, {spans} evidence spans",
        file=sys.stderr,
    )
    compared = rag.compare_chunkers(
        corpus, qrels, splitters, measures=parse_measures(arguments), k=arguments.k, verbose=sys.stderr.isatty()
    )
    write_result(compared, compared.table, arguments)
    for measure in compared.measures:
        print(f"{measure}: {getattr(measure, 'SHORT_DESC', measure.NAME)}", file=sys.stderr)
    if arguments.plot:
        figure: Any = compared.plot().figure
        with written_whole(arguments.plot) as file:
            figure.savefig(file, format=Path(arguments.plot).suffix[1:] or "png", bbox_inches="tight")
    return run_gates(compared, "chunks", arguments)


def _make_splitters(arguments: argparse.Namespace) -> dict[str, object]:
    if arguments.splitters:
        return {name.strip(): rag.splitter(name.strip()) for name in arguments.splitters.split(",")}

    windows = _make_windows(arguments)
    return {name: Windows(size, size - overlap) for name, (size, overlap) in windows.items()}


def _make_windows(arguments: argparse.Namespace) -> dict[str, tuple[int, int]]:
    sizes = _parse_numbers("--sizes", arguments.sizes, 1)
    overlaps = _parse_numbers("--chunk-overlaps", arguments.chunk_overlaps, 0)
    windows = {
        f"{size} chars" + (f", {overlap} shared" if overlap else ""): (size, overlap)
        for size in sizes
        for overlap in overlaps
        if overlap < size
    }
    if not windows:
        overlaps_given = f"--chunk-overlaps {arguments.chunk_overlaps}"
        raise ValueError(f"{overlaps_given}: none is smaller than a size of --sizes {arguments.sizes}")
    return windows


def _parse_numbers(option: str, text: str, least: int) -> list[int]:
    numbers = []
    for part in text.replace(",", " ").split() or [text]:
        if not (part.isascii() and part.isdigit() and least <= int(part) < 2**31):
            raise ValueError(
                f"{option} {text}: {part!r} is not a whole number from {least} to {2**31 - 1:,}; write 200,400,800"
            )
        numbers.append(int(part))
    return numbers
