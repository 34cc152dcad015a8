"""What a run and qrels are: spans, columns of spans, ids, packing, ranking rule, checks."""

from .checks import check_qrels, check_run
from .columns import QRELS_COLUMNS, RUN_COLUMNS, SCORED_SPANS, SPANS, Spans, cells, flatten, span_column
from .ids import make_ids, parse_ids
from .labels import label_parts
from .packing import pack, unpack

__all__ = [
    "QRELS_COLUMNS",
    "RUN_COLUMNS",
    "SCORED_SPANS",
    "SPANS",
    "Spans",
    "cells",
    "check_qrels",
    "check_run",
    "flatten",
    "label_parts",
    "make_ids",
    "pack",
    "parse_ids",
    "span_column",
    "unpack",
]
