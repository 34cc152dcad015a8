"""Where the tokens of a text are, of any tokenizer."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from .spans import Ints

# It takes a text and returns its tokens in order: texts that are in it, or (start, end) offsets.
Tokenizer = Callable[[str], Iterable[object]]


def find_tokens(text: str, tokenizer: Tokenizer, what: str) -> tuple[Ints, Ints]:
    """Return the (start, end) columns of the tokens of a text, ordered by where they begin, without empty ones.

    Raises ValueError, which names *what* the text is, for a token that is not in it.
    """
    spans: list[tuple[int, int]] = []
    offset = 0
    for token in tokenizer(text):
        if isinstance(token, str):
            start = text.find(token, offset)
            if start < 0:
                raise ValueError(
                    f"{what}: token {token!r} is not in the text from {offset} on; let the tokenizer return "
                    "(start, end) offsets"
                )
            end = offset = start + len(token)
        elif isinstance(token, tuple | list) and len(token) == 2:
            start, end = token
            if not 0 <= start <= end <= len(text):
                raise ValueError(f"{what}: token [{start}, {end}) is not a span of {len(text)} characters")
        else:
            raise ValueError(
                f"{what}: a tokenizer returns texts or (start, end) offsets, not {token!r:.80}; the places of token "
                "ids are not known"
            )
        if start < end:
            spans.append((start, end))
    array = np.array(spans, dtype=np.int64).reshape(len(spans), 2)
    order = np.argsort(array[:, 0], kind="stable")
    return array[order, 0], array[order, 1]
