"""Retrieval of parts: what is indexed, engines, and the transformers that turn rows of parts into runs."""

from importlib import import_module
from typing import Any

import lazy_loader as _lazy

_here, _, _names = _lazy.attach(
    __name__,
    submod_attrs={
        "elements.two_stage": ["ArticleThenParts", "Contextualise"],
        "tasks.in_context": ["BestInContext", "RelevantInContext"],
        "passages.chunks": ["Chunks"],
        "elements.element_models": ["MixtureModel", "Propagate"],
        "passages.citations": ["cited_parts"],
        "passages.passage_ids": ["PassageIds"],
        "tasks.condensed": ["Condensed"],
        "tasks.focused": ["Focused"],
        "passages.selectors": ["Leaves", "Windows"],
        "tasks.overlap": ["MergeAdjacent", "RemoveOverlap"],
        "elements.nexi_retriever": ["NexiRetriever"],
        "index": ["PartIndex"],
        "part_retriever": ["PartRetriever"],
        "passages.part_texts": ["part_texts"],
        "rewriter": ["Rewriter"],
        "tasks.restrict": ["Restrict"],
        "passages.slide": ["Slide"],
        "snippets": ["Snippets"],
    },
)
_ELSEWHERE = {
    "objective": "evaluation.grid_search",
}  # these live in other rooms, and are still found here
__all__ = sorted({*_names, *_ELSEWHERE})


def __getattr__(name: str) -> Any:
    if name in _ELSEWHERE:
        return getattr(import_module(f"pyterrier_focused.{_ELSEWHERE[name]}"), name)
    return _here(name)


__dir__ = __all__.copy
