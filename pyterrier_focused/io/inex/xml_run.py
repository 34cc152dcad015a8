"""INEX XML runs: `<inex-submission>` of `<topic topic-id>` of `<result>`, each with a `<file>` and a passage.

A passage is `<path>` (an element), `<passage start= end=>` (from one path to another) or `<fol offset= length=>`. The
ranking is by `<rank>`, else by `<rsv>` (descending), else the file's order. A topic is read at a time.
"""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
from lxml import etree

from ...errors import FormatError, check_choice
from ...frames.articles import ArticleCollection
from ...reading.files import Source, open_binary, source_name
from ...reading.lines import BadLine, Faults, decimal, whole
from ...reading.xml import iter_xml, line_of, text_of
from .offset_units import in_characters
from .parts import Part, make_run, resolve
from .paths import MAX_PATH, PATH_ADVICE

_RESULT = "a result has <file> and <path>, <passage start= end=> or <fol offset= length=>, maybe <rank> or <rsv>"


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
    check_choice("missing", missing, ("raise", "official"))
    faults = Faults(source_name(source), errors)
    parts = parse_submission(source, faults)
    has_paths = bool((parts["path"] != "").any())
    parts = resolve(parts, collection, missing, faults)
    faults.report()
    run = make_run(parts, file_fields=file_fields)
    # Paths give characters, whatever the unit of the file.
    return run if has_paths else in_characters(run, collection, "passages", unit)


def parse_submission(source: Source, faults: Faults) -> pd.DataFrame:
    """Read the table of parts of an XML run; results that cannot be read go to *faults*."""
    parts: list[Part] = []
    collections: dict[str, None] = {}
    about: dict[str, Any] = {}
    with open_binary(source) as stream:
        data = stream.read()
    for element in iter_xml(data, faults.file, "topic"):
        root = element.getroottree().getroot()
        if root.tag != "inex-submission":
            found = f"no INEX XML run: expected <inex-submission>, found <{root.tag}>"
            raise FormatError(found, file=faults.file, line=1)
        if element.tag == "topic":
            parts += _read_topic(element, faults)
            collections.update((text_of(name).strip(), None) for name in element.iterfind("result/in"))
            element.clear()
            continue
        # The results of topics have been removed by now.
        for result in element.iter("result"):
            _add_fault(faults, BadLine("a result outside a topic", "put it in a <topic topic-id=..>"), result)
        submission = dict(element.attrib)
        about = {"tag": submission.get("run-id", ""), "submission": submission}
        about["submission_elements"] = _describe(element, list(collections))
    table = pd.DataFrame(parts, columns=list(Part._fields))
    table = table.astype({"start": "int64", "end": "int64", "line": "int64", "rank": "int64", "score": "float64"})
    for name in ("qid", "docno"):
        table[name] = pd.Categorical(table[name], categories=list(dict.fromkeys(table[name])))
    table.attrs.update(about)
    return table


def _describe(root: etree._Element, collections: list[str]) -> dict[str, Any]:
    """Return the submission's topic fields, description and collections, and as `in` those of its results."""
    elements: dict[str, Any] = {}
    if (fields := root.find("topic-fields")) is not None:
        elements["topic-fields"] = dict(fields.attrib)
    if (description := root.find("description")) is not None:
        elements["description"] = text_of(description)
    if (listed := root.find("collections")) is not None:
        elements["collections"] = [text_of(name).strip() for name in listed.iter("collection")]
    if collections:
        elements["in"] = collections
    return elements


def _read_topic(topic: etree._Element, faults: Faults) -> list[Part]:
    """Read the parts of a topic in the order of its ranking: by ranks, else by scores, else as the file has them."""
    qid = (topic.get("topic-id") or "").strip()
    if not qid or qid.split() != [qid]:
        reason = "a topic without its attribute topic-id, or with blanks in it"
        shown = f"<topic topic-id={qid!r}>" if qid else "<topic>"
        faults.add(BadLine(reason, 'write <topic topic-id="2009001">'), line_of(topic), shown)
        return []
    parts: list[Part] = []
    for result in topic:
        try:
            parts += _read_result(result, qid)
        except BadLine as bad:
            _add_fault(faults, bad, result)
    ranked = [part for part in parts if part.rank >= 0]
    scored = [part for part in parts if not math.isnan(part.score)]
    if 0 < len(ranked or scored) < len(parts):
        reason = f"topic {qid!r}: {len(ranked)} of {len(parts)} results have a rank and {len(scored)} an rsv"
        mixed = BadLine(reason, "give all of a topic's results the same")
        faults.add(mixed, line_of(topic), f"<topic topic-id={qid!r}>")
    if ranked:
        return sorted(ranked, key=lambda part: part.rank)
    return sorted(scored, key=lambda part: -part.score) or parts


def _read_result(result: etree._Element, qid: str) -> list[Part]:
    """Read a result, which may have several parts. Raises BadLine."""
    if result.tag != "result":
        raise BadLine(f"<{result.tag}> in a topic", "a topic holds only results")
    texts: dict[str, str] = {}
    places = []
    for part in result:
        tag = part.tag
        if tag in texts:
            raise BadLine(f"<{tag}> twice in a result", _RESULT)
        text = (text_of(part) if len(part) else part.text or "").strip()
        if tag in ("file", "rank", "rsv", "in"):
            texts[tag] = text
        else:
            places.append(_read_place(part, text))
    rank = whole(texts["rank"], "<rank>") if "rank" in texts else -1
    if "rank" in texts and rank < 0:
        raise BadLine("<rank> is negative", "ranks count from 1")
    score = decimal(texts["rsv"], "<rsv>") if "rsv" in texts else math.nan
    docno = texts.get("file", "")
    if not docno or docno.split() != [docno]:
        raise BadLine("a result without a <file>, or with blanks in its name", _RESULT)
    if not places:
        raise BadLine("a result without a part", _RESULT)
    line = line_of(result)
    return [Part(qid, docno, start, end, line, rank, score, *paths) for start, end, *paths in places]


def _read_place(part: etree._Element, text: str) -> tuple[int, int, str, str]:
    """Read the element that places a passage: (start, end, path, end path); *text* is its content. Raises BadLine."""
    if part.tag == "path":
        return -1, -1, _check_path(text, "<path>"), ""
    if part.tag == "fol":
        start = whole(part.get("offset", ""), "<fol> offset")
        length = whole(part.get("length", ""), "<fol> length")
        for name, number in (("offset", start), ("length", length)):
            if number < 0:
                raise BadLine(f"<fol> {name} is negative", "offsets count characters from 0")
        if start + length >= 2**63:
            raise BadLine("the part ends beyond 64 bits", "check the result")
        return start, start + length, "", ""
    if part.tag == "passage":
        return -1, -1, _check_path(part.get("start", ""), "start"), _check_path(part.get("end", ""), "end")
    raise BadLine(f"<{part.tag}> in a result", _RESULT)


def _check_path(path: str, name: str) -> str:
    if not path.startswith("/") or len(path) > MAX_PATH:
        raise BadLine(f"{name} is not an element path", PATH_ADVICE)
    return path


def _add_fault(faults: Faults, bad: BadLine, element: etree._Element) -> None:
    text = etree.tostring(element, encoding="unicode", with_tail=False)
    faults.add(bad, line_of(element), " ".join(text.split()))
