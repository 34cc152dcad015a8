from .chunkers import compare_chunkers
from .chunks import Chunks
from .citations import evaluate_citations
from .cited_parts import cited_parts
from .evidence import locate_spans, read_spans
from .move_qrels import MovedQrels, move_qrels
from .named_splitters import splitter
from .score import RetrievedEvaluation, default_measures, evaluate_retrieved, load_result, micro_averages

__all__ = [
    "Chunks",
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
