"""Measures of Genomics, BioASQ, KILT."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "evidence_sets": ["best_r_precision", "rank_of_sets"],
        "snippets": ["ABSTRACT", "EDITIONS", "EPSILON", "SECTION_0", "Scores", "SnippetColumns", "score"],
    },
)
