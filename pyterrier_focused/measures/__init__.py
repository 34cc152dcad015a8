"""The measures, one file a family; each class is its own documentation. `MEASURES` is the table of them all."""

from .adm import _ADM
from .base import FocusedMeasure
from .documents import _F, _IAP11, _ROCAUC
from .evidence import _CharMAP, _SpanHit, _SpanR, _SpanRR
from .focused import _AiP, _CharAP, _CharF, _CharIoU, _CharP, _CharR, _iP
from .in_context import _AgP, _gP, _gR
from .judged import _CharJudged

CharP, CharR, CharF, CharIoU, CharAP = _CharP(), _CharR(), _CharF(), _CharIoU(), _CharAP()
iP, AiP = _iP(), _AiP()
gP, gR, AgP = _gP(), _gR(), _AgP()
ADM = _ADM()
SpanHit, SpanR, SpanRR, CharMAP = _SpanHit(), _SpanR(), _SpanRR(), _CharMAP()
IAP11, F, ROCAUC = _IAP11(), _F(), _ROCAUC()
CharJudged = _CharJudged()
MAiP = iMAP = AiP
MAgP = AgP

MEASURES: tuple[FocusedMeasure, ...] = (
    CharP, CharR, CharF, CharIoU, CharAP, iP, AiP, gP, gR, AgP, ADM, IAP11, F, ROCAUC, SpanHit, SpanR, SpanRR, CharMAP,
    CharJudged,
)  # fmt: skip

__all__ = [
    "ADM",
    "IAP11",
    "ROCAUC",
    "AgP",
    "AiP",
    "CharAP",
    "CharF",
    "CharIoU",
    "CharJudged",
    "CharMAP",
    "CharP",
    "CharR",
    "F",
    "MAgP",
    "MAiP",
    "SpanHit",
    "SpanR",
    "SpanRR",
    "gP",
    "gR",
    "iMAP",
    "iP",
]  # fmt: skip
