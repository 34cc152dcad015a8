"""What templates show that a pattern cannot say: measures, numbers, centuries, languages' labels, sounds, ships.

Each function takes a template's arguments, what is after the function's name in the table (`@date:ymd`), and the
language of the wiki.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ..marks import BREAK, without_marks
from .biography import show_biography
from .dates import DATES
from .english import ENGLISH
from .patterns import Arguments, compile_pattern, positional
from .template_language import Language, format_number

_RANGE = {
    "-": "–", "–": "–", "to": " to ", "and": " and ", "or": " or ", "by": " by ", "x": " × ", "×": " × ",
    "*": "×", "+/-": " ± ", ",": ", ", "to(-)": " to ", "et": " et ", "und": " und ", "y": " y ", "a": " a ",
    "and(-)": " and ", "&": " and ", "to-": " to ", "xx": " × ", "±": " ± ", "+": " + ", ", and": ", and ",
    ", or": ", or ", "to about": " to about ",
}  # fmt: skip
_UNITS = {
    "sqmi": "sq mi", "sqft": "sq ft", "km2": "km²", "m2": "m²", "cm2": "cm²", "m3": "m³", "km3": "km³", "cuft": "cu ft",
    "C": "°C", "F": "°F", "acre": "acres", "ha": "hectares", "USgal": "US gallons", "impgal": "imperial gallons",
    "oilbbl": "barrels", "oilbbl/d": "barrels per day", "mi2": "sq mi", "ft2": "sq ft", "mph": "mph", "kph": "km/h",
    "LT": "long tons", "ST": "short tons", "MT": "t", "C-change": "°C", "F-change": "°F", "sqm": "m²", "sqkm": "km²",
    "in2": "sq in", "yd2": "sq yd", "in3": "cu in", "ft3": "cu ft", "yd3": "cu yd", "mi3": "cu mi", "mi/h": "mph",
    "lbft": "lb·ft", "lbfft": "lbf·ft", "ftlb": "ft·lb", "ftlbf": "ft·lbf", "Nm": "N·m", "N.m": "N·m", "dpi": "DPI",
    "PD/sqmi": "/sq mi", "PD/km2": "/km²", "PD/sqkm": "/km²", "mpgimp": "mpg-imp", "mpgus": "mpg-US", "mpgUS": "mpg-US",
    "L/100km": "L/100 km", "furlong": "furlongs", "fathom": "fathoms", "carat": "carats", "chain": "chains",
    "hand": "hands", "USoz": "US fl oz", "USfloz": "US fl oz", "impoz": "imp fl oz", "USpt": "US pt", "USqt": "US qt",
    "imppt": "imp pt", "impqt": "imp qt", "lb/in2": "lbf/in²", "acre.ft": "acre·ft", "acre ft": "acre·ft",
}  # fmt: skip
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
    (?: [-+]? \d+ [/⁄]+ \d+ | [/⁄]+ \d+ )?   # a fraction, 1+1/2
    (?: e [-+]? \d+ )?
    """,
    re.VERBOSE,
)
_FIRST_NUMBER = re.compile(r"[-+−]?\d+(?:\s\d{3})*(?:[.,]\d+)?")


def _show_measure(given: Arguments, details: str, language: Language) -> str:
    """{{convert|20|-|25|cm|in}}: the measure as it was written, 20–25 cm, without its conversion."""
    words = ""
    number = 1
    while (word := given.get(str(number), "").strip()) and (_MEASURE.fullmatch(word) or word in _RANGE):
        words += _RANGE[word] if word in _RANGE else _write_measure(word, language)
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
    """e6acre: million acres."""
    prefix = _PREFIX.match(unit)
    many, unit = (f"{_MANY[prefix[0]]} ", unit[prefix.end() :]) if prefix else ("", unit)
    return many + (_UNITS.get(unit) or _SQUARE.sub(r"\1 ", unit))


def _show_gauge(given: Arguments, details: str, language: Language) -> str:
    """{{track gauge|1435mm}}: 1,435 mm."""
    gauge = given.get("1", "").strip()
    unit = gauge.lstrip("0123456789.")
    return f"{format_number(gauge.removesuffix(unit), language)} {unit}".strip()


