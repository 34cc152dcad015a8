"""What the functions of MediaWiki's parser show, `{{#if:...}}`, `{{formatnum:...}}`: arithmetic, choices, letters."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from .template_language import Language, format_number
from .template_patterns import Arguments, Template

_BINARY: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Mod: lambda a, b: int(math.fmod(int(a), int(b))),  # of whole numbers, with the sign of the first, as in PHP
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
_EXPRESSION = re.compile(r"(?:[\d.\s()+*/<>=!-]|e-?\d|mod|div|and|or|not)+", re.IGNORECASE)
_ROUND = re.compile(r"(.*)\bround\s+(-?\d)\s*", re.DOTALL)
_LONGEST = 200  # characters of an expression


def parser_function(name: str, first: str, language: Language) -> Template | None:
    """Return what a function shows whose *first* argument stands behind the colon; None where it is not known."""
    known = _FUNCTIONS.get(name)
    return None if known is None else lambda given: known(first, given, language)


def evaluate(expression: str) -> float | None:
    """Return the value of an arithmetic expression, None for one that is not understood."""
    rounded = _ROUND.fullmatch(expression)
    if rounded:
        value = evaluate(rounded[1])
        return None if value is None or not math.isfinite(value) else _rounded(value, int(rounded[2]))
    if len(expression) > _LONGEST or not _EXPRESSION.fullmatch(expression):
        return None
    python = re.sub(r"(?<![<>!])=", "==", expression.lower().replace("<>", "!=")).replace("mod", "%")
    try:
        return _value(ast.parse(python.replace("div", "/").strip(), mode="eval").body)
    except (SyntaxError, ValueError, KeyError, ZeroDivisionError, OverflowError, RecursionError):
        return None


def _rounded(value: float, digits: int) -> float:
    """Round as PHP does, halves away from zero."""
    return math.copysign(math.floor(abs(value) * 10.0**digits + 0.5) / 10.0**digits, value)


def _value(node: ast.AST) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    if isinstance(node, ast.UnaryOp):
        value = _value(node.operand)
        return -value if isinstance(node.op, ast.USub) else not value if isinstance(node.op, ast.Not) else value
    if isinstance(node, ast.BoolOp):
        return (all if isinstance(node.op, ast.And) else any)(map(_value, node.values))
    if isinstance(node, ast.BinOp):
        return float(_BINARY[type(node.op)](_value(node.left), _value(node.right)))
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return float(_BINARY[type(node.ops[0])](_value(node.left), _value(node.comparators[0])))
    raise ValueError("not an expression of arithmetic")


def _expr(first: str, given: Arguments, language: Language) -> str:
    value = evaluate(first)
    return "" if value is None else f"{value:.12g}"


def _if(first: str, given: Arguments, language: Language) -> str:
    return given.get("1" if first else "2", "").strip()


def _if_expr(first: str, given: Arguments, language: Language) -> str:
    return given.get("1" if evaluate(first) else "2", "").strip()


def _if_equal(first: str, given: Arguments, language: Language) -> str:
    return given.get("2" if first == given.get("1", "").strip() else "3", "").strip()


def _if_error(first: str, given: Arguments, language: Language) -> str:
    return given.get("2", first).strip()


def _if_exists(first: str, given: Arguments, language: Language) -> str:
    return given.get("1", "").strip()


def _switch(first: str, given: Arguments, language: Language) -> str:
    """{{#switch:b|a=x|b|c=y|z}}: a case without words shows those of the next that has some; the last is for others."""
    falls = False
    given = {case: words for case, words in given.items() if case != "pagename"}
    for case, words in given.items():
        if case == first or (falls and not case.isdecimal()):
            return words.strip()
        falls = falls or (case.isdecimal() and words.strip() == first)
    last = next(reversed(given), "")
    is_default = last.isdecimal() and not all(map(str.isdecimal, given))
    return given.get("#default", given[last] if is_default else "").strip()


def _format_number(first: str, given: Arguments, language: Language) -> str:
    if given.get("1", "").strip() == "R":
        return first.replace(language.group, "").replace(language.point, ".")
    return format_number(first, language)


def _plural(first: str, given: Arguments, language: Language) -> str:
    return given.get("1" if first == "1" else "2", given.get("1", "")).strip()


def _pad(first: str, given: Arguments, language: Language) -> str:
    width = given.get("1", "").strip()
    return first.rjust(min(int(width), 100) if width.isdecimal() else 0, (given.get("2", "").strip() or "0")[0])


def _time(first: str, given: Arguments, language: Language) -> str:
    """{{#time:j F Y|2005-03-02}}: a date as *first* says; the day of reading, without one, is not known."""
    try:
        day = date.fromisoformat(given.get("1", "").strip())
    except ValueError:
        return ""
    month = language.months[day.month - 1] if language.months else str(day.month)
    shown = {"Y": str(day.year), "F": month, "xg": month, "j": str(day.day), "d": f"{day:%d}", "m": f"{day:%m}",
             "n": str(day.month)}  # fmt: skip
    return re.sub(r"xg|[YFjdmn]", lambda letter: shown[letter[0]], first)


def _changed(change: Callable[[str], str]) -> Callable[[str, Arguments, Language], str]:
    return lambda first, given, language: change(first)


_FUNCTIONS: dict[str, Callable[[str, Arguments, Language], str]] = {
    "#expr": _expr,
    "#if": _if,
    "#ifexpr": _if_expr,
    "#ifeq": _if_equal,
    "#iferror": _if_error,
    "#ifexist": _if_exists,
    "#switch": _switch,
    "#time": _time,
    "formatnum": _format_number,
    "plural": _plural,
    "padleft": _pad,
    "lc": _changed(str.lower),
    "uc": _changed(str.upper),
    "ucfirst": _changed(lambda words: words[:1].upper() + words[1:]),
    "lcfirst": _changed(lambda words: words[:1].lower() + words[1:]),
}
