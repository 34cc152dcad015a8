"""Named sets of measures: those that a task is usually reported with."""

from __future__ import annotations

from typing import Any

from ..errors import check_choice
from ..ir_measures_provider import parse

PRESETS = {
    "focused": "iP@0 iP@0.01 iP@0.05 iP@0.1 AiP",  # INEX 2007-2009, the focused task; iP@0.01 or AiP is official
    "relevant-in-context": "gP@5 gP@10 gP@25 gP@50 AgP",  # INEX 2007-2009
    "best-in-context": "gP(task='bic')@5 gP(task='bic')@10 gP(task='bic')@25 gP(task='bic')@50 AgP(task='bic')",
    "characters": "CharP CharR CharF CharIoU CharAP",
    "articles": "AP nDCG@10 P@10 RR R@1000 Bpref",
    "evidence": "SpanHit@5 SpanR@5 SpanRR CharP@5 CharR@5 CharIoU@5",  # chunks for RAG
}


def preset(name: str) -> list[Any]:
    """Return a named set of measures, as `parse` does: `pt.Experiment(..., preset("focused"))`.

    'focused', 'relevant-in-context' and 'best-in-context' are what INEX reported for these tasks; 'characters' is
    precision, recall and what is made of them over all that was retrieved; 'articles' the usual measures of document
    retrieval; 'evidence' what the first five chunks bring of the evidence. `PRESETS` has them as strings.
    """
    check_choice("preset", name, PRESETS)
    return parse(PRESETS[name])
