from .dense_retriever import DenseRetriever, ReciprocalRankFusion
from .elements.element_models import MixtureModel, Propagate
from .elements.nexi_retriever import NexiRetriever
from .elements.two_stage import ArticleThenParts, Contextualise
from .engines.choose import choose_engine, open_engine
from .index import PartIndex
from .part_retriever import PartRetriever
from .passages.article_scores import first_passage, kmaxavg_passage, max_passage, mean_passage
from .passages.chunks import Chunks
from .passages.citations import cited_parts
from .passages.named_splitters import splitter
from .passages.part_texts import part_texts
from .passages.passage_ids import PassageIds
from .passages.selectors import Leaves, Windows
from .passages.slide import Slide
from .rewriter import Rewriter
from .snippets import Snippets
from .tasks.condensed import Condensed
from .tasks.focused import Focused
from .tasks.in_context import BestInContext, RelevantInContext
from .tasks.overlap import MergeAdjacent, RemoveOverlap
from .tasks.restrict import Restrict
from .tasks.unpack import Unpack

__all__ = [
    "ArticleThenParts",
    "BestInContext",
    "Chunks",
    "Condensed",
    "Contextualise",
    "DenseRetriever",
    "Focused",
    "Leaves",
    "MergeAdjacent",
    "MixtureModel",
    "NexiRetriever",
    "PartIndex",
    "PartRetriever",
    "PassageIds",
    "Propagate",
    "ReciprocalRankFusion",
    "RelevantInContext",
    "RemoveOverlap",
    "Restrict",
    "Rewriter",
    "Slide",
    "Snippets",
    "Unpack",
    "Windows",
    "choose_engine",
    "cited_parts",
    "first_passage",
    "kmaxavg_passage",
    "max_passage",
    "mean_passage",
    "open_engine",
    "part_texts",
    "splitter",
]
