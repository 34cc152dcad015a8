"""A user's own templates on their way to the processes that build: patterns, and functions by module and name."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from ..wikitext import WikitextReader

# Arguments without a name are called "1", "2", ...
Template = Callable[[dict[str, str]], str]

# Stands before the name of a function.
_MARK = "python:"


def to_names(templates: Mapping[str, str | Template]) -> dict[str, str]:
    """Return patterns and names of functions. Raises ValueError for what another process could not read."""
    # Raises for invalid patterns.
    WikitextReader(templates=templates)
    named: dict[str, str] = {}
    for template, says in sorted(templates.items()):
        if isinstance(says, str):
            named[template] = says
            continue
        name = f"{_MARK}{getattr(says, '__module__', '')}:{getattr(says, '__qualname__', '')}"
        try:
            imported = from_names({template: name})[template]
        except (ImportError, AttributeError, ValueError):
            imported = None
        if imported is not says:
            raise ValueError(
                f"templates: {template!r} is {says!r}, which the processes of a build cannot import; give a pattern "
                "such as '{1} ({2})', or a function that a module of yours defines by name"
            )
        named[template] = name
    return named


def from_names(named: Mapping[str, str]) -> dict[str, str | Template]:
    templates: dict[str, str | Template] = {}
    for template, says in named.items():
        if says.startswith(_MARK):
            module, _, path = says.removeprefix(_MARK).partition(":")
            imported: Any = importlib.import_module(module)
            for name in path.split("."):
                imported = getattr(imported, name)
            templates[template] = imported
        else:
            templates[template] = says
    return templates
