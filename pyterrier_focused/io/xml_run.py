"""INEX XML runs: `<inex-submission>` of `<topic topic-id>` of `<result>`, each a `<file>` and the part of it.

A part is `<path>` (an element), `<passage start= end=>` (from one path to another) or `<fol offset= length=>`. The
ranking is by `<rank>`, else by `<rsv>` (descending), else the file's order. A topic is read at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from lxml import etree

from ..errors import FormatError
from .files import Source, open_binary, source_name, write_bytes
from .fol import FolColumns, fol_frame, rank_passages
from .lines import BadLine, Faults, decimal, field_text, is_decimal, number_text, span, whole
from .offset_units import in_characters
from .paths import MAX_PATH, NamedParts, check_path, name_parts, resolve, take
from .xml import iter_xml, line_of, text_of

if TYPE_CHECKING:
    import pandas as pd

_RESULT = "a result has <file> and <path>, <passage start= end=> or <fol offset= length=>, maybe <rank> or <rsv>"
_TEXTS: dict[str, Any] = {
    tag: etree.XPath(f"result/{tag}/text()", smart_strings=False) for tag in ("file", "path", "rank", "rsv")
}
_OFFSETS: Any = etree.XPath("result/fol/@offset", smart_strings=False)
_LENGTHS: Any = etree.XPath("result/fol/@length", smart_strings=False)
_LENGTH_OF_NUMBERS = set(range(1, 17))
_SUBMISSION = {"participant-id": "0", "task": "Focused", "query": "automatic", "result-type": "passage"}


def parse_xml_run(stream: BinaryIO, faults: Faults) -> NamedParts:
    """Read an XML run, a topic at a time; parts are in the order of the ranking."""
    reader = _ResultReader(faults)
    for element in iter_xml(stream.read(), faults.file, "topic"):
        _check_root(element, faults.file)
        if element.tag == "topic":
            reader.topic(element)
            element.clear()
        else:
            reader.submission = dict(element.attrib)
            for result in element.iter("result"):  # those of topics are gone
                reader.add(BadLine("a result outside a topic", "put it in a <topic topic-id=..>"), result)
    return reader.parts()


def _check_root(element: Any, file: str) -> None:
    root = element.getroottree().getroot()
    if root.tag != "inex-submission":
        raise FormatError(f"no INEX XML run: expected <inex-submission>, found <{root.tag}>", file=file, line=1)


def read_xml_run(
    source: Source,
    collection: Any = None,
    *,
    unit: str = "auto",
    errors: str = "raise",
    missing: str = "raise",
    file_fields: bool = False,
) -> pd.DataFrame:
    """Read an INEX XML run as a run frame; its attributes are kept in `frame.attrs['submission']`.

    *collection*: the Collection that resolves element paths, in bulk. The other options are as in `read_fol`; a path
    that the article does not have is a part that does not exist. Raises FormatError.
    """
    faults = Faults(source_name(source), errors)
    with open_binary(source) as stream:
        parts = parse_xml_run(stream, faults)
    columns = resolve(parts, collection, missing, faults)
    faults.report()
    run = fol_frame(columns if file_fields else columns._replace(rank=None, score=None))
    run.attrs["submission"] = parts.submission
    return run if any(parts.first) else in_characters(run, collection, "passages", unit)  # paths are in characters


class _Results(NamedTuple):
    """Results, a column each: article, span (-1 for a path), line, rank (-1: none), score (NaN: none), paths."""

    docno: list[str]
    start: list[int]
    end: list[int]
    line: list[int]
    rank: list[int]
    score: list[float]
    first: list[str]
    last: list[str]


class _ResultReader:
    """What has been read so far."""

    def __init__(self, faults: Faults):
        self.submission: dict[str, str] = {}
        self._faults = faults
        self._topics: dict[str, int] = {}
        self._topic: list[int] = []
        self._all = _Results([], [], [], [], [], [], [], [])

    def topic(self, topic: etree._Element) -> None:
        """Read the results of one topic, in the order of its ranking."""
        qid = (topic.get("topic-id") or "").strip()
        if not qid:
            raise FormatError("a topic without its attribute topic-id", file=self._faults.file, line=line_of(topic))
        results = _alike(topic) or self._one_by_one(topic)
        size = len(results.docno)
        ranked, scored = sum(rank >= 0 for rank in results.rank), sum(score == score for score in results.score)
        if 0 < ranked < size or (not ranked and 0 < scored < size):
            raise FormatError(
                f"topic {qid!r}: {ranked} of {size} results have a rank and {scored} an rsv; "
                "give all of a topic's results the same",
                file=self._faults.file,
                line=line_of(topic),
            )
        order = list(range(size))
        if ranked:
            order.sort(key=results.rank.__getitem__)
        elif scored:
            order.sort(key=lambda at: -results.score[at])
        columns: list[list[Any]] = [*self._all]
        for column, values in zip(columns, list[list[Any]]([*results]), strict=True):
            column += [values[at] for at in order]
        self._topic += [self._topics.setdefault(qid, len(self._topics))] * size

    def add(self, bad: BadLine, element: etree._Element) -> None:
        """Add a fault that *element* has."""
        text = etree.tostring(element, encoding="unicode", with_tail=False)
        self._faults.add(bad, line_of(element), " ".join(text.split()))

    def _one_by_one(self, topic: etree._Element) -> _Results:
        rows: list[tuple] = []
        for result in topic:
            try:
                if result.tag != "result":
                    raise BadLine(f"<{result.tag}> in a topic", "a topic has results alone")
                rows += _result(result)
            except BadLine as bad:
                self.add(bad, result)
        return _Results(*map(list, zip(*rows, strict=True))) if rows else _Results([], [], [], [], [], [], [], [])

    def parts(self) -> NamedParts:
        """Everything read, as columns."""
        submission = self.submission
        articles: dict[str, int] = {}
        columns = FolColumns(
            topics=list(self._topics),
            topic=np.array(self._topic, dtype=np.int64),
            article=np.array([articles.setdefault(name, len(articles)) for name in self._all.docno], dtype=np.int64),
            articles=list(articles),
            start=np.array(self._all.start, dtype=np.int64),
            end=np.array(self._all.end, dtype=np.int64),
            line=np.array(self._all.line, dtype=np.int64),
            tag=submission.get("run-id", ""),
            rank=np.array(self._all.rank, dtype=np.int64),
            score=np.array(self._all.score, dtype=np.float64),
        )
        if any(not size for size in np.bincount(columns.topic, minlength=len(columns.topics))):
            columns = take(columns, np.arange(len(columns.topic)))  # names of topics that have no part go
        return NamedParts(columns, self._all.first, self._all.last, submission)


def _alike(topic: etree._Element) -> _Results | None:
    """Read a topic whose results all have the same, well-formed children; None where anything is out of the way."""
    tags = [node.tag for node in topic.iterdescendants()]
    width = len(topic[0]) + 1 if len(topic) else 1
    shape, size = tags[:width], len(topic)
    kinds = set(shape[1:])
    places = kinds - {"file", "rank", "rsv"}
    if (
        shape[:1] != ["result"]
        or len(kinds) < width - 1
        or len(places) != 1
        or "file" not in kinds
        or tags != shape * size
    ):
        return None
    docno = _TEXTS["file"](topic)
    start = end = [-1] * size
    first = last = [""] * size
    rank, score = [-1] * size, [float("nan")] * size
    place = places.pop()
    if place == "fol":
        offset, length = _OFFSETS(topic), _LENGTHS(topic)
        if not (_are_digits(offset, size) and _are_digits(length, size)):
            return None
        start = list(map(int, offset))
        end = list(map(int.__add__, start, map(int, length)))
        if any(map(int.__eq__, start, end)):
            return None
    elif place == "path":
        first = _TEXTS["path"](topic)
        if not _are_words(first, size) or not all(path[0] == "/" and len(path) <= MAX_PATH for path in first):
            return None
    else:
        return None
    if not _are_words(docno, size):
        return None
    if "rank" in kinds:
        ranks = _TEXTS["rank"](topic)
        if not _are_digits(ranks, size):
            return None
        rank = list(map(int, ranks))
    if "rsv" in kinds:
        scores = _TEXTS["rsv"](topic)
        if len(scores) != size or not all(map(is_decimal, scores)):
            return None
        score = list(map(float, scores))
    return _Results(docno, start, end, [line_of(result) for result in topic], rank, score, first, last)


def _are_digits(values: list[str], size: int) -> bool:
    """Tell whether these are *size* numbers of 1 to 16 ASCII digits."""
    joined = "".join(values)
    return len(values) == size and joined.isascii() and joined.isdigit() and set(map(len, values)) <= _LENGTH_OF_NUMBERS


def _are_words(values: list[str], size: int) -> bool:
    """Tell whether these are *size* names without white space, with nothing around them."""
    return len(values) == size and values == " ".join(values).split()


def _result(result: etree._Element) -> list[tuple]:
    """Read a result: one row a part."""
    line, rank, score, docno = line_of(result), -1, float("nan"), ""
    places: list[tuple[int, int, str, str]] = []
    seen: set[str] = set()
    for part in result:
        tag = part.tag
        if tag in seen:
            raise BadLine(f"<{tag}> twice in a result", _RESULT)
        if tag in ("file", "rank", "rsv"):
            seen.add(tag)
        text = text_of(part).strip()
        if tag == "file":
            docno = text
        elif tag == "path":
            places.append((-1, -1, check_path(text, "<path>"), ""))
        elif tag == "rank":
            rank = whole(text, "<rank>")
            if rank < 0:
                raise BadLine("<rank> is negative", "ranks count from 1")
        elif tag == "rsv":
            score = decimal(text, "<rsv>")
        elif tag == "fol":
            start, end = span(part.get("offset", ""), part.get("length", ""), ("<fol> offset", "<fol> length"))
            places.append((start, end, "", ""))
        elif tag == "passage":
            places.append((-1, -1, check_path(part.get("start", ""), "start"), check_path(part.get("end", ""), "end")))
        else:
            raise BadLine(f"<{part.tag}> in a result", _RESULT)
    if not docno or docno.split() != [docno]:
        raise BadLine("a result without a <file>, or with blanks in its name", _RESULT)
    if not places:
        raise BadLine("a result without a part", _RESULT)
    return [(docno, start, end, line, rank, score, first, last) for start, end, first, last in places]


def write_xml_run(
    run: pd.DataFrame,
    target: Source,
    *,
    tag: str | None = None,
    order: str = "passages",
    submission: dict[str, str] | None = None,
    collection: Any = None,
) -> None:
    """Write a run frame as an INEX XML run, with ranks and scores; *tag* is its run-id, *order* as in `write_fol`.

    Parts are written as `<fol>`. With a *collection* they are written as element paths where every part is an element,
    else as passages from point to point. *submission* sets attributes of `<inex-submission>`; without it they are those
    the run was read with.
    """
    ranking = rank_passages(run, order)
    rows, starts, ends = ranking.row.tolist(), ranking.start.tolist(), ranking.end.tolist()
    qids = [field_text(qid, "qid") for qid in run["qid"].tolist()]
    docnos = [field_text(docno, "docno") for docno in run["docno"].tolist()]
    if collection is None:
        parts = [f'<fol offset="{start}" length="{end - start}"/>' for start, end in zip(starts, ends, strict=True)]
        kind = "passage"
    else:
        named = name_parts(collection, [docnos[row] for row in rows], starts, ends)
        kind = "element" if all(last == "" for _, last in named) else "passage"
        parts = [
            f"<passage start={quoteattr(first)} end={quoteattr(last)}/>" if last else f"<path>{escape(first)}</path>"
            for first, last in named
        ]
    attributes = {**_SUBMISSION, **run.attrs.get("submission", {}), "result-type": kind, **(submission or {})}
    attributes["run-id"] = tag or attributes.get("run-id") or run.attrs.get("tag") or "focused"
    head = " ".join(f"{name}={quoteattr(str(value))}" for name, value in attributes.items())
    lines = ['<?xml version="1.0" encoding="UTF-8"?>\n', f"<inex-submission {head}>\n"]
    topic = None
    for row, part, rank, score in zip(rows, parts, ranking.rank.tolist(), ranking.score.tolist(), strict=True):
        if qids[row] != topic:
            lines.append(("" if topic is None else "</topic>\n") + f"<topic topic-id={quoteattr(qids[row])}>\n")
            topic = qids[row]
        lines.append(
            f"<result><file>{escape(docnos[row])}</file>{part}<rank>{rank}</rank><rsv>{number_text(score)}</rsv></result>\n"
        )
    lines.append(("</topic>\n" if topic is not None else "") + "</inex-submission>\n")
    write_bytes(target, "".join(lines).encode())
