"""NEXI, the query language of INEX's castitles: `//article[about(., opera)]//(sec|p)[about(., +Verdi -"La Scala")]`.

A query is a path of steps, each with its element names and at most one condition in brackets; a condition is made of
`about(path, terms)` clauses and comparisons of a path with a number, by `and`, `or` (`and` binds closer) and
parentheses.
Source: Trotman and Sigurbjörnsson, "Narrowed Extended XPath I (NEXI)", INEX 2004.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any

from ...errors import NexiError, import_extra

MAX_DEPTH = 100  # of parentheses
# Characters: the parser takes quadratic time.
MAX_LENGTH = 20_000

_GRAMMAR = r"""
query: step+
step: "//" (_names | "(" _names ("|" _names)* ")") ("[" _or "]")?
_names: NAME | ANY
_or: any | _and
any: _and (_OR _and)+
_and: all | _clause
all: _clause (_AND _clause)+
_clause: about | comparison | "(" _or ")"
about: "about"i "(" path "," (term ","?)+ ")"
comparison: path OPERATOR NUMBER
path: "." test*
test: "//" (_names | "(" _names ("|" _names)* ")")
term: PHRASE | WORD

ANY: "*"
NAME: /@?[^\W\d][\w.:-]*/
OPERATOR: "<=" | ">=" | "!=" | "=" | "<" | ">"
NUMBER: /[+-]?[0-9]{1,15}(\.[0-9]{1,15})?/
PHRASE: /[+-]?"[^"]*[^"\s][^"]*"/
WORD: /[+-]?[^\s"()\[\],+-][^\s"()\[\],]*/
_AND: /and\b/i
_OR: /or\b/i
%ignore /\s+/
"""

# what the parser was waiting for, in the user's words
_EXPECTED = {
    "NAME": "an element name", "ANY": "'*'", "OPERATOR": "a comparison (= != < > <= >=)", "NUMBER": "a number",
    "PHRASE": 'a "phrase"', "WORD": "a word", "_AND": "'and'", "_OR": "'or'", "ABOUT": "'about'", "LPAR": "'('",
    "RPAR": "')'", "LSQB": "'['", "RSQB": "']'", "COMMA": "','", "DOT": "'.'", "VBAR": "'|'", "$END": "the end",
    "__ANON_0": "'//'",
}  # fmt: skip


@dataclass(frozen=True)
class Term:
    """A word or "phrase" of an about clause; *sign* is '+' (must), '-' (must not) or ''."""

    text: str
    sign: str = ""
    phrase: bool = False

    def __str__(self) -> str:
        return f'{self.sign}"{self.text}"' if self.phrase else self.sign + self.text


@dataclass(frozen=True)
class About:
    """`about(path, terms)`: the elements at *path* are about the terms. An empty path is the element itself, `.`."""

    path: tuple[Step, ...]
    terms: tuple[Term, ...]

    def __str__(self) -> str:
        return f"about(.{''.join(map(str, self.path))}, {' '.join(map(str, self.terms))})"


@dataclass(frozen=True)
class Comparison:
    """`path operator number`, such as `.//yr >= 1999`."""

    path: tuple[Step, ...]
    operator: str
    number: float

    def __str__(self) -> str:
        return f".{''.join(map(str, self.path))} {self.operator} {Decimal(repr(self.number)).normalize():f}"


@dataclass(frozen=True)
class And:
    """All of the *parts*, two or more."""

    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        return " and ".join(f"({part})" if isinstance(part, And | Or) else str(part) for part in self.parts)


@dataclass(frozen=True)
class Or:
    """Any of the *parts*, two or more."""

    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        return " or ".join(f"({part})" if isinstance(part, Or) else str(part) for part in self.parts)


Condition = About | Comparison | And | Or


@dataclass(frozen=True)
class Step:
    """`//name`, `//*` or `//(name|name)`, with or without a condition: descendants of these names; `*` is any."""

    names: tuple[str, ...]
    condition: Condition | None = None

    def __str__(self) -> str:
        names = self.names[0] if len(self.names) == 1 else f"({'|'.join(self.names)})"
        return f"//{names}" + (f"[{self.condition}]" if self.condition is not None else "")


@dataclass(frozen=True)
class Query:
    """A parsed castitle; the last step says what to return. `str()` prints it as NEXI."""

    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return "".join(map(str, self.steps))


@lru_cache(maxsize=4096)
def parse(castitle: str) -> Query:
    """Parse a castitle. Raises NexiError (a ValueError) that points at the column (from 1) if it goes wrong."""
    lark = import_extra("lark", "retrieval")
    if len(castitle) > MAX_LENGTH:
        raise NexiError(castitle[:MAX_LENGTH], MAX_LENGTH + 1, f"a query of more than {MAX_LENGTH:,} characters")
    _check_depth(castitle)
    try:
        return _build_parser().parse(castitle)
    except lark.UnexpectedEOF as error:
        raise _make_error(castitle, len(castitle.rstrip()), error.expected) from None
    except lark.UnexpectedToken as error:
        at = len(castitle.rstrip()) if error.token.type == "$END" else error.token.start_pos
        raise _make_error(castitle, at, error.accepts or error.expected) from None
    except lark.UnexpectedCharacters as error:
        raise _make_error(castitle, error.pos_in_stream, error.allowed or set()) from None


def _check_depth(castitle: str) -> None:
    depth = 0
    for bracket in re.finditer(r'"[^"]*"|[()]', castitle):
        depth += {"(": 1, ")": -1}.get(bracket[0], 0)
        if depth > MAX_DEPTH:
            raise NexiError(castitle, bracket.start() + 1, f"parentheses more than {MAX_DEPTH} deep")


def _make_error(castitle: str, at: int, expected: Any) -> NexiError:
    found = repr(castitle[at : at + 12]) if at < len(castitle.rstrip()) else "the end"
    wanted = " or ".join(sorted(_EXPECTED.get(name, name) for name in expected))
    return NexiError(castitle, at + 1, f"expected {wanted}, found {found}")


@lru_cache(maxsize=1)
def _build_parser() -> Any:
    """Build the parser, which makes the tree's nodes as it goes, once."""
    lark = import_extra("lark", "retrieval")

    class Builder(lark.Transformer):  # type: ignore[name-defined]
        """One method a rule of the grammar."""

        def query(self, steps: list[Step]) -> Query:
            return Query(tuple(steps))

        def step(self, parts: list[Any]) -> Step:
            names = tuple(str(part) for part in parts if isinstance(part, str))
            condition = parts[-1] if not isinstance(parts[-1], str) else None
            return Step(names, condition)

        test = step

        def any(self, parts: list[Condition]) -> Or:
            return Or(tuple(parts))

        def all(self, parts: list[Condition]) -> And:
            return And(tuple(parts))

        def about(self, parts: list[Any]) -> About:
            return About(parts[0], tuple(parts[1:]))

        def comparison(self, parts: list[Any]) -> Comparison:
            return Comparison(parts[0], str(parts[1]), float(parts[2]))

        def path(self, steps: list[Step]) -> tuple[Step, ...]:
            return tuple(steps)

        def term(self, parts: list[str]) -> Term:
            text = str(parts[0])
            sign = text[0] if text[0] in "+-" else ""
            bare = text.removeprefix(sign)
            return Term(" ".join(bare.strip('"').split()), sign, bare.startswith('"'))

    return lark.Lark(_GRAMMAR, start="query", parser="lalr", transformer=Builder())
