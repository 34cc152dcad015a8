"""What is a passage: selectors, chunks, slide, foreign ids."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "chunks": [
            "Chunks",
        ],
        "citations": [
            "cited_parts",
        ],
        "named_splitters": [
            "splitter",
        ],
        "part_texts": [
            "SECTIONS",
            "elements_of",
            "without_headings",
        ],
        "passage_ids": [
            "PassageIds",
        ],
        "selectors": [
            "Leaves",
            "Selector",
            "Windows",
            "seams_of",
        ],
        "sentences": [
            "sentence_spans",
        ],
        "slide": [
            "Slide",
        ],
    },
)
