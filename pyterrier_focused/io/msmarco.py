"""Runs as MS MARCO's leaderboards take them, and as PyTerrier's format "minimal" writes them: `qid docno rank`."""

from __future__ import annotations

import io
from collections.abc import Mapping

import pandas as pd

from ..frames.articles import ArticleCollection
from ..reading.files import Source, read_bytes, source_name
from ..reading.lines import BadLine, Faults, field_lines, whole
from .trec import read_trec_run

RANKS = "qid docno rank"


def read_msmarco_run(
    source: Source,
    collection: ArticleCollection | None = None,
    *,
    lengths: Mapping[str, int] | None = None,
    errors: str = "raise",
    documents: bool = False,
) -> pd.DataFrame:
    """Read a run of ranks as a run frame, with scores that fall with the rank. Parameters as in `read_trec_run`."""
    name = source_name(source)
    faults = Faults(name, errors)
    lines: dict[int, str] = {}
    for number, text, fields in field_lines(read_bytes(source), faults):
        try:
            if len(fields) != 3:
                raise BadLine(f"{len(fields)} fields instead of 3", f"a run of ranks has {RANKS}")
            rank = whole(fields[2], "field 3 (rank)")
        except BadLine as bad:
            faults.add(bad, number, text)
            continue
        lines[number] = f"{fields[0]} Q0 {fields[1]} {rank} {-rank} msmarco"
    faults.report()
    # Each line stays in its place, so that errors name it.
    handle = io.BytesIO("\n".join(lines.get(number, "") for number in range(1, max(lines, default=0) + 1)).encode())
    handle.name = name
    return read_trec_run(handle, collection, lengths=lengths, errors=errors, documents=documents)
