"""The functions of MediaWiki's parser, `{{#if:...}}`, `{{formatnum:...}}`: arithmetic, choices, letters."""

from __future__ import annotations

import calendar
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from itertools import cycle, islice
from typing import NamedTuple
from urllib.parse import quote, quote_plus

from ..facts import function_named
from ..marks import remove_all_marks
from .template_language import Language, format_number

_TOKEN = re.compile(r"\s*([\d.]+|[a-z]+|<>|[<>!]=|[-+*/^()<>=]|[−]|\S)", re.IGNORECASE)
_OF_FORMAT = re.compile(
    r"""
    \\ (?P<escaped>.)
    | " (?P<quoted>[^"]*) "
    | (?P<code> x\w | [dDjlNwzWFmMntLoYyaAgGhHisUeIOPTZcruv] )
    | (?P<other>.)
    """,
    re.DOTALL | re.VERBOSE,
)
_NUMERIC = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
# Characters of an expression.
_LONGEST = 200


def _divide_whole(a: float, b: float) -> float:
    # The sign is that of the first, as in PHP.
    return int(math.fmod(int(a), int(b)))


def _round_half_up(value: float, digits: float) -> float:
    shift = 10.0 ** int(digits)
    return math.copysign(math.floor(abs(value) * shift + 0.5) / shift, value)


# Each operator with how closely it binds.
_BINARY: Mapping[str, tuple[int, Callable[[float, float], float]]] = {
    "e": (10, lambda a, b: a * 10.0**b),
    "^": (8, math.pow),
    "*": (7, operator.mul), "/": (7, operator.truediv), "div": (7, operator.truediv),
    "mod": (7, _divide_whole), "fmod": (7, math.fmod),
    "+": (6, operator.add), "-": (6, operator.sub), "round": (5, _round_half_up),
    "=": (4, operator.eq), "!=": (4, operator.ne), "<>": (4, operator.ne),
    "<": (4, operator.lt), "<=": (4, operator.le), ">": (4, operator.gt), ">=": (4, operator.ge),
    "and": (3, lambda a, b: bool(a and b)), "or": (2, lambda a, b: bool(a or b)),
}  # fmt: skip
_UNARY: Mapping[str, tuple[int, Callable[[float], float]]] = {
    "-": (11, operator.neg), "+": (11, operator.pos), "not": (9, operator.not_),
    "abs": (9, abs), "ceil": (9, math.ceil), "floor": (9, math.floor), "trunc": (9, math.trunc), "sqrt": (9, math.sqrt),
    "exp": (9, math.exp), "ln": (9, math.log), "sin": (9, math.sin), "cos": (9, math.cos), "tan": (9, math.tan),
    "asin": (9, math.asin), "acos": (9, math.acos), "atan": (9, math.atan),
}  # fmt: skip
_CONSTANTS = {"pi": math.pi, "e": math.e}
# Words that stand for the title on an article's page.
TITLES = frozenset(
    "pagename pagenamee fullpagename basepagename subpagename rootpagename subjectpagename articlepagename".split()
)


# The arguments after the first; none has a name.
Parts = Sequence[str]


class ParserFunction(NamedTuple):
    """A function of MediaWiki's parser with its *first* argument, the text after the colon."""

    function: Callable[[str, Parts, Language], str]
    first: str
    language: Language

    def show(self, parts: Parts) -> str:
        return self.function(self.first, [part.strip() for part in parts], self.language)


def parser_function(name: str, first: str, language: Language) -> ParserFunction | None:
    """Return the function of this name; None if it is not known."""
    function = _FUNCTIONS.get(name) or _FUNCTIONS.get(function_named(name))
    return None if function is None else ParserFunction(function, first, language)


def magic_word(name: str) -> str | None:
    """Return what a word without arguments shows on an article's page; None if it is not known."""
    return _OF_ARTICLES.get(name)


def evaluate(expression: str) -> float | None:
    """Return the value of an arithmetic expression, None for one that is not understood."""
    if len(expression) > _LONGEST:
        return None
    tokens = _TOKEN.findall(expression.lower().replace("−", "-"))[::-1]
    try:
        value = _take_value(tokens, 0)
        return None if tokens else value
    except (ValueError, KeyError, IndexError, ZeroDivisionError, OverflowError, RecursionError):
        return None


