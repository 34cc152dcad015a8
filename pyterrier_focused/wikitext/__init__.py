"""Pages of MediaWiki (wikitext, HTML) to text and elements; imports nothing of this package."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "block_writer": [
            "check_droppable",
        ],
        "html": [
            "HtmlReader",
            "title_of",
        ],
        "language": [
            "language_of",
        ],
        "links": [
            "wikis",
        ],
        "marks": [
            "GONE",
            "MARKS",
        ],
        "parser": [
            "WikitextParser",
        ],
        "tags": [
            "unescape",
        ],
        "titles": [
            "address_base",
            "as_title",
            "page_address",
            "plain_title",
            "title_as_docno",
        ],
    },
)
