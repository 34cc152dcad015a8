from .condensed import condense, unjudged_note, unjudged_share
from .evaluation import Evaluation, evaluate, join, naming
from .inputs import Paths, Runs, as_qrels, as_run, as_runs, file_names, is_one_run
from .measure_strings import parse
from .presets import PRESETS, expand_presets, preset
from .provider import NAMES, FocusedEvaluator
from .rag.chunkers import ChunkerComparison, compare_chunkers
from .rag.citations import CitedEvaluation, evaluate_citations
from .rag.counting import default_measures
from .rag.evidence_values import micro_averages
from .rag.result import RetrievedEvaluation
from .rag.retrieved import evaluate_retrieved
from .rag.saved_results import load_result
from .rag.trace import trace_answers
from .resampling import TOLERANCE, count_exceeding, group
from .text_units import TextUnits
from .tokens import Tokens

__all__ = [
    "NAMES",
    "PRESETS",
    "TOLERANCE",
    "ChunkerComparison",
    "CitedEvaluation",
    "Evaluation",
    "FocusedEvaluator",
    "Paths",
    "RetrievedEvaluation",
    "Runs",
    "TextUnits",
    "Tokens",
    "as_qrels",
    "as_run",
    "as_runs",
    "compare_chunkers",
    "condense",
    "count_exceeding",
    "default_measures",
    "evaluate",
    "evaluate_citations",
    "evaluate_retrieved",
    "expand_presets",
    "file_names",
    "group",
    "is_one_run",
    "join",
    "load_result",
    "micro_averages",
    "naming",
    "parse",
    "preset",
    "trace_answers",
    "unjudged_note",
    "unjudged_share",
]
