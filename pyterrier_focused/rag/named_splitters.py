"""Text splitters by name, for the command line: `langchain-recursive:400:100` is size 400 with 100 shared."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeAlias, cast

from ..errors import import_extra
from ..retrieval.passages.selectors import Windows


class TextSplitter(Protocol):
    """A splitter of LangChain."""

    def split_text(self, text: str) -> Iterable[str]:
        """Cut a text into chunks, in order."""


Splitter: TypeAlias = TextSplitter | Windows | Callable[[str], Iterable[object]]
_Maker = Callable[[int, int], Splitter]


def _make_langchain(name: str) -> _Maker:
    def make(size: int, overlap: int) -> Splitter:
        module = import_extra("langchain_text_splitters", "splitters")
        return cast(TextSplitter, getattr(module, name)(chunk_size=size, chunk_overlap=overlap))

    return make


def _make_semantic(name: str) -> _Maker:
    def make(size: int, overlap: int) -> Splitter:
        splitter = getattr(import_extra("semantic_text_splitter", "splitters"), name)(size, overlap)
        return cast(Splitter, splitter.chunk_indices)

    return make


def _make_windows(unit: str) -> _Maker:
    return lambda size, overlap: Windows(size, size - overlap, unit)


SPLITTERS: dict[str, _Maker] = {
    "chars": _make_windows("chars"),
    "words": _make_windows("words"),
    "sentences": _make_windows("sentences"),
    "langchain-recursive": _make_langchain("RecursiveCharacterTextSplitter"),
    "langchain-character": _make_langchain("CharacterTextSplitter"),
    "langchain-markdown": _make_langchain("MarkdownTextSplitter"),
    "semantic-text-splitter": _make_semantic("TextSplitter"),
    "semantic-markdown-splitter": _make_semantic("MarkdownSplitter"),
}


def splitter(name: str) -> Splitter:
    """Make a splitter by its name and sizes, for `Chunks.from_splitter`.

    Args:
        name: NAME:SIZE or NAME:SIZE:OVERLAP; sizes count characters, or words or sentences for these.

    Raises:
        ValueError: The name is none of SPLITTERS, or the sizes are not sizes.
        MissingExtraError: The package is not installed (extra [splitters]).

    Example:
        >>> splitter("words:100:20")
        Windows(size=100, stride=80, unit='words', within=None)
    """
    kind, *numbers = name.split(":")
    if kind not in SPLITTERS:
        raise ValueError(f"no splitter is called {kind!r}; known are {', '.join(SPLITTERS)}")
    if len(numbers) not in (1, 2) or not all(number.isascii() and number.isdigit() for number in numbers):
        raise ValueError(f"{name!r}: write {kind}:400 for chunks of 400, {kind}:400:100 for 100 that neighbours share")
    size = int(numbers[0])
    overlap = int(numbers[1]) if len(numbers) == 2 else 0
    if not 0 <= overlap < size:
        raise ValueError(f"{name!r}: the size must be above 0, and what neighbours share below it")
    return SPLITTERS[kind](size, overlap)
