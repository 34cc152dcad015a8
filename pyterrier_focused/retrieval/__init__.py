"""Retrieval of parts: what is indexed, engines, and the transformers that turn rows of parts into runs."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "tuning": ["objective"],
        "two_stage": ["ArticleThenParts", "Contextualise"],
        "in_context": ["BestInContext", "RelevantInContext"],
        "chunks": ["Chunks"],
        "element_models": ["MixtureModel", "Propagate"],
        "citations": ["cited_parts"],
        "foreign_ids": ["PassageIds"],
        "condensed": ["Condensed"],
        "focused": ["Focused"],
        "selectors": ["Leaves", "Windows"],
        "overlap": ["MergeAdjacent", "RemoveOverlap"],
        "nexi_retriever": ["NexiRetriever"],
        "index": ["PartIndex"],
        "part_retriever": ["PartRetriever"],
        "part_texts": ["part_texts"],
        "rewriter": ["Rewriter"],
        "restrict": ["Restrict"],
        "slide": ["Slide"],
        "snippets": ["Snippets"],
    },
)
