"""What engines index and look up: text written in ASCII, and the terms of any language and script in it."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from string import ascii_lowercase
from typing import Any

from ...errors import import_extra

_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D"}
    | {"ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ı": "i", "’": "'", "‘": "'", "ʼ": "'"}
)
# the breve of the Cyrillic й and ў makes another letter; all other marks are accents
_ACCENTS = re.compile("(?<![иуИУ])\u0306|[\u0300-\u0305\u0307-\u036f]")
# scripts that write no spaces between words
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# signs inside words of Hebrew, Arabic and Indic scripts, which are not letters to \w
_SIGNS = "\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0df3\u200c\u200d"
_BEYOND = re.compile(rf"(?P<run>[{_UNSPACED}]+)|(?P<word>(?:(?![\x00-\x7f{_UNSPACED}])\w|[{_SIGNS}])+)|[^\x00-\x7f]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
# the Snowball stemmer of a script that one language writes more than others
_STEMMERS = (
    ("russian", re.compile("[\u0400-\u04ff]")),
    ("arabic", re.compile("[\u0600-\u06ff]")),
    ("greek", re.compile("[\u0370-\u03ff]")),
    ("hindi", re.compile("[\u0900-\u097f]")),
    ("tamil", re.compile("[\u0b80-\u0bff]")),
)
# a stemmer of English leaves consonants alone, and no letter follows itself: engines take a run of one letter for noise
_CODES = ("bcdfghjklm", "npqrstvwxz")
_ABBREVIATION = re.compile(r"(?:[a-z]+\.){2,}")
_POSSESSIVE = re.compile(r"([0-9a-z]+)'[a-z]+")
_ASCII_WORD = re.compile(r"[0-9a-z]+")
_WORD = re.compile(rf"[^\W_{_UNSPACED}](?:[^\W_{_UNSPACED}]|[{_SIGNS}])*|[{_UNSPACED}]+")
_ENGLISH = "english"


def fold(text: str) -> str:
    """Write *text* in ASCII for an index of English: accents go ("café" is "cafe").

    A word of another script becomes a code of twelve consonants, by its Snowball stem where its script has one
    (Cyrillic as Russian, Arabic, Greek, Devanagari as Hindi, Tamil). Text of scripts without spaces (Chinese, Japanese,
    Thai, ...) becomes the codes of its characters and of its pairs of characters. Texts and queries are folded alike.
    """
    if text.isascii():
        return text.replace("\0", " ") if "\0" in text else text
    # an entry of the cache is a run of characters beyond ASCII, so most of a text in English is only copied
    return _NOT_ASCII.sub(_folded_run, text.replace("\0", " "))


def folder(language: str) -> Callable[[str], str]:
    """Return the function that writes text in ASCII for an index of *language*.

    For 'english' it is `fold`, and the engine stems; for any other language of Snowball the words come out as stems,
    without the language's stop words, and the engine leaves them as they are.
    """
    check_language(language)
    return fold if language == _ENGLISH else _Stems(language).fold


def check_language(language: str) -> None:
    """Raise a ValueError where Snowball has no stemmer for *language*."""
    if language == _ENGLISH:
        return
    known = import_extra("Stemmer", "retrieval").algorithms()
    if language not in known:
        raise ValueError(f"language={language!r}; choose one of {', '.join(sorted(known))}")


def plain_words(text: str) -> str:
    """Leave the letters and digits of folded text alone: a query without operators, for an engine that reads them."""
    return re.sub(r"[^0-9A-Za-z]+", " ", text).strip()


class Terms(dict[str, str]):
    """The terms of folded text, as PISA makes them: English tokens by their stems; a stop word is ''.

    It is a mapping of tokens to terms that fills itself, for words come again and again.
    """

    def __init__(self, language: str):
        super().__init__()
        # stems of another language are terms already
        english = language == _ENGLISH
        self._stem = import_extra("Stemmer", "retrieval").Stemmer(_ENGLISH).stemWord if english else str
        if english:
            words = import_extra("bm25s.stopwords", "retrieval").STOPWORDS_EN_PLUS
            self.update({word: "" for word in (*words, *ascii_lowercase) if word.isalnum()})

    def __missing__(self, token: str) -> str:
        term = self[token] = self._stem(token)
        return term

    def of(self, text: str) -> list[str]:
        """Return the terms of a folded text, in its order; '' stands for a stop word."""
        text = text.lower()
        if "." in text:
            text = _ABBREVIATION.sub(lambda match: f"{match[0].replace('.', '')} ", text)
        if "'" in text:
            text = _POSSESSIVE.sub(r"\1 ", text)
        return list(map(self.__getitem__, _ASCII_WORD.findall(text)))


class _Stems:
    """Text as the coded stems of one language."""

    def __init__(self, language: str):
        self._stem = import_extra("Stemmer", "retrieval").Stemmer(language).stemWord
        stopwords = import_extra("bm25s.stopwords", "retrieval")
        words = getattr(stopwords, f"STOPWORDS_{language.upper()}", ())
        self._codes: dict[str, str] = dict.fromkeys(words, "")

    def fold(self, text: str) -> str:
        text = unicodedata.normalize("NFC", text).lower()
        return " ".join(code for word in _WORD.findall(text) if (code := self._coded(word)))

    def _coded(self, word: str) -> str:
        code = self._codes.get(word)
        if code is None:
            alone = _BEYOND.fullmatch(word)
            # PISA and Terrier would stem what is left in Latin letters, so these are coded as well
            code = _run_codes(word) if alone and alone["run"] else _code(_plain(self._stem(word)))
            self._codes[word] = code
        return code


def _plain(text: str) -> str:
    """Return *text* without accents."""
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFKD", text.translate(_LETTERS))))


@lru_cache(maxsize=65536)
def _folded(run: str) -> str:
    text = _plain(run)
    return text if text.isascii() else _BEYOND.sub(_coded, text.lower())


def _folded_run(match: re.Match[str]) -> str:
    return _folded(match[0])


def _coded(match: re.Match[str]) -> str:
    if match["run"]:
        return f" {_run_codes(match[0])} "
    return _code(_stemmed(match[0])) if match["word"] else " "


def _run_codes(run: str) -> str:
    """Return the codes of the characters of a run without spaces, with those of its pairs between them."""
    pairs = [first + second for first, second in pairwise(run)]
    codes = [_code(run[0])]
    for pair in pairs:
        codes += [_code(pair), _code(pair[1])]
    return " ".join(codes)


@lru_cache(maxsize=65536)
def _stemmed(word: str) -> str:
    for language, script in _STEMMERS:
        if script.search(word):
            return _stemmer(language)(word)
    return word


@lru_cache(maxsize=8)
def _stemmer(language: str) -> Any:
    return import_extra("Stemmer", "retrieval").Stemmer(language).stemWord


@lru_cache(maxsize=65536)
def _code(word: str) -> str:
    digest = int.from_bytes(hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest(), "big")
    return "".join(_CODES[place % 2][int(digit)] for place, digit in enumerate(f"{digest % 10**12:012}"))
