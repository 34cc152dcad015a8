"""Measures of Genomics, BioASQ, MediaEval, KILT."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "evidence_sets": ["best_r_precision", "rank_of_sets"],
        "maisp": ["viewings", "watch"],
        "segments": ["RELEVANT", "States", "UNJUDGED", "bin_states", "merged", "overlap_states", "tolerance_states"],
        "snippets": ["ABSTRACT", "EDITIONS", "EPSILON", "SECTION_0", "Scores", "SnippetColumns", "score"],
    },
)
