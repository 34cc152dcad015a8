"""How any XML becomes articles: which elements are articles, where ids, titles and headings are, what is left out."""

from __future__ import annotations

import copy
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lxml import etree

from ...errors import check_choice
from ...wikitext import RejectedArticle
from ..element_paths import HEADINGS

SPACES = ("source", "blocks", "even")
# Options for ids that no XPath finds: the file's name, and that with its folders.
FILE_NAMES = ("file", "path")
READINGS = ("reg", "orig")

_XML = "http://www.w3.org/XML/1998/namespace"

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

# Of the elements of a choice, those that are read, the best first.
_OF_READING = {"reg": ("reg", "corr", "expan"), "orig": ("orig", "sic", "abbr")}
# White space in these is text.
_VERBATIM = frozenset(("code", "eg", "egXML"))
_SPACES = re.compile(r"[ \t\r\n]+")
# Of HTML and JATS; those of TEI are of the lines of a page.
_LINE_BREAKS = ("br", "break")
_MILESTONES = frozenset(("lb", "pb", "cb", "gb", "milestone"))

_NO_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_NAME = re.compile(r"[A-Za-z][\w-]*", re.ASCII)
_OPERATORS = frozenset(("and", "or", "div", "mod"))
_NAME_TEST = re.compile(
    r"""
    "[^"]*" | '[^']*'                           # strings stay as they are
    | (?<! [\w@:$.-] ) (?P<name> [^\W\d][\w.-]* )
      (?! [\w.-] | \s* (?: \( | : ) )             # nor functions, axes and prefixes
    """,
    re.VERBOSE,
)


@dataclass(frozen=True)
class XmlProfile:
    """How a kind of XML is read.

    Attributes:
        record: an XPath to the elements that are articles, if a file has several; "" for its root. Names without a
            prefix match in any namespace.
        id_from: XPaths, relative to the record, of which the first that finds something gives the id; else the file's
            name does, with a number if the file has several records. 'file' for the name only, 'path' for that with its
            folders.
        title_from: the same for titles.
        heading_tags: the tags of the headings of elements.
        drop: the tags of elements that are left out with their content; "a/b" for a `b` whose parent is an `a`.
        spaces: 'source' for text as it is in the source; 'blocks' for a space where an element of a block ends, if
            there is none: adjacent words are not glued; 'even' for these, and one space for longer white space, such
            as the indentation between elements. Words that `break="no"` marks as one are joined then.
        reading: which reading of a `choice` is text: 'reg' for the regularised, corrected or expanded one, 'orig' for
            that of the source; "" for all of them.
        namespaces: prefixes and addresses for the XPaths; those that the root of a document declares are known.
        entities: the characters of entities by their names.
        attributes: the names of the attributes, as the source writes them, that are kept with the elements.
        escaped: an XPath, relative to the record, to elements whose text is HTML, with names in any namespace.
    """

    record: str = ""
    id_from: tuple[str, ...] = ()
    title_from: tuple[str, ...] = ()
    heading_tags: tuple[str, ...] = HEADINGS
    drop: tuple[str, ...] = ()
    spaces: str = "source"
    reading: str = ""
    namespaces: Mapping[str, str] = field(default_factory=dict)
    entities: Mapping[str, str] = field(default_factory=dict)
    attributes: tuple[str, ...] = ()
    escaped: str = ""


def fit_profile(profile: XmlProfile, given: Mapping[str, Any]) -> XmlProfile:
    """Return a profile with the given options in place of its own. Raises ValueError for unknown ones."""
    values = {key: value for key, value in given.items() if value}
    for key in ("id_from", "title_from", "heading_tags", "drop", "attributes"):
        if isinstance(values.get(key), str):
            values[key] = (values[key],)
        elif key in values:
            values[key] = tuple(values[key])
    profile = replace(profile, **values)
    check_choice("spaces", profile.spaces, SPACES)
    check_choice("reading", profile.reading, ("", *READINGS))
    return profile


