from .boilerplate import inside_boilerplate, is_boilerplate
from .corpora import Corpus, Texts, articles, as_collection, read_corpus, read_source
from .element_paths import read_headings, write_paths
from .front_matter import find_front_matter
from .help_links import find_help_url
from .sources.xml_kinds import describe_kinds
from .store import Collection
from .text_loader import find_glued_ends
from .topics_from_headings import heading_topics

__all__ = [
    "Collection",
    "Corpus",
    "Texts",
    "articles",
    "as_collection",
    "describe_kinds",
    "find_front_matter",
    "find_glued_ends",
    "find_help_url",
    "heading_topics",
    "inside_boilerplate",
    "is_boilerplate",
    "read_corpus",
    "read_headings",
    "read_source",
    "write_paths",
]
