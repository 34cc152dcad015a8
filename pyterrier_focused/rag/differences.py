"""How a retrieved text differs from the evidence: the words of the evidence that it lacks."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..frames.spans import Span
from .align import Difference
from .words import split_words

# Words that turn a sentence into its opposite.
_NEGATION = re.compile(
    r"""\b (?: not | no | nor | never | none | neither | nobody | nothing | without | cannot | \w+ n['’]t
    | nicht | nie | niemals | kein\w* | ohne | ne | pas | sans | jamais | aucune? | rien | nunca | sin | nao | não
    | non | mai | senza | nessun\w* | niet | geen | не | ни | нет | без | никогда | لا | لم | لن | ليس | غير ) \b
    | [不没沒無无未非] | ない | なかった | ません""",
    re.VERBOSE | re.IGNORECASE,
)
# Other words are told up to this number.
_MOST_OTHERS = 5
# In shorter words one letter, which OCR may have changed, is more than a quarter.
_LEAST_LETTERS = 4


def list_differences(
    article: str, evidence: Iterable[Span], retrieved: Iterable[Span], lacking: Iterable[Difference]
) -> list[str]:
    """List the words of the evidence that a text overlapping it leaves out or replaces.

    First all numbers, with their signs, and negations (with a plus if the text adds one); then up to five other words,
    without short Latin ones. *retrieved* has the runs of the text, *lacking* the parts that it leaves out, adds or
    replaces.
    """
    retrieved = list(retrieved)
    telling: dict[str, None] = {}
    others: dict[str, None] = {}
    for start, end in evidence:
        if not any(first < end and last > start for first, last in retrieved):
            continue
        for _, (first, last), added in lacking:
            if last <= start or first >= end:
                continue
            piece = article[max(first, start) : min(last, end)]
            negations = _NEGATION.findall(piece)
            for word in _list_words(piece):
                if any(map(str.isdigit, word)) or word in negations:
                    telling.setdefault(word)
                elif len(word) >= _LEAST_LETTERS or not word.isascii():
                    others.setdefault(word)
            if start < first and last < end and not negations:
                telling.update(dict.fromkeys(f"+{word}" for word in _NEGATION.findall(added)))
    return [*telling, *list(others)[:_MOST_OTHERS]]


def _list_words(text: str) -> list[str]:
    return [text[slice(*span)] for span in split_words(text).spans]