def resolve_entities(data: bytes, entities: Mapping[str, str]) -> bytes:
    """Return a document with the characters that the references to some entities stand for."""
    for name, characters in entities.items():
        written = "".join(f"&#{ord(character)};" for character in characters)
        data = data.replace(f"&{name};".encode(), written.encode())
    return data


class ProfiledXml:
    """Finds the articles of documents by a profile."""

    def __init__(self, profile: XmlProfile):
        self._profile = profile
        self._record = _Expression("record", profile.record) if profile.record else None
        self._ids = [_Expression("id_from", path) for path in profile.id_from if path not in FILE_NAMES]
        self._titles = [_Expression("title_from", path) for path in profile.title_from]
        for expression in (self._record, *self._ids, *self._titles):
            if expression is not None:
                expression.compile(profile.namespaces)
        self._escaped = etree.XPath(match_any_namespace(profile.escaped)) if profile.escaped else None
        self._drop = frozenset(profile.drop)
        self._attributes = frozenset(profile.attributes)

    def find_records(self, root: etree._Element) -> list[etree._Element]:
        if self._record is None:
            return [root]
        records = self._record.evaluate(root, self._profile.namespaces)
        return (
            [element for element in records if isinstance(element, etree._Element)] if isinstance(records, list) else []
        )

    def find_id(self, record: etree._Element) -> str:
        return _find_words(self._ids, record, self._profile.namespaces)

    def find_title(self, record: etree._Element) -> str:
        has_spaces = self._profile.spaces != "source"
        return _find_words(self._titles, record, self._profile.namespaces, has_spaces)

    def prepare(self, record: etree._Element) -> etree._Element:
        """Return an article as a tree of its own, without dropped elements, and with the spaces of the profile."""
        record = copy.deepcopy(record)
        record.tail = None
        if self._escaped is not None:
            # The stubs allow for results that are not lists of elements.
            elements: Any = self._escaped(record)
            for element in elements:
                _read_escaped(element)
        if self._drop:
            for element in list(record.iter(etree.Element)):
                parent = element.getparent()
                name = etree.QName(element).localname
                if parent is not None and not self._drop.isdisjoint((name, f"{etree.QName(parent).localname}/{name}")):
                    _remove_element(element)
        if self._profile.reading:
            _choose_readings(record, self._profile.reading)
        if self._profile.spaces != "source":
            _add_spaces(record)
        if self._profile.spaces == "even":
            _even_spaces(record)
        return record

    def read_attributes(self, article: etree._Element) -> dict[int, dict[str, str]]:
        """Return the attributes that are kept, by the number of their element in document order."""
        if not self._attributes:
            return {}
        read = (_read_attributes(element, self._attributes) for element in article.iter(etree.Element))
        return {number: attributes for number, attributes in enumerate(read) if attributes}


@dataclass(frozen=True)
class _Expression:
    option: str
    path: str

    def compile(self, namespaces: Mapping[str, str]) -> etree.XPath:
        """Compile the XPath. Raises ValueError if it is malformed."""
        wanted = self.path
        if self.option == "record":
            wanted = match_any_namespace(wanted)
        elif self.option == "id_from" and wanted[:1] not in ("/", "(", "@", ".", "*") and "::" not in wanted:
            wanted = f".//{wanted}"
        try:
            return etree.XPath(wanted, namespaces=dict(namespaces) or None)
        except (etree.XPathSyntaxError, TypeError, ValueError) as error:
            raise ValueError(f"{self.option}={self.path!r} is not a valid XPath ({error})") from error

    def evaluate(self, element: etree._Element, namespaces: Mapping[str, str]) -> object:
        """Return what the XPath finds; prefixes are those of *namespaces*, then those of the element."""
        own = {prefix: address for prefix, address in element.nsmap.items() if prefix}
        try:
            return self.compile({**own, **namespaces})(element)
        except etree.XPathEvalError as error:
            unknown = str(error) == "Undefined namespace prefix"
            advice = '; give its address: namespaces={"tei": ...} (--namespace tei=...)' if unknown else ""
            raise RejectedArticle(f"{self.option}={self.path!r} cannot be looked up: {error}{advice}") from error


