"""Retrieval of parts: what is indexed, engines, and the transformers that turn rows of parts into runs."""

from importlib import import_module as _import_module
from typing import Any as _Any

_WHERE = {
    "ArticleThenParts": "context",
    "BestInContext": "in_context",
    "Chunks": "chunks",
    "Contextualise": "context",
    "Focused": "focused",
    "Leaves": "selection",
    "MergeAdjacent": "overlap",
    "NexiRetriever": "content_and_structure",
    "PartIndex": "index",
    "PartRetriever": "index",
    "RelevantInContext": "in_context",
    "RemoveOverlap": "overlap",
    "Restrict": "restrict",
    "Snippets": "snippets",
    "Windows": "selection",
    "part_texts": "index",
}

__all__ = sorted(_WHERE)


def __getattr__(name: str) -> _Any:
    if name in _WHERE:
        return getattr(_import_module(f"{__name__}.{_WHERE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_WHERE})
