"""Templates that stand for words of a sentence, as a reader sees them; all others are left out of an article's text."""

from __future__ import annotations

import re
from collections.abc import Callable

Arguments = dict[str, str]  # of a template: those without a name are "1", "2", ...
Template = Callable[[Arguments], str]

_RANGE = {
    "-": "–",
    "–": "–",
    "to": " to ",
    "and": " and ",
    "or": " or ",
    "by": " by ",
    "x": " × ",
    "×": " × ",
    "+/-": " ± ",
}
_UNITS = {
    "sqmi": "sq mi", "sqft": "sq ft", "km2": "km²", "m2": "m²", "cm2": "cm²", "m3": "m³", "km3": "km³", "cuft": "cu ft",
    "C": "°C", "F": "°F", "acre": "acres", "ha": "hectares", "USgal": "US gallons", "impgal": "imperial gallons",
    "oilbbl": "barrels", "oilbbl/d": "barrels per day", "mi2": "sq mi", "ft2": "sq ft", "mph": "mph", "kph": "km/h",
}  # fmt: skip
_PREFIX = re.compile(r"(e3|e6|e9|e12)(?=.)|([kM])(?=USgal|impgal|oilbbl)")
_MANY = {"e3": "thousand", "k": "thousand", "e6": "million", "M": "million", "e9": "billion", "e12": "trillion"}
_MONTHS = "January February March April May June July August September October November December".split()
_MEASURE = re.compile(r"[-+−~]?\d[\d.,]*(?:[-+]?\d+[/⁄]\d+)?(?:e[-+]?\d+)?")


def _nth(number: str) -> Template:
    return lambda given: given.get(number, "")


def _last(given: Arguments) -> str:
    return given[max(filter(str.isdecimal, given), key=int, default="")] if "1" in given else ""


def _all(separator: str) -> Template:
    return lambda given: separator.join(given[key] for key in sorted(filter(str.isdecimal, given), key=int))


def _paragraph(given: Arguments) -> str:
    return f"\n\n{next((given[name] for name in ('text', 'quote', '1') if given.get(name)), '')}\n\n"


def _words(words: str) -> Template:
    return lambda given: words


def _before(mark: str) -> Template:
    return lambda given: mark + given.get("1", "")


def _convert(given: Arguments) -> str:
    """{{convert|20|-|25|cm|in}}: the measure as it was written, 20–25 cm, without its conversion."""
    words, at = "", 1
    while (word := given.get(str(at), "").strip()) and (_MEASURE.fullmatch(word) or word in _RANGE):
        words += _RANGE.get(word, word)
        at += 1
    more = given.get(str(at + 1), "").strip()
    if (
        word in ("ft", "lb", "st")
        and _MEASURE.fullmatch(more)
        and given.get(str(at + 2), "").strip() in ("in", "oz", "lb")
    ):
        return f"{words} {word} {more} {given[str(at + 2)].strip()}"
    return f"{words} {_unit(word)}".strip()


def _unit(unit: str) -> str:
    """e6acre: million acres."""
    prefix = _PREFIX.match(unit)
    many, unit = (f"{_MANY[prefix[0]]} ", unit[prefix.end() :]) if prefix else ("", unit)
    return f"{many}{_UNITS.get(unit, unit)}"


def _as_of(given: Arguments) -> str:
    year, month, day = (given.get(key, "").strip() for key in "123")
    if month.isdecimal() and 1 <= int(month) <= 12:
        month = _MONTHS[int(month) - 1]
    phrase = given.get("alt") or " ".join(filter(None, ("Since" if given.get("since") else "As of", day, month, year)))
    return phrase[:1].lower() + phrase[1:] if given.get("lc") else phrase


def _nihongo(given: Arguments) -> str:
    """{{nihongo|English|kanji|romaji}}: English (kanji, romaji)."""
    foreign = ", ".join(given[key].strip() for key in "23" if given.get(key))
    return f"{given.get('1', '')} ({foreign})" if foreign else given.get("1", "")


def _fraction(given: Arguments) -> str:
    numbers = [given[key].strip() for key in "123" if key in given]
    whole = f"{numbers.pop(0)} " if len(numbers) == 3 else ""
    return f"{whole}{numbers[0]}/{numbers[1]}" if len(numbers) == 2 else f"1/{''.join(numbers)}"


def _value(given: Arguments) -> str:
    """{{val|1.5|e=6|u=m}}: a number with its power of ten and its unit."""
    power = f" × 10^{given['e']}" if given.get("e") else ""
    return f"{given.get('1', '')}{power} {given.get('u') or given.get('ul') or ''}".strip()


def _ship(prefix: str) -> Template:
    return lambda given: f"{prefix} {given.get('1', '')}".strip()


_FIRST = """nowrap nobr small smaller large larger big nobold noitalic abbr tooltip sup sub sc smallcaps linktext
    vanchor angbr ipa strong em mvar ill interlanguage_link flag flagcountry not_a_typo sic bold italic unicode
    polytonic hebrew nastaliq keypress key_press code mono kbd samp formatnum lc uc visible_anchor"""
_INLINE: dict[str, Template] = {
    **dict.fromkeys(_FIRST.split(), _nth("1")),
    **dict.fromkeys("lang script font_color color".split(), _nth("2")),
    **dict.fromkeys("resize transl transliteration".split(), _last),
    **dict.fromkeys("convert cvt".split(), _convert),
    **dict.fromkeys("quote blockquote bquote quotation cquote poemquote".split(), _paragraph),
    **dict.fromkeys("columns-list plainlist flatlist".split(), lambda given: f"\n{_last(given)}\n"),
    **dict.fromkeys("frac fraction sfrac".split(), _fraction),
    **dict.fromkeys("circa c.".split(), lambda given: f"c. {given.get('1', '')}".strip()),
    **dict.fromkeys("nihongo nihongo2".split(), _nihongo),
    **dict.fromkeys("chem gaps".split(), _all("")),
    **dict.fromkeys("ndash endash".split(), _words("–")),
    **dict.fromkeys("mdash emdash mdashb".split(), _words("—")),
    **dict.fromkeys("snd spnd spaced_ndash ndashb".split(), _words(" – ")),
    **dict.fromkeys("nbsp space spaces thinsp hair_space".split(), _words(" ")),
    **dict.fromkeys("! pipe".split(), _words("|")),
    **{name: _ship(name.upper()) for name in ("uss", "hms", "ss", "hmas", "hmcs", "rms")},
    **{name: _words(name) for name in ("'", "'s", "=", "·")},
    "hlist": _all(", "),
    "as_of": _as_of,
    "val": _value,
    "e": _before(" × 10^"),
    "us$": _before("US$"),
    "usd": _before("US$"),
    "£": _before("£"),
    "€": _before("€"),
}


def inline(name: str) -> Template | None:
    """What a template of this name says within a sentence; None where it says nothing, as infoboxes and citations."""
    name = name.strip().lower().replace(" ", "_")
    if name.startswith("lang-"):
        return _nth("1")
    if name.startswith(("formatnum:", "lc:", "uc:")):
        return _words(name.partition(":")[2])
    return _INLINE.get(name)
