"""The first of two passes over wikitext: templates, links, tags and comments become text and marks.

One scan with a stack, as in MediaWiki's preprocessor, in time proportional to the page's length whatever is left open.
What comes out has the markup of lines only: headings, lists, tables, quotes for bold and italics.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from .article import RejectedArticle
from .language import choose_variant
from .left_out import tell_kind_of_name, tell_kind_of_tag
from .links import LinkRules
from .marks import (
    BLOCKS,
    BREAK,
    END,
    EQUALS,
    EXPANDED,
    FLOAT,
    GONE,
    ITEM,
    LINK,
    LITERAL,
    LITERALS,
    MARKS,
    PIPE,
    UNLINK,
    Literal,
    remove_all_marks,
)
from .tags import (
    BLOCK_TAGS,
    DROPPED_TAGS,
    HTML_TAG,
    INLINE_TAGS,
    PAGE_TAGS,
    Reader,
    TagContents,
    TagLines,
    any_tag,
    end_tag,
    unescape,
)
from .templates.patterns import split_arguments
from .templates.tables import KnownTemplate, Templates
from .titles import is_title

# Constructs within each other.
MAX_DEPTH = 100
# The most braces in a row that open a construct; braces before them are text.
_MOST_BRACES = 3 * MAX_DEPTH
# Characters before a template in which brackets are looked for.
_NEAR = 200

_COMMENT_LINE = re.compile(r"[ \t]*\n")
_SPACE = " \t\n"
_BEGINS_BLOCK = tuple(" \t*#:;=|!{")

# A link without markup is read at once, with its `trail`; of anything else the token that begins or ends it.
_SIMPLE_LINK = r"\[\[ (?P<target>[^\[\]{}<>|\n]+) (?: \| (?P<words>[^\[\]{}<>|\n]*) )? \]\]"
_TOKEN = r"""
    | \{\{+ | \}\}+ | \[\[ | \]\]
    | <!--
    | < (?P<slash>/?) (?P<tag>[A-Za-z][A-Za-z0-9]*) (?![^\s/>])
