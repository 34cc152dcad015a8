"""Spans as a format of qrels: any table with question, document, start and end."""

from .base import Format
from .spans import read_span_qrels, write_spans

FORMATS = (
    Format(
        name="spans",
        kind="qrels",
        layout="CSV, TSV, JSON or JSON lines: question, document, start, end",
        looks_like=lambda head: head.is_table,
        read=read_span_qrels,
        write=write_spans,
        endings=("jsonl",),
        by_path=True,
        general=True,
    ),
)
