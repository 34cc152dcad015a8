"""What is wrong with a run of a campaign other than INEX: lines, topics, duplicates, too many results."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

from ..inex.fol import FolColumns
from ..inex.problems import Problem, Validation
from ..reading.files import Source, open_binary, read_bytes, source_name
from ..reading.lines import Faults
from .bioasq import bioasq_run_columns
from .genomics import parse_genomics_run
from .hyperlinking import parse_hyperlinking_run
from .kilt import kilt_run_columns


def validate_campaign_run(source: Source, topics: set[str] | None, limit: int) -> Validation | None:
    """Check a run of Genomics, BioASQ, hyperlinking or KILT; None where the file is a run of INEX's or TREC's.

    Parameters as in `validate_run`. Raises FormatError where JSON cannot be read.
    """
    from .. import CAMPAIGNS, tell_run_format

    if not isinstance(source, str | os.PathLike):
        return None
    with open_binary(source) as stream:
        format = tell_run_format(stream, source_name(source))
    if format not in CAMPAIGNS:
        return None
    faults = Faults(source_name(source), "skip")
    columns = _read(source, format, faults)
    problems = [Problem(reason, line, text) for reason, line, text in faults.found]
    problems += [*_topics(columns, topics, limit), *_spans(columns)]
    notes = []
    if topics is not None and (silent := len(topics.difference(columns.topics))):
        notes.append(f"{silent} of {len(topics)} topics have no results")
    return Validation(problems, notes, len(columns.topic), len(columns.topics), "", format)


def _read(source: Source, format: str, faults: Faults) -> FolColumns:
    if format == "genomics":
        return parse_genomics_run(read_bytes(source), faults)
    if format == "hyperlinking":
        return parse_hyperlinking_run(read_bytes(source), "auto", faults)
    return bioasq_run_columns(source, faults) if format == "bioasq" else kilt_run_columns(source, faults)


def _topics(columns: FolColumns, topics: set[str] | None, limit: int) -> Iterator[Problem]:
    sizes = np.bincount(columns.topic, minlength=len(columns.topics)).tolist()
    for code, (topic, size) in enumerate(zip(columns.topics, sizes, strict=True)):
        lines = np.sort(columns.line[columns.topic == code])
        if topics is not None and topic not in topics:
            yield Problem("unknown topic", int(lines[0]), f"topic {topic}, {size} results")
        if size > limit:
            yield Problem(f"more than {limit} results", int(lines[limit]), f"topic {topic}, {size} results")


def _spans(columns: FolColumns) -> Iterator[Problem]:
    """Spans that hold nothing or lie before the text, and those that stand twice in their topic and article."""
    wrong = (columns.start < 0) | (columns.end <= columns.start)
    for at in np.flatnonzero(wrong).tolist():
        span = f"[{columns.start[at]}, {columns.end[at]})"
        yield Problem("a span that holds nothing", int(columns.line[at]), f"{_label(columns, at)}: {span}")
    first: dict[tuple[int, ...], int] = {}
    spans = (column.tolist() for column in (columns.topic, columns.article, columns.start, columns.end))
    for at, place in enumerate(zip(*spans, strict=True)):
        before = first.setdefault(place, at)
        if before != at:
            detail = f"{_label(columns, at)}: [{place[2]}, {place[3]}), as in line {columns.line[before]}"
            yield Problem("duplicate", int(columns.line[at]), detail)


def _label(columns: FolColumns, at: int) -> str:
    return f"topic {columns.topics[columns.topic[at]]}, article {columns.articles[columns.article[at]]}"
