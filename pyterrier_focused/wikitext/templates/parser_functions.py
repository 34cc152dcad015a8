"""The functions of MediaWiki's parser that articles use, `{{formatnum:...}}`, `{{#expr:...}}`: numbers, letters."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence

from ..facts import function_named
from .patterns import Template, positional
from .template_language import Language, format_number

_TOKEN = re.compile(r"\s*([\d.]+|[a-z]+|<>|[<>!]=|[-+*/^()<>=]|[−]|\S)", re.IGNORECASE)
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


def parser_function(name: str, first: str, language: Language) -> Template | None:
    """Return what the function of this name shows of its *first* argument, after the colon; None if it is not known."""
    function = _FUNCTIONS.get(function_named(name))
    return None if function is None else lambda given: function(first, positional(given), language)


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


def _show_expression(first: str) -> str:
    value = evaluate(first)
    if value is None or not math.isfinite(value):
        return ""
    mantissa, e, exponent = f"{float(value):.14g}".partition("e")
    return f"{mantissa}{'' if '.' in mantissa else '.0'}E{int(exponent):+d}" if e else mantissa


def _show_number(first: str, options: Sequence[str], language: Language) -> str:
    if "R" in options:
        return first.replace(language.group, "").replace(language.point, ".")
    return first.replace(".", language.point) if "NOSEP" in options else format_number(first, language)


_FUNCTIONS: Mapping[str, Callable[[str, Sequence[str], Language], str]] = {
    "#expr": lambda first, options, language: _show_expression(first),
    "formatnum": _show_number,
    "lc": lambda first, options, language: first.lower(),
    "uc": lambda first, options, language: first.upper(),
    "lcfirst": lambda first, options, language: first[:1].lower() + first[1:],
    "ucfirst": lambda first, options, language: first[:1].upper() + first[1:],
}
# What words without arguments show on an article's page.
MAGIC_WORDS = {
    "NAMESPACE": "", "NAMESPACEE": "", "NAMESPACENUMBER": "0", "SUBJECTSPACE": "", "ARTICLESPACE": "",
    "!": "|", "=": "=",
}  # fmt: skip
