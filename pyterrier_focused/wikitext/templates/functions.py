"""Functions for templates that no pattern describes: measures, numbers, fractions, sounds, lists, coordinates.

Each function takes a template's arguments, the text after the function's name in the table (`@list:#`), and the
language of the wiki.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ..marks import without_marks
from .language_files import SHARED, table
from .patterns import Arguments, positional
from .template_language import Language, format_number

_PREFIX = re.compile(r"(e3 | e6 | e9 | e12)(?=.) | ([kMGT])(?= USgal | impgal | oilbbl | cuft | cum)", re.VERBOSE)
_SQUARE = re.compile(r"\b(sq|cu)(?=in|yd|ft|mi|nmi)")
_MANY = {
    **dict.fromkeys(("e3", "k"), "thousand"), **dict.fromkeys(("e6", "M"), "million"),
    **dict.fromkeys(("e9", "G"), "billion"), **dict.fromkeys(("e12", "T"), "trillion"),
}  # fmt: skip
_MEASURE = re.compile(
    r"""
    [-+−~]?
    \d [\d.,]*
    (?: (?: [-+] \d+ )? [/⁄]+ \d+ )?   # a fraction, 1+1/2
    (?: e [-+]? \d+ )?
    """,
    re.VERBOSE,
)
_FIRST_NUMBER = re.compile(r"[-+−]?\d+(?:\s\d{3})*(?:[.,]\d+)?")


def _show_measure(given: Arguments, details: str, language: Language) -> str:
    """{{convert|20|-|25|cm|in}}: the measure as it was written, 20–25 cm, without its conversion."""
    ranges = table(SHARED)["ranges"]
    words = ""
    number = 1
    while (word := given.get(str(number), "").strip()) and (_MEASURE.fullmatch(word) or word in ranges):
        words += ranges[word] if word in ranges else _write_measure(word, language)
        number += 1
    more = given.get(str(number + 1), "").strip()
    if (
        word in ("ft", "lb", "st", "mi")
        and _MEASURE.fullmatch(more)
        and given.get(str(number + 2), "").strip() in ("in", "oz", "lb", "ft", "yd")
    ):
        return f"{words} {word} {more} {given[str(number + 2)].strip()}"
    return f"{words} {_write_unit(word)}".strip()


def _write_measure(number: str, language: Language) -> str:
    """Write 14000 as 14,000, 1+1/2 as 1 1/2, -5 with a minus."""
    number = re.sub(r"(?<=\d)[-+](?=\d+[/⁄])", " ", number)
    return _write_minus(format_number(number, language) if language.point == "." else number)


def _write_unit(unit: str) -> str:
    prefix = _PREFIX.match(unit)
    many, unit = (f"{_MANY[prefix[0]]} ", unit[prefix.end() :]) if prefix else ("", unit)
    return many + (table(SHARED)["units"].get(unit) or _SQUARE.sub(r"\1 ", unit))


def _show_fraction(given: Arguments, details: str, language: Language) -> str:
    """{{frac|1|2}}: 1/2, {{frac|3|1|2}}: 3 1/2, {{frac|2}}: 1/2."""
    numbers = [given[key].strip() for key in "123" if key in given]
    whole = f"{numbers.pop(0)} " if len(numbers) == 3 else ""
    return f"{whole}{numbers[0]}/{numbers[1]}" if len(numbers) == 2 else f"1/{''.join(numbers)}"


def _show_value(given: Arguments, details: str, language: Language) -> str:
    """{{val|1.5|e=6|u=m}}: a number with its power of ten and its unit."""
    error, less = (given.get(key, "").strip() for key in "23")
    ranges = table(SHARED)["ranges"]
    if error in ranges:
        # {{val|5|-|10|u=km}}
        error = f"{ranges[error]}{_write_minus(format_number(less, language))}"
    elif less:
        # {{val|5|+2|-1}}
        error = f"+{error.lstrip('+')}−{less.lstrip('-−')}"
    elif error and error[0] != "(":
        error = f"±{error}"
    power = f"{'×' if given.get('1') else ''}10{_write_minus(given['e'])}" if given.get("e") else ""
    per = given.get("up") or given.get("upl")
    unit = f"{given.get('u') or given.get('ul') or ''}{f'/{per}' if per else ''}"
    number = _write_minus(format_number(given.get("1", ""), language))
    return f"{given.get('p', '')}{number}{error}{power}{given.get('s', '')} {unit}".strip()


def _write_minus(number: str) -> str:
    return f"−{number[1:]}" if re.match(r"-\d", number) else number


def _show_number(given: Arguments, details: str, language: Language) -> str:
    """{{unité|3797|m}}, {{nombre|3797 habitants}}: a number in groups of digits, with its unit and powers."""
    first, *units = [without_marks(word) for word in positional(given)] or [""]
    match = _FIRST_NUMBER.match(first)
    if match is None:
        return " ".join((first, *units))
    number = re.sub(r"\s", "", match[0]).replace(",", ".")
    words = _write_minus(format_number(number, language)) + first[match.end() :]
    power = f"×10{_write_minus(given['e'])}" if given.get("e") else ""
    unit = ""
    for word in units:
        unit += word if not unit or re.fullmatch(r"[-−]?\d", word) else f" {word}"
    return f"{words}{power} {unit or given.get('u') or given.get('ul') or ''}".strip()


def _show_list(given: Arguments, details: str, language: Language) -> str:
    items = positional(given)
    return "\n" + "".join(f"{item}\n" if item[:1] == "*" else f"{details or '*'} {item}\n" for item in items)


def _show_coordinates(given: Arguments, details: str, language: Language) -> str:
    """{{coord|52|31|N|13|24|E}}, unless they are shown above the article only."""
    display = given.get("display", "inline")
    words = [word for word in positional(given) if re.fullmatch(r"[NSEWO]|-?[\d.]+", word)]
    if given.get("text", "")[:1] in ("D", "/"):
        # {{Coordinate|text=DMS|NS=52/31/7/N|EW=13/24/30/O}}
        pairs_given = (given.get(key, "").replace("/O", "/E") for key in ("NS", "EW"))
        words = [part for pair in pairs_given for part in pair.split("/") if part]
        display = "inline"
    if "inline" not in display and display not in ("i", "it", "ti"):
        return ""
    if len(words) == 2:
        pairs = zip(words, ("NS", "EW"), strict=True)
        words = [part for word, signs in pairs for part in (word.lstrip("-"), signs[word[:1] == "-"])]
    written = language.table.get("coordinates", {})
    # Digits of minutes and seconds.
    digits = written.get("digits", 0)
    marks = written.get("marks", "°|′|″").split("|")
    shown: list[str] = []
    numbers: list[str] = []
    for word in words:
        if word.isalpha():
            measure = "".join(map("".join, zip(numbers, marks, strict=False))).strip()
            shown.append(written.get(word.replace("O", "W"), f"{{}}{word}").format(measure))
            numbers = []
        else:
            numbers.append(word.zfill(digits) if numbers else word)
    between: str = written.get("between", " ")
    return between.join(shown)


def _show_sounds(given: Arguments, details: str, language: Language) -> str:
    sounds = given.get("1", "").strip()
    return sounds if not sounds or sounds[0] in "[/(" else f"[{sounds}]"


def _show_centuries(given: Arguments, details: str, language: Language) -> str:
    """{{s2-|XV|e|XVI|e}}, {{sp|XV|e|au|XVI|e}}: XVe et XVIe siècles, XVe au XVIe siècle."""
    shown: list[str] = []
    for word in positional(given):
        if re.fullmatch(r"[IVXLCDM]+", word):
            shown.append(f"{word}{'er' if word == 'I' else 'e'}")
        elif word not in ("e", "er", "ème", "è"):
            shown.append(word)
    # {{s|V|e|av. J.-C.}}
    era = shown.pop() if len(shown) > 1 and shown[-1].startswith(("av", "ap")) else ""
    details = f"{details} {era}".strip()
    if details.startswith(("siècles", "millénaires")) and len(shown) > 1:
        shown = [", ".join(shown[:-1]), "et", shown[-1]]
    return f"{' '.join(shown)} {details}"


def _show_country(given: Arguments, details: str, language: Language) -> str:
    country = given.get("1", "").strip()
    return given.get("name") or language.countries.get(country.lower(), country)


FUNCTIONS: dict[str, Callable[[Arguments, str, Language], str]] = {
    "convert": _show_measure,
    "fraction": _show_fraction,
    "value": _show_value,
    "number": _show_number,
    "sounds": _show_sounds,
    "list": _show_list,
    "centuries": _show_centuries,
    "country": _show_country,
    "coordinates": _show_coordinates,
}
