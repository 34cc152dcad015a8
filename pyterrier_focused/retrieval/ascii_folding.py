"""Text as engines can index it: PISA and Terrier know the letters of ASCII alone, and drop all others."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import lru_cache

_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D"}
    | {"ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ı": "i", "’": "'", "‘": "'", "ʼ": "'", "\0": " "}
)
_ACCENTS = re.compile("[\u0300-\u036f]")
# these scripts write no spaces: each character is a word
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# signs inside words of Hebrew, Arabic and Indic scripts, which are no letters to \w
_SIGNS = "\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0df3\u200c\u200d"
_BEYOND = re.compile(rf"(?P<alone>[{_UNSPACED}])|(?P<word>(?:(?![\x00-\x7f{_UNSPACED}])\w|[{_SIGNS}])+)|[^\x00-\x7f]")
# a stemmer leaves consonants alone, and no letter follows itself: engines take a run of one letter for noise
_CODES = ("bcdfghjklm", "npqrstvwxz")


def fold(text: str) -> str:
    """Write *text* in ASCII: accents go ("café" is "cafe"), words of other scripts become codes of twelve consonants.

    Texts and queries are folded alike, so that words of any script are found; no reader ever sees the result.
    """
    if text.isascii():
        return text.replace("\0", " ") if "\0" in text else text
    text = _ACCENTS.sub("", unicodedata.normalize("NFKD", text.translate(_LETTERS).lower()))
    return text if text.isascii() else _BEYOND.sub(_coded, text)


def plain_words(text: str) -> str:
    """Fold *text* and leave its letters and digits alone: a query without operators, for an engine that reads them."""
    return re.sub(r"[^0-9A-Za-z]+", " ", fold(text)).strip()


def _coded(match: re.Match[str]) -> str:
    if match["word"]:
        return _code(match["word"])
    return f" {_code(match[0])} " if match["alone"] else " "


@lru_cache(maxsize=65536)
def _code(word: str) -> str:
    digest = int.from_bytes(hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest(), "big")
    return "".join(_CODES[place % 2][int(digit)] for place, digit in enumerate(f"{digest % 10**12:012}"))
