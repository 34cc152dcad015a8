"""What a run and qrels are: spans, columns of spans, ids, packing, ranking rule, checks.

Public files: alternatives, checks, columns, ids, misfits, packing, ranking_rule, spans.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "alternatives": [
            "alternatives_column",
            "read_alternatives",
        ],
        "checks": [
            "check_qrels",
            "check_run",
            "check_scored",
            "check_unique",
            "need",
            "numbers",
            "row_name",
            "scores",
        ],
        "columns": [
            "Floats",
            "MISSING_START",
            "QRELS_COLUMNS",
            "RUN_COLUMNS",
            "SCORED_SPANS",
            "SPANS",
            "Spans",
            "cells",
            "flatten",
            "id_column",
            "make_ids",
            "parse_ids",
            "read_ids",
            "span_column",
        ],
        "packing": [
            "Parts",
            "document_order",
            "pack",
            "pack_parts",
            "passage_name",
            "rank_parts",
            "ranked",
            "topic_codes",
            "unpack",
        ],
        "ranking_rule": [
            "article_order",
            "passage_order",
            "positions",
        ],
        "spans": [
            "Ints",
            "Span",
            "coverage",
            "position_keys",
            "ranges",
            "ratio",
            "sum_by",
            "union",
            "union_sizes",
        ],
    },
)