"""
_VARIANT = r"| -\{(?!\{) | \}-"


@dataclass(frozen=True, slots=True)
class _Construct:
    """A construct that is open: its mark, `{`, `[[` or `-{`, how many times it is written, and the text before it."""

    mark: str
    count: int
    before: list[str]


class Expander:
    """Expands the wikitext of one page, and keeps its links, categories, literal text and omissions."""

    def __init__(
        self,
        title: str,
        templates: Templates,
        links: LinkRules,
        infobox: bool,
        converts: bool,
        captions: bool = True,
    ):
        self.links: list[str] = []
        self.categories: list[str] = []
        self.literals: list[Literal] = []
        # By kind, and the name of the template.
        self.left_out: Counter[tuple[str, str]] = Counter()
        self._title = title
        self._templates = templates
        self._captions = captions
        self._rules = links
        self._infobox = infobox
        self._tokens = _compile_tokens(links.trail, converts)
        self._trail = re.compile(links.trail)
        self._unclosed_tags: set[str] = set()
        self._stack: list[_Construct] = []
        self._out: list[str] = []
        self._text = ""
        self._comments = 0
        self._contents = TagContents(self._expand_text, self._keep_literal, self._read_gallery if captions else None)
        self._lines = TagLines()

    def expand(self, text: str) -> str:
        return _show_hidden_signs(self._expand_text(text))

    def _expand_text(self, text: str) -> str:
        outside = self._text, self._stack, self._out, self._comments
        self._text = text
        self._stack = []
        self._out = []
        self._comments = 0
        try:
            return self._scan_text(text)
        finally:
            self._text, self._stack, self._out, self._comments = outside

    def _scan_text(self, text: str) -> str:
        offset = 0
        search = self._tokens.search
        while (token := search(text, offset)) is not None:
            start = token.start()
            if start > offset:
                self._out.append(text[offset:start])
            mark = token[0]
            if token["target"] is not None:
                link = self._show_link(token["target"], token["words"], token["trail"])
                self._out.append(self._hide_dividers(link))
                offset = token.end()
            elif mark == "<!--":
                offset = self._skip_comment(start)
            elif mark[0] == "<":
                offset = self._read_tag(token["tag"], token["slash"] == "/", token.end())
            else:
                offset = self._read_bracket(mark, token.end())
            if len(self._stack) > MAX_DEPTH:
                raise RejectedArticle(f"markup nested over {MAX_DEPTH} deep, which is the limit")
        self._out.append(text[offset:])
        while self._stack:
            self._reopen_innermost()
        return "".join(self._out)

    def _hide_dividers(self, words: str) -> str:
        """Hide what would divide the arguments of a template around."""
        if self._stack and ("|" in words or "=" in words):
            return words.replace("|", PIPE).replace("=", EQUALS)
        return words

    def _reopen_innermost(self) -> None:
        """Take the innermost construct, which has no end, for text."""
        construct = self._stack.pop()
        construct.before.append(construct.mark * construct.count)
        construct.before.extend(self._out)
        self._out = construct.before

    def _skip_comment(self, offset: int) -> int:
        end = -1 if "-->" in self._unclosed_tags else self._text.find("-->", offset)
        if end < 0:
            self._unclosed_tags.add("-->")
            return len(self._text)
        end += len("-->")
        begins = max(self._text.rfind("\n", 0, offset) + 1, self._comments)
        if offset == 0 or self._text[begins:offset].strip(" \t"):
            return end
        self._comments = end
        line = _COMMENT_LINE.match(self._text, end)
        if line is None:
            return end
        while self._out and not self._out[-1].strip(" \t"):
            self._out.pop()
        if self._out:
            self._out[-1] = self._out[-1].rstrip(" \t")
        return line.end()

    def _read_bracket(self, mark: str, offset: int) -> int:
        stack = self._stack
        if mark[0] == "{" or mark in ("[[", "-{"):
            if len(mark) > _MOST_BRACES:
                self._out.append(mark[_MOST_BRACES:])
                mark = mark[:_MOST_BRACES]
            stack.append(_Construct("{", len(mark), self._out) if mark[0] == "{" else _Construct(mark, 1, self._out))
            self._out = []
            return offset
        if mark[0] == "}" and mark != "}-":
            return self._close_braces(len(mark), offset)
        opening = "[[" if mark == "]]" else "-{"
        if not stack or stack[-1].mark != opening:
            self._out.append(mark)
            return offset
        body = "".join(self._out)
        self._out = stack.pop().before
        if opening == "-{":
            self._out.append(self._hide_dividers(choose_variant(body)))
            return offset
        target, bar, words = body.partition("|")
        if "[" in words and self._text.startswith("]", offset):
            # [[a|[b]]]
            words = f"{words}]"
            offset += 1
        trail = self._trail.match(self._text, offset)
        tail = trail[0] if trail else ""
        self._out.append(self._hide_dividers(self._show_link(target, words if bar else None, tail)))
        return offset + len(tail)

    def _close_braces(self, count: int, offset: int) -> int:
        stack = self._stack
        while count > 1:
            while stack and stack[-1].mark != "{" and any(construct.mark == "{" for construct in stack[-4:]):
                self._reopen_innermost()
            if not stack or stack[-1].mark != "{":
                break
            construct = stack.pop()
            closed = min(construct.count, count, 3)
            body = "".join(self._out)
            self._out = construct.before
            count -= closed
            left = construct.count - closed
            if left > 1:
                stack.append(_Construct("{", left, construct.before))
                self._out = []
            elif left:
                self._out.append("{")
            words = self._hide_dividers(self._show_argument(body) if closed == 3 else self._show_template(body))
            is_table = words == GONE and self._text.startswith("{|", offset) and self._begins_line()
            self._out.append("" if is_table else words)
        self._out.append("}" * count)
        return offset

    def _show_argument(self, body: str) -> str:
        """{{{name|default}}} shows its default on a page that is not a template, {{{name}}} itself."""
        return body.split("|", 2)[1] if "|" in body else self._show_braces("{{{", body, "}}}")

    def _show_braces(self, opening: str, body: str, closing: str) -> str:
        return self._keep_literal(Literal("text", opening)) + body + self._keep_literal(Literal("text", closing))

    def _show_template(self, body: str) -> str:
        name, _, rest = body.partition("|")
        template = self._templates.describe(name)
        says = template.says
        if says is None:
            return self._show_unknown(name, template, body)
        given = split_arguments(rest) if rest else {}
        given["pagename"] = given.get("pagename", self._title)
        words = says(given)
        if words[:1] == "（" and words[-1:] == "）" and self._is_within_brackets():
            # {{bd}} in Chinese.
            words = words[1:-1]
        return words or GONE

    def _show_unknown(self, name: str, template: KnownTemplate, body: str) -> str:
        """Return the text for a template without known words: an information box, nothing, or its braces."""
        rest = body.partition("|")[2]
        if self._infobox and template.is_infobox:
            rows = [(key, _show_hidden_signs(value)) for key, value in split_arguments(rest).items() if value.strip()]
            return self._keep_literal(Literal("infobox", "", rows))
        if template.name.startswith("#tag:"):
            return self._show_tag_function(template.name[5:].strip(), rest)
        is_function = template.name.startswith("#") and ":" in template.name
        if not (template.is_silent or is_function or is_title(name)):
            return self._show_braces("{{", body, "}}")
        kind = self._tell_kind(template)
        counted = template.name.partition(":")[0] if is_function or kind == "metadata" else template.name
        self.left_out[kind, counted] += 1
        return GONE

    def _tell_kind(self, template: KnownTemplate) -> str:
        if template.is_infobox:
            return "infobox"
        if template.is_silent:
            return tell_kind_of_name(template.name)
        return "page" if template.name.startswith(":") else "unknown"

    def count(self, kind: str) -> None:
        self.left_out[kind, ""] += 1

    def _show_tag_function(self, name: str, rest: str) -> str:
        content, _, attributes = rest.partition("|")
        read = self._contents.find(name)
        if read is not None:
            return read(attributes, content.strip())
        return content.strip() if name in INLINE_TAGS else GONE

    def _is_within_brackets(self) -> bool:
        near = "".join(piece[-_NEAR:] for piece in self._out[-_NEAR:])[-_NEAR:]
        line = near.rpartition("\n")[2]
        return line.count("（") + line.count("(") > line.count("）") + line.count(")")

    def _show_link(self, target: str, words: str | None, trail: str) -> str:
        shown = self._rules.read(self._remove_marks(target), words)
        if shown.category:
            self.categories.append(shown.category)
        if shown.words is None:
            if shown.caption and self._captions:
                return self._keep_literal(Literal("figure", _show_hidden_signs(shown.caption))) + trail
            return (FLOAT if shown.floats else GONE) + trail
        anchor: str = shown.words
        if words is None and anchor[:1] != "[" and (":" in anchor or "''" in anchor or anchor[:1] in ("*", "#", ";")):
            # [[#a]], [[Help:a]]
            anchor = self._keep_literal(Literal("text", unescape(anchor)))
        if not shown.target or not (anchor or trail):
            return anchor + trail or GONE
        self.links.append(shown.target)
        return f"{LINK}{len(self.links) - 1}{END}{anchor}{trail}{UNLINK}"

    def _read_gallery(self, attributes: str, content: str) -> str:
        shown: list[str] = []
        for line in content.split("\n"):
            name, bar, words = line.partition("|")
            if bar and name.strip():
                caption = self._rules.find_caption(self._expand_text(words))
                if caption:
                    shown.append(self._keep_literal(Literal("figure", _show_hidden_signs(caption))))
        return "".join(shown) or GONE

    def _remove_marks(self, words: str) -> str:
        """Return words without marks, which cannot be in titles and literal text: what a literal holds is text."""
        if MARKS.search(words) is None:
            return words
        words = LITERALS.sub(lambda mark: self.literals[int(mark[1])].text, words.replace(PIPE, "|"))
        return remove_all_marks(words.replace(EQUALS, "="))

    def _keep_literal(self, literal: Literal) -> str:
        if literal.kind not in EXPANDED:
            literal = literal._replace(text=self._remove_marks(literal.text))
        self.literals.append(literal)
        block = BREAK if literal.kind in BLOCKS else ""
        return f"{block}{LITERAL}{len(self.literals) - 1}{END}{block}"

    def _read_tag(self, name: str, is_end: bool, offset: int) -> int:
        """Read a tag whose name ends at *offset*; returns where to go on."""
        written = name
        name = name.lower()
        read = self._contents.find(name)
        if name not in INLINE_TAGS and name not in BLOCK_TAGS and read is None:
            self._out.append(f"</{written}" if is_end else f"<{written}")
            return offset
        tag = HTML_TAG.match(self._text, offset)
        if tag is None:
            if name in DROPPED_TAGS:
                # The tag has no end: what follows in the line is not for readers.
                end = self._text.find("\n", offset)
                return len(self._text) if end < 0 else end
            self._out.append(f"</{written}" if is_end else f"<{written}")
            return offset
        attributes = tag[0][:-1]
        offset = tag.end()
        if read is not None and not (is_end or attributes.endswith("/")):
            return self._read_extension(name, attributes, offset, read)
        if read is not None:
            if name in DROPPED_TAGS:
                self._drop_tag(name)
            return offset
        kind = tell_kind_of_tag(attributes, self._infobox) if "=" in attributes and not is_end else ""
        if kind:
            return self._skip_element(name, offset, kind)
        lines = self._lines.of(name, is_end, attributes)
        if lines in ("", " ") and self._begins_line() and (lines or self._text.startswith(_BEGINS_BLOCK, offset)):
            # <small>* a</small> is not an item, as the tag is before it.
            lines = GONE
        elif not lines and self._text.startswith("'", offset) and self._out and self._out[-1].endswith("'"):
            # ''a''</small>'''b''' has two marks, of italics and of bold, not one.
            lines = GONE
        if lines:
            self._out.append(lines)
        return offset

    def _begins_line(self) -> bool:
        return self._out[-1].endswith("\n") if self._out else not self._stack

    def _read_extension(self, name: str, attributes: str, offset: int, read: Reader) -> int:
        end_match = None if name in self._unclosed_tags else end_tag(name).search(self._text, offset)
        if end_match is None:
            self._unclosed_tags.add(name)
            if name in DROPPED_TAGS:
                end = self._text.find("\n", offset)
                self._out.append(GONE)
                return len(self._text) if end < 0 else end
            return offset
        if name in DROPPED_TAGS and not (name == "gallery" and self._captions):
            self._drop_tag(name)
        else:
            self._out.append(read(attributes, self._text[offset : end_match.start()]))
        return end_match.end()

    def _drop_tag(self, name: str) -> None:
        self._out.append(GONE)
        if name in PAGE_TAGS:
            self.left_out["page", f"<{name}>"] += 1
        elif name == "infobox":
            self.count("infobox")

    def _skip_element(self, name: str, offset: int, kind: str) -> int:
        depth = 1
        after = offset
        while depth and name not in self._unclosed_tags:
            tag = any_tag(name).search(self._text, after)
            if tag is None:
                self._unclosed_tags.add(name)
                return offset
            after = tag.end()
            depth += -1 if tag[0][1] == "/" else 1
        self._out.append(GONE)
        self.count(kind)
        return after


def _show_hidden_signs(expanded: str) -> str:
    """Return expanded text with the bars and equals signs that were hidden from the templates around."""
    if ITEM in expanded:
        expanded = _join_items(expanded)
    if PIPE in expanded:
        expanded = expanded.replace(PIPE, "|")
    return expanded.replace(EQUALS, "=") if EQUALS in expanded else expanded


def _join_items(expanded: str) -> str:
    """Take the empty lines before the items of HTML lists away: they would end the lists."""
    *before, last = expanded.split(ITEM)
    return "".join(f"{words.rstrip(_SPACE)}\n" for words in before) + last


@lru_cache(maxsize=100)
def _compile_tokens(trail: str, converts: bool) -> re.Pattern[str]:
    return re.compile(f"{_SIMPLE_LINK}(?P<trail>{trail}){_TOKEN}{_VARIANT if converts else ''}", re.VERBOSE)
