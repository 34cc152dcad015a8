"""Rows to runs: Focused, RiC, BiC, overlap, restriction."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "condensed": ["Condensed"],
        "focused": ["Focused"],
        "in_context": ["BestInContext", "RelevantInContext"],
        "overlap": ["MergeAdjacent", "RemoveOverlap"],
        "restrict": ["Restrict"],
    },
)
