"""Focused retrieval in PyTerrier and ir_measures: systems return parts of articles, and are scored by their text.

Importing the package registers its measures. The names are listed in `__init__.pyi`, and each is imported on first use.
"""

import lazy_loader as _lazy

from .evaluation import provider as _provider

_provider.register()

# Modules of Python's own have such names: `from pyterrier_focused import *` leaves them alone.
_SUBPACKAGES = {
    "analysis", "collection", "datasets", "evaluation", "frames", "io", "measures", "rag", "retrieval",
}  # fmt: skip

__getattr__, __dir__, _names = _lazy.attach_stub(__name__, __file__)
__all__ = [name for name in _names if name not in _SUBPACKAGES]
