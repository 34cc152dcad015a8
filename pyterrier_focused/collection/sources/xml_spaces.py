"""Spaces where blocks of XML touch, so that words are not glued, and one space for longer white space."""

from __future__ import annotations

import re

from lxml import etree

# Elements that are within a line of text in JATS, TEI, DocBook and HTML, and those that never are.
_INLINE = frozenset(
    """a abbr abbrev acronym b bold c choice citetitle code command corr date del em emph emphasis expan ext-link
    filename fn foreign function g graphic hi i inline-formula inline-graphic ins italic kbd link lb literal mark
    milestone monospace name named-content nobr note num orig overline pb pc persName phrase placeName quote ref reg
    replaceable roman rs s samp sans-serif sc seg sic small span strike strong styled-content sub subscript sup
    superscript supplied term tt u ulink underline unclear uri var w xref""".split()
)
_BLOCKS = frozenset(
    """abstract ack act article article-title back body book bridgehead caption cast castItem cell chapter contrib
    disp-quote div div1 div2 div3 entry fig figure formalpara front head heading item l label lg li line list list-item
    listitem ol p para persona play poem quote-block row scene sec sect1 sect2 sect3 section sp speaker speech st stage
    stagedir subtitle table tbody td th thead title tr trans-title ul variablelist varlistentry""".split()
)

# Elements that stand within a sentence but are not part of it.
_NOTES = frozenset(("fn", "footnote", "note", "page"))
# Characters after which, and those before which, no space belongs.
_OPENING = frozenset("([{“‘«„")
_CLOSING = re.compile(r"[.,;:!?)\]}’”»]\W")

_SPACES = re.compile(r"[ \t\r\n]+")
# Of HTML and JATS.
_LINE_BREAKS = ("br", "break")
# White space in these is text.
_VERBATIM = frozenset(("code", "eg", "egXML"))
_MILESTONES = frozenset(("lb", "pb", "cb", "gb", "milestone"))
XML = "http://www.w3.org/XML/1998/namespace"


def add_spaces(record: etree._Element) -> None:
    """Put a space where a block or a note touches text; see `is_block` for what is a block."""
    # Whether each open element has text of its own.
    has_text: list[bool] = []
    last = " "
    # The last tag at which a space belongs, and the space; "" for one before it.
    place: etree._Element | None = None
    space = ""
    for event, element in etree.iterwalk(record, events=("start", "end")):
        name = etree.QName(element).localname
        if event == "start":
            if place is None and (name in _NOTES or name in _BLOCKS) and last not in _OPENING:
                place = element
                space = ""
            has_text.append(_has_text(element))
            text = element.text
        else:
            has_text.pop()
            if element is record:
                break
            text = element.tail
            is_parted = text is None or text[:1].isalnum()
            if is_block(name, has_text[-1]) or (name in _NOTES and is_parted):
                place = element
                space = "\n" if name in _LINE_BREAKS else " "
        if text:
            is_glued = not text[0].isspace() and (space == "\n" or not last.isspace())
            if place is not None and is_glued and not _CLOSING.match(f"{text[:2]} "):
                if space:
                    place.tail = space + (place.tail or "")
                else:
                    add_before(place, " ")
            place = None
            last = text[-1]


def even_spaces(record: etree._Element) -> None:
    """Make one space of each stretch of white space, none at the ends and where a break with `break="no"` is."""
    nodes = _TextNodes()
    breaks = []
    verbatim = 0
    for event, element in etree.iterwalk(record, events=("start", "end", "comment", "pi")):
        if event == "start":
            verbatim += _is_verbatim(element)
            if element.get("break") == "no" and etree.QName(element).localname in _MILESTONES:
                nodes.join()
                breaks.append(element)
            element.text = nodes.add(element, "text", verbatim > 0)
            continue
        if event == "end":
            verbatim -= _is_verbatim(element)
        if element is not record:
            element.tail = nodes.add(element, "tail", verbatim > 0)
    nodes.strip_end()
    for element in breaks:
        remove_element(element)


class _TextNodes:
    """The texts of a document as they pass, each the text or the tail of an element."""

    def __init__(self) -> None:
        self._passed: list[tuple[etree._Element, str]] = []
        self._ends_in_space = True

    def add(self, element: etree._Element, place: str, is_verbatim: bool) -> str | None:
        text = getattr(element, place)
        if not text:
            return None
        if not is_verbatim:
            text = _SPACES.sub(" ", text)
            text = text.removeprefix(" ") if self._ends_in_space else text
        if text:
            self._ends_in_space = text.endswith(" ")
            self._passed.append((element, place))
        return str(text)

    def join(self) -> None:
        self.strip_end()
        self._ends_in_space = True

    def strip_end(self) -> None:
        while self._passed:
            element, place = self._passed[-1]
            text = getattr(element, place).rstrip(" ")
            setattr(element, place, text)
            if text:
                return
            self._passed.pop()


def _is_verbatim(element: etree._Element) -> bool:
    return etree.QName(element).localname in _VERBATIM or element.get(f"{{{XML}}}space") == "preserve"


def remove_element(element: etree._Element) -> None:
    parent = element.getparent()
    if parent is not None:
        add_before(element, element.tail or "")
        parent.remove(element)


def add_before(element: etree._Element, text: str) -> None:
    before = element.getprevious()
    parent = element.getparent()
    if before is not None:
        before.tail = (before.tail or "") + text
    elif parent is not None:
        parent.text = (parent.text or "") + text


def is_block(name: str, is_in_text: bool) -> bool:
    """Tell whether a space belongs after an element of this name; *is_in_text*: its parent has words of its own."""
    if name in (*_LINE_BREAKS, "lb", "pb") or name in _BLOCKS or name.lower() in _BLOCKS:
        return True
    return not is_in_text and name not in _INLINE


def _has_text(element: etree._Element) -> bool:
    texts = [element.text, *(child.tail for child in element)]
    return any(text and not text.isspace() for text in texts)
