"""Retrieval of parts: what is indexed, engines, and the transformers that turn rows of parts into runs."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "dense_retriever": ["DenseRetriever", "ReciprocalRankFusion"],
        "elements.element_models": ["MixtureModel", "Propagate"],
        "elements.nexi_retriever": ["NexiRetriever"],
        "elements.two_stage": ["ArticleThenParts", "Contextualise"],
        "engines.choose": ["choose_engine", "open_engine"],
        "index": ["PartIndex"],
        "part_retriever": ["PartRetriever"],
        "passages.chunks": ["Chunks"],
        "passages.citations": ["cited_parts"],
        "passages.named_splitters": ["splitter"],
        "passages.part_texts": ["part_texts"],
        "passages.passage_ids": ["PassageIds"],
        "passages.selectors": ["Leaves", "Windows"],
        "passages.slide": ["Slide"],
        "rewriter": ["Rewriter"],
        "snippets": ["Snippets"],
        "tasks.condensed": ["Condensed"],
        "tasks.focused": ["Focused"],
        "tasks.in_context": ["BestInContext", "RelevantInContext"],
        "tasks.overlap": ["MergeAdjacent", "RemoveOverlap"],
        "tasks.restrict": ["Restrict"],
    },
)
