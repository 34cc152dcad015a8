"""From frames to values: provider, parse, presets, inputs, retrieved texts, chunkers."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "condensed": ["condense", "unjudged_note", "unjudged_share"],
        "evaluation": ["Evaluation", "evaluate", "join", "naming"],
        "inputs": ["Paths", "Runs", "as_qrels", "as_run", "as_runs", "file_names", "is_one_run"],
        "measure_strings": ["parse"],
        "presets": ["PRESETS", "preset"],
        "provider": ["FocusedEvaluator", "NAMES"],
        "resampling": ["TOLERANCE", "bca_interval", "count_exceeding", "group"],
        "rag.chunkers": ["ChunkerComparison", "compare_chunkers"],
        "rag.evidence_values": ["default_measures", "micro_averages"],
        "rag.generated_evidence": ["GeneratedEvidence", "generate_evidence"],
        "rag.result": ["RetrievedEvaluation"],
        "rag.retrieved": ["evaluate_retrieved"],
        "rag.saved_results": ["load_result"],
        "rag.trace": ["trace_answers"],
        "tokens": ["Tokens"],
    },
)
