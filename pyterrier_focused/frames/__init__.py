"""What a run and qrels are: spans, columns of spans, ids, packing, ranking rule, checks."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "checks": ["check_qrels", "check_run"],
        "columns": [
            "QRELS_COLUMNS",
            "RUN_COLUMNS",
            "SCORED_SPANS",
            "SPANS",
            "Spans",
            "cells",
            "flatten",
            "span_column",
        ],
        "ids": ["make_ids", "parse_ids"],
        "packing": ["pack", "unpack"],
    },
)
