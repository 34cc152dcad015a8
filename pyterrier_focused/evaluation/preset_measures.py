"""The table of presets: which measures each names."""

from __future__ import annotations

_EARLY_RANKS = (5, 10, 25, 50)


def _measure_in_context(parameters: str) -> str:
    """Write gP at early ranks and AgP with these parameters ("INEX 2007 Evaluation Measures", 5.3)."""
    return " ".join([*(f"gP({parameters})@{rank}" for rank in _EARLY_RANKS), f"AgP({parameters})"])


# Equations are those of "INEX 2007 Evaluation Measures", 4.3 and 5; adhoc is the ranking of whole articles.
PRESETS = {
    "focused": "iP@0.0 iP@0.01 iP@0.05 iP@0.1 AiP",
    # Equations 6, 8 and 9.
    "in-context": _measure_in_context("beta=1"),
    "best-in-context": _measure_in_context("task='bic',A=0.1"),
    "best-in-context-n": _measure_in_context("task='bic',n=1000"),
    # The default weight of recall and distance of the official program, inex_eval 1.0.
    "inex-eval": _measure_in_context("beta=0.25"),
    "inex-eval-bic": _measure_in_context("task='bic',n=500"),
    "adhoc": "AP P@5 P@10 RR Bpref",
    "articles": "AP nDCG@10 P@10 RR R@1000 Bpref",
    "characters": "CharP CharR CharF CharIoU CharAP",
    # For RAG.
    "evidence": "SpanHit@5 SpanR@5 SpanRR CharP@5 CharR@5 CharIoU@5",
    "budget": "CharR(chars=2000) CharP(chars=2000) CharIoU(chars=2000) AiP",
}
