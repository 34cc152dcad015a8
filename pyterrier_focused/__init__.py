"""Focused retrieval in PyTerrier and ir_measures: systems return parts of articles, and are scored by their text.

Importing the package registers its measures; everything beyond measures and frames is imported on first use.
"""

import lazy_loader as _lazy

from ._version import __version__
from .errors import EvaluationWarning, FocusedError
from .evaluation.measure_strings import parse
from .evaluation.provider import register as _register
from .frames.checks import check_qrels, check_run
from .frames.columns import QRELS_COLUMNS, RUN_COLUMNS, cells
from .frames.ids import make_ids, parse_ids
from .frames.packing import pack, unpack
from .measures.adm import ADM
from .measures.evidence import SpanHit, SpanR
from .measures.focused import AiP, CharF, CharIoU, CharP, CharR, iP
from .measures.in_context import AgP, gP, gR

_register()

_SUBPACKAGES = ["analysis", "assessment", "collection", "datasets", "evaluation", "frames", "io", "report", "retrieval"]
__getattr__, _, _later = _lazy.attach(
    __name__,
    submodules=_SUBPACKAGES,
    submod_attrs={
        "collection": ["Collection"],
        "frames.show": ["show"],
        "evaluation": ["Tokens", "compare_chunkers", "evaluate_retrieved", "load_result", "preset"],
        "io": ["read_qrels", "read_run", "read_spans", "read_topics", "write_qrels", "write_run"],
        "report": ["view", "write_report"],
        "retrieval": [
            "BestInContext",
            "Chunks",
            "Focused",
            "PartIndex",
            "RelevantInContext",
            "RemoveOverlap",
            "Restrict",
            "Slide",
            "Windows",
        ],
    },
)

__all__ = [
    "ADM",
    "QRELS_COLUMNS",
    "RUN_COLUMNS",
    "AgP",
    "AiP",
    "CharF",
    "CharIoU",
    "CharP",
    "CharR",
    "EvaluationWarning",
    "FocusedError",
    "SpanHit",
    "SpanR",
    "__version__",
    "cells",
    "check_qrels",
    "check_run",
    "gP",
    "gR",
    "iP",
    "make_ids",
    "pack",
    "parse",
    "parse_ids",
    "unpack",
    *(name for name in _later if name not in _SUBPACKAGES),
]


def __dir__() -> list[str]:
    return sorted({*globals(), *_later})
