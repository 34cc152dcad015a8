"""What readers of sources give: articles as they are in the source, not yet parsed, and why one is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple


class Redirect(NamedTuple):
    """A page that only leads to another: its own title, and the other's."""

    alias: str
    target: str


@dataclass
class RawArticle:
    """One article as it is in the source, not yet parsed; *error* says why it could not even be read.

    *position* counts bytes of the unpacked file; *name* is the file's, or the article's if the source gives one.
    *is_cut*: what follows is lost too.
    """

    file: str
    position: int
    name: str = ""
    data: bytes = b""
    error: str = ""
    is_cut: bool = False

    def reject(self, reason: object) -> Rejection:
        return Rejection(self.file, self.position, self.name, str(reason), self.is_cut)


class Rejection(NamedTuple):
    """An article that was refused: where it is in the source, its id if known, why, and whether more is lost."""

    file: str
    position: int
    id: str
    reason: str
    is_cut: bool = False


class TagNumbers(dict[Any, int]):
    """Numbers for names, in order of appearance: `codes[name]` gives a new name the next number."""

    def __missing__(self, name: object) -> int:
        self[name] = number = len(self)
        return number
