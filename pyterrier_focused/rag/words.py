"""Texts as words that can be compared, without accents, case and punctuation: what they are, and where.

    text      The TV-set cost -3.50.      words   the tv set cost -3.50      spans   (0, 3) (4, 6) (7, 10) ...

A word with a digit keeps its sign and its decimal point. In scripts without blanks each character is a word. Soft
hyphens, apostrophes and other signs that one does not see are left out.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from functools import cached_property, lru_cache
from itertools import accumulate

from ..frames.spans import Span

_ALONE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff"
)
_UNSEEN = "\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u064b-\u065f\u200b-\u200f\u2060\ufeff'’ʼ＇\u2044"
# The first alternative is most words of most texts, found fast; the others would find the same.
_WORD = re.compile(
    rf"[a-zA-Z]+(?=[\s.,;:]) | [{_ALONE}] | (?<!\w)[+\-−](?=[.,]?\d) [.]?[^\W{_ALONE}]"
    rf"(?:[^\W_{_ALONE}{_UNSEEN}]+ | [{_UNSEEN}] | (?<=\d)[.,](?=\d))*"
    rf"| (?:(?<![\w.,])[.](?=\d))? [^\W_{_ALONE}] (?:[^\W_{_ALONE}{_UNSEEN}]+ | [{_UNSEEN}] | (?<=\d)[.,](?=\d))*",
    re.VERBOSE,
)


class Words:
    """The words of a text, folded, and their spans; `letters` are all of them in one, `starts` where each begins."""

    def __init__(self, text: str):
        self._text = text
        self.words = [word for word in map(fold_word, _WORD.findall(text)) if word]

    @cached_property
    def spans(self) -> list[Span]:
        """The place of each word in the text."""
        return [match.span() for match in _WORD.finditer(self._text) if fold_word(match.group())]

    @cached_property
    def letters(self) -> str:
        return "".join(self.words)

    @cached_property
    def marked(self) -> str:
        """The letters with a mark before each word with a digit: 35 is not 3 5."""
        return "".join(f"#{word}" if any(map(str.isdigit, word)) else word for word in self.words)

    @cached_property
    def starts(self) -> list[int]:
        return list(accumulate(map(len, self.words), initial=0))

    def find(self, letter: int) -> int:
        """Return the word that begins at a letter or next after it."""
        return bisect_left(self.starts, letter)


@lru_cache(128)
def split_words(text: str) -> Words:
    """Split a text into words.

    Example:
        >>> split_words("The TV-set cost -3.50.").words
        ['the', 'tv', 'set', 'cost', '-3.50']
    """
    return Words(text)


@lru_cache(1 << 18)
def fold_word(word: str) -> str:
    if word.isascii() and word.isalpha():
        return word.lower()
    folded = "".join(map(fold_loosely, word))
    if not any(map(str.isdigit, folded)):
        return folded
    return "".join(c if c in "+-.," else fold_loosely(c) for c in word.replace("−", "-"))


@lru_cache(1 << 16)
def fold_loosely(character: str) -> str:
    """Fold a character for loose comparison: letters and digits, without accents and case; others are nothing."""
    plain = unicodedata.normalize("NFKD", character.casefold())
    return "".join(c for c in plain if c.isalnum())


@lru_cache(1 << 16)
def count_changes(word: str, other: str, most: int) -> int:
    """Count the letters to put in, leave out or replace to make one word of another; *most* + 1 if they are more."""
    row = list(range(len(other) + 1))
    for number, letter in enumerate(word, start=1):
        above, row = row, [number]
        for column, other_letter in enumerate(other, start=1):
            row.append(min(above[column] + 1, row[-1] + 1, above[column - 1] + (letter != other_letter)))
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)