def _take_value(tokens: list[str], least: int) -> float:
    """Pop the value of an expression off *tokens*; stop at an operator that binds no closer than *least*."""
    token = tokens.pop()
    if token == "(":
        value = _take_value(tokens, 0)
        if tokens.pop() != ")":
            raise ValueError("a bracket is not closed")
    elif token in _UNARY:
        binds, function = _UNARY[token]
        value = function(_take_value(tokens, binds - 1))
    else:
        value = _CONSTANTS[token] if token in _CONSTANTS else float(token)
    while tokens and tokens[-1] != ")":
        binds, apply = _BINARY[tokens[-1]]
        if binds <= least:
            break
        tokens.pop()
        value = apply(value, _take_value(tokens, binds))
    return value


def _show_expression(first: str, parts: Parts, language: Language) -> str:
    value = evaluate(first)
    if value is None or not math.isfinite(value):
        return ""
    mantissa, e, exponent = f"{float(value):.14g}".partition("e")
    if not e:
        return mantissa
    return f"{mantissa}{'' if '.' in mantissa else '.0'}E{int(exponent):+d}"


def _get_part(parts: Parts, number: int) -> str:
    return parts[number] if number < len(parts) else ""


def are_equal(one: str, other: str) -> bool:
    if one == other:
        return True
    return is_number(one) and is_number(other) and float(one) == float(other)


def is_number(words: str) -> bool:
    return _NUMERIC.fullmatch(words) is not None


def _show_switch(first: str, parts: Parts, language: Language) -> str:
    """{{#switch:b|a=x|b|c=y|z}}: a case without words shows those of the next that has some; the last is for others."""
    falls = False
    others = ""
    for part in parts:
        case, equals, words = (piece.strip() for piece in part.partition("="))
        if equals and (falls or are_equal(case, first)):
            return words
        if equals and function_named(case.lower()) == "#default":
            others = words
        falls = falls or (not equals and are_equal(case, first))
    return parts[-1] if parts and "=" not in parts[-1] else others


def _show_number(first: str, parts: Parts, language: Language) -> str:
    if "R" in parts:
        return first.replace(language.group, "").replace(language.point, ".")
    return first.replace(".", language.point) if "NOSEP" in parts else format_number(first, language)


def _tell_slavic_form(n: int) -> int:
    if n % 10 == 1 and n % 100 != 11:
        return 0
    return 1 if 2 <= n % 10 <= 4 and not 12 <= n % 100 <= 14 else 2


def _tell_arabic_form(n: int) -> int:
    if n < 3:
        return n
    if 3 <= n % 100 <= 10:
        return 3
    return 4 if n % 100 >= 11 else 5


def _tell_czech_form(n: int) -> int:
    if n == 1:
        return 0
    return 1 if 2 <= n <= 4 else 2


def _tell_romanian_form(n: int) -> int:
    if n == 1:
        return 0
    return 1 if n == 0 or 1 <= n % 100 <= 19 else 2


# Which word goes with a number (Unicode CLDR).
_FORMS: Mapping[str, Callable[[int], int]] = {
    **dict.fromkeys("fr pt hy hi fa bn".split(), lambda n: 0 if n < 2 else 1),
    **dict.fromkeys("ru uk be sr hr bs sh".split(), _tell_slavic_form),
    "pl": lambda n: 0 if n == 1 else _tell_slavic_form(n) or 2,
    **dict.fromkeys(("cs", "sk"), _tell_czech_form),
    "ro": _tell_romanian_form,
    "ar": _tell_arabic_form,
    "he": lambda n: n - 1 if n in (1, 2) else 2,
}


def _show_plural(first: str, parts: Parts, language: Language) -> str:
    """{{plural:2|day|days}}; an argument such as `12=a dozen` is for that number only."""
    forms = [part for part in parts if not re.match(r"\d+=", part)]
    number = first.replace(language.group, "")
    for part in parts:
        if part.startswith(f"{number}="):
            return part[len(number) + 1 :]
    if not forms:
        return ""
    form = len(forms)
    if number.isdecimal():
        # The last digits tell the form of a long number; Python reads none of thousands of digits.
        count = int(number if len(number) < 10 else f"1{number[-9:]}")
        form = _FORMS.get(language.code, lambda n: 0 if n == 1 else 1)(count)
    return forms[min(form, len(forms) - 1)]


