"""NEXI, the query language of INEX's castitles: `//article[about(., opera)]//(sec|p)[about(., +Verdi -"La Scala")]`.

A query is a path of steps, each with its element names and at most one condition in brackets; a condition is made of
`about(path, terms)` clauses and comparisons of a path with a number, by `and`, `or` (`and` binds closer) and
parentheses.
Source: Trotman and Sigurbjörnsson, "Narrowed Extended XPath I (NEXI)", INEX 2004.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from ...errors import NexiError

MAX_PARENTHESES = 100
MAX_CHARACTERS = 20_000

# by the words in which an error tells the user that one was expected
_NAME = "an element name"
_OPERATOR = "a comparison (= != < > <= >=)"
_NUMBER = "a number"
_PHRASE = 'a "phrase"'
_WORD = "a word"
_PATTERNS = {
    _NAME: r"@?[^\W\d][\w.:-]*",
    _OPERATOR: "[<>!]=|[=<>]",
    _NUMBER: r"[+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?",
    _PHRASE: r'[+-]?"[^"]*[^"\s][^"]*"',
    _WORD: r'[+-]?[^\s"()\[\],+-][^\s"()\[\],]*',
    "'about'": "(?i:about)",
    "'and'": r"(?i:and)\b",
    "'or'": r"(?i:or)\b",
}
_SIGNS = {f"'{sign}'": re.escape(sign) for sign in ("//", "(", ")", "[", "]", "|", "*", ".", ",")}
_TOKENS = {token: re.compile(rf"({pattern})\s*") for token, pattern in (_PATTERNS | _SIGNS).items()}


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
    """Parse a castitle.

    Example:
        >>> str(parse("//article[about(., opera)]//(sec|p)"))
        '//article[about(., opera)]//(sec|p)'
    """
    if len(castitle) > MAX_CHARACTERS:
        raise NexiError(
            castitle[:MAX_CHARACTERS], MAX_CHARACTERS + 1, f"a query of more than {MAX_CHARACTERS:,} characters"
        )
    return _Parser(castitle).read_query()


class _Parser:
    """Reads a castitle from left to right: a method for each rule of the grammar, written above it.

    NAME, WORD and so on are the tokens; blanks may stand between any two.
    """

    def __init__(self, castitle: str):
        self._castitle = castitle
        self._offset = len(castitle) - len(castitle.lstrip())
        self._depth = 0
        # tokens that do not stand at this offset
        self._expected: set[str] = set()

    # query: ("//" names ("[" any "]")?)+
    def read_query(self) -> Query:
        steps: list[Step] = []
        self._expect_token("'//'")
        while not steps or self._take_token("'//'"):
            names = self._read_names()
            condition = None
            if self._take_token("'['"):
                condition = self._read_any()
                self._expect_token("']'")
            steps.append(Step(names, condition))
        if self._offset < len(self._castitle):
            self._expected.add("the end")
            raise self._make_error()
        return Query(tuple(steps))

    # names: name | "(" name ("|" name)* ")"
    # name: NAME | "*"
    def _read_names(self) -> tuple[str, ...]:
        first = self._expect_token(_NAME, "'*'", "'('")
        if first != "(":
            return (first,)
        names = [self._expect_token(_NAME, "'*'")]
        while self._expect_token("')'", "'|'") == "|":
            names.append(self._expect_token(_NAME, "'*'"))
        return tuple(names)

    # any: all ("or" all)*
    def _read_any(self) -> Condition:
        parts = self._read_list(self._read_all, "'or'")
        return Or(parts) if len(parts) > 1 else parts[0]

    # all: clause ("and" clause)*
    def _read_all(self) -> Condition:
        parts = self._read_list(self._read_clause, "'and'")
        return And(parts) if len(parts) > 1 else parts[0]

    # clause: "about" "(" path "," (term ","?)+ ")" | path OPERATOR NUMBER | "(" any ")"
    def _read_clause(self) -> Condition:
        begin = self._offset
        token = self._expect_token("'about'", "'.'", "'('")
        if token == ".":
            return Comparison(self._read_path(), self._expect_token(_OPERATOR), float(self._expect_token(_NUMBER)))
        if token == "(":
            self._depth += 1
            if self._depth > MAX_PARENTHESES:
                raise NexiError(self._castitle, begin + 1, f"parentheses more than {MAX_PARENTHESES} deep")
            condition = self._read_any()
            self._expect_token("')'")
            self._depth -= 1
            return condition
        self._expect_token("'('")
        self._expect_token("'.'")
        path = self._read_path()
        self._expect_token("','")
        terms: list[Term] = []
        while not terms or not self._take_token("')'"):
            terms.append(_read_term(self._expect_token(_PHRASE, _WORD)))
            self._take_token("','")
        return About(path, tuple(terms))

    # path: "." ("//" names)*
    def _read_path(self) -> tuple[Step, ...]:
        steps = []
        while self._take_token("'//'"):
            steps.append(Step(self._read_names()))
        return tuple(steps)

    def _read_list(self, read_part: Callable[[], Condition], separator: str) -> tuple[Condition, ...]:
        parts = [read_part()]
        while self._take_token(separator):
            parts.append(read_part())
        return tuple(parts)

    def _take_token(self, token: str) -> str | None:
        """Read a token and the blanks after it, if it stands here."""
        match = _TOKENS[token].match(self._castitle, self._offset)
        if match is None:
            self._expected.add(token)
            return None
        self._expected.clear()
        self._offset = match.end()
        return match[1]

    def _expect_token(self, *tokens: str) -> str:
        for token in tokens:
            text = self._take_token(token)
            if text is not None:
                return text
        raise self._make_error()

    def _make_error(self) -> NexiError:
        bare = self._castitle.rstrip()
        offset = min(self._offset, len(bare))
        found = repr(self._castitle[offset : offset + 12]) if offset < len(bare) else "the end"
        return NexiError(self._castitle, offset + 1, f"expected {' or '.join(sorted(self._expected))}, found {found}")


def _read_term(text: str) -> Term:
    sign = text[0] if text[0] in "+-" else ""
    bare = text.removeprefix(sign)
    return Term(" ".join(bare.strip('"').split()), sign, bare.startswith('"'))
