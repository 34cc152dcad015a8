"""The tables of data/: one file a language, and one of what wikis share."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "ru", "uk", "pl", "sv", "ja", "zh", "ko", "ar")
SHARED = "shared"


@cache
def table(language: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((files(__package__) / "data" / f"{language}.json").read_text(encoding="utf-8"))
    content["by name"] = {name: pattern for pattern, names in content["shows"].items() for name in names.split(" | ")}
    for name in ("silent", "boilerplate"):
        content[name] = frozenset(content[name].split(" | "))
    return content