def _show_fraction(given: Arguments, details: str, language: Language) -> str:
    """{{frac|1|2}}: 1/2, {{frac|3|1|2}}: 3 1/2, {{frac|2}}: 1/2."""
    numbers = [given[key].strip() for key in "123" if key in given]
    whole = f"{numbers.pop(0)} " if len(numbers) == 3 else ""
    return f"{whole}{numbers[0]}/{numbers[1]}" if len(numbers) == 2 else f"1/{''.join(numbers)}"


def _show_value(given: Arguments, details: str, language: Language) -> str:
    """{{val|1.5|e=6|u=m}}: a number with its power of ten and its unit."""
    error, less = (given.get(key, "").strip() for key in "23")
    if error in _RANGE:
        # {{val|5|-|10|u=km}}
        error = f"{_RANGE[error]}{_write_minus(format_number(less, language))}"
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
    """Write a minus for a hyphen that stands for one."""
    return f"−{number[1:]}" if re.match(r"-\d", number) else number


def _show_number(given: Arguments, details: str, language: Language) -> str:
    """{{unité|3797|m}}, {{nombre|3797 habitants}}: a number in groups of digits, with its unit and powers.

    *details* 'prefixed': a prefix of the unit comes first; '(€)': the unit; '()': what follows the number is no unit.
    """
    first, *units = [without_marks(word) for word in positional(given)] or [""]
    units = [details[1:-1]] if details[:1] == "(" else units
    match = _FIRST_NUMBER.match(first)
    if match is None:
        return " ".join((first, *units))
    number = re.sub(r"\s", "", match[0]).replace(",", ".")
    words = _write_minus(format_number(number, language)) + first[match.end() :]
    power = f"{language.table.get('power', '×10')}{_write_minus(given['e'])}" if given.get("e") else ""
    # {{M|5|k|m}}
    unit = units.pop(0) + units.pop(0) if details == "prefixed" and len(units) > 1 else ""
    for word in units:
        unit += word if not unit or re.fullmatch(r"[-−]?\d", word) else f" {word}"
    return f"{words}{power} {unit or given.get('u') or given.get('ul') or ''}".strip()


def _show_labelled(given: Arguments, details: str, language: Language) -> str:
    """{{lang-de|Wort}}, {{langx|de|Wort}}: foreign words after the name of their language."""
    code, words = (details, given.get("1", "")) if details else (given.get("1", ""), given.get("2", ""))
    words = (words or given.get("text", "") or given.get("s", "")).strip()
    third = given.get("3" if details else "4", "") if language.table.get("code") == "en" else ""
    translation = (given.get("lit") or third).strip()
    roman = (given.get("translit") or given.get("2" if details else "3", "")).strip()
    is_bare = given.get("label", "").strip() in ("none", "no")
    if roman and is_bare and language.table.get("code") == "en":
        words += f", {roman}"
    elif roman and "romanized" in language.table:
        words += compile_pattern(language.table["romanized"])({"words": roman})
    words += f", lit. '{translation}'" if translation else ""
    return words if is_bare else language.named(code, words)


def _show_labels(given: Arguments, details: str, language: Language) -> str:
    """Name the languages of many arguments: *details* are their labels, as in `s=simplified Chinese;p=pinyin`.

    Words before a `|` come before them all.
    """
    before, _, labels = details.rpartition("|")
    bare = given.get("labels", "").strip() == "no"
    shown: list[str] = []
    for key, name in _read_choices(labels).items():
        words = given.get(key, "").strip()
        if words and words not in ("yes", "no"):
            named = f"lit. '{words}'" if name == "lit." else f"{name}{language.colon}{words}"
            shown.append(words if bare else named)
    joined = language.table.get("between labels", "; ").join(dict.fromkeys(shown))
    return f"{before}{joined}" if joined else given.get("1", "").strip()


def _read_choices(details: str) -> dict[str, str]:
    """Read `flat=♭;sharp=♯`."""
    return {key: words for key, _, words in (pair.partition("=") for pair in details.split(";"))}


