"""brat's standoff format: a folder of texts (.txt), each with its annotations (.ann) beside it.

    QID/DOCNO.txt    the text, UTF-8
    QID/DOCNO.ann    T1<tab>Relevant 10 42<tab>the annotated text       offsets count code points
                     #1<tab>AnnotatorNotes T1<tab>a note

A sub-folder is a topic; if files lie in the folder itself, their labels are topics.
Source: brat.nlplab.org/standoff.html.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from ...errors import FormatError, warn_caller
from ...frames.articles import ArticleCollection
from ..reading.files import read_bytes, write_bytes
from .annotated import ENTRY, RELEVANT, Annotated, Mark, annotated_qrels, marks_of, records_with_texts

_SPAN = re.compile(r"(?P<label>\S+) (?P<fragments>[0-9]+ [0-9]+(?:;[0-9]+ [0-9]+)*)")
_CONFIGURATION = f"[entities]\n{RELEVANT}\n{ENTRY}\n\n[relations]\n\n[events]\n\n[attributes]\n"


def read_brat(
    source: str | os.PathLike[str],
    collection: ArticleCollection | None = None,
    *,
    errors: str = "raise",
    assessor: str | None = None,
) -> pd.DataFrame:
    """Read a folder of brat's files as a qrels frame; an empty .ann file judges its text as not relevant.

    An annotation of several fragments is as many highlights. Relations, events and attributes are left out.
    """
    annotated = list(_read_annotated(Path(source)))
    if not annotated:
        raise FormatError("the folder has no .ann files", file=os.fspath(source))
    return annotated_qrels(annotated, os.fspath(source), collection, errors=errors, assessor=assessor)


def _read_annotated(root: Path) -> Iterator[Annotated]:
    for number, path in enumerate(sorted(root.rglob("*.ann")), start=1):
        text_path = path.with_name(path.name.removesuffix(".ann") + ".txt")
        if not text_path.exists():
            raise FormatError("the text is not next to its annotations; put the .txt file there", file=str(path))
        try:
            with open(text_path, encoding="utf-8", newline="") as file:
                text = file.read()
        except UnicodeDecodeError as error:
            raise FormatError(f"byte {error.start} is not UTF-8; convert the file", file=str(text_path)) from None
        place = path.relative_to(root).with_name(path.name.removesuffix(".ann"))
        marks, notes = _read_lines(path)
        qid = place.parts[0] if len(place.parts) > 1 else None
        if qid is None and not marks:
            # Such a document has no topic that it could be judged for.
            continue
        docno = "/".join(place.parts[1:] if qid else place.parts)
        yield Annotated(number, qid, docno, text, marks, note=" ".join(notes))


def _read_lines(path: Path) -> tuple[list[Mark], list[str]]:
    """Return the marks and notes of one .ann file."""
    marks = []
    notes = []
    for number, line in enumerate(read_bytes(path).decode("utf-8", "replace").split("\n"), start=1):
        fields = line.rstrip("\r").split("\t", 2)
        if line.startswith("#") and len(fields) == 3:
            notes.append(fields[2])
        if not line.startswith("T"):
            continue
        match = _SPAN.fullmatch(fields[1]) if len(fields) == 3 else None
        if match is None:
            raise FormatError("expected T1<tab>label start end<tab>text", file=str(path), line=number, text=line)
        fragments = [(int(a), int(b)) for a, b in (fragment.split() for fragment in match["fragments"].split(";"))]
        if len(fragments) == 1:
            marks.append(Mark(fragments[0][0], fragments[0][1], match["label"], fields[2]))
            continue
        texts = fields[2]
        # The texts of the fragments follow each other, with a blank between them.
        for start, end in fragments:
            marks.append(Mark(start, end, match["label"], texts[: end - start]))
            texts = texts[end - start + 1 :]
    return marks, notes


def write_brat(
    qrels: pd.DataFrame, target: str | os.PathLike[str], collection: ArticleCollection | None = None
) -> None:
    """Write a qrels frame as a folder that brat serves: a sub-folder a topic, with texts and annotations."""
    root = Path(target).resolve()
    lost = 0
    for row, text in records_with_texts(qrels, collection, "brat"):
        path = (root / row["qid"] / f"{row['docno']}.txt").resolve()
        if root not in path.parents or "/" in row["qid"]:
            raise ValueError(
                f"topic {row['qid']!r}, article {row['docno']!r} cannot be a file below {os.fspath(target)}"
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, text.encode())
        marks = marks_of(row, text)
        lines = [
            f"T{number}\t{mark.label} {mark.start} {mark.end}\t{_join_lines(mark.quote or '')}\n"
            for number, mark in enumerate(marks, start=1)
        ]
        if row.get("note") and marks:
            lines.append(f"#1\tAnnotatorNotes T1\t{_join_lines(str(row['note']))}\n")
        lost += bool(row.get("note") and not marks)
        write_bytes(path.with_name(path.name.removesuffix(".txt") + ".ann"), "".join(lines).encode())
    root.mkdir(parents=True, exist_ok=True)
    write_bytes(root / "annotation.conf", _CONFIGURATION.encode())
    if lost:
        warn_caller(f"brat's notes belong to highlights: {lost} notes on articles without them are not written")


def _join_lines(text: str) -> str:
    return re.sub(r"[\r\n\t]", " ", text)
