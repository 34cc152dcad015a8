"""Expands a wiki's own Template: pages, unless they reach Lua or depend on the day of reading.

A call becomes wikitext, as in MediaWiki: arguments are filled in, parser functions choose, and templates call others,
within MediaWiki's bounds. A template that a page calls shows what the user says; else what its page makes of it; else
what a table says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from ..facts import function_named
from ..left_out import tell_kind_of_tag
from ..titles import as_title, is_title, plain_title
from .parser_functions import TITLES, ParserFunction, are_equal, evaluate, is_number, magic_word, parser_function
from .patterns import Arguments
from .template_page import (
    ArgumentNode,
    CallNode,
    CallPart,
    Nodes,
    UnknownExpansionError,
    parse_template_page,
    remove_substitution,
    select_included,
)

if TYPE_CHECKING:
    from .tables import Templates

# Templates may call each other so deep; a page's templates may write so many characters; a call may look at so many
# nodes.
MAX_DEPTH = 40
MAX_SIZE = 2**21
MAX_STEPS = 200_000
# Pages that are kept parsed, and expansions.
_MAX_KNOWN = 20_000
# An expansion is kept if its arguments have no more characters.
_LONGEST_KEY = 500

_BEGINS_LINE = ("{|", ":", ";", "#", "*")
# Beginnings of functions whose result depends on the day, on the rest of the wiki, or on Lua.
_OF_THE_DAY = (
    "current", "local", "revision", "numberof", "numbering", "pagesin", "site", "server", "script", "#invoke",
    "#property",
)  # fmt: skip
_NOT_SHOWN = frozenset(("defaultsort", "displaytitle", "defaultsortkey", "defaultcategorysort"))
_IS_ERROR = re.compile(r'<(?:strong|span|p|div)\s[^<>]*class="?[^<>"]*\berror\b')

# From the title of a template, without its namespace, to its wikitext.
FindPage = Callable[[str], "str | None"]
# A template's title and its arguments.
_Call = tuple[str, tuple[tuple[str, str], ...]]
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class OwnTemplate:
    """The page of a template; *nodes* is None if it cannot be read, *kind* names a table that is not text."""

    title: str
    nodes: Nodes | None
    is_infobox: bool
    kind: str


@dataclass(frozen=True, slots=True)
class _Frame:
    """A template that is being expanded: its arguments, the page it is for, and the templates that called it."""

    given: Mapping[str, str]
    title: str
    callers: tuple[str, ...]
    used: _Budget


@dataclass(slots=True)
class _Budget:
    """The work done for one call of a page, and whether it shows the same wherever it is called."""

    steps: int = 0
    size: int = 0
    is_same: bool = True

    @property
    def is_spent(self) -> bool:
        return self.steps > MAX_STEPS or self.size > MAX_SIZE


class PageTemplates:
    """Expands calls of the templates of a wiki by their pages, which *find_page* returns by their titles."""

    def __init__(self, find_page: FindPage, templates: Templates):
        self._find_page = find_page
        self._templates = templates
        self._called: dict[str, OwnTemplate | None] = {}
        self._parsed: dict[str, OwnTemplate | None] = {}
        self._known: dict[_Call, str | None] = {}

    def find(self, name: str) -> OwnTemplate | None:
        """Return the page of the template of a name, None if there is none."""
        if name not in self._called:
            _make_room(self._called)
            self._called[name] = self._find_titled(self.template_title(name))
        return self._called[name]

    def expand(self, template: OwnTemplate, given: Arguments, title: str) -> str | None:
        """Return the wikitext that a call on the page *title* stands for; None if that is unknown."""
        if template.nodes is None:
            return None
        call = (template.title, tuple(given.items()))
        if call in self._known:
            return self._known[call]
        used = _Budget()
        try:
            words: str | None = self._expand_nodes(template.nodes, _Frame(given, title, (template.title,), used))
        except (UnknownExpansionError, RecursionError):
            words = None
        if used.is_same and sum(map(len, given.values())) < _LONGEST_KEY:
            _make_room(self._known)
            self._known[call] = words
        return words

    def is_infobox(self, name: str) -> bool:
        """Tell whether the page of a template is an information box of Fandom's."""
        template = self.find(name)
        return template is not None and template.is_infobox

    def template_title(self, name: str) -> str:
        """Return the title of the page of a template, without its namespace; other pages begin with a colon."""
        name = name.strip()
        is_page = name.startswith(":")
        prefix, colon, rest = name.lstrip(":").partition(":")
        if colon and prefix.strip().lower().replace("_", " ") in self._templates.prefixes:
            name = rest
            is_page = False
        title = plain_title(name.lstrip(":").partition("#")[0])
        return f":{title}" if is_page and title else title

    def _find_titled(self, title: str) -> OwnTemplate | None:
        mark = title[: title.startswith(":")]
        for written in dict.fromkeys((title, mark + as_title(title.removeprefix(":")))):
            if written not in self._parsed:
                _make_room(self._parsed)
                wikitext = self._find_page(written) if written else None
                self._parsed[written] = None if wikitext is None else _parse_template(written, wikitext)
            template = self._parsed[written]
            if template is not None:
                return template
        return None

    def _expand_nodes(self, nodes: Nodes, frame: _Frame) -> str:
        if isinstance(nodes, str):
            return nodes
        pieces: list[str] = []
        size = 0
        for node in nodes:
            if isinstance(node, str):
                words = node
            elif isinstance(node, ArgumentNode):
                words = self._fill_in(node, frame)
            else:
                words = self._expand_call(node, frame)
                if pieces and words.startswith(_BEGINS_LINE) and not pieces[-1].endswith("\n"):
                    pieces.append("\n")
            size += len(words)
            pieces.append(words)
        used = frame.used
        used.steps += len(nodes)
        used.size += size
        if used.is_spent:
            raise UnknownExpansionError("it is too large")
        return pieces[0] if len(pieces) == 1 else "".join(pieces)

    def _fill_in(self, node: ArgumentNode, frame: _Frame) -> str:
        name = node.name if isinstance(node.name, str) else self._expand_nodes(node.name, frame).strip()
        value = frame.given.get(name)
        if value is not None:
            return value
        return f"{{{{{{{name}}}}}}}" if node.default is None else self._expand_nodes(node.default, frame)

    def _expand_call(self, node: CallNode, frame: _Frame) -> str:
        choose = _CHOICES.get(node.function)
        if choose is not None:
            return choose(self, self._expand_nodes(node.first, frame).strip(), node, frame).strip()
        return self._expand_named(node, frame)

    def _expand_named(self, node: CallNode, frame: _Frame) -> str:
        name = remove_substitution(self._expand_nodes(node.name, frame)).strip()
        word = magic_word(name)
        if word is not None and not node.parts:
            return word
        written, colon, first = name.partition(":")
        key = function_named(written.strip().lower())
        if key.startswith(_OF_THE_DAY) and (colon or written.isupper()):
            raise UnknownExpansionError(key)
        if colon:
            words = self._call_function(key, first.strip(), node, frame)
            if words is not None:
                return words
        elif not node.parts and key in TITLES:
            frame.used.is_same = False
            return frame.title
        return self._call_template(name, node.parts, frame)

    def _call_function(self, key: str, first: str, node: CallNode, frame: _Frame) -> str | None:
        """Return what a parser function shows; None if it is none, but a template in a namespace."""
        choose = _CHOICES.get(key)
        if choose is not None:
            return choose(self, first, node, frame).strip()
        if key in _NOT_SHOWN:
            return ""
        if key == "#tag":
            return self._write_tag(first, node.parts, frame)
        says = parser_function(key, first, self._templates.language)
        if says is not None:
            return says.show([self._join_part(part, frame) for part in node.parts])
        if key[:1] == "#":
            raise UnknownExpansionError(key)
        return None

    def _write_tag(self, name: str, parts: list[CallPart], frame: _Frame) -> str:
        """{{#tag:poem|words|style=...}} is <poem style="...">words</poem>."""
        words = [self._join_part(part, frame) for part in parts]
        attributes = "".join(f" {word}" for word in words[1:])
        return f"<{name}{attributes}>{words[0] if words else ''}</{name}>"

    def _join_part(self, part: CallPart, frame: _Frame) -> str:
        value = self._expand_nodes(part.value, frame)
        return value.strip() if part.name is None else f"{self._expand_nodes(part.name, frame).strip()}={value.strip()}"

    def _call_template(self, name: str, parts: list[CallPart], frame: _Frame) -> str:
        given = self._read_arguments(parts, frame)
        described = self._templates.describe(name)
        if described.is_own and described.says is not None and not isinstance(described.says, ParserFunction):
            frame.used.is_same = False
            return described.says({"pagename": frame.title, **given})
        if described.is_skipped:
            return ""
        template = self.find(name)
        if template is not None:
            words = self._expand_template(template, given, frame)
            if words is not None:
                return words
        if described.says is not None and not isinstance(described.says, ParserFunction):
            frame.used.is_same = False
            return described.says({"pagename": frame.title, **given})
        if described.is_silent:
            return ""
        if template is not None:
            raise UnknownExpansionError(template.title)
        if is_title(name):
            return ""
        return f"{{{{{'|'.join([name, *(self._join_part(part, frame) for part in parts)])}}}}}"

    def _read_arguments(self, parts: list[CallPart], frame: _Frame) -> Arguments:
        given: Arguments = {}
        number = 0
        for part in parts:
            value = self._expand_nodes(part.value, frame)
            if part.name is None:
                number += 1
                given[str(number)] = value
            else:
                given[self._expand_nodes(part.name, frame).strip()] = value.strip()
        return given

    def _expand_template(self, template: OwnTemplate, given: Arguments, frame: _Frame) -> str | None:
        if template.nodes is None:
            return None
        if template.title in frame.callers or len(frame.callers) >= MAX_DEPTH:
            frame.used.is_same = False
            return None
        try:
            return self._expand_nodes(
                template.nodes, _Frame(given, frame.title, (*frame.callers, template.title), frame.used)
            )
        except UnknownExpansionError:
            if frame.used.is_spent:
                raise
            return None

    def choose_if(self, first: str, node: CallNode, frame: _Frame) -> str:
        """{{#if:words|then|else}}."""
        return self._expand_argument(node, 0 if first else 1, frame)

    def choose_if_equal(self, first: str, node: CallNode, frame: _Frame) -> str:
        """{{#ifeq:one|other|then|else}}."""
        other = self._expand_argument(node, 0, frame).strip()
        return self._expand_argument(node, 1 if are_equal(first, other) else 2, frame)

    def choose_if_expression(self, first: str, node: CallNode, frame: _Frame) -> str:
        """{{#ifexpr:expression|then|else}}."""
        return self._expand_argument(node, 0 if evaluate(first) else 1, frame)

    def choose_if_exists(self, first: str, node: CallNode, frame: _Frame) -> str:
        """{{#ifexist:page|then|else}}: the pages of templates are known, the others are taken to be there."""
        prefix, colon, _ = first.partition(":")
        is_template = bool(colon) and prefix.strip().lower() in self._templates.prefixes
        is_there = bool(first) and not (is_template and self.find(first) is None)
        return self._expand_argument(node, 0 if is_there else 1, frame)

    def choose_if_error(self, first: str, node: CallNode, frame: _Frame) -> str:
        """{{#iferror:words|then|else}}."""
        if _IS_ERROR.search(first):
            return self._expand_argument(node, 0, frame)
        return self._expand_argument(node, 1, frame) if len(node.parts) > 1 else first

    def choose_case(self, first: str, node: CallNode, frame: _Frame) -> str:
        """{{#switch:b|a=x|b|c=y|z}}: a case without words shows those of the next that has some."""
        if node.cases is not None and not is_number(first):
            return self._expand_nodes(node.cases.shown.get(first, node.cases.others), frame)
        return self._compare_cases(first, node.parts, frame)

    def _compare_cases(self, first: str, parts: list[CallPart], frame: _Frame) -> str:
        falls = False
        others: CallPart | None = None
        for part in parts:
            case = self._expand_nodes(part.value if part.name is None else part.name, frame).strip()
            if part.name is None:
                falls = falls or are_equal(case, first)
                continue
            if falls or are_equal(case, first):
                return self._expand_nodes(part.value, frame)
            if function_named(case.lower()) == "#default":
                others = part
        if parts and parts[-1].name is None:
            return self._expand_nodes(parts[-1].value, frame)
        return "" if others is None else self._expand_nodes(others.value, frame)

    def _expand_argument(self, node: CallNode, number: int, frame: _Frame) -> str:
        return self._join_part(node.parts[number], frame) if number < len(node.parts) else ""


