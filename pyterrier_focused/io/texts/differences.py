"""What a retrieved text says otherwise than the evidence: the words of the evidence that it lacks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from ...frames.spans import Span
from .words import split_words

# Words that turn a sentence into its opposite.
_NEGATION = re.compile(
    r"""not | no | nor | never | none | neither | nobody | nothing | without | cannot | \w+ n['’]t
    | nicht | nie | kein\w* | ohne | ne | pas | sans | jamais | nunca | sin | nao | non | niet | geen""",
    re.VERBOSE | re.IGNORECASE,
)
# Other words are told up to this number.
_MOST_OTHERS = 5
# In shorter words one letter, which OCR may have changed, is more than a quarter.
_LEAST_LETTERS = 4


def list_differences(
    article: str, evidence: Iterable[Span], retrieved: Iterable[Span], lacking: Iterable[Span]
) -> list[str]:
    """List the words of the evidence in an article that a text which overlaps it leaves out, or replaces.

    They are all numbers, with their signs, and negations; then up to five other words, but for short Latin ones.
    *retrieved* are the runs of the text, *lacking* what it leaves out or has other words for.

    Example:
        >>> article = "Pay within 30 days of receipt of the bill."
        >>> list_differences(article, [(0, 42)], [(0, 10), (14, 42)], [(11, 13)])
        ['30']
    """
    retrieved = list(retrieved)
    telling: dict[str, None] = {}
    others: dict[str, None] = {}
    for start, end in evidence:
        if not any(first < end and last > start for first, last in retrieved):
            continue
        for first, last in lacking:
            for word in _list_words(article[max(first, start) : min(last, end)]):
                if any(map(str.isdigit, word)) or _NEGATION.fullmatch(word):
                    telling.setdefault(word)
                elif len(word) >= _LEAST_LETTERS or not word.isascii():
                    others.setdefault(word)
    return [*telling, *list(others)[:_MOST_OTHERS]]


def _list_words(text: str) -> list[str]:
    """List the words of a text as they are written."""
    words = split_words(text)
    bounds = words.list_bounds(0, len(words.letters))
    return [text[slice(*words.find_span(first, last))] for first, last in pairwise(bounds)]