def _show_choice(given: Arguments, details: str, language: Language) -> str:
    """{{music|flat}}: what *details* say for the first argument, itself if they do not."""
    first = given.get("1", "").strip()
    return _read_choices(details).get(first, first)


def _show_list(given: Arguments, details: str, language: Language) -> str:
    """Return a list of the arguments, a line each."""
    items = positional(given)
    return "\n" + "".join(f"{item}\n" if item[:1] == "*" else f"{details or '*'} {item}\n" for item in items)


def _show_ship(given: Arguments, details: str, language: Language) -> str:
    """{{HMS|Victory|1765}}, {{ship|HMS|Victory|1765}}; the format says which of prefix, name and hull are shown."""
    words = [given.get(str(number), "").strip() for number in range(1, 5)]
    prefix, name, hull, form = (details, *words[:3]) if details else words
    in_brackets = f"({hull})" if hull else ""
    shown = {"1": (hull,), "2": (name,), "3": (name, in_brackets), "5": (prefix, hull), "6": (prefix, name)}
    return " ".join(filter(None, shown.get(form, (prefix, name, in_brackets))))


def _show_ship_class(given: Arguments, details: str, language: Language) -> str:
    """{{sclass|Iowa|battleship}} (en, "USS Missouri (BB-63)"): Iowa-class battleship; formats 4 and 5 omit the kind."""
    name, kind, form = (given.get(key, "").strip() for key in "123")
    return f"{name} class" if form in ("4", "5") or not kind else f"{name}-class {kind}"


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
    """Put sounds between brackets, unless they have some, one of *details*: [ˈroma], /ˈroma/; several as one word."""
    sounds = "".join(positional(given)) if details == "several" else given.get("1", "").strip()
    has_some = sounds[:1] in ("[" if details == "[" else "[/(")
    return sounds if not sounds or has_some else f"[{sounds}]"


def _show_pronunciation(given: Arguments, details: str, language: Language) -> str:
    """{{IPA|de|bɛʁˈliːn}}, {{IPA-de|bɛʁˈliːn|lang}}: sounds after the name of their language."""
    kind = given.get("2", "").strip() if details else ""
    if not details and re.fullmatch(r"[a-z]{2,3}(?:-\w+)*", given.get("1", "").strip()) and given.get("2", "").strip():
        details = given["1"].strip()[:3].rstrip("-")
        kind = given.get("3", "").strip()
        given = {"1": given["2"], "label": given.get("label", "")}
    elif not details:
        return given.get("1", "").strip()
    sounds = _show_sounds(given, "", language)
    label = given.get("label", "").strip()
    prefix = {"pron": "pronounced ", "local": "locally ", "ipa": "IPA: "}.get(kind.lower(), label and f"{label} ")
    name = language.labels.get(details.lower(), "")
    pattern = language.table.get("pronounced" if kind else "pronunciation", "")
    if prefix or kind == "-" or not (name and pattern) or ("2" in given and not kind):
        return f"{prefix}{sounds}"
    return compile_pattern(pattern)({"label": name, "words": sounds})


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


_LEVELS = {"DE-NHN": "ü. NHN", "DE-HN": "ü. HN", "AT": "ü. A.", "CH": "ü. M.", "IT": "s.l.m.", "PL": "n.p.m."}


def _show_height(given: Arguments, details: str, language: Language) -> str:
    """{{Höhe|1234|DE-NHN}}: 1234 m ü. NHN."""
    return f"{given.get('1', '').strip()} m {_LEVELS.get(given.get('2', '').strip(), '')}".strip()


def _show_ordinal(given: Arguments, details: str, language: Language) -> str:
    """{{ordinal|22}}: 22nd, in English whatever the language."""
    number = given.get("1", "").strip()
    teens = number[-2:] in ("11", "12", "13")
    return number + ("th" if teens else {"1": "st", "2": "nd", "3": "rd"}.get(number[-1:], "th"))


_MONEY = {
    "USD": "US$",
    "EUR": "€",
    "GBP": "£",
    "JPY": "¥",
    "INR": "₹",
    "CNY": "CN¥",
    "AUD": "A$",
    "CAD": "C$",
    "KRW": "₩",
}


