from . import analysis as analysis
from . import assessment as assessment
from . import collection as collection
from . import datasets as datasets
from . import evaluation as evaluation
from . import frames as frames
from . import io as io
from . import measures as measures
from . import report as report
from . import retrieval as retrieval
from ._version import __version__
from .collection import Collection
from .errors import EvaluationWarning, FocusedError
from .evaluation import TextUnits, Tokens, compare_chunkers, evaluate_retrieved, load_result, preset
from .evaluation.measure_strings import parse
from .frames.checks import check_qrels, check_run
from .frames.columns import QRELS_COLUMNS, RUN_COLUMNS, cells
from .frames.ids import make_ids, parse_ids
from .frames.labels import label_parts
from .frames.packing import pack, unpack
from .frames.show import show
from .io import move_qrels, read_qrels, read_run, read_spans, read_topics, write_qrels, write_run
from .measures.adm import ADM
from .measures.evidence import SpanHit, SpanR
from .measures.focused import AiP, CharF, CharIoU, CharP, CharR, iP
from .measures.in_context import AgP, gP, gR
from .report import view, write_report
from .retrieval import (
    BestInContext,
    Chunks,
    Focused,
    PartIndex,
    RelevantInContext,
    RemoveOverlap,
    Restrict,
    Slide,
    Windows,
)

__all__ = [
    "ADM",
    "QRELS_COLUMNS",
    "RUN_COLUMNS",
    "AgP",
    "AiP",
    "BestInContext",
    "CharF",
    "CharIoU",
    "CharP",
    "CharR",
    "Chunks",
    "Collection",
    "EvaluationWarning",
    "Focused",
    "FocusedError",
    "PartIndex",
    "RelevantInContext",
    "RemoveOverlap",
    "Restrict",
    "Slide",
    "SpanHit",
    "SpanR",
    "TextUnits",
    "Tokens",
    "Windows",
    "__version__",
    "cells",
    "check_qrels",
    "check_run",
    "compare_chunkers",
    "evaluate_retrieved",
    "gP",
    "gR",
    "iP",
    "label_parts",
    "load_result",
    "make_ids",
    "move_qrels",
    "pack",
    "parse",
    "parse_ids",
    "preset",
    "read_qrels",
    "read_run",
    "read_spans",
    "read_topics",
    "show",
    "unpack",
    "view",
    "write_qrels",
    "write_report",
    "write_run",
]
