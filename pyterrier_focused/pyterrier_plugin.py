"""What PyTerrier's entry points call: the package becomes `pt.focused`."""

import sys
from types import ModuleType

from .evaluation import upstream


def attach() -> ModuleType:
    """Make this package a part of PyTerrier; returns the package. Idempotent."""
    upstream.extend_pyterrier()
    return sys.modules[__package__]
