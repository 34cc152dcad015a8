"""Dates and ages as templates show them: of birth and death, in the old and the new style, in Japanese eras."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

from .patterns import Arguments, positional
from .template_language import Language

_MONTHS = "January February March April May June July August September October November December".split()
_DAY = r"\d{1,2}"
_YEAR = r"\d{1,4}"


def _show_as_of(given: Arguments, details: str, language: Language) -> str:
    year, month, day = (given.get(key, "").strip() for key in "123")
    date = _write_english(year, month, day, given.get("df", "").lower() != "us")
    phrase = given.get("alt") or f"{'Since' if given.get('since') else 'As of'} {date}"
    return phrase[:1].lower() + phrase[1:] if given.get("lc") else phrase


def _write_english(year: str, month: str, day: str, day_first: bool) -> str:
    if month.isdecimal() and 1 <= int(month) <= 12:
        month = _MONTHS[int(month) - 1]
    day = str(int(day)) if day.isdecimal() else day
    if not (day and month) or day_first:
        return " ".join(filter(None, (day, month, year)))
    return f"{month} {day}, {year}"


def _show_date(given: Arguments, details: str, language: Language) -> str:
    """Write a date whose arguments come in the order *details*, ymd or dmy; one argument is shown as it is."""
    words = positional(given)
    if len(words) >= 1 and re.fullmatch(r"\d{4}-\d\d-\d\d", words[0]):
        words = words[0].split("-")
        details = "ymd"
    elif len(words) >= 1 and re.search(r" \d{3,4}$", words[0]):
        # {{date|14 juillet 1789|en France}}
        words = words[:1]
    if details != "ymd" and len(words) > 1 and re.fullmatch(r"\d{3,4}", words[0]):
        details = "ymd"
    elif details == "ymd" and len(words) > 2 and re.fullmatch(_DAY, words[0]) and re.fullmatch(r"\d{3,4}", words[2]):
        details = "dmy"
    if len(words) == 2 and details == "dmy" and re.fullmatch(_DAY, words[0]) and _is_month(words[1], language):
        return _write_first_of_month(language.written("", words[1], words[0]), language)
    if len(words) == 1 and re.fullmatch(_YEAR, words[0]):
        return language.written(words[0], "", "")
    if len(words) < 2 or (details == "dmy" and len(words) == 2 and not re.fullmatch(_YEAR, words[1])):
        return _write_first_of_month(" ".join(words), language)
    if details != "ymd":
        day, month, year = words[:3] if len(words) > 2 else ("", *words)
    else:
        is_date = all(
            word.isdecimal() or (number == 1 and _is_month(word, language)) for number, word in enumerate(words[:3])
        )
        year, month, day = (*words[:3], "")[:3] if is_date else (words[0], words[1], "")
    if language.table.get("code", "en") == "en":
        return _write_english(year, month, day, bool(given.get("df")) or given.get("format", "").strip() == "dmy")
    return _write_first_of_month(language.written(year, month, day), language)


def _is_month(word: str, language: Language) -> bool:
    return re.fullmatch(_DAY, word) is not None or word.lower() in map(str.lower, language.months or _MONTHS)


def _write_first_of_month(words: str, language: Language) -> str:
    first: str = language.table.get("first day", "1")
    return re.sub(r"^1(?= )", first, words)


def _show_age(given: Arguments, details: str, language: Language) -> str:
    """Whole years between two dates; with only one date, which is counted to the day of reading, nothing.

    *details* say how they are shown, as in `（{age}歳没）`.
    """
    months = {name: number for number, name in enumerate(language.months, 1) if not name.isdecimal()}
    words = (months.get(word.lower(), word) for word in positional(given))
    numbers = [int(word) for word in words if str(word).isdecimal()]
    if len(numbers) < 6:
        return ""
    first = numbers[:3]
    last = numbers[3:6]
    if first[0] <= 31 < first[2]:
        # The order is day, month, year.
        first = first[::-1]
        last = last[::-1]
    if first > last:
        first, last = last, first
    age = str(last[0] - first[0] - (last[1:] < first[1:]))
    return details.replace("{age}", age) if details else age


def _show_death(given: Arguments, details: str, language: Language) -> str:
    """{{fecha de fallecimiento|3|3|2000|2|1|1950}}: day of death and age; *details* 'born': birth comes first."""
    words = positional(given)
    day = words[3:6] if details == "born" and len(words) > 5 else words[:3]
    shown = _show_date(
        {str(number): word for number, word in enumerate(day, 1)}, "dmy" if details == "dmy" else "ymd", language
    )
    return shown + _show_age(given, language.table.get("aged", ""), language)


def _to_new_style(day: str, month: str, year: str) -> date | None:
    """Return the day of the new style of a day of the old one, None if there is no such day."""
    if not (0 < int(day) < 32 and 0 < int(month) < 13 and 0 < int(year) < 9999):
        return None
    # The leap day that only the old style has comes at the end of February.
    since = int(year) - (int(month) < 3)
    first = date(int(year), int(month), 1) + timedelta(since // 100 - since // 400 - 2)
    return first + timedelta(int(day) - 1)


def _show_old_style(given: Arguments, details: str, language: Language) -> str:
    """{{OldStyleDate|9|сентября|1828|28|августа}}, {{СС3|28.08.1828}}: 28 августа [9 сентября] 1828."""
    words = positional(given)
    julian = re.fullmatch(r"(\d{1,2})\.(\d{1,2})\.(\d{3,4})", words[0]) if words else None
    new = _to_new_style(*julian.groups()) if julian and language.months else None
    if julian and new:
        old_month = language.months[int(julian[2]) - 1]
        new_month = language.months[new.month - 1]
        words = [str(new.day), new_month, str(new.year), str(int(julian[1])), old_month, julian[3]]
    left, right = language.table.get("old style brackets", "[]")
    if len(words) == 3 and not words[0].isdecimal():
        return f"{words[2]} {left}{words[0]}{right} {words[1]}"
    if len(words) < 4:
        return words[0] if len(words) == 1 else " ".join(words)
    day_, month_, year_, old_day, old_month, old_year = (*words, "", "")[:6]
    if old_year not in ("", year_):
        return f"{old_day} {old_month} {old_year} {left}{day_} {month_} {year_}{right}"
    if old_month in ("", month_):
        return f"{old_day} {left}{day_}{right} {month_} {year_}"
    return f"{old_day} {old_month} {left}{day_} {month_}{right} {year_}"


DATES: dict[str, Callable[[Arguments, str, Language], str]] = {
    "as of": _show_as_of,
    "date": _show_date,
    "age": _show_age,
    "died": _show_death,
    "old style": _show_old_style,
}
