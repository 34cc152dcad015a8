"""The target of PyTerrier's entry points: the package becomes `pt.focused`."""

import sys
from types import ModuleType


def attach() -> ModuleType:
    """Return the package; PyTerrier makes it an attribute of its own."""
    return sys.modules[__package__]
