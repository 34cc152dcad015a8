from .condensed import condense, unjudged_note, unjudged_share
from .evaluation import Evaluation, evaluate, join, naming
from .inputs import Paths, Runs, as_qrels, as_run, as_runs, file_names, is_one_run
from .provider import NAMES, FocusedEvaluator
from .registry import PRESETS, expand_presets, parse, preset
from .text_units import TextUnits
from .tokens import Tokens
from .topic_values import TOLERANCE, count_exceeding, group

__all__ = [
    "NAMES",
    "PRESETS",
    "TOLERANCE",
    "Evaluation",
    "FocusedEvaluator",
    "Paths",
    "Runs",
    "TextUnits",
    "Tokens",
    "as_qrels",
    "as_run",
    "as_runs",
    "condense",
    "count_exceeding",
    "evaluate",
    "expand_presets",
    "file_names",
    "group",
    "is_one_run",
    "join",
    "naming",
    "parse",
    "preset",
    "unjudged_note",
    "unjudged_share",
]
