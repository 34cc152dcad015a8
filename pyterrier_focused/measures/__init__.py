"""The measures, one file per family; each class is its own documentation. `MEASURES` is the table of them all.

Public files: adm, alternatives, base, best_alternative, budget, documents, focused, ranking, span_pairs,
campaigns.evidence_sets, campaigns.maisp, campaigns.segments, campaigns.snippets.
"""

from .adm import _ADM
from .base import FocusedMeasure
from .campaigns.evidence_sets import _EvidenceP, _EvidenceR, _EvidenceRprec, _EvidenceSuccess
from .campaigns.genomics import _AspectAP, _PassageAP
from .campaigns.maisp import _MAiSP
from .campaigns.segments import _SegmentAP, _SegmentJudged, _SegmentP
from .campaigns.snippets import _SnippetAP, _SnippetF, _SnippetP, _SnippetR
from .documents import _F, _IAP11, _ROCAUC, _APBound, _PAtRecall, _SetAccuracy, _Specificity
from .evidence import _Abstain, _CharMAP, _SpanHit, _SpanR, _SpanRR
from .focused import _AiP, _CharAP, _CharF, _CharIoU, _CharP, _CharR, _iP
from .in_context import _AgP, _gP, _gR
from .judged import _CharJudged

CharP, CharR, CharF, CharIoU, CharAP = _CharP(), _CharR(), _CharF(), _CharIoU(), _CharAP()
iP, AiP = _iP(), _AiP()
gP, gR, AgP = _gP(), _gR(), _AgP()
ADM = _ADM()
SpanHit, SpanR, SpanRR, CharMAP, Abstain = _SpanHit(), _SpanR(), _SpanRR(), _CharMAP(), _Abstain()
PassageAP, AspectAP = _PassageAP(), _AspectAP()
SnippetP, SnippetR, SnippetF, SnippetAP = _SnippetP(), _SnippetR(), _SnippetF(), _SnippetAP()
SegmentAP, SegmentP, SegmentJudged, MAiSP = _SegmentAP(), _SegmentP(), _SegmentJudged(), _MAiSP()
EvidenceRprec, EvidenceP = _EvidenceRprec(), _EvidenceP()
EvidenceR, EvidenceSuccess = _EvidenceR(), _EvidenceSuccess()
IAP11, F, ROCAUC = _IAP11(), _F(), _ROCAUC()
PAtRecall, APBound = _PAtRecall(), _APBound()
SetAccuracy, Specificity = _SetAccuracy(), _Specificity()
CharJudged = _CharJudged()
MAiP = iMAP = AiP
MAgP = AgP

MEASURES: tuple[FocusedMeasure, ...] = (
    CharP, CharR, CharF, CharIoU, CharAP, iP, AiP, gP, gR, AgP, ADM, IAP11, F, ROCAUC, SpanHit, SpanR, SpanRR, CharMAP,
    Abstain, PAtRecall, APBound, SetAccuracy, Specificity,
    PassageAP, AspectAP, SnippetP, SnippetR, SnippetF, SnippetAP, SegmentAP, SegmentP, SegmentJudged, MAiSP,
    EvidenceRprec, EvidenceP, EvidenceR, EvidenceSuccess,
    CharJudged,
)  # fmt: skip

__all__ = [
    "ADM",
    "IAP11",
    "ROCAUC",
    "APBound",
    "Abstain",
    "AgP",
    "AiP",
    "AspectAP",
    "CharAP",
    "CharF",
    "CharIoU",
    "CharJudged",
    "CharMAP",
    "CharP",
    "CharR",
    "EvidenceP",
    "EvidenceR",
    "EvidenceRprec",
    "EvidenceSuccess",
    "F",
    "MAgP",
    "MAiP",
    "MAiSP",
    "PAtRecall",
    "PassageAP",
    "SegmentAP",
    "SegmentJudged",
    "SegmentP",
    "SetAccuracy",
    "SnippetAP",
    "SnippetF",
    "SnippetP",
    "SnippetR",
    "SpanHit",
    "SpanR",
    "SpanRR",
    "Specificity",
    "gP",
    "gR",
    "iMAP",
    "iP",
]  # fmt: skip
