"""Documents as texts, and where a quote is in them."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "corpus": [
            "CorpusArticle",
            "Texts",
            "articles",
            "as_docno",
            "json_records",
            "read_corpus",
            "records_in",
            "read_squad_articles",
        ],
        "find_texts": [
            "Place",
        ],
        "fuzzy": [
            "fuzzy_matches",
        ],
        "locate": [
            "Document",
            "Lost",
        ],
        "place_retrieved": [
            "PLACED",
            "PlacedItem",
        ],
        "items": [
            "Item",
            "whole_or_none",
        ],
        "retrieved": [
            "Asked",
            "Results",
            "read_retrieved",
        ],
    },
)
