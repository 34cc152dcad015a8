"""Wikipedia XML to articles and elements on disk: one reader a source, the builder, the store."""

from .heading_topics import heading_topics
from .store import Collection

__all__ = ["Collection", "heading_topics"]
