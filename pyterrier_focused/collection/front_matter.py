"""Front matter of Markdown: metadata at the top of a file, in YAML between lines of ---."""

from __future__ import annotations

import re

_BLOCK = re.compile(r"\A(?P<block>---[ \t]*\n\w[^\n]*:(?:.*\n)*?---)[ \t]*(?:\n|\Z)")
_TITLE = re.compile(r"^title:[ \t]*[\"']?(?P<title>.*?)[\"']?[ \t]*$", re.MULTILINE | re.IGNORECASE)


def find_front_matter(text: str) -> re.Match[str] | None:
    """Match the front matter at the top of a text, and the end of its last line, which is not in the group `block`.

    Example:
        >>> find_front_matter("---\\ntitle: Fog\\n---\\nShips slow down.")["block"]
        '---\\ntitle: Fog\\n---'
    """
    return _BLOCK.match(text)


def read_title(block: str) -> str:
    found = _TITLE.search(block)
    return found["title"] if found else ""
