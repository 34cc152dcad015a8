"""The wikitext of a Template: page, parsed once: what it includes, its arguments and the calls in it.

As in MediaWiki's preprocessor: `<noinclude>` is left out, `<onlyinclude>` is all that counts if there is any, two
braces are a call and three an argument, and within `[[ ]]` a bar divides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Union

from ..facts import function_named
from ..tags import end_tag

# MediaWiki expands no deeper; so links without an end take linear time too.
MAX_NESTED = 100

_SUBSTITUTED = re.compile(r"\s*(?:(?:safesubst|subst|msg|raw)\s*:\s*)+", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ONLY = re.compile(r"<onlyinclude>(.*?)(?:</onlyinclude>|\Z)", re.DOTALL)
_NOT_INCLUDED = re.compile(r"<noinclude(?:\s[^<>]*)?(?<!/)>.*?(?:</noinclude\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_INCLUDE_TAG = re.compile(r"</?(?:includeonly|noinclude|onlyinclude)(?:\s[^<>]*)?/?>", re.IGNORECASE)
_TOKEN = re.compile(
    r"""
    # What stands between these tags is no call.
    <(?P<tag>nowiki|pre|math|syntaxhighlight|source|templatedata|score|timeline)\b[^<>]*(?<!/)>
    | (?P<open>\{\{+)
    | (?P<close>\}\}+)
    | (?P<link>\[\[)
    | (?P<unlink>\]\])
    | (?P<bar>\|)
    | (?P<equals>=)
    """,
    re.VERBOSE | re.IGNORECASE,
)

Node = Union[str, "ArgumentNode", "CallNode"]
# Plain text is one string.
Nodes = Union[str, "list[Node]"]


@dataclass(frozen=True)
class ArgumentNode:
    """`{{{name|default}}}`; the default is None if there is no bar."""

    name: Nodes
    default: Nodes | None


@dataclass(frozen=True)
class CallPart:
    """A part of a call after its name: its value, and the name before the first equals sign, None without one."""

    name: Nodes | None
    value: Nodes


@dataclass(frozen=True)
class CallNode:
    """`{{name|part|key=part}}`: a template, a parser function or a magic word.

    If its name begins with letters and a colon, *function* is the English name of the function that they name, and
    *first* the text after the colon. *cases* has the choices of a `#switch` by case, if all cases are plain text.
    """

    name: Nodes
    parts: list[CallPart]
    function: str = ""
    first: Nodes = ""
    cases: Cases | None = None


@dataclass(frozen=True)
class Cases:
    """What the cases of a `#switch` show, and what all others do."""

    shown: Mapping[str, Nodes]
    others: Nodes


@dataclass
class _Open:
    """A construct that is open: braces, and how many of them, or a link, whose bars divide nothing."""

    braces: int
    parts: list[list[Node]] = field(default_factory=lambda: [[]])
    # Of each part: the node before which the name ends.
    equals: list[int] = field(default_factory=lambda: [-1])

    def add(self, node: Node) -> None:
        self.parts[-1].append(node)


class UnknownExpansionError(Exception):
    """A template cannot be expanded from wikitext: it reaches Lua, depends on the day of reading, or never ends."""


def parse_template_page(wikitext: str) -> Nodes:
    """Parse the part of a Template: page that its callers include into text, arguments and calls."""
    text = select_included(wikitext)
    stack = [_Open(0)]
    offset = 0
    unclosed: set[str] = set()
    while (token := _TOKEN.search(text, offset)) is not None:
        if token.start() > offset:
            stack[-1].add(text[offset : token.start()])
        offset = token.end()
        if token["tag"]:
            offset = _find_end(text, token, unclosed)
            stack[-1].add(text[token.start() : offset])
        else:
            _take_token(stack, token)
        if len(stack) > MAX_NESTED:
            raise UnknownExpansionError("it is nested too deep")
    if offset < len(text):
        stack[-1].add(text[offset:])
    while len(stack) > 1:
        _reopen_innermost(stack)
    return join_text(stack[0].parts[0])


def join_text(nodes: Sequence[Node]) -> Nodes:
    """Join neighbouring pieces of text; return plain text if there is nothing else."""
    joined: list[Node] = []
    pieces: list[str] = []
    for node in nodes:
        if isinstance(node, str):
            pieces.append(node)
            continue
        if pieces:
            joined.append("".join(pieces))
            pieces = []
        joined.append(node)
    text = "".join(pieces)
    if not joined:
        return text
    return [*joined, text] if text else joined


def select_included(wikitext: str) -> str:
    """Return the wikitext that callers of the template include, without comments."""
    text = _COMMENT.sub("", wikitext)
    if "<onlyinclude>" in text and "</onlyinclude>" in text:
        text = "".join(_ONLY.findall(text))
    return _INCLUDE_TAG.sub("", _NOT_INCLUDED.sub("", text))


def _find_end(text: str, token: re.Match[str], unclosed: set[str]) -> int:
    """Return the end of a tag's end tag; if there is none, the end of the tag, which is added to *unclosed*."""
    name = token["tag"].lower()
    end_match = None if name in unclosed else end_tag(name).search(text, token.end())
    if end_match is None:
        unclosed.add(name)
        return token.end()
    return end_match.end()


