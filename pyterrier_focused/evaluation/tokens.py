"""Text counted in tokens: what a measure's `unit=` asks, a tokenizer together with the texts it counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from ..frames.spans import Ints
from .text_units import CountedTexts

if TYPE_CHECKING:
    from ..io.texts.corpus import Corpus


class Tokens(CountedTexts[Ints]):
    """Count sizes and budgets of measures in tokens: `CharR(chars=500, unit=Tokens(corpus, tokenizer))`.

    A token belongs to the span in which its first character lies, so that spans without overlap share no token. Each
    text is tokenized once, when it is first asked for.

    Args:
        tokenizer: A callable that takes a text and returns its tokens in order, as texts that are in it (`str.split`)
            or as (start, end) offsets, which tokenizers of subwords give:
            `lambda text: tokenizer(text, return_offsets_mapping=True)["offset_mapping"]`. Empty tokens, such as special
            ones, are not counted.
        name: What stands for the tokenizer in the names of measures.

    Example:
        >>> Tokens({"a": "Cats sleep all day."}, str.split).starts("a").tolist()
        [0, 5, 11, 15]
    """

    counts_once = False

    def __init__(self, corpus: Corpus, tokenizer: Callable[[str], Iterable[object]], name: str | None = None):
        if not callable(tokenizer):
            raise ValueError(
                f"{tokenizer!r} is not a tokenizer; give a callable that takes a text and returns its tokens"
            )
        super().__init__(corpus, name or getattr(tokenizer, "__qualname__", None) or type(tokenizer).__name__)
        self.tokenizer = tokenizer

    def __repr__(self) -> str:
        return f"Tokens({self.name!r})"

    def of(self, corpus: Corpus) -> Tokens:
        """Return the same tokenizer with other texts; what was tokenized already stays so if a text is the same."""
        return Tokens(corpus, self.tokenizer, self.name)._take_over(self)

    def starts(self, docno: str) -> Ints:
        """Return the offsets, in characters, at which the tokens of an article begin, in order."""
        return self._find_in(docno)

    def _find_units(self, docno: str, text: str) -> Ints:
        return _find_token_starts(text, list(self.tokenizer(text)), docno)

    def _convert(self, found: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        return np.searchsorted(found, start), np.searchsorted(found, end)


def _find_token_starts(text: str, tokens: list[object], docno: str) -> Ints:
    starts: list[int] = []
    offset = 0
    for token in tokens:
        if isinstance(token, str):
            start = text.find(token, offset)
            if start < 0:
                raise ValueError(
                    f"article {docno!r}: token {token!r} is not in the text from {offset} on; let the tokenizer "
                    "return (start, end) offsets"
                )
            if token:
                starts.append(start)
            offset = start + len(token)
        elif isinstance(token, tuple | list) and len(token) == 2:
            start, end = token
            if not 0 <= start <= end <= len(text):
                raise ValueError(f"article {docno!r}: token [{start}, {end}) is not a span of {len(text)} characters")
            if start < end:
                starts.append(int(start))
        else:
            raise ValueError(
                f"article {docno!r}: a tokenizer returns texts or (start, end) offsets, not {token!r:.80}; the places "
                "of token ids are not known"
            )
    return np.sort(np.array(starts, dtype=np.int64))
