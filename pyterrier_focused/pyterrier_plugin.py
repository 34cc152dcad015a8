"""The target of PyTerrier's entry points: the package becomes `pt.focused`."""

import sys
from types import ModuleType

from .evaluation import upstream


def attach() -> ModuleType:
    """Make this package a part of PyTerrier; returns the package. Idempotent."""
    package = sys.modules[__package__]
    upstream.attach(package)
    return package
