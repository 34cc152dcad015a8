from . import analysis as analysis
from . import collection as collection
from . import datasets as datasets
from . import evaluation as evaluation
from . import frames as frames
from . import io as io
from . import measures as measures
from . import rag as rag
from . import retrieval as retrieval
from ._version import __version__
from .collection import Collection
from .errors import EvaluationWarning, FocusedError
from .evaluation import TextUnits, Tokens, preset
from .evaluation.registry import parse
from .frames.checks import check_qrels, check_run
from .frames.columns import QRELS_COLUMNS, RUN_COLUMNS, cells
from .frames.ids import make_ids, parse_ids
from .frames.labels import label_parts
from .frames.packing import pack, unpack
from .frames.show import show
from .io import read_qrels, read_run, read_topics, write_qrels, write_run
from .measures.adm import ADM
from .measures.documents import IAP11, ROCAUC, APBound, F, PAtRecall, SetAccuracy, Specificity
from .measures.evidence import Abstain, CharMAP, SpanHit, SpanR, SpanRR
from .measures.focused import AiP, CharAP, CharF, CharIoU, CharJudged, CharP, CharR, MAiP, Redundancy, iMAP, iP
from .measures.in_context import AgP, MAgP, gP, gR
from .measures.span_ranking import SpanAP, SpanNDCG, SpanP
from .rag import (
    Chunks,
    compare_chunkers,
    evaluate_citations,
    evaluate_retrieved,
    load_result,
    move_qrels,
    read_spans,
)
from .report import view, write_report
from .retrieval import (
    BestInContext,
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
    "IAP11",
    "QRELS_COLUMNS",
    "ROCAUC",
    "RUN_COLUMNS",
    "APBound",
    "Abstain",
    "AgP",
    "AiP",
    "BestInContext",
    "CharAP",
    "CharF",
    "CharIoU",
    "CharJudged",
    "CharMAP",
    "CharP",
    "CharR",
    "Chunks",
    "Collection",
    "EvaluationWarning",
    "F",
    "Focused",
    "FocusedError",
    "MAgP",
    "MAiP",
    "PAtRecall",
    "PartIndex",
    "Redundancy",
    "RelevantInContext",
    "RemoveOverlap",
    "Restrict",
    "SetAccuracy",
    "Slide",
    "SpanAP",
    "SpanHit",
    "SpanNDCG",
    "SpanP",
    "SpanR",
    "SpanRR",
    "Specificity",
    "TextUnits",
    "Tokens",
    "Windows",
    "__version__",
    "cells",
    "check_qrels",
    "check_run",
    "compare_chunkers",
    "evaluate_citations",
    "evaluate_retrieved",
    "gP",
    "gR",
    "iMAP",
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