def _show_country(given: Arguments, details: str, language: Language) -> str:
    """{{flag|FRA}}, {{flag|France}}: a country's name; with details 'named' if the second argument asks for it."""
    if details == "athlete":
        # {{flagIOCmedalist|Name|USA}}
        return f"{given.get('1', '').strip()} {language.country(given.get('2', '').strip())}"
    if details == "named" and given.get("2", "").strip() not in ("nome", "sì", "x"):
        return ""
    return given.get("name") or language.country(given.get("2" if details == "2" else "1", "").strip())


def _show_amount(given: Arguments, details: str, language: Language) -> str:
    """{{currency|5|USD}}: US$5."""
    amount = given.get("1", given.get("amount", "")).strip()
    code = given.get("2", given.get("type", "")).strip().upper()
    return f"{_MONEY.get(code, f'{code} ' if code else '$')}{amount}"


def _show_quotation(given: Arguments, details: str, language: Language) -> str:
    """{{Zitat|Text|Autor|Quelle}}: a quotation and its author below; with details 'translated' in two languages."""
    text = (given.get("Text") or given.get("text") or given.get("1", "")).strip().strip('„“”"')
    second = given.get("2", "").strip()
    translated = (given.get("Übersetzung") or (second if details else "")).strip('„“”" ')
    author = (given.get("Autor") or given.get("autor") or ("" if details else second)).strip()
    source = (given.get("Quelle") or given.get("quelle") or ("" if details else given.get("3", ""))).strip()
    also = f"¶„{translated}“" if translated else ""
    by = f"¶– {': '.join(filter(None, (author, source)))}" if author or source else ""
    return f"¶„{text}“{also}{by}¶".replace("¶", BREAK)


_QUOTES = {"de": ("„", "“"), "en": ("“", "”"), **dict.fromkeys(("fr", "es", "it", "ru"), ("«", "»"))}


def _show_quoted(given: Arguments, details: str, language: Language) -> str:
    """{{"|Wort}}, {{"|Word|lang=en}}: words between the quotation marks of their language."""
    before, after = _QUOTES.get((given.get("lang") or given.get("Sprache") or "de").strip(), _QUOTES["de"])
    return f"{before}{given.get('1', '').strip()}{after}"


def _show_aside(given: Arguments, details: str, language: Language) -> str:
    """{{incise|a}}: – a –; with `stop` no dash after it, for a stop of the sentence follows."""
    return f"– {given.get('1', '').strip()}{'' if given.get('2', '').strip() == 'stop' else ' –'}"


def _show_address(given: Arguments, details: str, language: Language) -> str:
    """{{URL|https://example.com/}}: example.com, or the words given for it."""
    words = (given.get("2") or given.get("text") or "").strip()
    host, slash, path = re.sub(r"^https?://", "", given.get("1", "").strip()).partition("/")
    return words or f"{host.lower()}{slash if path else ''}{path}"


def _show_title(given: Arguments, details: str, language: Language) -> str:
    """{{title without disambig|Joseph II (emperor)}}: Joseph II; without a title that of the page."""
    return re.sub(r" \([^()]*\)$", "", (given.get("1") or given.get("pagename") or "").strip())


FUNCTIONS: dict[str, Callable[[Arguments, str, Language], str]] = {
    **DATES,
    **ENGLISH,
    "convert": _show_measure,
    "gauge": _show_gauge,
    "fraction": _show_fraction,
    "value": _show_value,
    "number": _show_number,
    "labelled": _show_labelled,
    "labels": _show_labels,
    "choose": _show_choice,
    "pronounced": _show_pronunciation,
    "sounds": _show_sounds,
    "centuries": _show_centuries,
    "height": _show_height,
    "bio": show_biography,
    "list": _show_list,
    "ship": _show_ship,
    "ship class": _show_ship_class,
    "coordinates": _show_coordinates,
    "ordinal": _show_ordinal,
    "country": _show_country,
    "currency": _show_amount,
    "quotation": _show_quotation,
    "quoted": _show_quoted,
    "aside": _show_aside,
    "address": _show_address,
    "title": _show_title,
}
