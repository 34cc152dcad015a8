"""Links from schematics to the pages of the documentation about transformers."""

from __future__ import annotations

from functools import cache

import pyterrier as pt


def find_help_url(transformer: type[pt.Transformer]) -> str | None:
    """Return the page about a class in PyTerrier's documentation; None if there is none, or no network."""
    return pt.documentation.url_for_class(transformer) if _has_inventory() else None


@cache
def _has_inventory() -> bool:
    try:
        return bool(pt.documentation.objects_inv())
    except (OSError, ValueError):
        return False
