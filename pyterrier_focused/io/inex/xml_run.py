"""INEX XML runs: `<inex-submission>` of `<topic topic-id>` of `<result>`, each with a `<file>` and a passage.

A passage is `<path>` (an element), `<passage start= end=>` (from one path to another) or `<fol offset= length=>`. The
ranking is by `<rank>`, else by `<rsv>` (descending), else the file's order. A topic is read at a time.
"""

from __future__ import annotations

import math
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import pandas as pd
from lxml import etree

from ...errors import FormatError
from ...frames.articles import ArticleCollection
from ...reading.files import Source, open_binary, source_name
from ...reading.lines import BadLine, Faults, decimal, is_decimal, span, whole
from ...reading.run_columns import FolColumns, fol_frame
from ...reading.xml import iter_xml, line_of, parse_xml, text_of
from .offset_units import in_characters
from .paths import MAX_PATH, NamedPassages, check_path, resolve

_RESULT = "a result has <file> and <path>, <passage start= end=> or <fol offset= length=>, maybe <rank> or <rsv>"
_TEXTS: dict[str, Any] = {
    tag: etree.XPath(f"result/{tag}/text()", smart_strings=False) for tag in ("file", "path", "rank", "rsv", "in")
}
_OFFSETS: Any = etree.XPath("result/fol/@offset", smart_strings=False)
_LENGTHS: Any = etree.XPath("result/fol/@length", smart_strings=False)
_LENGTH_OF_NUMBERS = set(range(1, 17))


def parse_xml_run(stream: BinaryIO, faults: Faults) -> NamedPassages:
    """Read an XML run, a topic at a time; passages are in the order of the ranking."""
    return _read_topics(stream.read(), faults)


def parse_submission(source: Source, faults: Faults) -> NamedPassages:
    """Read an XML run as `validate` looks at it, with its root."""
    with open_binary(source) as stream:
        data = stream.read()
    return _read_topics(data, faults)._replace(root=parse_xml(data, faults.file))


def _read_topics(data: bytes, faults: Faults) -> NamedPassages:
    reader = _PassageReader(faults)
    for element in iter_xml(data, faults.file, "topic"):
        _check_root(element, faults.file)
        if element.tag == "topic":
            reader.read_topic(element)
            element.clear()
        else:
            reader.submission = dict(element.attrib)
            # The results of topics have been removed by now.
            for result in element.iter("result"):
                reader.add(BadLine("a result outside a topic", "put it in a <topic topic-id=..>"), result)
            reader.describe(element)
    return reader.list_passages()


def _check_root(element: etree._Element, file: str) -> None:
    root = element.getroottree().getroot()
    if root.tag != "inex-submission":
        raise FormatError(f"no INEX XML run: expected <inex-submission>, found <{root.tag}>", file=file, line=1)


def read_xml_run(
    source: Source,
    collection: ArticleCollection | None = None,
    *,
    unit: str = "auto",
    errors: str = "raise",
    missing: str = "raise",
    file_fields: bool = False,
) -> pd.DataFrame:
    """Read an INEX XML run as a run frame; its attributes are kept in `frame.attrs['submission']`.

    Its topic fields, description and collections are kept in `frame.attrs['submission_elements']`.

    Args:
        missing: As in `read_fol`; a path that the article does not have is a passage that does not exist.
    """
    faults = Faults(source_name(source), errors)
    with open_binary(source) as stream:
        parts = parse_xml_run(stream, faults)
    columns = resolve(parts, collection, missing, faults)
    faults.report()
    run = fol_frame(columns if file_fields else columns._replace(rank=None, score=None))
    run.attrs["submission"] = parts.submission
    run.attrs["submission_elements"] = parts.elements
    # Paths give characters, whatever the unit of the file.
    return run if any(parts.first) else in_characters(run, collection, "passages", unit)


class _PassageColumns(NamedTuple):
    """The passages of results, an entry each; entries of one result share its number `result`.

    Spans of -1: the passage is named by paths, `first` and, if it reaches from one to another, `last`. A rank of -1 and
    a score of NaN: the result has none.
    """

    docno: list[str]
    start: list[int]
    end: list[int]
    line: list[int]
    rank: list[int]
    score: list[float]
    first: list[str]
    last: list[str]
    result: list[int]


class _Passage(NamedTuple):
    docno: str
    start: int
    end: int
    line: int
    rank: int
    score: float
    first: str
    last: str
    result: int


