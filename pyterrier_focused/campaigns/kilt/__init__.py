"""KILT: evidence sets in Wikipedia. Importing it registers its measures."""

from ...evaluation.measure_registry import register_measures
from .measures import EvidenceP, EvidenceR, EvidenceRprec, EvidenceSuccess

__all__ = ["EvidenceP", "EvidenceR", "EvidenceRprec", "EvidenceSuccess"]

register_measures([EvidenceP, EvidenceR, EvidenceRprec, EvidenceSuccess])