def match_any_namespace(path: str) -> str:
    """Let the names of elements without a prefix in an XPath stand for elements of any namespace."""

    def write_test(match: re.Match[str]) -> str:
        name = match["name"]
        return match[0] if name is None or name in _OPERATORS else f"*[local-name()='{name}']"

    return _NAME_TEST.sub(write_test, path)


def _read_attributes(element: etree._Element, names: Collection[str]) -> dict[str, str]:
    prefixes = {address: f"{prefix}:" for prefix, address in element.nsmap.items() if prefix} | {_XML: "xml:"}
    written = {
        prefixes.get(name.namespace or "", "") + name.localname: str(value)
        for name, value in ((etree.QName(key), value) for key, value in element.attrib.items())
    }
    return {name: written[name] for name in sorted(written.keys() & set(names))}


def _find_words(
    paths: Sequence[_Expression], record: etree._Element, namespaces: Mapping[str, str], has_spaces: bool = False
) -> str:
    for path in paths:
        result = path.evaluate(record, namespaces)
        first = result[0] if isinstance(result, list) and result else result
        if isinstance(first, etree._Element):
            if has_spaces:
                first = copy.deepcopy(first)
                first.tail = None
                _add_spaces(first)
            first = "".join(map(str, first.itertext()))
        words = " ".join(str(first).split()) if isinstance(first, str) else ""
        if words:
            return words
    return ""


def _remove_element(element: etree._Element) -> None:
    parent = element.getparent()
    if parent is not None:
        _add_before(element, element.tail or "")
        parent.remove(element)


def _add_before(element: etree._Element, text: str) -> None:
    before = element.getprevious()
    parent = element.getparent()
    if before is not None:
        before.tail = (before.tail or "") + text
    elif parent is not None:
        parent.text = (parent.text or "") + text


def _read_escaped(element: etree._Element) -> None:
    """Replace an element's text, which is HTML, by the HTML's elements."""
    parser = etree.HTMLParser(remove_comments=True, remove_pis=True, encoding="utf-8")
    if len(element) or not element.text:
        return
    page = etree.fromstring(element.text.encode(), parser)
    body = None if page is None else page.find("body")
    if body is None:
        element.text = None
        return
    etree.strip_elements(body, "script", "style", with_tail=False)
    for part in body.iter(etree.Element):
        # HTML has names and characters that XML does not.
        part.tag = part.tag if _NAME.fullmatch(part.tag) else "span"
        part.attrib.clear()
        part.text = _NO_CHARACTERS.sub("", part.text or "")
        part.tail = _NO_CHARACTERS.sub("", part.tail or "")
    element.text = body.text
    element.extend(list(body))


def _add_spaces(record: etree._Element) -> None:
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
                    _add_before(place, " ")
            place = None
            last = text[-1]


def _choose_readings(record: etree._Element, reading: str) -> None:
    """Leave one reading in each choice: of the kind that is asked for, else the first."""
    for choice in list(record.iter("{*}choice")):
        readings = list(choice.iterchildren(etree.Element))
        wanted = [element for element in readings if etree.QName(element).localname in _OF_READING[reading]]
        for child in list(choice):
            if child in (wanted or readings)[:1]:
                child.tail = None
            else:
                choice.remove(child)
        choice.text = None


def _even_spaces(record: etree._Element) -> None:
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
        _remove_element(element)


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
    return etree.QName(element).localname in _VERBATIM or element.get(f"{{{_XML}}}space") == "preserve"


def is_block(name: str, is_in_text: bool) -> bool:
    """Tell whether a space belongs after an element of this name; *is_in_text*: its parent has words of its own."""
    if name in (*_LINE_BREAKS, "lb", "pb") or name in _BLOCKS or name.lower() in _BLOCKS:
        return True
    return not is_in_text and name not in _INLINE


def _has_text(element: etree._Element) -> bool:
    texts = [element.text, *(child.tail for child in element)]
    return any(text and not text.isspace() for text in texts)