class _Place(NamedTuple):
    """The place of a passage: a span, or, if that is -1, the path of an element or the two paths around it."""

    start: int = -1
    end: int = -1
    first: str = ""
    last: str = ""


class _Places(NamedTuple):
    """The places of passages of one kind, as columns: spans, or, if these are -1, paths of elements."""

    start: list[int]
    end: list[int]
    first: list[str]


class _PassageReader:
    """Collects the passages of results, topic by topic, and the submission's description of itself."""

    def __init__(self, faults: Faults):
        self.submission: dict[str, str] = {}
        self._elements: dict[str, Any] = {}
        # The names of collections, in order, without duplicates.
        self._collections: dict[str, None] = {}
        self._faults = faults
        self._topics: dict[str, int] = {}
        self._topic: list[int] = []
        self._all = _PassageColumns([], [], [], [], [], [], [], [], [])
        self._n_results = 0

    def read_topic(self, topic: etree._Element) -> None:
        """Read the results of one topic, in the order of its ranking."""
        qid = (topic.get("topic-id") or "").strip()
        if not qid or qid.split() != [qid]:
            bad = BadLine(
                "a topic without its attribute topic-id, or with blanks in it", 'write <topic topic-id="2009001">'
            )
            self._faults.add(bad, line_of(topic), f"<topic topic-id={qid!r}>" if qid else "<topic>")
            return
        self._collections.update((text.strip(), None) for text in _TEXTS["in"](topic))
        passages = _read_uniform_topic(topic) or self._read_one_by_one(topic)
        passages = passages._replace(result=[self._n_results + number for number in passages.result])
        self._n_results += len(topic)
        order = self._rank_passages(passages, qid, topic)
        columns: list[list[Any]] = [*self._all]
        for column, values in zip(columns, list[list[Any]]([*passages]), strict=True):
            column += [values[position] for position in order]
        self._topic += [self._topics.setdefault(qid, len(self._topics))] * len(order)

    def _rank_passages(self, passages: _PassageColumns, qid: str, topic: etree._Element) -> list[int]:
        """Order passages by their results' ranks, else scores, else as the file has them; some without is a fault."""
        positions = range(len(passages.docno))
        ranked = [position for position in positions if passages.rank[position] >= 0]
        scored = [position for position in positions if not math.isnan(passages.score[position])]
        order = ranked or scored
        if 0 < len(order) < len(positions):
            reason = f"topic {qid!r}: {len(ranked)} of {len(positions)} results have a rank and {len(scored)} an rsv"
            bad = BadLine(reason, "give all of a topic's results the same")
            self._faults.add(bad, line_of(topic), f"<topic topic-id={qid!r}>")
        if ranked:
            return sorted(ranked, key=passages.rank.__getitem__)
        return sorted(scored, key=lambda position: -passages.score[position]) or list(positions)

    def describe(self, root: etree._Element) -> None:
        """Keep the submission's topic fields, description and collections."""
        fields = root.find("topic-fields")
        description = root.find("description")
        collections = root.find("collections")
        if fields is not None:
            self._elements["topic-fields"] = dict(fields.attrib)
        if description is not None:
            self._elements["description"] = text_of(description)
        if collections is not None:
            names = [text_of(name).strip() for name in collections.iter("collection")]
            self._elements["collections"] = names
        if self._collections:
            self._elements["in"] = list(self._collections)

    def add(self, bad: BadLine, element: etree._Element) -> None:
        text = etree.tostring(element, encoding="unicode", with_tail=False)
        self._faults.add(bad, line_of(element), " ".join(text.split()))

    def _read_one_by_one(self, topic: etree._Element) -> _PassageColumns:
        rows: list[_Passage] = []
        for number, result in enumerate(topic):
            try:
                if result.tag != "result":
                    raise BadLine(f"<{result.tag}> in a topic", "a topic holds only results")
                rows += _read_result(result, number)
            except BadLine as bad:
                self.add(bad, result)
        return (
            _PassageColumns(*map(list, zip(*rows, strict=True)))
            if rows
            else _PassageColumns([], [], [], [], [], [], [], [], [])
        )

    def list_passages(self) -> NamedPassages:
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
            # Topics without passages go.
            columns = columns.take(np.arange(len(columns.topic)))
        return NamedPassages(
            columns,
            self._all.first,
            self._all.last,
            submission,
            self._elements,
            np.array(self._all.result, dtype=np.int64),
        )


