"""Front matter of Markdown: metadata at the top of a file, in YAML between lines of ---."""

from __future__ import annotations

import re

_BLOCK = re.compile(
    r"""
    (?P<block>
        --- [ \t]*\n
        (?: (?: \#.* )? \n )*
        (?: "[^"\n]+" | '[^'\n]+' | \w[\w\ .-]* ) [ \t]* : (?!\S) .*\n                # a key
        (?: (?: ["'\w][^:\n]*:(?!\S) | [][ \t\#}-] ).*\n | \n )*?   # others; items, comments, what is indented
        ---
    ) [ \t]* (?: \n | \Z )
    """,
    re.VERBOSE,
)
_TITLE = re.compile(r"""^["']?title["']?[ \t]*:[ \t]+(?P<value>.+(?:\n[ \t]+.+)*)""", re.MULTILINE | re.IGNORECASE)
_QUOTED = re.compile(r"""(?P<mark>["'])(?P<words>(?:(?!(?P=mark))[^\\]|\\.|'')*)(?P=mark)""", re.DOTALL)


def find_front_matter(text: str) -> re.Match[str] | None:
    """Match the front matter at the top of a text, and the end of its last line, which is not in the group `block`.

    Example:
        >>> find_front_matter("---\\ntitle: Fog\\n---\\nShips slow down.")["block"]
        '---\\ntitle: Fog\\n---'
    """
    return _BLOCK.match(text)


def read_title(block: str) -> str:
    """Return the title that front matter gives; "" if it gives none.

    Example:
        >>> read_title("---\\ntitle: 'Fog'\\n---")
        'Fog'
    """
    found = _TITLE.search(block)
    if found is None:
        return ""
    quoted = _QUOTED.match(found["value"])
    # Without escapes; without a comment, or the sign of a folded text.
    words = (
        re.sub(r"\\(.)|'(')", r"\1\2", quoted["words"]) if quoted else re.sub(r"\s#.*|^[>|]\S*\s", "", found["value"])
    )
    return " ".join(words.split())
