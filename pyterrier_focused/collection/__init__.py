"""Articles and elements on disk: build them from a source, open them, load their texts.

Processes that build import neither PyTerrier nor pandas: the store is imported when it is first used.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "boilerplate": ["inside_boilerplate", "is_boilerplate"],
        "element_paths": ["read_headings", "write_paths"],
        "help_links": ["find_help_url"],
        "sources.find": ["read_texts"],
        "sources.records": ["trec_documents"],
        "store": ["Collection"],
        "topics_from_headings": ["heading_topics"],
    },
)
