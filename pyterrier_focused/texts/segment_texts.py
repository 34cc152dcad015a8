"""MS MARCO v2.1's segments: documents put together from overlapping parts that say where they begin."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..errors import FormatError
from ..frames.spans import Span
from ..reading.json import JsonObject

# So many characters may be missing between the segments of a file.
_MOST_BLANK = 100_000_000

# By document: where each of its segments begins, and its text.
Segments = dict[str, dict[str, tuple[int, str]]]


@dataclass(frozen=True)
class JoinedSegments:
    """A document, and the spans of its segments by their names."""

    name: str
    text: str
    spans: dict[str, Span]


def add_segment(record: JsonObject, segments: Segments, path: str, where: int) -> None:
    """Keep a segment of MS MARCO v2.1, whose docid is that of its document, # and its own."""
    name = record.get("docid")
    start = record["start_char"]
    text = record["segment"]
    if not (isinstance(name, str) and isinstance(start, int) and isinstance(text, str)) or not 0 <= start < 2**62:
        raise FormatError(
            "this looks like a segment of MS MARCO v2.1, but has not docid, start_char and segment",
            file=path, line=where, text=str(record),
        )  # fmt: skip
    segments.setdefault(name.rpartition("#")[0] or name, {})[name] = (start, text)


def join_segments(documents: Segments, path: str) -> Iterator[JoinedSegments]:
    """Put documents together from their segments, which overlap; what lies between two of them is blank."""
    room = _MOST_BLANK
    for docno, segments in documents.items():
        text = ""
        for start, part in sorted(segments.values()):
            room -= max(start - len(text), 0)
            if room < 0:
                raise FormatError(
                    f"a segment of {docno!r} begins at {start}, after {len(text)} known characters: more than "
                    f"{_MOST_BLANK} are missing between segments; give the whole documents",
                    file=path,
                )
            text = text.ljust(start) + part[max(len(text) - start, 0) :]
        spans = {name: (start, start + len(part)) for name, (start, part) in segments.items()}
        yield JoinedSegments(docno, text, spans)
