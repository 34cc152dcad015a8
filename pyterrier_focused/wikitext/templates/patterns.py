"""Patterns that say what a template shows, as `{1}` or `{1}[ ({2})]`: the language of the tables in data/templates.

{1}, {name}     the argument; {text|quote|1} the first of these that is given and not empty; {1=x} else x
{-1}            the last of the arguments that have no name
{2|by&source}   both with ", " between them, or the one that is given; {2&3&; } with "; "
{*, }           all arguments without a name, with ", " between them; {2*, } from the second on
{name}          the template's own name, as it is written on the page, if no argument is called so
[ ({2})]        is left out if an argument in it is not given or empty
¶               ends a paragraph; \\ before a character takes its meaning away
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from ..marks import BREAK

# Arguments without a name are called "1", "2", ...
Arguments = dict[str, str]
Template = Callable[[Arguments], str]
# Words, a field, or an optional group.
Node = str | tuple[str, ...] | list["Node"]

_TOKEN = re.compile(r"\\(.)|\{([^{}]*)\}|([\[\]])|([^\\{}\[\]]+)", re.DOTALL)
_ALL = re.compile(r"(\d*)\*(.*)", re.DOTALL)


@cache
def compile_pattern(pattern: str) -> Template:
    """Return the function from arguments to words. Raises ValueError for a malformed pattern."""
    if re.fullmatch(r"\{\w+\}", pattern):
        key = pattern[1:-1]
        return lambda given: given.get(key, "")
    nodes = _parse_pattern(pattern)
    return lambda given: _write_nodes(nodes, given)[0]


def split_arguments(body: str) -> Arguments:
    """Split the text after a template's name into arguments; those without a name are "1", "2", ..."""
    given: Arguments = {}
    number = 0
    for part in body.split("|"):
        key, equals, value = part.partition("=")
        if equals:
            given[key.strip()] = value.strip()
        else:
            number += 1
            given[str(number)] = part
    return given


def positional(given: Arguments, first: int = 1) -> list[str]:
    """Return the arguments without a name from number *first* on, without empty ones."""
    numbers = sorted(int(key) for key in given if key.isdecimal())
    return [given[str(n)].strip() for n in numbers if n >= first and given.get(str(n), "").strip()]


def _parse_pattern(pattern: str) -> list[Node]:
    groups: list[list[Node]] = [[]]
    offset = 0
    while offset < len(pattern):
        token = _TOKEN.match(pattern, offset)
        if token is None:
            raise ValueError(f"the pattern {pattern!r} is not understood from {pattern[offset:]!r} on; see {__name__}")
        offset = token.end()
        if token[1]:
            groups[-1].append(token[1])
        elif token[2] is not None:
            groups[-1].append(_parse_field(token[2]))
        elif token[3] == "[":
            groups.append([])
        elif token[3] == "]":
            if len(groups) == 1:
                raise ValueError(f"the pattern {pattern!r} has a ']' too many; write \\] for a bracket that is shown")
            group = groups.pop()
            groups[-1].append(group)
        else:
            groups[-1].append(token[4].replace("¶", BREAK))
    if len(groups) > 1:
        raise ValueError(f"the pattern {pattern!r} lacks a ']'; write \\[ for a bracket that is shown")
    return groups[0]


def _parse_field(words: str) -> tuple[str, ...]:
    every = _ALL.fullmatch(words)
    if every:
        return "*", every[1] or "1", every[2]
    if "&" in words:
        several = words.split("&")
        return ("&", *several, ", ") if several[-1][:1].isalnum() else ("&", *several)
    names, equals, default = words.partition("=")
    return ("=" + default if equals else "?", *names.split("|"))


def _write_nodes(nodes: list[Node], given: Arguments) -> tuple[str, bool]:
    words = ""
    whole = True
    for node in nodes:
        if isinstance(node, str):
            words += node
        elif isinstance(node, list):
            more, has_all = _write_nodes(node, given)
            words += more if has_all else ""
        else:
            value = _find_value(node, given)
            whole = whole and bool(value)
            words += value
    return words, whole


def _find_value(field: tuple[str, ...], given: Arguments) -> str:
    kind, *names = field
    if kind == "*":
        return names[1].join(positional(given, int(names[0])))
    if kind == "&":
        return names[-1].join(filter(None, (_find_value(("?", *name.split("|")), given) for name in names[:-1])))
    for name in names:
        value = (positional(given) or [""])[-1] if name == "-1" else given.get(name, "").strip()
        if value:
            return value
    return kind[1:] if kind[0] == "=" else ""
