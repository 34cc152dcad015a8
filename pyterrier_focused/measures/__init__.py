"""The measures, one file per family; each class is its own documentation. `MEASURES` is the table of them all.

A measure is registered by the line below its class that names it, `CharP = _CharP()`; aliases are in that line too.
"""

from typing import TYPE_CHECKING, Any

from . import adm, documents, evidence, facts, focused, in_context, span_ranking
from .base import FocusedMeasure
from .campaigns import evidence_sets, genomics, snippets

_FILES = (
    focused,
    in_context,
    adm,
    documents,
    evidence,
    facts,
    span_ranking,
    genomics,
    snippets,
    evidence_sets,
)
_NAMED = {name: value for file in _FILES for name, value in vars(file).items() if isinstance(value, FocusedMeasure)}
globals().update(_NAMED)

MEASURES: tuple[FocusedMeasure, ...] = tuple(dict.fromkeys(_NAMED.values()))

__all__ = sorted(_NAMED)

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
