from .chunkers import ChunkerComparison, compare_chunkers
from .chunks import Chunks
from .citations import CitedEvaluation, evaluate_citations
from .cited_parts import cited_parts
from .counting import default_measures
from .evidence import locate_spans, read_spans
from .evidence_values import micro_averages
from .move_qrels import MovedQrels, move_qrels
from .named_splitters import splitter
from .result import RetrievedEvaluation
from .saved_results import load_result
from .score import evaluate_retrieved

__all__ = [
    "ChunkerComparison",
    "Chunks",
    "CitedEvaluation",
    "MovedQrels",
    "RetrievedEvaluation",
    "cited_parts",
    "compare_chunkers",
    "default_measures",
    "evaluate_citations",
    "evaluate_retrieved",
    "load_result",
    "locate_spans",
    "micro_averages",
    "move_qrels",
    "read_spans",
    "splitter",
]
