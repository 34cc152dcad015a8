"""What the functions of MediaWiki's parser show, `{{#if:...}}`, `{{formatnum:...}}`: arithmetic, choices, letters."""

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
from .template_language import Language, format_number

_TOKEN = re.compile(r"\s*([\d.]+|[a-z]+|<>|[<>!]=|[-+*/^()<>=]|[−]|\S)", re.IGNORECASE)
_OF_FORMAT = re.compile(r'\\(.)|"([^"]*)"|(x\w|[dDjlNwzWFmMntLoYyaAgGhHisUeIOPTZcruv])|(.)', re.DOTALL)
_NUMERIC = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_LONGEST = 200  # characters of an expression


def _of_whole(a: float, b: float) -> float:
    return int(math.fmod(int(a), int(b)))  # with the sign of the first, as in PHP


def _rounded(value: float, digits: float) -> float:
    """Round as PHP does, halves away from zero."""
    shift = 10.0 ** int(digits)
    return math.copysign(math.floor(abs(value) * shift + 0.5) / shift, value)


_BINARY: Mapping[str, tuple[int, Callable[[float, float], float]]] = {  # how closely they bind
    "e": (10, lambda a, b: a * 10.0**b),
    "^": (8, math.pow),
    "*": (7, operator.mul), "/": (7, operator.truediv), "div": (7, operator.truediv),
    "mod": (7, _of_whole), "fmod": (7, math.fmod),
    "+": (6, operator.add), "-": (6, operator.sub), "round": (5, _rounded),
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


Parts = Sequence[str]  # the arguments behind the first; none has a name


class ParserFunction(NamedTuple):
    """A function of MediaWiki's parser with its *first* argument, which stands behind the colon."""

    function: Callable[[str, Parts, Language], str]
    first: str
    language: Language

    def show(self, parts: Parts) -> str:
        """Return what it shows, given its other arguments."""
        return self.function(self.first, [part.strip() for part in parts], self.language)


def parser_function(name: str, first: str, language: Language) -> ParserFunction | None:
    """Return the function of this name; None where it is not known."""
    known = _FUNCTIONS.get(name) or _FUNCTIONS.get(function_named(name))
    return None if known is None else ParserFunction(known, first, language)


def magic_word(name: str) -> str | None:
    """Return what a word without arguments shows on an article's page; None where it is not known."""
    return _OF_ARTICLES.get(name)


def evaluate(expression: str) -> float | None:
    """Return the value of an arithmetic expression, None for one that is not understood."""
    if len(expression) > _LONGEST:
        return None
    tokens = _TOKEN.findall(expression.lower().replace("−", "-"))[::-1]
    try:
        value = _value(tokens, 0)
        return None if tokens else value
    except (ValueError, KeyError, IndexError, ZeroDivisionError, OverflowError, RecursionError):
        return None


def _value(tokens: list[str], least: int) -> float:
    """Take an expression off the end of *tokens*, as far as its operators bind closer than *least*."""
    token = tokens.pop()
    if token == "(":
        value = _value(tokens, 0)
        if tokens.pop() != ")":
            raise ValueError("a bracket is not closed")
    elif token in _UNARY:
        binds, function = _UNARY[token]
        value = function(_value(tokens, binds - 1))
    else:
        value = _CONSTANTS[token] if token in _CONSTANTS else float(token)
    while tokens and tokens[-1] != ")":
        binds, apply = _BINARY[tokens[-1]]
        if binds <= least:
            break
        tokens.pop()
        value = apply(value, _value(tokens, binds))
    return value


def _expr(first: str, parts: Parts, language: Language) -> str:
    value = evaluate(first)
    if value is None or not math.isfinite(value):
        return ""
    mantissa, e, exponent = f"{float(value):.14g}".partition("e")
    if not e:
        return mantissa
    return f"{mantissa}{'' if '.' in mantissa else '.0'}E{int(exponent):+d}"


def _if(first: str, parts: Parts, language: Language) -> str:
    return _at(parts, 0 if first else 1)


def _if_expr(first: str, parts: Parts, language: Language) -> str:
    return _at(parts, 0 if evaluate(first) else 1)


def _if_equal(first: str, parts: Parts, language: Language) -> str:
    return _at(parts, 1 if _same(first, _at(parts, 0)) else 2)


def _if_error(first: str, parts: Parts, language: Language) -> str:
    return _at(parts, 1) if len(parts) > 1 else first


def _if_exists(first: str, parts: Parts, language: Language) -> str:
    return _at(parts, 0)


def _at(parts: Parts, number: int) -> str:
    return parts[number] if number < len(parts) else ""


def _same(one: str, other: str) -> bool:
    """Whether two values are equal, as numbers if both are."""
    if one == other:
        return True
    return bool(_NUMERIC.fullmatch(one) and _NUMERIC.fullmatch(other)) and float(one) == float(other)


def _switch(first: str, parts: Parts, language: Language) -> str:
    """{{#switch:b|a=x|b|c=y|z}}: a case without words shows those of the next that has some; the last is for others."""
    falls = False
    others = ""
    for part in parts:
        case, equals, words = (piece.strip() for piece in part.partition("="))
        if equals and (falls or _same(case, first)):
            return words
        if equals and function_named(case.lower()) == "#default":
            others = words
        falls = falls or (not equals and _same(case, first))
    return parts[-1] if parts and "=" not in parts[-1] else others


def _format_number(first: str, parts: Parts, language: Language) -> str:
    if "R" in parts:
        return first.replace(language.group, "").replace(language.point, ".")
    return first.replace(".", language.point) if "NOSEP" in parts else format_number(first, language)


def _slavic(n: int) -> int:
    if n % 10 == 1 and n % 100 != 11:
        return 0
    return 1 if 2 <= n % 10 <= 4 and not 12 <= n % 100 <= 14 else 2


def _arabic(n: int) -> int:
    return n if n < 3 else 3 if 3 <= n % 100 <= 10 else 4 if n % 100 >= 11 else 5


_FORMS: Mapping[str, Callable[[int], int]] = {  # which word goes with a number (Unicode CLDR)
    **dict.fromkeys("fr pt hy hi fa bn".split(), lambda n: 0 if n < 2 else 1),
    **dict.fromkeys("ru uk be sr hr bs sh".split(), _slavic),
    "pl": lambda n: 0 if n == 1 else _slavic(n) or 2,
    **dict.fromkeys(("cs", "sk"), lambda n: 0 if n == 1 else 1 if 2 <= n <= 4 else 2),
    "ro": lambda n: 0 if n == 1 else 1 if n == 0 or 1 <= n % 100 <= 19 else 2,
    "ar": _arabic,
    "he": lambda n: n - 1 if n in (1, 2) else 2,
}


def _plural(first: str, parts: Parts, language: Language) -> str:
    """{{plural:2|day|days}}; an argument such as `12=a dozen` is for that number alone."""
    forms = [part for part in parts if not re.match(r"\d+=", part)]
    number = first.replace(language.group, "")
    for part in parts:
        if part.startswith(f"{number}="):
            return part[len(number) + 1 :]
    if not forms:
        return ""
    form = _FORMS.get(language.code, lambda n: 0 if n == 1 else 1)(int(number)) if number.isdecimal() else len(forms)
    return forms[min(form, len(forms) - 1)]


def _pad_left(first: str, parts: Parts, language: Language) -> str:
    return _padding(first, parts) + first


def _pad_right(first: str, parts: Parts, language: Language) -> str:
    return first + _padding(first, parts)


def _padding(first: str, parts: Parts) -> str:
    width = _at(parts, 0)
    missing = min(int(width), 500) - len(first) if width.isdecimal() else 0
    return "".join(islice(cycle(_at(parts, 1) or "0"), max(missing, 0)))


def _title_parts(first: str, parts: Parts, language: Language) -> str:
    """{{#titleparts:a/b/c|2|1}}: so many parts from this one on."""
    try:
        count, start = int(_at(parts, 0) or 0), int(_at(parts, 1) or 0)
    except ValueError:
        return first
    first = _capital(first)
    return "/".join(first.split("/")[start - 1 if start > 0 else start or None :][: count or None])


def _time(first: str, parts: Parts, language: Language) -> str:
    """{{#time:j F Y|2005-03-02}}: a date as *first* says; the day of reading, without one, is not known."""
    day = _date(_at(parts, 0))
    if day is None:
        return ""
    shown = {"Y": str(day.year), "y": f"{day:%y}", "j": str(day.day), "d": f"{day:%d}", "m": f"{day:%m}",
             "n": str(day.month), "N": str(day.isoweekday()), "w": str(day.isoweekday() % 7)}  # fmt: skip
    if language.months:
        shown |= dict.fromkeys(("F", "xg"), language.months[day.month - 1])
    if language.code in ("", "en"):
        shown |= {"F": calendar.month_name[day.month], "M": calendar.month_abbr[day.month],
                  "l": calendar.day_name[day.weekday()], "D": calendar.day_abbr[day.weekday()]}  # fmt: skip
    pieces = _OF_FORMAT.findall(first)
    if any(code and code not in shown for *_, code, _ in pieces):
        return ""
    return "".join(escaped or quoted or shown.get(code, other) for escaped, quoted, code, other in pieces)


def _date(written: str) -> date | None:
    for form in ("%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%d %b %Y", "%Y-%m-%d %H:%M"):
        try:
            return datetime.strptime(written, form).date()
        except ValueError:
            continue
    return None


def _full_url(first: str, parts: Parts, language: Language) -> str:
    return "//" + quote(first.replace(" ", "_"), errors="replace")


def _of_namespace(first: str, parts: Parts, language: Language) -> str:
    return _NAMESPACES.get(first, first)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _changed(change: Callable[[str], str]) -> Callable[[str, Parts, Language], str]:
    return lambda first, parts, language: change(first)


_FUNCTIONS: Mapping[str, Callable[[str, Parts, Language], str]] = {
    "#expr": _expr,
    "#if": _if,
    "#ifexpr": _if_expr,
    "#ifeq": _if_equal,
    "#iferror": _if_error,
    "#ifexist": _if_exists,
    "#switch": _switch,
    "#time": _time,
    "#titleparts": _title_parts,
    "formatnum": _format_number,
    "fullurl": _full_url,
    "canonicalurl": _full_url,
    "ns": _of_namespace,
    "plural": _plural,
    "padleft": _pad_left,
    "padright": _pad_right,
    "lc": _changed(str.lower),
    "uc": _changed(str.upper),
    "ucfirst": _changed(_capital),
    "lcfirst": _changed(lambda words: words[:1].lower() + words[1:]),
    "urlencode": _changed(lambda words: quote_plus(words, errors="replace")),
}
_NAMESPACES = {"0": "", "1": "Talk", "2": "User", "4": "Project", "6": "File", "10": "Template", "14": "Category"}
_OF_ARTICLES = {"namespace": "", "namespacee": "", "namespacenumber": "0", "subjectspace": "", "articlespace": ""}
