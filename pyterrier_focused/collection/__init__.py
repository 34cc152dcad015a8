"""Wikipedia XML to articles and elements on disk: one reader a source, the builder, the store.

Processes that build import neither PyTerrier nor pandas: the store is imported when it is first used.
"""

from importlib import import_module as _import_module
from typing import Any as _Any

_WHERE = {"Collection": "store", "heading_topics": "headings"}

__all__ = ["Collection", "heading_topics"]


def __getattr__(name: str) -> _Any:
    if name in __all__:
        return getattr(_import_module(f"{__name__}.{_WHERE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
