"""What a wiki's own Template: pages show, unless they reach Lua or depend on the day of reading.

A call becomes wikitext, as in MediaWiki: arguments are filled in, parser functions choose, and templates call others,
within MediaWiki's bounds. A template that a page calls shows what the user says; else what its page makes of it; else
what a table says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..facts import function_named
from ..titles import as_title
from .parser_functions import ParserFunction, are_equal, evaluate, parser_function
from .patterns import Arguments
from .template_page import ArgumentNode, CallNode, CallPart, Nodes, parse_template_page

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

_SUBSTITUTED = re.compile(r"(?:safesubst|subst|msg|raw)\s*:\s*", re.IGNORECASE)
_BEGINS_LINE = re.compile(r"\{\||[:;#*]")
# Beginnings of functions whose result depends on the day, on the rest of the wiki, or on Lua.
_OF_THE_DAY = (
    "current", "local", "revision", "numberof", "numbering", "pagesin", "site", "server", "script", "#invoke",
    "#property",
)  # fmt: skip
_TITLES = frozenset(("pagename", "fullpagename", "basepagename", "subpagename", "rootpagename", "articlepagename"))
_NOT_SHOWN = frozenset(("defaultsort", "displaytitle", "defaultsortkey", "defaultcategorysort"))
_SIGNS = {"!": "|", "=": "="}
_NAMESPACES = frozenset(("namespace", "talkspace", "subjectspace", "articlespace"))
_IS_ERROR = re.compile(r'<(?:strong|span|p|div)\s[^<>]*class="?[^<>"]*\berror\b')

# From the title of a template, without its namespace, to its wikitext.
FindPage = Callable[[str], "str | None"]


class UnknownExpansionError(Exception):
    """What a template shows cannot be told from wikitext: it reaches Lua, or the day of reading, or never ends."""


@dataclass(frozen=True)
class _Frame:
    """A template that is being expanded: its arguments, the page it is for, and the templates that called it."""

    given: Mapping[str, str]
    title: str
    callers: tuple[str, ...]
    used: _Budget


@dataclass
class _Budget:
    """How much has been done for one call of a page, and whether what it shows depends on the page's title."""

    steps: int = 0
    size: int = 0
    of_title: bool = False

    def spend(self, steps: int, size: int) -> None:
        """Count what is done. Raises UnknownExpansionError beyond the bounds."""
        self.steps += steps
        self.size += size
        if self.steps > MAX_STEPS or self.size > MAX_SIZE:
            raise UnknownExpansionError("it is too large")