def _make_room(kept: dict[_Key, _Value]) -> None:
    if len(kept) > _MAX_KNOWN:
        kept.clear()


def _parse_template(title: str, wikitext: str) -> OwnTemplate:
    try:
        nodes: Nodes | None = parse_template_page(wikitext)
    except UnknownExpansionError:
        nodes = None
    if isinstance(nodes, list) and any(isinstance(node, CallNode) and node.function == "#invoke" for node in nodes):
        # It reaches Lua whatever its arguments are.
        nodes = None
    return OwnTemplate(title, nodes, "<infobox" in wikitext, _tell_kind_of_table(wikitext))


def _tell_kind_of_table(wikitext: str) -> str:
    """Return the kind of a template that is one table and nothing else, if the table is no text."""
    shown = select_included(wikitext).strip()
    if not shown.startswith("{|") or shown.count("\n{|") or not shown.endswith("\n|}"):
        return ""
    return tell_kind_of_tag(shown.partition("\n")[0], infobox=False)


_CHOICES: Mapping[str, Callable[[PageTemplates, str, CallNode, _Frame], str]] = {
    "#if": PageTemplates.choose_if,
    "#ifeq": PageTemplates.choose_if_equal,
    "#ifexpr": PageTemplates.choose_if_expression,
    "#ifexist": PageTemplates.choose_if_exists,
    "#iferror": PageTemplates.choose_if_error,
    "#switch": PageTemplates.choose_case,
}
