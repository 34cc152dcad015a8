"""What a word is: the terms of any language and script in a text, as engines index them, and where they stand."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from string import ascii_lowercase
from typing import Any, NamedTuple

import numpy as np

from ...errors import import_extra
from ...frames.spans import Ints

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
# the tokens of folded text in lower case, in one pass: an abbreviation, or a word with what an apostrophe adds to it
_TOKEN = re.compile(
    r"""
    (?P<abbreviation> (?:[0-9a-z]*[0-9])? (?:[a-z]+\.){2,} )
    | (?P<word> [0-9a-z]+ ) (?: ' (?: (?:[a-z]+\.){2,} | [a-z]+ ) )?
    """,
    re.VERBOSE,
)
# what has to be folded, up to the white space around it
_FOREIGN_CHUNK = re.compile(r"[\x21-\x7e]*[^\x00-\x7f]\S*")
_ASCII_OR_NOT = re.compile(r"[\x00-\x7f]+|[^\x00-\x7f]+")
_LETTER_AND_ACCENTS = re.compile("(?s:.)[\u0300-\u036f]*")
_LETTERS_AND_ACCENTS = re.compile(rf"(?:[^\W_]|[{_UNSPACED}{_SIGNS}\u0300-\u036f])+")
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


@dataclass(frozen=True)
class Places:
    """Where the words of a text stand, in its order: [start, end), the word's term, and whether it is a stop word.

    A text without spaces, such as of Chinese, has its characters and pairs of characters for words, which overlap.
    """

    start: Ints
    end: Ints
    term: list[str]
    stop: list[bool]


class Word(NamedTuple):
    """A word in a text: [start, end), its term, and whether it is a stop word."""

    start: int
    end: int
    term: str
    stop: bool


class Words:
    """The words of texts in one language: the same for engines, NEXI, element models and snippets.

    >>> Words("english").terms("The lamp's oils, in Zürich: 3.5 litres")
    ['lamp', 'oil', 'zurich', '3', '5', 'litr']
    """

    def __init__(self, language: str = _ENGLISH):
        self.language = language
        self.fold = folder(language)
        self._terms = Terms(language)
        self._find = _EnglishWords(self._terms) if language == _ENGLISH else _Stems(language)

    def terms(self, text: str) -> list[str]:
        """Return the terms that an engine indexes of *text*, in its order, without stop words."""
        return [term for term in self._terms.of(self.fold(text)) if term]

    def places(self, text: str) -> Places:
        """Return the words of *text*, stop words among them, with their places."""
        words = list(self._find.words(text))
        columns = np.array([word[:2] for word in words], dtype=np.int64).reshape(len(words), 2)
        return Places(columns[:, 0], columns[:, 1], [word.term for word in words], [word.stop for word in words])


class Terms(dict[str, str]):
    """The terms of folded text, as PISA makes them: English tokens by their stems; a stop word is ''.

    It is a mapping of tokens to terms that fills itself, for words come again and again.
    """

    def __init__(self, language: str):
        super().__init__()
        # stems of another language are terms already
        english = language == _ENGLISH
        self.stem: Callable[[str], str] = _stemmer(_ENGLISH) if english else str
        if english:
            words = import_extra("bm25s.stopwords", "retrieval").STOPWORDS_EN_PLUS
            self.update({word: "" for word in (*words, *ascii_lowercase) if word.isalnum()})

    def __missing__(self, token: str) -> str:
        term = self[token] = self.stem(token)
        return term

    def of(self, text: str) -> list[str]:
        """Return the terms of a folded text, in its order; '' stands for a stop word."""
        text = text.lower()
        if "." in text:
            text = _ABBREVIATION.sub(lambda match: f"{match[0].replace('.', '')} ", text)
        if "'" in text:
            text = _POSSESSIVE.sub(r"\1 ", text)
        return list(map(self.__getitem__, _ASCII_WORD.findall(text)))


class _EnglishWords:
    """The words of texts in English, which engines stem."""

    def __init__(self, terms: Terms):
        self._terms = terms

    def words(self, text: str) -> Iterator[Word]:
        """Yield the words of a text."""
        at = 0
        for match in _FOREIGN_CHUNK.finditer(text):
            yield from self._in_ascii(text[at : match.start()], at)
            at = match.end()
            for start, end, token in _foreign_tokens(match[0]):
                yield self._word(match.start() + start, match.start() + end, token)
        yield from self._in_ascii(text[at:], at)

    def _in_ascii(self, text: str, begin: int) -> Iterator[Word]:
        for start, end, token in _tokens(text.lower()):
            yield self._word(begin + start, begin + end, token)

    def _word(self, start: int, end: int, token: str) -> Word:
        term = self._terms[token]
        return Word(start, end, term or self._terms.stem(token), not term)


class _Stems:
    """Text as the coded stems of one language."""

    def __init__(self, language: str):
        self._stem = _stemmer(language)
        stopwords = import_extra("bm25s.stopwords", "retrieval")
        self._stop = frozenset(getattr(stopwords, f"STOPWORDS_{language.upper()}", ()))
        self._codes: dict[str, str] = {}

    def fold(self, text: str) -> str:
        """Write a text as the codes of its words, without stop words."""
        text = unicodedata.normalize("NFC", text).lower()
        return " ".join(self._coded(word) for word in _WORD.findall(text) if word not in self._stop)

    def words(self, text: str) -> Iterator[Word]:
        """Yield the words of a text."""
        for match in _LETTERS_AND_ACCENTS.finditer(text):
            begin, end = match.span()
            letters = unicodedata.normalize("NFC", match[0]).lower()
            # where letters are more or fewer than characters, a word stands somewhere between these
            exact = len(letters) == end - begin
            for inner in _WORD.finditer(letters):
                start, stop = (begin + inner.start(), begin + inner.end()) if exact else (begin, end)
                word = inner[0]
                if _is_run(word):
                    for first, last, code in _run_tokens(word):
                        place = (start + first, start + last) if exact else (start, stop)
                        yield Word(*place, code, word in self._stop)
                else:
                    yield Word(start, stop, self._coded(word), word in self._stop)

    def _coded(self, word: str) -> str:
        code = self._codes.get(word)
        if code is None:
            # PISA and Terrier would stem what is left in Latin letters, so these are coded as well
            code = _run_codes(word) if _is_run(word) else _code(_plain(self._stem(word)))
            self._codes[word] = code
        return code


def _is_run(word: str) -> bool:
    """Tell whether a word is a run of characters of scripts without spaces."""
    alone = _BEYOND.fullmatch(word)
    return alone is not None and alone["run"] is not None


def _tokens(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, token) for the tokens of folded text in lower case; those that `Terms.of` finds."""
    if "." not in text and "'" not in text:
        for match in _ASCII_WORD.finditer(text):
            yield *match.span(), match[0]
        return
    for match in _TOKEN.finditer(text):
        yield *match.span(), match["word"] or match["abbreviation"].replace(".", "")


@lru_cache(maxsize=65536)
def _foreign_tokens(chunk: str) -> tuple[tuple[int, int, str], ...]:
    """Return (start, end, token) for the tokens of a text that is not all ASCII."""
    pieces: list[tuple[str, int, int]] = []  # of the folded text, with the span of the chunk that each stands for
    for match in _ASCII_OR_NOT.finditer(chunk):
        begin = match.start()
        if match[0].isascii():
            pieces += [(character, at, at + 1) for at, character in enumerate(match[0].replace("\0", " "), begin)]
        else:
            pieces += [(piece, begin + start, begin + end) for piece, start, end in _fold_run(match[0])]
    folded = "".join(piece for piece, _, _ in pieces)
    owner = [number for number, (piece, _, _) in enumerate(pieces) for _ in piece]
    return tuple(
        (pieces[owner[start]][1], pieces[owner[end - 1]][2], token) for start, end, token in _tokens(folded.lower())
    )


def _fold_run(run: str) -> list[tuple[str, int, int]]:
    """Return the pieces of a run of characters beyond ASCII as `fold` writes it, each with the span it stands for."""
    letters = [(_plain(match[0]), *match.span()) for match in _LETTER_AND_ACCENTS.finditer(run)]
    plain = _plain(run)
    if "".join(letter for letter, _, _ in letters) != plain or len(plain.lower()) != len(plain):
        return [(_folded(run), 0, len(run))]
    if plain.isascii():
        return letters
    owner = [number for number, (letter, _, _) in enumerate(letters) for _ in letter]
    pieces = []
    at = 0
    lower = plain.lower()
    for match in _BEYOND.finditer(lower):
        first, last = match.span()
        pieces += [(lower[i], *letters[owner[i]][1:]) for i in range(at, first)]
        at = last
        if match["run"]:
            codes = _run_tokens(match[0])
            pieces += [
                (f" {code} ", letters[owner[first + a]][1], letters[owner[first + b - 1]][2]) for a, b, code in codes
            ]
        else:
            pieces.append((_coded(match), letters[owner[first]][1], letters[owner[last - 1]][2]))
    return pieces + [(lower[i], *letters[owner[i]][1:]) for i in range(at, len(lower))]


def _run_tokens(run: str) -> list[tuple[int, int, str]]:
    """Return (start, end, code) for the characters of a run without spaces, with its pairs between them."""
    tokens = [(0, 1, _code(run[0]))]
    for at, (first, second) in enumerate(pairwise(run)):
        tokens += [(at, at + 2, _code(first + second)), (at + 1, at + 2, _code(second))]
    return tokens


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
    return " ".join(code for _, _, code in _run_tokens(run))


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