def _read_uniform_topic(topic: etree._Element) -> _PassageColumns | None:
    """Read a topic whose results all have the same, well-formed children; None if anything is out of the way."""
    tags = [node.tag for node in topic.iterdescendants()]
    width = len(topic[0]) + 1 if len(topic) else 1
    shape = tags[:width]
    size = len(topic)
    kinds = set(shape[1:])
    places = kinds - {"file", "rank", "rsv", "in"}
    one_of_each = shape[:1] == ["result"] and len(kinds) == width - 1 and len(places) == 1 and "file" in kinds
    if not one_of_each or tags != shape * size:
        return None
    place = _read_alike_places(topic, places.pop(), size)
    docno = _TEXTS["file"](topic)
    ranks = _TEXTS["rank"](topic) if "rank" in kinds else ["0"] * size
    scores = _TEXTS["rsv"](topic) if "rsv" in kinds else ["nan"] * size
    if place is None or not _are_words(docno, size) or not _are_digits(ranks, size) or len(scores) != size:
        return None
    if "rsv" in kinds and not all(map(is_decimal, scores)):
        return None
    rank = list(map(int, ranks)) if "rank" in kinds else [-1] * size
    lines = [line_of(result) for result in topic]
    score = list(map(float, scores))
    return _PassageColumns(docno, place.start, place.end, lines, rank, score, place.first, [""] * size, [*range(size)])


def _read_alike_places(topic: etree._Element, tag: str, size: int) -> _Places | None:
    """Read starts, ends and paths of *size* results that all have a child *tag*; None for passages between paths."""
    if tag == "fol":
        offset = _OFFSETS(topic)
        length = _LENGTHS(topic)
        if not (_are_digits(offset, size) and _are_digits(length, size)):
            return None
        start = list(map(int, offset))
        return _Places(start, list(map(int.__add__, start, map(int, length))), [""] * size)
    path = _TEXTS["path"](topic) if tag == "path" else []
    if not _are_words(path, size) or not all(name[0] == "/" and len(name) <= MAX_PATH for name in path):
        return None
    return _Places([-1] * size, [-1] * size, path)


def _are_digits(values: list[str], size: int) -> bool:
    """Tell whether these are *size* numbers of 1 to 16 ASCII digits."""
    joined = "".join(values)
    return len(values) == size and joined.isascii() and joined.isdigit() and set(map(len, values)) <= _LENGTH_OF_NUMBERS


def _are_words(values: list[str], size: int) -> bool:
    """Tell whether these are *size* names without white space, with nothing around them."""
    return len(values) == size and values == " ".join(values).split()


def _read_result(result: etree._Element, number: int) -> list[_Passage]:
    rank = -1
    score = float("nan")
    docno = ""
    places: list[_Place] = []
    seen: set[str] = set()
    for part in result:
        tag = part.tag
        if tag in seen:
            raise BadLine(f"<{tag}> twice in a result", _RESULT)
        if tag in ("file", "rank", "rsv", "in"):
            seen.add(tag)
        text = text_of(part).strip()
        if tag == "file":
            docno = text
        elif tag == "rank":
            rank = whole(text, "<rank>")
            if rank < 0:
                raise BadLine("<rank> is negative", "ranks count from 1")
        elif tag == "rsv":
            score = decimal(text, "<rsv>")
        elif tag != "in":
            # <in> names the collection that the file is from.
            places.append(_read_place(part, text))
    if not docno or docno.split() != [docno]:
        raise BadLine("a result without a <file>, or with blanks in its name", _RESULT)
    if not places:
        raise BadLine("a result without a part", _RESULT)
    line = line_of(result)
    return [_Passage(docno, *place[:2], line, rank, score, *place[2:], number) for place in places]


def _read_place(part: etree._Element, text: str) -> _Place:
    """Read the element that places a passage; *text* is its content."""
    if part.tag == "path":
        return _Place(first=check_path(text, "<path>"))
    if part.tag == "fol":
        start, end = span(part.get("offset", ""), part.get("length", ""), ("<fol> offset", "<fol> length"))
        return _Place(start, end)
    if part.tag == "passage":
        start_path = check_path(part.get("start", ""), "start")
        return _Place(first=start_path, last=check_path(part.get("end", ""), "end"))
    raise BadLine(f"<{part.tag}> in a result", _RESULT)
