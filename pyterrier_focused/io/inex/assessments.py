"""INEX assessment files of 2006 to 2008: XML, one per topic, `<assessments topic=".."><file name="..">...`.

A file judged has its `<best-entry-point path>` and `<passage start end>`s, from point to point; a file with neither
was judged and nothing in it highlighted. The structure is that of the DTD and the writer in the public sources of
X-Rai, the assessment tool (scripts/download_pools.php). Sizes in the files count blanks in another way and in bytes, so
they are not used; `<element>`s repeat the passages by elements.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from lxml import etree

from ...errors import GIVE_COLLECTION, FormatError
from ...frames.articles import ArticleCollection
from ...frames.spans import Span, Spans, union_sizes
from ...reading.files import Source, open_binary, source_name, xml_files
from ...reading.lines import BadLine, Faults
from ...reading.xml import line_of, parse_xml
from .offset_units import article_sizes
from .qrels import make_inex_qrels


def read_inex_assessments(source: Source, collection: ArticleCollection, *, errors: str = "raise") -> pd.DataFrame:
    """Read one assessment file, or all .xml files of a folder, as a qrels frame.

    *collection* resolves the paths and gives the articles' lengths. *errors*: 'raise' a FormatError at the first
    judgment that cannot be read, or 'skip' such judgments and warn how many and why.
    """
    name = source_name(source)
    faults = Faults(name, errors)
    if collection is None:
        raise FormatError(f"assessments name text by element paths; {GIVE_COLLECTION}", file=name)
    judged: dict[tuple[str, str], etree._Element] = {}
    origin: dict[tuple[str, str], str] = {}
    for file in xml_files(source):
        with open_binary(file) as stream:
            root = parse_xml(stream.read(), source_name(file))
        topic = (root.get("topic") or "").strip()
        if root.tag != "assessments" or not topic:
            message = f"no assessments: expected <assessments topic=..>, found <{root.tag}>"
            raise FormatError(message, file=source_name(file), line=1)
        for entry in root.iter("file"):
            docno = (entry.get("name") or "").strip()
            key = topic, docno
            if not docno or key in judged:
                reason = "a file judged twice for its topic" if docno else "a <file> without its attribute name"
                advice = f"topic {topic!r}; keep one pool of the topic" if docno else "mend the file"
                _add_fault(faults, BadLine(reason, advice), entry, source_name(file))
                continue
            judged[key] = entry
            origin[key] = source_name(file)
    return _make_frame(judged, origin, collection, faults, name)


# Start and end of each (article, path), -1 if it does not exist.
Offsets = dict[tuple[str, str], Span]


def _make_frame(
    judged: dict[tuple[str, str], etree._Element],
    origin: dict[tuple[str, str], str],
    collection: ArticleCollection,
    faults: Faults,
    name: str,
) -> pd.DataFrame:
    sizes = article_sizes([docno for _, docno in judged], collection)
    offsets = _look_up_offsets(judged, collection)
    rows: list[tuple[str, str, int, int, int]] = []
    spans: list[tuple[int, int, int]] = []
    for (topic, docno), entry in judged.items():
        try:
            if docno not in sizes:
                raise BadLine("an article that is not in the collection", f"topic {topic!r}, article {docno!r}")
            bep, highlights = _read_judgment(entry, topic, docno, offsets)
        except BadLine as bad:
            _add_fault(faults, bad, entry, origin[topic, docno])
            continue
        spans += [(len(rows), start, end) for start, end in highlights]
        rows.append((topic, docno, sizes[docno].characters, bep, line_of(entry)))
    faults.report()
    table = pd.DataFrame(rows, columns=["qid", "docno", "length", "bep", "line"])
    table = table.astype({"qid": object, "docno": object, "length": np.int64, "bep": np.int64})
    row, start, end = np.array(spans, dtype=np.int64).reshape(-1, 3).T.copy()
    table["relevant_size"] = union_sizes(row, start, end, len(table))
    return make_inex_qrels(table, Spans(row, start, end, None), name)


def _look_up_offsets(judged: dict[tuple[str, str], etree._Element], collection: ArticleCollection) -> Offsets:
    docnos: list[str] = []
    paths: list[str] = []
    for (_, docno), entry in judged.items():
        for part in entry.iter("best-entry-point", "passage"):
            names = ("path",) if part.tag == "best-entry-point" else ("start", "end")
            docnos += [docno] * len(names)
            paths += [part.get(name, "") for name in names]
    if not paths:
        return {}
    start, end = collection.resolve(docnos, paths)
    spans = zip(map(int, start), map(int, end), strict=True)
    return dict(zip(zip(docnos, paths, strict=True), spans, strict=True))


def _read_judgment(entry: etree._Element, topic: str, docno: str, offsets: Offsets) -> tuple[int, list[Span]]:
    """Read the best entry point (-1: none) and the highlights of a judged article. Raises BadLine."""
    bep = -1
    highlights = []
    for part in entry.iter("best-entry-point", "passage"):
        if part.tag == "best-entry-point":
            bep = _find_offset(offsets, topic, docno, part.get("path", ""))[0]
        else:
            start = _find_offset(offsets, topic, docno, part.get("start", ""))[0]
            end = _find_offset(offsets, topic, docno, part.get("end", ""))[1]
            if start >= end:
                raise BadLine("a passage without characters", f"topic {topic!r}, article {docno!r}")
            highlights.append((start, end))
    return bep, highlights


def _find_offset(offsets: Offsets, topic: str, docno: str, path: str) -> Span:
    start, end = offsets[docno, path]
    if start < 0 or end < 0:
        place = f"topic {topic!r}, article {docno!r}, path {path!r}"
        raise BadLine("a path that the article does not have", f"{place}; check that the collection is the topic's own")
    return start, end


def _add_fault(faults: Faults, bad: BadLine, entry: etree._Element, file: str) -> None:
    faults.file = file
    faults.add(bad, line_of(entry), f"<file name={entry.get('name')!r}>")
