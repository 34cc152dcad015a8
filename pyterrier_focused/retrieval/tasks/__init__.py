"""Rows to runs: Focused, RiC, BiC, overlap, restriction; and back."""

from .condensed import Condensed
from .focused import Focused
from .in_context import BestInContext, RelevantInContext
from .overlap import MergeAdjacent, RemoveOverlap
from .restrict import Restrict
from .unpack import Unpack

__all__ = [
    "BestInContext",
    "Condensed",
    "Focused",
    "MergeAdjacent",
    "RelevantInContext",
    "RemoveOverlap",
    "Restrict",
    "Unpack",
]
