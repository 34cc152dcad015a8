"""`pt-focused chunks`: compare chunk sizes and splitters by the evidence that their chunks bring."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from .. import rag
from ..retrieval import Windows
from .gates import add_evidence, add_gates, print_result, read_measures, read_options
from .options import parse_count

EXAMPLE = "pt-focused chunks --corpus texts --evidence evidence.jsonl --sizes 200,400"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_evidence(parser, "whether the evidence was found, how much, with how much else, and at which rank")
    parser.add_argument(
        "--splitters", metavar="NAMES", help="text splitters in place of windows, with size and overlap, such as "
        "langchain-recursive:400:100 or words:80:20, with commas between (some need the extra [splitters])",
    )  # fmt: skip
    parser.add_argument("--sizes", default="200,400,800", help="characters of chunks (default: 200,400,800)")
    parser.add_argument("--overlaps", metavar="SIZES", default="0", help="characters that chunks share (default: 0)")
    parser.add_argument("-k", type=parse_count, metavar="N", default=100, help="chunks a question (default: 100)")
    add_gates(parser)


def run(arguments: argparse.Namespace) -> int:
    corpus, options = read_options(arguments)
    splitters: dict[str, Any] = (
        {name.strip(): rag.splitter(name.strip()) for name in arguments.splitters.split(",")}
        if arguments.splitters
        else _make_windows(arguments)
    )
    qrels = rag.read_spans(arguments.evidence, corpus, errors=arguments.errors, **options)
    measures = read_measures(arguments)
    compared = rag.compare_chunkers(
        corpus, qrels, splitters, measures=measures, k=arguments.k, verbose=sys.stderr.isatty()
    )
    return print_result(compared, "chunks", arguments)


def _make_windows(arguments: argparse.Namespace) -> dict[str, Windows]:
    sizes = _parse_numbers("--sizes", arguments.sizes, 1)
    overlaps = _parse_numbers("--overlaps", arguments.overlaps, 0)
    pairs = [(size, overlap) for size in sizes for overlap in overlaps if overlap < size]
    if not pairs:
        raise ValueError(f"--overlaps {arguments.overlaps}: none is smaller than a size of --sizes {arguments.sizes}")
    return {
        f"{size} chars" + (f", {overlap} shared" if overlap else ""): Windows(size, size - overlap)
        for size, overlap in pairs
    }


def _parse_numbers(option: str, text: str, least: int) -> list[int]:
    numbers = []
    for part in text.replace(",", " ").split() or [text]:
        if not (part.isascii() and part.isdigit() and least <= int(part) < 2**31):
            raise ValueError(f"{option} {text}: {part!r} is no whole number of at least {least}; write 200,400")
        numbers.append(int(part))
    return numbers
