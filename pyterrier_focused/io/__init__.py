"""Reading and writing runs, qrels and topics: one file per format, and here the table of them.

`read_run`, `read_qrels` and `read_topics` take a path (plain, .gz or .bz2) or an open file, find out the format and
return the frames of `pyterrier_focused.frames`; `write_run` and `write_qrels` write them. The readers that return bare
numpy columns are in the files of their formats. Nothing is imported before it is used.

Public files: trec, save_format, inex.fol, inex.checks, inex.problems, inex.official_files, inex.offset_units,
inex.submission_schema, inex.topics, campaigns.bioasq, campaigns.genomics, campaigns.hyperlinking, campaigns.kilt,
campaigns.campaign_lines, annotations.judgments, annotations.judgments_db, evidence.read, reading.fields,
reading.files, reading.xml, texts.corpus, texts.find_texts, texts.locate, texts.place_retrieved, texts.retrieved.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lazy_loader as _lazy

from ..errors import FormatError, check_choice
from .reading.files import HEAD, Opened, Source, open_binary, source_name

if TYPE_CHECKING:
    import pandas as pd

__getattr__, _, _ = _lazy.attach(
    __name__,
    submod_attrs={
        "texts.corpus": ["read_corpus"],
        "evidence.read": ["locate_spans", "read_spans"],
        "topic_tables": ["write_topics"],
    },
)

__all__ = [
    "QRELS_FORMATS",
    "RUN_FORMATS",
    "locate_spans",
    "read_corpus",
    "read_qrels",
    "read_run",
    "read_spans",
    "read_topics",
    "write_qrels",
    "write_run",
    "write_topics",
]

# format: (reader, writer or None, what it looks like); functions are named with the file they are in
Format = tuple[str, str | None, str]
RUN_FORMATS: dict[str, Format] = {
    "fol": ("inex.fol.read_fol", "inex.fol.write_fol", "topic Q0 article rank score tag offset length"),
    "inex-xml": (
        "inex.xml_run.read_xml_run",
        "inex.xml_run.write_xml_run",
        "<inex-submission> of <topic>s of <result>s",
    ),
    "paths": (
        "inex.path_run.read_path_run",
        "inex.path_run.write_path_run",
        "topic Q0 article rank score tag path [path]",
    ),
    "trec": ("trec.read_trec_run", "trec.write_trec_run", "topic Q0 article rank score tag"),
    "genomics": (
        "campaigns.genomics.read_genomics_run",
        None,
        "topic pmid rank [score] offset length [tag] (TREC Genomics)",
    ),
    "bioasq": ("campaigns.bioasq.read_bioasq_run", None, "JSON: questions with snippets (BioASQ)"),
    "hyperlinking": (
        "campaigns.hyperlinking.read_hyperlinking_run",
        None,
        "query Q0 video start end [jumpin] rank score [tag], times in MM.SS (MediaEval)",
    ),
    "kilt": ("campaigns.kilt.read_kilt_run", None, "JSON lines: id, output with provenance (KILT)"),
}
QRELS_FORMATS: dict[str, Format] = {
    "inex": (
        "inex.qrels.read_inex_qrels",
        "inex.qrels.write_inex_qrels",
        "topic Q0 article relevant_size article_length [bep offset:length ...]",
    ),
    "inex-xml": ("inex.assessments.read_inex_assessments", None, "<assessments> of <file>s, or a folder of them"),
    "trec": ("trec.read_trec_qrels", "trec.write_trec_qrels", "topic 0 article label"),
    "spans": (
        "evidence.read.read_spans",
        "evidence.write.write_spans",
        "CSV, TSV, JSON or JSON lines: question, document, start, end",
    ),
    "genomics": (
        "campaigns.genomics.read_genomics_gold",
        None,
        "topic, pmid, offset, length, aspects, separated by tabs",
    ),
    "bioasq": ("campaigns.bioasq.read_bioasq_qrels", None, "JSON: questions with snippets (BioASQ)"),
    "hyperlinking": (
        "campaigns.hyperlinking.read_hyperlinking_qrels",
        None,
        "query Q0 video start end relevance, times in MM.SS (MediaEval)",
    ),
    "kilt": ("campaigns.kilt.read_kilt_qrels", None, "JSON lines: id, output with provenance (KILT)"),
    "judgments": (
        "annotations.judgments.read_judgments",
        "annotations.judgments.write_judgments",
        "JSON lines: qid, docno, assessor, highlights, bep, length, time",
    ),
    "judgments-db": ("annotations.judgments_db.read_judgments_db", None, "the database of `pt-focused assess`"),
    "label-studio": (
        "annotations.label_studio.read_label_studio",
        "annotations.label_studio.write_label_studio",
        "JSON of Label Studio",
    ),
    "doccano": (
        "annotations.doccano.read_doccano",
        "annotations.doccano.write_doccano",
        "JSON lines of doccano: text, label",
    ),
    "brat": ("annotations.brat.read_brat", "annotations.brat.write_brat", "a folder of .txt and .ann files"),
}
CAMPAIGNS = ("genomics", "bioasq", "hyperlinking", "kilt")
_ANNOTATIONS = ("judgments", "judgments-db", "label-studio", "doccano", "brat")  # may hold several assessors' judgments
_WITH_TEXTS = ("label-studio", "doccano", "brat")
_TABLES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson")
_TIME = re.compile(rb"[0-9]+\.[0-9]+")
_TAG = re.compile(rb"<(?:[?!]|[A-Za-z][\w.-]*[\s/>])")


def read_run(
    source: Source,
    format: str = "auto",
    *,
    collection: Any = None,
    lengths: Mapping[str, int] | None = None,
    unit: str = "auto",
    errors: str = "raise",
    missing: str = "raise",
    file_fields: bool = False,
    documents: bool = False,
) -> pd.DataFrame:
    """Read a run as a run frame: `qid, docno, score, rank, passages`.

    *format*: 'auto', or one of RUN_FORMATS. *collection*: the Collection that turns element paths into offsets and
    tells whole articles' lengths; *lengths* ({docno: characters}) tells lengths without one. With a collection, offsets
    are checked to count characters, and converted where they count bytes; *unit* 'characters' or 'bytes' where it is
    known. *errors*: 'raise' a FormatError at the first fault, or 'skip' what is faulty and warn how much and why.
    *missing*: 'raise' for passages that do not exist, or 'official' to read them as INEX's tool does. *file_fields*
    adds the file's own `file_rank` and `file_score`, lists along with `passages`. *documents*: a TREC run of whole
    articles is read without passages, so that it needs no lengths, for measures of documents.

    Raises FormatError (a ValueError) that names file and line where the run cannot be read.
    """
    check_choice("format", format, ("auto", *RUN_FORMATS))
    check_choice("missing", missing, ("raise", "official"))
    name = source_name(source)
    with open_binary(source) as stream:
        opened = Opened(stream, name)
        format = tell_run_format(stream, name) if format == "auto" else format
        if format == "trec":
            from .trec import read_trec_run

            if file_fields:
                raise ValueError("file_fields=True is for INEX's runs; the score of a TREC run is its own already")
            return read_trec_run(opened, collection, lengths=lengths, errors=errors, documents=documents)
        if format in CAMPAIGNS and (file_fields or missing != "raise"):
            raise ValueError(f"file_fields= and missing= are for INEX's runs; this one is {format}")
        if format in CAMPAIGNS:
            return _function(RUN_FORMATS, format, reads=True)(opened, collection, errors=errors)
        options: dict[str, Any] = {"errors": errors, "missing": missing, "file_fields": file_fields}
        if format != "paths":
            options["unit"] = unit
        return _function(RUN_FORMATS, format, reads=True)(opened, collection, **options)


def write_run(run: pd.DataFrame, target: Source, format: str = "fol", **options: Any) -> None:
    """Write a run frame in a format of RUN_FORMATS, to a path (.gz, .bz2: compressed) or an open file.

    *options* are those of the format's own writer, such as tag='name of the run'. What the format cannot hold is told
    in a warning.
    """
    check_choice("format", format, tuple(name for name, entry in RUN_FORMATS.items() if entry[1]))
    _function(RUN_FORMATS, format, reads=False)(run, target, **options)


def read_qrels(
    source: Source,
    format: str = "auto",
    *,
    collection: Any = None,
    lengths: Mapping[str, int] | None = None,
    unit: str = "auto",
    errors: str = "raise",
    documents: bool = False,
    assessor: str | None = None,
) -> pd.DataFrame:
    """Read qrels as a qrels frame: `qid, docno, label, highlights, bep, length` (INEX: and `relevant_size`).

    *format*: 'auto', or one of QRELS_FORMATS. The options are as in `read_run`; the assessed lengths tell the unit.
    TREC qrels for *documents* have the columns qid, docno and label alone.
    *assessor*: whose judgments, where the source has those of several people; see `io.annotations.judgments.qrels_of`.

    Raises FormatError (a ValueError) that names file and line where they cannot be read.
    """
    check_choice("format", format, ("auto", *QRELS_FORMATS))
    name = source_name(source)
    is_folder = isinstance(source, str | os.PathLike) and os.path.isdir(source)
    kind = format if format != "auto" else tell_annotations(source)
    if kind in _ANNOTATIONS:
        return _function(QRELS_FORMATS, kind, reads=True)(source, collection, errors=errors, assessor=assessor)
    if assessor is not None:
        raise ValueError(f"assessor={assessor!r}: this format does not say who judged; {', '.join(_ANNOTATIONS)} do")
    if is_folder:
        from .inex.assessments import read_inex_assessments

        check_choice("format of a folder", format, ("auto", "inex-xml"))
        return read_inex_assessments(source, collection, errors=errors)
    if format == "auto":
        format = _campaign(source, name, collection)
    if format == "spans" or (format == "auto" and name.removesuffix(".gz").removesuffix(".bz2").endswith(_TABLES)):
        if not isinstance(source, str | os.PathLike):
            raise ValueError("evidence (format='spans') is read from a path, not from an open file")
        return _function(QRELS_FORMATS, "spans", reads=True)(source, collection, errors=errors)
    with open_binary(source) as stream:
        format = tell_qrels_format(stream, name) if format == "auto" else format
        special: dict[str, dict[str, Any]] = {
            "inex": {"unit": unit},
            "trec": {"lengths": lengths, "documents": documents},
        }
        options = special.get(format, {})
        return _function(QRELS_FORMATS, format, reads=True)(Opened(stream, name), collection, errors=errors, **options)


def write_qrels(qrels: pd.DataFrame, target: Source, format: str = "inex", *, collection: Any = None) -> None:
    """Write a qrels frame in a format of QRELS_FORMATS; a warning names what the format cannot hold.

    *collection*: a Collection or another corpus, for the formats of annotation tools, which hold the texts too.
    """
    check_choice("format", format, tuple(name for name, entry in QRELS_FORMATS.items() if entry[1]))
    options = {"collection": collection} if format in _WITH_TEXTS else {}
    _function(QRELS_FORMATS, format, reads=False)(qrels, target, **options)


def read_topics(source: Source) -> pd.DataFrame:
    """Read topics: INEX XML of 2006 to 2010, from a file or a folder, or a CSV, TSV or JSON table with qid and query.

    `pyterrier_focused.io.inex.topics.read_topics` says the columns of INEX topics; those of a table are the file's own.
    """
    from . import topic_tables
    from .inex import topics

    if isinstance(source, str | os.PathLike) and os.path.isdir(source):
        return topics.read_topics(source)
    name = source_name(source)
    with open_binary(source) as stream:
        if topic_tables.is_topic_table(name, _head(stream)):
            return topic_tables.read_topic_table(Opened(stream, name))
        return topics.read_topics(Opened(stream, name))


def _function(formats: dict[str, Format], format: str, *, reads: bool) -> Any:
    module, _, name = str(formats[format][0 if reads else 1]).rpartition(".")
    return getattr(import_module(f"{__name__}.{module}"), name)


def _head(stream: Any) -> bytes:
    """Return the first bytes of a stream, which stay unread."""
    head: bytes = stream.peek(HEAD)
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()


def tell_run_format(stream: Any, name: str) -> str:
    """Tell the format of a run, called *name* in errors, from the start of its stream, which stays unread."""
    head = _head(stream)
    if _is_xml(head):
        return "inex-xml"
    if head.startswith(b"{"):
        kind = _json_kind(head)
        if not kind:
            raise _unknown("a run", RUN_FORMATS, head, name)
        return kind
    kinds = Counter(map(_run_line, _lines(head)))
    del kinds[""]
    if not kinds:
        raise _unknown("a run", RUN_FORMATS, head, name)
    return kinds.most_common(1)[0][0]


def _run_line(fields: list[bytes]) -> str:
    if len(fields) in (7, 8) and fields[6].startswith(b"/"):
        return "paths"
    if 7 <= len(fields) <= 9 and _are_times(fields):
        return "hyperlinking"
    if _is_genomics(fields):
        return "genomics"
    return {6: "trec", 8: "fol"}.get(len(fields), "")


def tell_qrels_format(stream: Any, name: str) -> str:
    """Tell the format of qrels, called *name* in errors, from the start of their stream, which stays unread."""
    head = _head(stream)
    if _is_xml(head):
        return "inex-xml"
    if head.startswith(b"{") and (kind := _json_kind(head)):
        return kind
    kinds = Counter(_qrels_line(line) for line in re.split(rb"[\r\n]+", head)[:50] if len(line.split()) >= 4)
    if not kinds:
        raise _unknown("qrels", QRELS_FORMATS, head, name)
    return kinds.most_common(1)[0][0]


def _qrels_line(line: bytes) -> str:
    fields, columns = line.split(), line.split(b"\t")
    if len(columns) >= 5 and all(column.strip().isdigit() for column in columns[:4]) and columns[1].strip() != b"0":
        return "genomics"
    if len(fields) == 6 and _are_times(fields):
        return "hyperlinking"
    return "trec" if len(fields) == 4 else "inex"


def _are_times(fields: list[bytes]) -> bool:
    """Return whether the fourth and the fifth field are times, MM.SS, where INEX and TREC have whole numbers."""
    return all(_TIME.fullmatch(field) for field in fields[3:5])


def _is_genomics(fields: list[bytes]) -> bool:
    """Return whether the second field, Q0 elsewhere, is a PMID, before rank, perhaps a score, offset and length."""
    if len(fields) not in (5, 6, 7) or fields[1] == b"0" or not all(field.isdigit() for field in fields[:3]):
        return False
    return any(all(field.isdigit() for field in fields[at : at + 2]) for at in ((4,) if len(fields) == 7 else (3, 4)))


def _campaign(source: Source, name: str, collection: Any) -> str:
    """Tell campaigns' judgments from other tables of evidence; with a collection, KILT's are placed in its texts."""
    if not isinstance(source, str | os.PathLike) or not name.removesuffix(".gz").removesuffix(".bz2").endswith(_TABLES):
        return "auto"
    with open_binary(source) as stream:
        head = _head(stream)
    if head.startswith(b"{"):
        kind = _json_kind(head)
        return "auto" if kind == "kilt" and collection is not None else kind or "auto"
    return "genomics" if _qrels_line(head.split(b"\n", 1)[0]) == "genomics" else "auto"


def _json_kind(head: bytes) -> str:
    """'kilt', 'bioasq' or nothing."""
    if b'"output"' in head.split(b"\n", 1)[0]:
        return "kilt"
    return "bioasq" if b'"questions"' in head and b'"paragraphs"' not in head else ""


def tell_annotations(source: Source) -> str:
    """Tell a format of annotated texts, or of judgments with assessors, from the start of a source; '' for others."""
    if not isinstance(source, str | os.PathLike):
        return ""
    if os.path.isdir(source):
        return "brat" if next(Path(source).rglob("*.ann"), None) else ""
    name = os.fspath(source)
    with open_binary(source) as stream:
        head = stream.read(1 << 20)
    if head.startswith(b"SQLite format 3\x00"):
        return "judgments-db"
    if not name.removesuffix(".gz").removesuffix(".bz2").endswith((".json", ".jsonl", ".ndjson")):
        return ""
    keys = set(re.findall(rb'"(\w+)"\s*:', head))
    if {b"docno", b"highlights"} <= keys:
        return "judgments"
    if {b"annotations", b"data"} <= keys or (re.search(rb'"labels"\s*:\s*\[\s*"', head) and b"start" in keys):
        return "label-studio"
    if b"text" in keys and re.search(rb'"(labels?|entities)"\s*:\s*\[\s*[\[{\]]', head):
        return "doccano"
    return ""


def _lines(head: bytes) -> list[list[bytes]]:
    """The fields of the first lines: most of them tell a format, so that a bad one among them is named as such."""
    lines = [line.split() for line in re.split(rb"[\r\n]+", head)[:50]]
    return lines[:-1] if len(lines) > 1 and len(head) >= HEAD // 2 else lines  # the last one may be cut


def _is_xml(head: bytes) -> bool:
    return _TAG.match(head) is not None or head[:2] in (b"\xff\xfe", b"\xfe\xff")


def _unknown(what: str, formats: dict[str, Format], head: bytes, name: str) -> FormatError:
    known = "; ".join(f"{format}: {entry[2]}" for format, entry in formats.items())
    if not head:
        return FormatError(f"the file is empty; format= reads it as {what} without lines", file=name)
    text = re.split(rb"[\r\n]", head, maxsplit=1)[0].decode("utf-8", "replace")
    return FormatError(f"this is not a known format of {what}; known are {known}", file=name, line=1, text=text)
