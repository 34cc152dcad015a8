from .engines import Bm25sIndex, choose_engine
from .index import PartIndex
from .opensearch import OpenSearchRetriever, load_opensearch
from .part_retriever import PartRetriever
from .passages.parts import Parts
from .passages.passage_ids import PassageIds
from .passages.selectors import Leaves, Windows
from .passages.slide import Slide
from .snippets import Snippets
from .tasks.condensed import Condensed
from .tasks.focused import Focused
from .tasks.in_context import BestInContext, RelevantInContext
from .tasks.overlap import MergeAdjacent, RemoveOverlap
from .tasks.restrict import Restrict
from .tasks.unpack import Unpack
from .terms import Terms
from .two_stage import ArticleThenParts, Contextualise

__all__ = [
    "ArticleThenParts",
    "BestInContext",
    "Bm25sIndex",
    "Condensed",
    "Contextualise",
    "Focused",
    "Leaves",
    "MergeAdjacent",
    "OpenSearchRetriever",
    "PartIndex",
    "PartRetriever",
    "Parts",
    "PassageIds",
    "RelevantInContext",
    "RemoveOverlap",
    "Restrict",
    "Slide",
    "Snippets",
    "Terms",
    "Unpack",
    "Windows",
    "choose_engine",
    "load_opensearch",
]
