"""The root element of a file of XML, which tells a dump of MediaWiki from other kinds."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Bytes at the top of a file in which its root is looked for.
TOP = 2**16

_BEFORE_ROOT = re.compile(
    rb"""
    \s+
    | <!--.*?-->
    | <\?.*?\?>
    | <!DOCTYPE (?: [^\[>"'] | "[^"]*" | '[^']*' )* (?: \[.*?\]\s* )? >
    """,
    re.VERBOSE | re.DOTALL,
)
_ROOT = re.compile(rb"<(?P<name>(?:(?P<prefix>[\w.-]+):)?(?P<local>[\w.-]+))(?P<attributes>(?:\s[^<>]*)?)>")
_DECLARATION = re.compile(rb"<\?xml\b[^>]*\?>")
_EXPORT = "mediawiki.org/xml/export"


@dataclass(frozen=True)
class XmlRoot:
    """The start tag of a root element, where it ends, and whether a declaration or document type comes before it."""

    name: str
    namespace: str
    tag: bytes
    end_tag: bytes
    declaration: bytes
    end: int
    is_declared: bool


def find_root(top: bytes) -> XmlRoot | None:
    """Return the root of a document, given its first bytes in UTF-8; None if it is no XML, or does not begin here."""
    position = len(top) - len(top.removeprefix(b"\xef\xbb\xbf"))
    declaration = _DECLARATION.match(top, position)
    while (passed := _BEFORE_ROOT.match(top, position)) is not None:
        position = passed.end()
    root = _ROOT.match(top, position)
    if root is None:
        return None
    name = rb"xmlns:%b" % re.escape(root["prefix"]) if root["prefix"] else rb"xmlns"
    namespace = re.search(rb"\s%b\s*=\s*(?:\"([^\"]*)\"|'([^']*)')" % name, root["attributes"])
    return XmlRoot(
        root["local"].decode("utf-8", "replace"),
        (namespace[1] or namespace[2] or b"").decode("utf-8", "replace") if namespace else "",
        root[0],
        b"</%b>" % root["name"],
        declaration[0] if declaration else b"",
        root.end(),
        declaration is not None or b"<!DOCTYPE" in top[: root.start()],
    )


def is_dump(top: bytes) -> bool:
    """Tell whether XML that begins so is a dump of MediaWiki, or a piece of one, which begins with a page."""
    root = find_root(top)
    if root is None:
        return False
    if root.name == "mediawiki":
        return not root.namespace or _EXPORT in root.namespace
    return root.name == "page" and not root.namespace and b"<revision" in top
