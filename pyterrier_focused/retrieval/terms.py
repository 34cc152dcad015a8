"""The terms of texts of any language and script, in the columns in which PyTerrier's engines take them."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, pairwise
from typing import Any

import pandas as pd
import pyterrier as pt

from ..errors import import_extra
from .transformer import PartsTransformer

# scripts that write no spaces between words
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# accents, and signs inside words of Hebrew, Arabic and Indic scripts, which are not letters to \w
_SIGNS = "\u0300-\u036f\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0df3"
_LETTER = rf"[^\W_{_UNSPACED}]"
_WORD = re.compile(rf"([{_UNSPACED}]+|{_LETTER}+(?:[{_SIGNS}]+{_LETTER}*)*)(?:['’][a-z]+)?")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_ACCENTS = re.compile("[\u0300-\u036f]")


class Terms(PartsTransformer):
    """Add the terms of texts: `toks` to documents (`docno`, `text`), `query_toks` to topics (`query`).

    Both are {term: count}, PyTerrier's columns for text that is cut into terms already, so that any engine that takes
    these indexes any language:

        (Terms("german") >> PisaIndex(path, stemmer="none").toks_indexer(scale=1)).index(collection.parts("p"))
        bm25 = Terms("german") >> PisaIndex(path).bm25(query_weighted=True, toks_scale=1)

    A term is the stem of a word without accents; text of scripts without spaces (Chinese, Japanese, Thai) gives its
    characters and pairs of characters. Queries leave out stop words, unless they have no others.

    Args:
        language: One of Snowball's stemmers.

    Example:
        >>> Terms().of("The lamp's oils, in Zürich: 東京")
        ['the', 'lamp', 'oil', 'in', 'zurich', '東', '東京', '京']
    """

    def __init__(self, language: str = "english"):
        snowball = import_extra("Stemmer", "retrieval")
        if language not in snowball.algorithms():
            raise ValueError(f"language={language!r}; choose one of {', '.join(sorted(snowball.algorithms()))}")
        self.language = language
        self._stem = snowball.Stemmer(language).stemWord
        stops = import_extra("bm25s.stopwords", "retrieval")
        name = "EN_PLUS" if language == "english" else language.upper()
        self._stops = frozenset(getattr(stops, f"STOPWORDS_{name}", ()))
        self._known = _Known(self._make)

    def __reduce__(self) -> tuple[type[Terms], tuple[str]]:
        return Terms, (self.language,)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        with pt.validate.any(inp, context=self) as modes:
            modes.document_frame(extra_columns=["text"], mode="toks")
            modes.columns(includes=["query"], mode="query_toks")
        read, texts = (self._count, inp["text"]) if modes.mode == "toks" else (self.query, inp["query"])
        return inp.assign(**{str(modes.mode): pd.Series(map(read, texts), index=inp.index, dtype=object)})

    def transform_iter(self, inp: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Add `toks` or `query_toks` to each record as it comes."""
        for record in inp:
            if "text" in record:
                yield {**record, "toks": self._count(record["text"])}
            else:
                yield {**record, "query_toks": self.query(record["query"])}

    def query(self, query: str) -> dict[str, float]:
        """Return the terms of a query without stop words, unless it has no others, with their counts."""
        places = list(self.places(query))
        return dict(Counter([term for _, _, term, is_stop in places if not is_stop] or [place[2] for place in places]))

    def of(self, text: str) -> list[str]:
        """Return the terms of a text in its order, stop words among them."""
        return list(chain.from_iterable(map(self._known.__getitem__, _WORD.findall(text))))

    def places(self, text: str) -> Iterator[tuple[int, int, str, bool]]:
        """Yield each word's place [start, end), its term, and whether it is a stop word."""
        for match in _WORD.finditer(text):
            start = match.start()
            terms = self._known[match[1]]
            if len(terms) == 1:
                yield start, match.end(), terms[0], match[1].lower() in self._stops
            else:
                yield from ((start + k // 2, start + (k + 1) // 2 + 1, term, False) for k, term in enumerate(terms))

    def write_ascii(self, text: str) -> str:
        """Write text for an engine that reads ASCII only, such as PISA: words of other scripts become codes.

        Example:
            >>> Terms().write_ascii("The lamp’s oils in Zürich: 東京")
            "The lamp's oils in Zurich: x6771x x67714eacx x4eacx "
        """
        if not text.isascii():
            text = " ".join(word if word.isascii() else self._write_word(word) for word in text.split(" "))
        return text.replace("\0", " ")

    def _write_word(self, word: str) -> str:
        word = _WORD.sub(self._code, _remove_accents(word.replace("’", "'")))
        return word.encode("ascii", "replace").decode()

    def _code(self, match: re.Match[str]) -> str:
        if match[0].isascii():
            return match[0]
        return " ".join(t if t.isascii() else f"x{t.encode('utf-16-be').hex()}x" for t in self._known[match[1]]) + " "

    def _count(self, text: str) -> dict[str, int]:
        return dict(Counter(self.of(text)))

    def _make(self, word: str) -> list[str]:
        if _IS_UNSPACED.match(word):
            # 東京駅 is 東, 東京, 京, 京駅, 駅
            return [word[0], *(term for pair in pairwise(word) for term in ("".join(pair), pair[1]))]
        if self.language == "english":
            return [self._stem(_remove_accents(word)) or word]
        # elsewhere accents tell stems apart
        return [_remove_accents(self._stem(unicodedata.normalize("NFC", word))) or word]


class _Known(dict[str, list[str]]):
    """The terms of words: a mapping that fills itself, for words come again and again."""

    def __init__(self, make: Callable[[str], list[str]]):
        super().__init__()
        self._make = make

    def __missing__(self, word: str) -> list[str]:
        terms = self[word] = self._make(word.lower())
        return terms


def _remove_accents(word: str) -> str:
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFKD", word)))
