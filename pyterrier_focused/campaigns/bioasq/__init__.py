"""BioASQ, task B, phase A: snippets of abstracts and titles. Importing it registers its measures."""

from ...measures.registry import register_measures
from .measures import SnippetAP, SnippetF, SnippetP, SnippetR

__all__ = ["SnippetAP", "SnippetF", "SnippetP", "SnippetR"]

register_measures([SnippetAP, SnippetF, SnippetP, SnippetR])