def _make_padding(first: str, parts: Parts) -> str:
    width = _get_part(parts, 0)
    missing = min(int(width.lstrip("0")[:4] or 0), 500) - len(first) if width.isdecimal() else 0
    return "".join(islice(cycle(_get_part(parts, 1) or "0"), max(missing, 0)))


def _show_title_parts(first: str, parts: Parts, language: Language) -> str:
    try:
        count = int(_get_part(parts, 0) or 0)
        start = int(_get_part(parts, 1) or 0)
    except ValueError:
        return first
    first = _capitalise_first(first)
    return "/".join(first.split("/")[start - 1 if start > 0 else start or None :][: count or None])


def _show_time(first: str, parts: Parts, language: Language) -> str:
    """{{#time:j F Y|2005-03-02}}: a date as *first* says; the day of reading, without one, is not known."""
    day = _read_date(_get_part(parts, 0))
    if day is None:
        return ""
    shown = {"Y": str(day.year), "y": f"{day:%y}", "j": str(day.day), "d": f"{day:%d}", "m": f"{day:%m}",
             "n": str(day.month), "N": str(day.isoweekday()), "w": str(day.isoweekday() % 7)}  # fmt: skip
    if language.code in ("", "en"):
        shown |= {"F": calendar.month_name[day.month], "M": calendar.month_abbr[day.month],
                  "l": calendar.day_name[day.weekday()], "D": calendar.day_abbr[day.weekday()]}  # fmt: skip
    pieces = _OF_FORMAT.findall(first)
    if any(code and code not in shown for *_, code, _ in pieces):
        return ""
    return "".join(escaped or quoted or shown.get(code, other) for escaped, quoted, code, other in pieces)


def _read_date(written: str) -> date | None:
    for form in ("%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%d %b %Y", "%Y-%m-%d %H:%M"):
        try:
            return datetime.strptime(written, form).date()
        except ValueError:
            continue
    return None


def _show_url(first: str, parts: Parts, language: Language) -> str:
    return "//" + quote(remove_all_marks(first).replace(" ", "_"), errors="replace")


def _capitalise_first(words: str) -> str:
    return words[:1].upper() + words[1:]


def _show_changed(change: Callable[[str], str]) -> Callable[[str, Parts, Language], str]:
    return lambda first, parts, language: change(first)


_NAMESPACES = {"0": "", "1": "Talk", "2": "User", "4": "Project", "6": "File", "10": "Template", "14": "Category"}
_FUNCTIONS: Mapping[str, Callable[[str, Parts, Language], str]] = {
    "#expr": _show_expression,
    "#if": lambda first, parts, language: _get_part(parts, 0 if first else 1),
    "#ifexpr": lambda first, parts, language: _get_part(parts, 0 if evaluate(first) else 1),
    "#ifeq": lambda first, parts, language: _get_part(parts, 1 if are_equal(first, _get_part(parts, 0)) else 2),
    "#iferror": lambda first, parts, language: _get_part(parts, 1) if len(parts) > 1 else first,
    "#ifexist": lambda first, parts, language: _get_part(parts, 0),
    "#switch": _show_switch,
    "#time": _show_time,
    "#titleparts": _show_title_parts,
    "formatnum": _show_number,
    "fullurl": _show_url,
    "canonicalurl": _show_url,
    "ns": _show_changed(lambda name: _NAMESPACES.get(name, name)),
    "plural": _show_plural,
    "padleft": lambda first, parts, language: _make_padding(first, parts) + first,
    "padright": lambda first, parts, language: first + _make_padding(first, parts),
    "lc": _show_changed(str.lower),
    "uc": _show_changed(str.upper),
    "ucfirst": _show_changed(_capitalise_first),
    "lcfirst": _show_changed(lambda words: words[:1].lower() + words[1:]),
    "urlencode": _show_changed(lambda words: quote_plus(remove_all_marks(words), errors="replace")),
}
_OF_ARTICLES = {
    "NAMESPACE": "", "NAMESPACEE": "", "NAMESPACENUMBER": "0", "SUBJECTSPACE": "", "ARTICLESPACE": "",
    "!": "|", "=": "=",
}  # fmt: skip
