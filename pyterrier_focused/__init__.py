"""Focused retrieval in PyTerrier and ir_measures: systems return parts of articles, and are scored by their text.

Importing the package registers its measures; everything beyond measures and frames is imported on first use.
"""

from importlib import import_module as _import_module
from typing import Any as _Any

from . import ir_measures_provider as _provider
from ._version import __version__
from .errors import (
    CollectionError,
    EvidenceError,
    FormatError,
    MissingExtraError,
    NexiError,
    OverlapError,
    SpanError,
)
from .frames import QRELS_COLUMNS, RUN_COLUMNS, check_qrels, check_run, make_ids, pack, parse_ids, unpack
from .ir_measures_provider import parse
from .measures import (
    ADM,
    IAP11,
    ROCAUC,
    AgP,
    AiP,
    CharAP,
    CharF,
    CharIoU,
    CharMAP,
    CharP,
    CharR,
    F,
    MAgP,
    MAiP,
    SpanHit,
    SpanR,
    SpanRR,
    gP,
    gR,
    iMAP,
    iP,
)  # fmt: skip

_provider.register()

_LATER = {
    "bootstrap_test": "analysis",
    "compare_measures": "analysis",
    "pairwise": "analysis",
    "pool": "analysis",
    "view": "analysis",
    "write_report": "analysis",
    "Tokens": "analysis",
    "compare_chunkers": "analysis",
    "micro_averages": "analysis",
    "Collection": "collection",
    "heading_topics": "collection",
    "locate_spans": "io",
    "read_corpus": "io",
    "read_qrels": "io",
    "read_run": "io",
    "read_spans": "io",
    "read_topics": "io",
    "write_qrels": "io",
    "write_run": "io",
    "ArticleThenParts": "retrieval",
    "BestInContext": "retrieval",
    "Chunks": "retrieval",
    "Contextualise": "retrieval",
    "Focused": "retrieval",
    "Leaves": "retrieval",
    "MergeAdjacent": "retrieval",
    "PartIndex": "retrieval",
    "RelevantInContext": "retrieval",
    "RemoveOverlap": "retrieval",
    "Restrict": "retrieval",
    "Snippets": "retrieval",
    "Windows": "retrieval",
}
_MODULES = ("analysis", "collection", "datasets", "io", "measures", "nexi", "retrieval")

__all__ = [
    "ADM",
    "IAP11",
    "QRELS_COLUMNS",
    "ROCAUC",
    "RUN_COLUMNS",
    "AgP",
    "AiP",
    "ArticleThenParts",
    "BestInContext",
    "CharAP",
    "CharF",
    "CharIoU",
    "CharMAP",
    "CharP",
    "CharR",
    "Chunks",
    "Collection",
    "CollectionError",
    "Contextualise",
    "EvidenceError",
    "F",
    "Focused",
    "FormatError",
    "Leaves",
    "MAgP",
    "MAiP",
    "MergeAdjacent",
    "MissingExtraError",
    "NexiError",
    "OverlapError",
    "PartIndex",
    "RelevantInContext",
    "RemoveOverlap",
    "Restrict",
    "Snippets",
    "SpanError",
    "SpanHit",
    "SpanR",
    "SpanRR",
    "Tokens",
    "Windows",
    "__version__",
    "bootstrap_test",
    "check_qrels",
    "check_run",
    "compare_chunkers",
    "compare_measures",
    "gP",
    "gR",
    "heading_topics",
    "iMAP",
    "iP",
    "locate_spans",
    "make_ids",
    "micro_averages",
    "pack",
    "pairwise",
    "parse",
    "parse_ids",
    "pool",
    "read_corpus",
    "read_qrels",
    "read_run",
    "read_spans",
    "read_topics",
    "unpack",
    "view",
    "write_qrels",
    "write_report",
    "write_run",
]


def __getattr__(name: str) -> _Any:
    if name in _LATER:
        return getattr(_import_module(f"{__name__}.{_LATER[name]}"), name)
    if name in _MODULES:
        return _import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
