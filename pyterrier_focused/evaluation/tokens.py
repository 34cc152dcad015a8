"""Text counted in tokens: a tokenizer with the texts that it counts, for a measure's `unit=`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..frames.find_tokens import Tokenizer, find_tokens
from ..frames.spans import Ints
from .text_units import CountedTexts

if TYPE_CHECKING:
    from ..collection.corpora import Corpus


class Tokens(CountedTexts[Ints]):
    """Count sizes and budgets of measures in tokens: `CharR(chars=500, unit=Tokens(corpus, tokenizer))`.

    A token belongs to the span in which its first character lies, so that spans without overlap share no token. Each
    text is tokenized once, when it is first asked for.

    Args:
        tokenizer: A callable that takes a text and returns its tokens in order, as texts that are in it (`str.split`)
            or as (start, end) offsets, which tokenizers of subwords give:
            `lambda text: tokenizer(text, return_offsets_mapping=True)["offset_mapping"]`. Empty tokens, such as special
            ones, are not counted.
        name: The tokenizer's name in the names of measures.

    Example:
        >>> Tokens({"a": "Cats sleep all day."}, str.split).starts("a").tolist()
        [0, 5, 11, 15]
    """

    counts_once = False

    def __init__(self, corpus: Corpus, tokenizer: Tokenizer, name: str | None = None):
        if not callable(tokenizer):
            raise ValueError(
                f"{tokenizer!r} is not a tokenizer; give a callable that takes a text and returns its tokens"
            )
        super().__init__(corpus, name or getattr(tokenizer, "__qualname__", None) or type(tokenizer).__name__)
        self.tokenizer = tokenizer

    def __repr__(self) -> str:
        return f"Tokens({self.name!r})"

    def of(self, corpus: Corpus) -> Tokens:
        """Return the same tokenizer with other texts; tokens of equal texts are kept."""
        return Tokens(corpus, self.tokenizer, self.name)._take_over(self)

    def starts(self, docno: str) -> Ints:
        """Return the offsets, in characters, at which the tokens of an article begin, in order."""
        return self._find_in(docno)

    def cut_spans(self, docno: NDArray[np.object_], start: Ints, count: Ints) -> Ints:
        """Return where in each article the next token begins after *count* tokens from *start* on."""
        ends = []
        for name, first, tokens in zip(docno.astype(str).tolist(), start.tolist(), count.tolist(), strict=True):
            starts = self._find_in(name)
            ends.append(starts[np.searchsorted(starts, first) + tokens])
        return np.array(ends, dtype=np.int64)

    def _find_units(self, docno: str, text: str) -> Ints:
        return find_tokens(text, self.tokenizer, f"article {docno!r}")[0]

    def _convert(self, found: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        return np.searchsorted(found, start), np.searchsorted(found, end)
