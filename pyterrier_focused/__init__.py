"""Focused retrieval in PyTerrier and ir_measures: systems return parts of articles, and are scored by their text.

Importing the package registers its measures; everything beyond measures and frames is imported on first use.
"""

import lazy_loader as _lazy

from ._version import __version__
from .errors import (
    CollectionError,
    EvaluationWarning,
    EvidenceError,
    FormatError,
    MissingExtraError,
    NexiError,
    OverlapError,
    RequirementError,
    SpanError,
)
from .evaluation import provider as _provider
from .evaluation.provider import parse
from .frames.checks import check_qrels, check_run
from .frames.columns import QRELS_COLUMNS, RUN_COLUMNS, cells, make_ids, parse_ids
from .frames.packing import pack, unpack
from .measures import *  # noqa: F403
from .measures import __all__ as _measures

_provider.register()

_SUBMODULES = ["analysis", "assessment", "collection", "datasets", "io", "measures", "report", "retrieval"]
__getattr__, _, _later = _lazy.attach(
    __name__,
    submodules=_SUBMODULES,
    submod_attrs={
        "analysis": [
            "bootstrap_test",
            "compare_measures",
            "describe",
            "pairwise",
            "pool",
            "to_latex",
            "to_markdown",
        ],
        "assessment": ["assess", "assess_with"],
        "collection": ["Collection", "heading_topics"],
        "evaluation": ["Tokens", "compare_chunkers", "evaluate_retrieved", "micro_averages", "objective", "preset"],
        "frames.columns": ["SCORED_SPANS", "SPANS"],
        "io": [
            "locate_spans",
            "read_corpus",
            "read_qrels",
            "read_run",
            "read_spans",
            "read_topics",
            "write_qrels",
            "write_run",
            "write_topics",
        ],
        "report": ["view", "write_report"],
        "retrieval": [
            "ArticleThenParts",
            "BestInContext",
            "Chunks",
            "Condensed",
            "Contextualise",
            "Focused",
            "Leaves",
            "MergeAdjacent",
            "MixtureModel",
            "NexiRetriever",
            "PartIndex",
            "PassageIds",
            "Propagate",
            "RelevantInContext",
            "RemoveOverlap",
            "Restrict",
            "Slide",
            "Snippets",
            "Windows",
            "cited_parts",
        ],
    },
)

__all__ = [
    "QRELS_COLUMNS",
    "RUN_COLUMNS",
    "CollectionError",
    "EvaluationWarning",
    "EvidenceError",
    "FormatError",
    "MissingExtraError",
    "NexiError",
    "OverlapError",
    "RequirementError",
    "SpanError",
    "__version__",
    "cells",
    "check_qrels",
    "check_run",
    "make_ids",
    "pack",
    "parse",
    "parse_ids",
    "unpack",
    *_measures,
    *(name for name in _later if name not in _SUBMODULES),
]


def __dir__() -> list[str]:
    return sorted({*globals(), *_later})
