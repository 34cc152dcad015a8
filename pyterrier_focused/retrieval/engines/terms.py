"""The terms of a text, of any language and script, as engines index them, and their places."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from string import ascii_lowercase
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import import_extra
from ...frames.spans import Ints, Span, ranges

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
_BEYOND = re.compile(
    rf"""
    (?P<run> [{_UNSPACED}]+ )
    | (?P<word> (?: (?! [\x00-\x7f{_UNSPACED}] ) \w | [{_SIGNS}] )+ )
    | [^\x00-\x7f]
    """,
    re.VERBOSE,
)
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
_WORD = re.compile(
    rf"""
    [^\W_{_UNSPACED}] (?: [^\W_{_UNSPACED}] | [{_SIGNS}] )*
    | [{_UNSPACED}]+
    """,
    re.VERBOSE,
)
# the tokens of folded text in lower case, in one pass: an abbreviation, or a word with an apostrophe's ending
_TOKEN = re.compile(
    r"""
    (?P<abbreviation> (?:[0-9a-z]*[0-9])? (?:[a-z]+\.){2,} )
    | (?P<word> [0-9a-z]+ ) (?: ' (?: (?:[a-z]+\.){2,} | [a-z]+ ) )?
    """,
    re.VERBOSE,
)
_ASCII_OR_NOT = re.compile(r"[\x00-\x7f]+|[^\x00-\x7f]+")
_LETTER_AND_ACCENTS = re.compile("(?s:.)[\u0300-\u036f]*")
_LETTERS_AND_ACCENTS = re.compile(rf"(?:[^\W_]|[{_UNSPACED}{_SIGNS}\u0300-\u036f])+")
_ENGLISH = "english"
_IS_SPACE = np.array([chr(code).isspace() for code in range(0x3002)])
_MOST_CHUNKS = 1_000_000
_COLUMNS = 4


def fold(text: str) -> str:
    """Write *text* in ASCII for an index of English: accents go ("café" is "cafe").

    A word of another script becomes a code of twelve consonants, by its Snowball stem if its script has one
    (Cyrillic as Russian, Arabic, Greek, Devanagari as Hindi, Tamil). Text of scripts without spaces (Chinese, Japanese,
    Thai, ...) becomes the codes of its characters and of its pairs of characters. Texts and queries are folded alike.
    """
    if text.isascii():
        return text.replace("\0", " ") if "\0" in text else text
    # an entry of the cache is a run of characters beyond ASCII, so most of a text in English is only copied
    return _NOT_ASCII.sub(_fold_match, text.replace("\0", " "))


def folder(language: str) -> Callable[[str], str]:
    """Return the function that writes text in ASCII for an index of *language*.

    For 'english' it is `fold`, and the engine stems; for any other language of Snowball the words come out as stems,
    without the language's stop words, and the engine leaves them as they are.
    """
    check_language(language)
    return fold if language == _ENGLISH else _Stems(language).fold


def check_language(language: str) -> None:
    """Raise a ValueError if Snowball has no stemmer for *language*."""
    if language == _ENGLISH:
        return
    languages = import_extra("Stemmer", "retrieval").algorithms()
    if language not in languages:
        raise ValueError(f"language={language!r}; choose one of {', '.join(sorted(languages))}")


def plain_words(text: str) -> str:
    """Leave the letters and digits of folded text only: a query without operators, for an engine that reads them."""
    return re.sub(r"[^0-9A-Za-z]+", " ", text).strip()


@dataclass(frozen=True)
class Places:
    """Where the words of a text are, in its order: [start, end), the number of the term, whether it is a stop word.

    A text without spaces, such as of Chinese, has its characters and pairs of characters for words, which overlap.
    """

    start: Ints
    end: Ints
    term: Ints
    stop: NDArray[np.bool_]


class Words:
    """The words of texts in one language: the same for engines, NEXI, element models and snippets.

    Example:
        >>> words = Words("english")
        >>> words.terms("The lamp's oils, in Zürich: 3.5 litres")
        ['lamp', 'oil', 'zurich', '3', '5', 'litr']
        >>> words.places("The lamp's oils").end.tolist()
        [3, 10, 15]
    """

    def __init__(self, language: str = _ENGLISH):
        self.language = language
        self.fold = folder(language)
        self._terms = Terms(language)
        self._chunks = _Chunks(_EnglishTokens(self._terms) if language == _ENGLISH else _Stems(language))

    def __reduce__(self) -> tuple[type[Words], tuple[str]]:
        """Travel to other processes by the language, as stemmers do not."""
        return Words, (self.language,)

    def terms(self, text: str) -> list[str]:
        """Return the terms that an engine indexes of *text*, in its order, without stop words."""
        return [term for term in self._terms.of(self.fold(text)) if term]

    def places(self, text: str) -> Places:
        """Return the words of *text*, stop words among them, with their places; terms have numbers of these words."""
        if len(self._chunks) > _MOST_CHUNKS:
            self._chunks.forget()
        letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        # "a lamp" -> 1 0 1 1 1 1, whose differences are 1 -1 1 0 0 0
        inside = ~_IS_SPACE[np.minimum(letters, len(_IS_SPACE) - 1)]
        begin = np.flatnonzero(np.diff(inside.astype(np.int8), prepend=0) == 1)
        chunk = np.fromiter(map(self._chunks.__getitem__, text.split()), dtype=np.int64, count=len(begin))
        return self._chunks.lay_out(chunk, begin)


class _Token(NamedTuple):
    """A word within a chunk, [start, end), as the term that an engine indexes if it is not a stop word."""

    start: int
    end: int
    term: str
    stop: bool


class _Chunks(dict[str, int]):
    """The tokens of chunks between white space: a mapping of these chunks to numbers that fills itself."""

    def __init__(self, find_tokens: Callable[[str], Iterable[_Token]]):
        super().__init__()
        self._find_tokens = find_tokens
        self._numbers: dict[str, int] = {}
        self.forget()

    def __missing__(self, chunk: str) -> int:
        for token in self._find_tokens(chunk):
            term = self._numbers.setdefault(token.term, len(self._numbers))
            self._tokens.extend((token.start, token.end, term, token.stop))
        number = self[chunk] = len(self)
        self._begin.append(len(self._tokens) // _COLUMNS)
        return number

    def forget(self) -> None:
        self.clear()
        # the tokens of chunk n are the rows [begin[n], begin[n + 1])
        self._begin = array("q", [0])
        self._tokens = array("q")

    def lay_out(self, chunk: Ints, offset: Ints) -> Places:
        """Return the words of a text whose chunks have these numbers and begin at these offsets.

        "a lamp's oil": chunk  0 1 2     ->  start  0 2 9
                        offset 0 2 9         end    1 6 12
        """
        begin: Ints = np.frombuffer(self._begin, dtype=np.int64)
        count = begin[chunk + 1] - begin[chunk]
        rows = ranges(begin[chunk], count)
        if not len(rows):
            return Places(rows, rows, rows, rows > 0)
        start, end, term, stop = np.frombuffer(self._tokens, dtype=np.int64).reshape(-1, _COLUMNS)[rows].T
        base = np.repeat(offset, count)
        return Places(base + start, base + end, term, stop > 0)


class Terms(dict[str, str]):
    """The terms of folded text, as PISA makes them: English tokens by their stems; a stop word is ''.

    It is a mapping of tokens to terms that fills itself, for words come again and again.
    """

    def __init__(self, language: str):
        super().__init__()
        # stems of another language are terms already
        english = language == _ENGLISH
        self.stem: Callable[[str], str] = _open_stemmer(_ENGLISH) if english else str
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


class _EnglishTokens:
    """The tokens of texts in English, which engines stem."""

    def __init__(self, terms: Terms):
        self._terms = terms

    def __call__(self, chunk: str) -> Iterator[_Token]:
        """Yield the tokens that `Terms.of` finds in a chunk, after it has been folded."""
        if chunk.isascii():
            lower = chunk.lower()
            if lower.isalnum():
                yield self._make_token(0, len(lower), lower)
                return
            for match in _TOKEN.finditer(lower):
                yield self._make_token(*match.span(), _read_letters(match))
            return
        folded = _fold_chunk(chunk)
        for match in _TOKEN.finditer(folded.text.lower()):
            start = folded.spans[match.start()][0]
            yield self._make_token(start, folded.spans[match.end() - 1][1], _read_letters(match))

    def _make_token(self, start: int, end: int, letters: str) -> _Token:
        term = self._terms[letters]
        return _Token(start, end, term or self._terms.stem(letters), not term)


def _read_letters(match: re.Match[str]) -> str:
    """Return the letters of a token: an abbreviation without its dots, a word without an apostrophe's ending."""
    word: str | None = match["word"]
    return word or match["abbreviation"].replace(".", "")


class _Stems:
    """Text as the coded stems of one language."""

    def __init__(self, language: str):
        self._stem = _open_stemmer(language)
        stopwords = import_extra("bm25s.stopwords", "retrieval")
        self._stop = frozenset(getattr(stopwords, f"STOPWORDS_{language.upper()}", ()))
        self._codes: dict[str, str] = {}

    def fold(self, text: str) -> str:
        """Write a text as the codes of its words, without stop words."""
        text = unicodedata.normalize("NFC", text).lower()
        return " ".join(self._encode_match(word) for word in _WORD.findall(text) if word not in self._stop)

    def __call__(self, chunk: str) -> Iterator[_Token]:
        """Yield the tokens that `fold` finds in a chunk, stop words among them."""
        for match in _LETTERS_AND_ACCENTS.finditer(chunk):
            begin, end = match.span()
            letters = unicodedata.normalize("NFC", match[0]).lower()
            # if letters are more or fewer than characters, a word is somewhere between these
            exact = len(letters) == end - begin
            for inner in _WORD.finditer(letters):
                first = begin + inner.start()
                word = inner[0]
                stop = word in self._stop
                if _is_run(word):
                    tokens = [(code, k // 2, (k + 1) // 2 + 1) for k, code in enumerate(_cut_run(word))]
                else:
                    tokens = [(self._encode_match(word), 0, len(word))]
                for code, start, last in tokens:
                    yield _Token(first + start, first + last, code, stop) if exact else _Token(begin, end, code, stop)

    def _encode_match(self, word: str) -> str:
        code = self._codes.get(word)
        if code is None:
            # PISA and Terrier would stem what is left in Latin letters, so these are coded as well
            code = _encode_run(word) if _is_run(word) else _make_code(_remove_accents(self._stem(word)))
            self._codes[word] = code
        return code


def _is_run(word: str) -> bool:
    """Tell whether a word is a run of characters of scripts without spaces."""
    alone = _BEYOND.fullmatch(word)
    return alone is not None and alone["run"] is not None


class _Folded(NamedTuple):
    """A text as `fold` writes it, and for each of its characters the span of the given text that it stands for."""

    text: str
    spans: list[Span]


def _fold_chunk(chunk: str) -> _Folded:
    """Fold a text, and keep the places: "né" is "ne" with the spans (0, 1) and (1, 2)."""
    texts: list[str] = []
    spans: list[Span] = []
    for match in _ASCII_OR_NOT.finditer(chunk):
        begin, end = match.span()
        if match[0].isascii():
            texts.append(match[0])
            spans += zip(range(begin, end), range(begin + 1, end + 1), strict=True)
        else:
            folded = _fold_run(match[0], begin)
            texts.append(folded.text)
            spans += folded.spans
    return _Folded("".join(texts), spans)


def _fold_run(run: str, begin: int) -> _Folded:
    """Fold a run of characters beyond ASCII that begins at the offset *begin*, and keep the places."""
    matches = list(_LETTER_AND_ACCENTS.finditer(run))
    letters = [_remove_accents(match[0]) for match in matches]
    plain = _remove_accents(run)
    if "".join(letters) != plain or len(plain.lower()) != len(plain):
        text = _fold_letters(run)
        return _Folded(text, [(begin, begin + len(run))] * len(text))
    spans = [
        (begin + match.start(), begin + match.end())
        for letter, match in zip(letters, matches, strict=True)
        for _ in letter
    ]
    if plain.isascii():
        return _Folded(plain, spans)
    lower = plain.lower()
    pieces: list[tuple[str, Span]] = []
    done = 0
    for match in _BEYOND.finditer(lower):
        first, last = match.span()
        pieces += zip(lower[done:first], spans[done:first], strict=True)
        done = last
        if match["run"]:
            codes = enumerate(_cut_run(match[0]))
            pieces += [(f" {code} ", (spans[first + k // 2][0], spans[first + (k + 1) // 2][1])) for k, code in codes]
        else:
            pieces.append((_encode_match(match), (spans[first][0], spans[last - 1][1])))
    pieces += zip(lower[done:], spans[done:], strict=True)
    return _Folded("".join(text for text, _ in pieces), [span for text, span in pieces for _ in text])


def _cut_run(run: str) -> list[str]:
    """Return the codes of the characters of a run without spaces, with those of its pairs between them.

    Those of 東京駅 are 東, 東京, 京, 京駅, 駅: code k begins at character k // 2 and ends with (k + 1) // 2.
    """
    codes = [_make_code(run[0])]
    for first, second in pairwise(run):
        codes += (_make_code(first + second), _make_code(second))
    return codes


def _remove_accents(text: str) -> str:
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFKD", text.translate(_LETTERS))))


@lru_cache(maxsize=65536)
def _fold_letters(run: str) -> str:
    text = _remove_accents(run)
    return text if text.isascii() else _BEYOND.sub(_encode_match, text.lower())


def _fold_match(match: re.Match[str]) -> str:
    return _fold_letters(match[0])


def _encode_match(match: re.Match[str]) -> str:
    if match["run"]:
        return f" {_encode_run(match[0])} "
    return _make_code(_stem_by_script(match[0])) if match["word"] else " "


def _encode_run(run: str) -> str:
    return " ".join(_cut_run(run))


@lru_cache(maxsize=65536)
def _stem_by_script(word: str) -> str:
    for language, script in _STEMMERS:
        if script.search(word):
            return _open_stemmer(language)(word)
    return word


@lru_cache(maxsize=8)
def _open_stemmer(language: str) -> Callable[[str], str]:
    stem: Callable[[str], str] = import_extra("Stemmer", "retrieval").Stemmer(language).stemWord
    return stem


@lru_cache(maxsize=65536)
def _make_code(word: str) -> str:
    digest = int.from_bytes(hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest(), "big")
    return "".join(_CODES[place % 2][int(digit)] for place, digit in enumerate(f"{digest % 10**12:012}"))
