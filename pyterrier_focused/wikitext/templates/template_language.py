"""How a wiki's language writes numbers and dates, and what it calls other languages and countries.

Names of countries and languages are those of the Unicode CLDR (Unicode License v3), unless a wiki uses another.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from ..facts import number_marks
from .patterns import compile_pattern

_NUMBER = re.compile(r"([-+−]?)(\d+)(?:\.(\d+))?")


@cache
def countries(language: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the two-letter code of each code of three letters, and the countries' names in a language."""
    tables = json.loads((files(__package__) / "data" / "countries.json").read_text(encoding="utf-8"))
    codes, names = (dict(pair.split(" ", 1) for pair in tables[name].split(" | ")) for name in ("codes", language))
    return codes, names


@cache
def _index_english_countries() -> dict[str, str]:
    return {name: code for code, name in countries("en")[1].items()}


class Language:
    """How a wiki's language writes numbers and dates, and what it calls other languages and countries.

    Args:
        table: What is known of the language whose templates are read, empty if nothing is; its `code` names it.
        code: The language of the wiki, which tells how numbers are written; "" if it is not known.
    """

    def __init__(self, table: Mapping[str, Any], code: str = ""):
        self.table = table
        self.code = code
        self.months: list[str] = table.get("months", [])
        self.labels: Mapping[str, str] = table.get("labels", {})
        label: str = table.get("label", "")
        self.label = compile_pattern(label or "{label}: {words}")
        self.colon = label.removeprefix("{label}").removesuffix("{words}") if label.startswith("{label}") else ": "
        marks = number_marks(code)
        self.group: str = table.get("group", marks.group)
        # So many digits have no mark between them.
        self.ungrouped = int(table.get("ungrouped", marks.ungrouped))
        self.point: str = table.get("point", marks.point)
        self.date: str = table.get("date", "{day} {month} {year}")

    def country(self, name: str) -> str:
        """Return the name of a country of this code of three letters, FRA, or English name; others stay as they are."""
        codes, names = countries(self.table.get("code", "en"))
        return names.get(codes.get(name.lower()) or _index_english_countries().get(name, ""), name)

    def named(self, code: str, words: str) -> str:
        """Return foreign words after the name of their language, as in `German: Wort`."""
        label = self.labels.get(code.strip().lower(), "")
        return self.label({"label": label, "words": words}) if label and words else words

    def written(self, year: str, month: str, day: str) -> str:
        """Return a date as the language writes it; the month is a name or a number, month and day may be missing."""
        if month.isdecimal() and 1 <= int(month) <= 12:
            month = self.months[int(month) - 1] if self.months else month
        if day.isdecimal():
            day = str(int(day))
        if not month:
            return year and compile_pattern(self.table.get("year", "{year}"))({"year": year})
        pattern = self.date if day else self.table.get("month of year", "{month} {year}")
        return compile_pattern(pattern)({"year": year, "month": month, "day": day}).strip()


def format_number(number: str, language: Language) -> str:
    """Return a number as the language groups its digits: 98659.5 is 98,659.5 in English and 98 659,5 in French."""
    match = _NUMBER.fullmatch(number.strip())
    if not match:
        return number
    sign, whole, rest = match.groups()
    if len(whole) > language.ungrouped:
        whole = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", language.group, whole)
    return f"{sign}{whole}{language.point + rest if rest else ''}"
