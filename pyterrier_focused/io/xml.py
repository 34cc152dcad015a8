"""Parsing XML that strangers wrote: no entity expansion, no network, no DTD; what is malformed is a FormatError."""

from __future__ import annotations

import html.entities
from typing import Any

from lxml import etree

from ..errors import FormatError

PARSER_OPTIONS: dict[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "recover": False,
    "remove_comments": True,
    "remove_pis": True,
}


def parse_xml(data: bytes, name: str) -> etree._Element:
    """Parse a small document whole; *name* is its file's, for errors."""
    if not data.strip():
        raise FormatError("the file is empty", file=name)
    try:
        return etree.fromstring(data, etree.XMLParser(collect_ids=False, **PARSER_OPTIONS))
    except etree.XMLSyntaxError as error:
        raise syntax_error(error, name) from error


def syntax_error(error: etree.XMLSyntaxError, name: str, log: Any = None) -> FormatError:
    """Say where XML is malformed; *log* is the parser's own, for what the error itself does not tell."""
    message, line = error.msg, error.lineno
    if not line and log is not None and log.last_error is not None:
        message, line = log.last_error.message, log.last_error.line
    return FormatError(f"malformed XML: {message}; mend the file", file=name, line=line or 1)


def line_of(node: Any) -> int:
    """The physical line of an element's start tag, from 1."""
    return node.sourceline or 1


def text_of(element: etree._Element, name: str) -> str:
    """All text of an element, named characters such as `&eacute;` resolved as in HTML.

    Raises FormatError for an entity that only the file's own DTD defines.
    """
    parts = [element.text or ""]
    for child in element:
        parts.append(_character(child, name) if child.tag is etree.Entity else text_of(child, name))
        parts.append(child.tail or "")
    return "".join(parts)


def _character(entity: etree._Element, name: str) -> str:
    character = html.entities.html5.get(f"{entity.name};")  # type: ignore[attr-defined]
    if character is None:
        raise FormatError(
            "an entity that is no character of HTML; entities of a DTD are not expanded, write out what it stands for",
            file=name,
            line=line_of(entity),
            text=entity.text,
        )
    return character
