"""The measures, one file per family; each class is its own documentation. `MEASURES` is the table of them all.

A measure is registered by the line below its class that names it, `CharP = _CharP()`; aliases are in that line too.
"""

from . import adm, documents, evidence, focused, in_context, span_ranking
from .adm import *
from .base import FocusedMeasure as FocusedMeasure
from .documents import *
from .evidence import *
from .focused import *
from .in_context import *
from .registration import register as register
from .span_ranking import *

_FAMILIES = (focused, in_context, adm, documents, evidence, span_ranking)

MEASURES: tuple[FocusedMeasure, ...] = tuple(
    dict.fromkeys(value for family in _FAMILIES for value in vars(family).values() if isinstance(value, FocusedMeasure))
)
