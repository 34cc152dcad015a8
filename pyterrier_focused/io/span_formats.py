"""Evidence as a format of qrels: any table of spans or quotes, read with a collection or another corpus."""

from ..evidence.read import read_evidence_qrels
from ..evidence.write import write_spans
from .base import Format

FORMATS = (
    Format(
        name="spans",
        kind="qrels",
        layout="CSV, TSV, JSON or JSON lines: question, document, start, end",
        looks_like=lambda head: head.is_table,
        read=read_evidence_qrels,
        write=write_spans,
        endings=("jsonl",),
        by_path=True,
        general=True,
    ),
)
