"""HTML pages: report and article view."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "articles": [
            "relevant_articles",
        ],
        "report": [
            "evaluate",
            "write_report",
        ],
        "view": [
            "ArticleView",
        ],
    },
)
