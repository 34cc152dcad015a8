"""INEX XML runs: `<inex-submission>` of `<topic topic-id>` of `<result>`, each a `<file>` and the part of it.

A part is `<path>` (an element), `<passage start= end=>` (from one path to another) or `<fol offset= length=>`. The
ranking is by `<rank>`, else by `<rsv>` (descending), else the file's order. A topic is read at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from lxml import etree

from ..errors import FormatError
from .files import Source, open_binary, source_name, write_bytes
from .fol import FolColumns, fol_frame, rank_passages
from .lines import BadLine, Faults, decimal, field_text, number_text, span, whole
from .paths import NamedParts, name_parts, resolve, take
from .units import in_characters
from .xml import PARSER_OPTIONS, line_of, syntax_error, text_of

if TYPE_CHECKING:
    import pandas as pd

_RESULT = "a result has <file> and <path>, <passage start= end=> or <fol offset= length=>, maybe <rank> or <rsv>"
_SUBMISSION = {"participant-id": "0", "task": "Focused", "query": "automatic", "result-type": "passage"}


def parse_xml_run(stream: BinaryIO, faults: Faults) -> NamedParts:
    """Read an XML run as a stream, a topic at a time; parts are in the order of the ranking."""
    reader = _Reader(faults)
    events = etree.iterparse(stream, tag=("topic", "inex-submission"), **PARSER_OPTIONS)
    try:
        for _, element in events:
            if element.tag == "topic":
                reader.topic(element)
                element.clear()
            else:
                reader.submission = dict(element.attrib)
    except etree.XMLSyntaxError as error:
        raise syntax_error(error, faults.file, events.error_log) from error
    if reader.submission is None:
        raise FormatError("no <inex-submission>; an INEX XML run has it as its root", file=faults.file, line=1)
    return reader.parts()


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


class _Reader:
    """What has been read so far."""

    def __init__(self, faults: Faults):
        self.submission: dict[str, str] | None = None
        self._faults = faults
        self._topics: dict[str, int] = {}
        self._articles: dict[str, int] = {}
        self._rows: list[tuple[int, int, int, int, int, int, float, str, str]] = []

    def topic(self, topic: etree._Element) -> None:
        """Read the results of one topic, in the order of its ranking."""
        qid = (topic.get("topic-id") or "").strip()
        if not qid:
            raise FormatError("a topic without its attribute topic-id", file=self._faults.file, line=line_of(topic))
        code = self._topics.setdefault(qid, len(self._topics))
        rows = []
        for result in topic:
            if result.tag != "result":
                continue
            line = line_of(result)
            try:
                rows += self._result(result, code, line)
            except BadLine as bad:
                text = etree.tostring(result, encoding="unicode", with_tail=False)
                self._faults.add(bad, line, " ".join(text.split()))
        ranked, scored = sum(row[5] >= 0 for row in rows), sum(row[6] == row[6] for row in rows)
        if 0 < ranked < len(rows) or (not ranked and 0 < scored < len(rows)):
            raise FormatError(
                f"topic {qid!r}: {ranked} of {len(rows)} results have a rank and {scored} an rsv; "
                "give all of a topic's results the same",
                file=self._faults.file,
                line=line_of(topic),
            )
        if ranked:
            rows.sort(key=lambda row: row[5])
        elif scored:
            rows.sort(key=lambda row: -row[6])
        self._rows += rows

    def _result(self, result: etree._Element, topic: int, line: int) -> list[tuple]:
        """Read a result: one row a part."""
        rank, score, docno = -1, float("nan"), ""
        places: list[tuple[int, int, str, str]] = []
        for part in result:
            tag = part.tag
            text = (part.text or "" if len(part) == 0 else text_of(part, self._faults.file)).strip()
            if tag == "file":
                docno = text
            elif tag == "path":
                places.append((-1, -1, _path(text), ""))
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
                places.append((-1, -1, _path(part.get("start", "")), _path(part.get("end", ""))))
            else:
                raise BadLine(f"<{tag}> in a result", _RESULT)
        if not docno or docno.split() != [docno]:
            raise BadLine("a result without a <file>, or with blanks in its name", _RESULT)
        if not places:
            raise BadLine("a result without a part", _RESULT)
        article = self._articles.setdefault(docno, len(self._articles))
        return [(topic, article, start, end, line, rank, score, a, b) for start, end, a, b in places]

    def parts(self) -> NamedParts:
        """Everything read, as columns."""
        rows = self._rows
        numbers = np.array([row[:6] for row in rows], dtype=np.int64).reshape(-1, 6).T.copy()
        submission = self.submission or {}
        columns = FolColumns(
            topics=list(self._topics),
            topic=numbers[0],
            articles=list(self._articles),
            article=numbers[1],
            start=numbers[2],
            end=numbers[3],
            line=numbers[4],
            tag=submission.get("run-id", ""),
            rank=numbers[5],
            score=np.array([row[6] for row in rows], dtype=np.float64),
        )
        columns = take(columns, np.arange(len(rows)))  # names of topics and articles that have no part left go
        return NamedParts(columns, [row[7] for row in rows], [row[8] for row in rows], submission)


def _path(text: str) -> str:
    if not text.startswith("/"):
        raise BadLine("no element path", "write /article[1]/bdy[1]/sec[2], or a point such as ../text()[1].25")
    return text


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
