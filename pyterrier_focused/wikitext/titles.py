"""Titles as MediaWiki writes them."""

from __future__ import annotations

import re
import unicodedata

from .marks import LITERAL, without_marks

_NOT_IN_TITLES = re.compile(rf"[\[\]{{}}<>|\n{LITERAL}]|^#(?![^\W\d])|%[0-9a-fA-F]{{2}}|~~~")


def plain_title(title: str) -> str:
    """Return a title with single spaces for underscores and white space, in Unicode's composed form.

    Example:
        >>> plain_title("fresnel__lens ")
        'fresnel lens'
    """
    return unicodedata.normalize("NFC", " ".join(title.replace("_", " ").split()))


def as_title(words: str) -> str:
    """Return the title that a link or a user means: the `plain_title` with a capital first letter.

    Example:
        >>> as_title("fresnel_lens")
        'Fresnel lens'
    """
    title = plain_title(words)
    # Titlecase, not uppercase: MediaWiki leaves Georgian letters and ß as they are.
    first = title[:1].title()
    return first + title[1:] if len(first) == 1 else title


def is_title(name: str) -> bool:
    """Tell whether a template's name, with marks, could be a title; otherwise the braces are text."""
    words = without_marks(name).strip().lstrip(":")
    return bool(words) and _NOT_IN_TITLES.search(words) is None
