"""Dumps, archives, ZIM: raw articles one by one."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "dump": [
            "LANGUAGE",
        ],
        "find": [
            "ArticleReader",
            "FORMATS",
            "SourceBlock",
            "SourceFile",
            "blocks",
            "detect",
            "find_sources",
            "grouped",
            "read",
            "read_texts",
            "reader",
        ],
        "raw": [
            "ArticleColumns",
            "Ints",
            "Link",
            "PageColumns",
            "ParsedArticle",
            "RawArticle",
            "Redirect",
            "RejectedArticle",
            "Rejection",
            "TagNumbers",
            "hash_names",
        ],
        "xml_article": [
            "ArticleXmlReader",
        ],
    },
)