def _take_token(stack: list[_Open], token: re.Match[str]) -> None:
    kind = token.lastgroup
    top = stack[-1]
    if kind == "open":
        stack.append(_Open(len(token[0])))
    elif kind == "link":
        stack.append(_Open(-1))
    elif kind == "unlink" and top.braces == -1:
        stack.pop()
        for node in ("[[", *top.parts[0], "]]"):
            stack[-1].add(node)
    elif kind == "close":
        _close_braces(stack, len(token[0]))
    elif kind == "bar" and top.braces > 0:
        top.parts.append([])
        top.equals.append(-1)
    elif kind == "equals" and top.braces > 0 and len(top.parts) > 1 and top.equals[-1] < 0:
        top.equals[-1] = len(top.parts[-1])
        top.add("=")
    else:
        top.add(token[0])


def _close_braces(stack: list[_Open], count: int) -> None:
    while count > 1:
        if stack[-1].braces == -1 and any(opened.braces > 0 for opened in stack):
            # The link has no end.
            _reopen_innermost(stack)
            continue
        if stack[-1].braces < 2:
            break
        top = stack.pop()
        closed = min(top.braces, count, 3)
        count -= closed
        left = top.braces - closed
        node = _make_argument(top) if closed == 3 else _make_call(top)
        if left > 1:
            stack.append(_Open(left))
        elif left:
            stack[-1].add("{")
        stack[-1].add(node)
    if count:
        stack[-1].add("}" * count)


def _make_argument(opened: _Open) -> ArgumentNode:
    name = join_text(opened.parts[0])
    default = join_text(opened.parts[1]) if len(opened.parts) > 1 else None
    return ArgumentNode(name.strip() if isinstance(name, str) else name, default)


def _make_call(opened: _Open) -> CallNode:
    parts: list[CallPart] = []
    for nodes, equals in zip(opened.parts[1:], opened.equals[1:], strict=True):
        name = None if equals < 0 else join_text(nodes[:equals])
        parts.append(CallPart(name, join_text(nodes[equals + 1 :] if equals >= 0 else nodes)))
    name = join_text(opened.parts[0])
    head = name if isinstance(name, str) else name[0]
    if not isinstance(head, str):
        return CallNode(name, parts)
    written, colon, rest = remove_substitution(head).partition(":")
    if not colon:
        return CallNode(name, parts)
    function = function_named(written.strip().lower())
    cases = collect_cases(parts) if function == "#switch" else None
    return CallNode(name, parts, function, rest if isinstance(name, str) else [rest, *name[1:]], cases)


def remove_substitution(name: str) -> str:
    """Return the name of a call without `subst:` and its kin, which change nothing for readers."""
    match = _SUBSTITUTED.match(name)
    return name if match is None else name[match.end() :]


def collect_cases(parts: Sequence[CallPart]) -> Cases | None:
    """Return the choices of a `#switch`; None if a case has to be expanded."""
    shown: dict[str, Nodes] = {}
    others: Nodes = ""
    before: list[str] = []
    for part in parts:
        nodes = part.value if part.name is None else part.name
        is_last = part.name is None and part is parts[-1]
        if not isinstance(nodes, str) and not is_last:
            return None
        case = nodes.strip() if isinstance(nodes, str) else ""
        before.append(case)
        if is_last or (part.name is not None and function_named(case.lower()) == "#default"):
            others = part.value
        if is_last or part.name is not None:
            for label in before:
                shown.setdefault(label, part.value)
            before = []
    return Cases(shown, others)


def _reopen_innermost(stack: list[_Open]) -> None:
    top = stack.pop()
    stack[-1].add("{" * top.braces if top.braces > 0 else "[[")
    for number, nodes in enumerate(top.parts):
        if number:
            stack[-1].add("|")
        for node in nodes:
            stack[-1].add(node)
