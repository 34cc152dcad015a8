"""Wikipedia XML to articles and elements on disk: one reader per source, the builder, the store.

Processes that build import neither PyTerrier nor pandas: the store is imported when it is first used.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "store": ["Collection"],
        "topics_from_headings": ["heading_topics"],
    },
)
