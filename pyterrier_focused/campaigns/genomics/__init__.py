"""TREC Genomics 2006 and 2007: passages, with the aspects that they cover. Importing it registers its measures."""

from ...evaluation.measure_registry import register_measures
from .measures import AspectAP, PassageAP

__all__ = ["AspectAP", "PassageAP"]

register_measures([AspectAP, PassageAP])
