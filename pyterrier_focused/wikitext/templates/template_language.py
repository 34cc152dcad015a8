"""How a wiki's language writes numbers and coordinates, and names countries (Unicode CLDR, Unicode License v3)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from ..facts import number_marks

_NUMBER = re.compile(r"([-+−]?)(\d+)(?:\.(\d+))?")


@cache
def name_countries(language: str) -> Mapping[str, str]:
    """Return the names of the commonest countries by their codes of three small letters."""
    tables = json.loads((files(__package__) / "data" / "countries.json").read_text(encoding="utf-8"))
    codes, names = (
        dict(pair.split(" ", 1) for pair in words.split(" | "))
        for words in (tables["codes"], tables.get(language, tables["en"]))
    )
    return {code: names[country] for code, country in codes.items()}


class Language:
    """How a wiki's language writes numbers, by its *table*; *code* names the language, "" if it is unknown."""

    def __init__(self, table: Mapping[str, Any], code: str = ""):
        self.table = table
        self.code = code
        marks = number_marks(code)
        self.group = marks.group
        # So many digits have no mark between them.
        self.ungrouped = marks.ungrouped
        self.point = marks.point
        self.countries = name_countries(code)


def format_number(number: str, language: Language) -> str:
    """Return a number as the language groups its digits: 98659.5 is 98,659.5 in English and 98 659,5 in French."""
    match = _NUMBER.fullmatch(number.strip())
    if not match:
        return number
    sign, whole, rest = match.groups()
    if len(whole) > language.ungrouped:
        first = len(whole) % 3
        groups = [whole[start : start + 3] for start in range(first, len(whole), 3)]
        whole = language.group.join([whole[:first], *groups] if first else groups)
    return f"{sign}{whole}{language.point + rest if rest else ''}"