class PageTemplates:
    """Expands calls of the templates of a wiki by their pages, which *find_page* returns by their titles."""

    def __init__(self, find_page: FindPage, templates: Templates):
        self._find_page = find_page
        self._templates = templates
        self._parsed: dict[str, Nodes | None] = {}
        self._known: dict[tuple[str, tuple[tuple[str, str], ...]], str | None] = {}

    def expand(self, name: str, given: Arguments, title: str) -> str | None:
        """Return the wikitext that a call on the page *title* stands for; None if its page does not tell."""
        found = self.template_title(name)
        nodes = self._find_nodes(found)
        if nodes is None:
            return None
        key = (found, tuple(given.items()))
        if key in self._known:
            return self._known[key]
        used = _Budget()
        try:
            words: str | None = self._expand_nodes(nodes, _Frame(given, title, (found,), used))
        except (UnknownExpansionError, RecursionError):
            words = None
        if not used.of_title and sum(map(len, given.values())) < _LONGEST_KEY:
            if len(self._known) > _MAX_KNOWN:
                self._known.clear()
            self._known[key] = words
        return words

    def has_page(self, name: str) -> bool:
        """Tell whether a template of this name has a page."""
        return self._find_nodes(self.template_title(name)) is not None

    def is_infobox(self, name: str) -> bool:
        """Tell whether the page of a template is an information box of Fandom's, <infobox>."""
        return "<infobox" in (self._find_page(self.template_title(name)) or "")

    def template_title(self, name: str) -> str:
        """Return the title of the page of a template, without its namespace; "" for pages of other namespaces."""
        prefix, colon, rest = name.partition(":")
        if colon and (not prefix.strip() or prefix.strip().lower().replace("_", " ") in self._templates.prefixes):
            name = rest if prefix.strip() else ""
        return as_title(name.partition("#")[0])

    def _find_nodes(self, title: str) -> Nodes | None:
        if title not in self._parsed:
            if len(self._parsed) > _MAX_KNOWN:
                self._parsed.clear()
            wikitext = self._find_page(title) if title else None
            self._parsed[title] = None if wikitext is None else parse_template_page(wikitext)
        return self._parsed[title]

    def _expand_nodes(self, nodes: Nodes, frame: _Frame) -> str:
        pieces: list[str] = []
        for node in nodes:
            if isinstance(node, str):
                words = node
            elif isinstance(node, ArgumentNode):
                words = self._fill_in(node, frame)
            else:
                words = self._expand_call(node, frame)
                if _BEGINS_LINE.match(words) and pieces and not pieces[-1].endswith("\n"):
                    pieces.append("\n")
            frame.used.spend(1, len(words))
            pieces.append(words)
        return "".join(pieces)

    def _fill_in(self, node: ArgumentNode, frame: _Frame) -> str:
        name = self._expand_nodes(node.name, frame).strip()
        if name in frame.given:
            return frame.given[name]
        if node.default is not None:
            return self._expand_nodes(node.default, frame)
        return f"{{{{{{{name}}}}}}}"

    def _expand_call(self, node: CallNode, frame: _Frame) -> str:
        name = _SUBSTITUTED.sub("", self._expand_nodes(node.name, frame).strip())
        if name in _SIGNS:
            return _SIGNS[name]
        written, colon, first = name.partition(":")
        key = function_named(written.strip().lower())
        if key.startswith(_OF_THE_DAY) and (colon or written.isupper()):
            raise UnknownExpansionError(key)
        if colon:
            words = self._call_function(key, first.strip(), node.parts, frame)
            if words is not None:
                return words
        elif not node.parts and key in _TITLES:
            frame.used.of_title = True
            return frame.title
        elif not node.parts and key in _NAMESPACES:
            return ""
        return self._call_template(name, node.parts, frame)

    def _call_function(self, key: str, first: str, parts: list[CallPart], frame: _Frame) -> str | None:
        """Return what a parser function shows; None if it is none, but a template in a namespace."""
        choose = _CHOICES.get(key)
        if choose is not None:
            return choose(self, first, parts, frame).strip()
        if key in _NOT_SHOWN:
            return ""
        if key == "#tag":
            return self._write_tag(first, parts, frame)
        says = parser_function(key, first, self._templates.language)
        if says is not None:
            return says.show([self._join_part(part, frame) for part in parts])
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
        given: Arguments = {}
        number = 0
        for part in parts:
            value = self._expand_nodes(part.value, frame)
            if part.name is None:
                number += 1
                given[str(number)] = value
            else:
                given[self._expand_nodes(part.name, frame).strip()] = value.strip()
        own = self._templates.find_own(name)
        if own is not None:
            return own({"pagename": frame.title, **given})
        title = self.template_title(name)
        nodes = self._find_nodes(title)
        if self._templates.is_silent(self._templates.normal(name)):
            return ""
        if nodes is not None and title not in frame.callers and len(frame.callers) < MAX_DEPTH:
            try:
                return self._expand_nodes(nodes, replace(frame, given=given, callers=(*frame.callers, title)))
            except UnknownExpansionError:
                if frame.used.steps > MAX_STEPS or frame.used.size > MAX_SIZE:
                    raise
        says = self._templates.find(name)
        if says is not None and not isinstance(says, ParserFunction):
            frame.used.of_title = True
            return says({"pagename": frame.title, **given})
        if nodes is not None:
            raise UnknownExpansionError(title)
        return ""

    def choose_if(self, first: str, parts: list[CallPart], frame: _Frame) -> str:
        """{{#if:words|then|else}}."""
        return self._expand_argument(parts, 0 if first else 1, frame)

    def choose_if_equal(self, first: str, parts: list[CallPart], frame: _Frame) -> str:
        """{{#ifeq:one|other|then|else}}."""
        return self._expand_argument(
            parts, 1 if are_equal(first, self._expand_argument(parts, 0, frame).strip()) else 2, frame
        )

    def choose_if_expression(self, first: str, parts: list[CallPart], frame: _Frame) -> str:
        """{{#ifexpr:expression|then|else}}."""
        return self._expand_argument(parts, 0 if evaluate(first) else 1, frame)

    def choose_if_exists(self, first: str, parts: list[CallPart], frame: _Frame) -> str:
        """{{#ifexist:page|then|else}}: the pages of templates are known, the others are taken to be there."""
        prefix, colon, _ = first.partition(":")
        is_template = bool(colon) and prefix.strip().lower() in self._templates.prefixes
        is_there = bool(first) and not (is_template and self._find_nodes(self.template_title(first)) is None)
        return self._expand_argument(parts, 0 if is_there else 1, frame)

    def choose_if_error(self, first: str, parts: list[CallPart], frame: _Frame) -> str:
        """{{#iferror:words|then|else}}."""
        if _IS_ERROR.search(first):
            return self._expand_argument(parts, 0, frame)
        return self._expand_argument(parts, 1, frame) if len(parts) > 1 else first

    def choose_case(self, first: str, parts: list[CallPart], frame: _Frame) -> str:
        """{{#switch:b|a=x|b|c=y|z}}: a case without words shows those of the next that has some."""
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

    def _expand_argument(self, parts: list[CallPart], number: int, frame: _Frame) -> str:
        return self._join_part(parts[number], frame) if number < len(parts) else ""


_CHOICES: Mapping[str, Callable[[PageTemplates, str, list[CallPart], _Frame], str]] = {
    "#if": PageTemplates.choose_if,
    "#ifeq": PageTemplates.choose_if_equal,
    "#ifexpr": PageTemplates.choose_if_expression,
    "#ifexist": PageTemplates.choose_if_exists,
    "#iferror": PageTemplates.choose_if_error,
    "#switch": PageTemplates.choose_case,
}
