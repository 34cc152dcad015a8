"""Reading and writing runs, qrels and topics: one file per format, and the table of them in `formats`.

`read_run`, `read_qrels` and `read_topics` take a path (plain, .gz or .bz2) or an open file, find out the format and
return the frames of `pyterrier_focused.frames`; `write_run` and `write_qrels` write them. A file that cannot be read is
a FormatError that names it and the line.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

import pandas as pd

from ..collection.corpora import Corpus
from ..errors import FormatError, check_choice
from ..frames.articles import ArticleCollection
from ..frames.text_ids import mark_qrels
from ..reading.files import HEAD, Opened, Source, open_binary, source_name
from ..reading.json import JsonObject
from .formats import Format, Head, Kind, find_format, known_formats, open_and_look, tell_by_head, tell_format
from .inex import topics
from .label_studio import read_label_studio, write_tasks
from .save_format import RUN_FORMAT
from .topic_tables import is_topic_table, read_topic_table, write_topics
from .validate import validate_run

__all__ = [
    "RUN_FORMAT",
    "Format",
    "Head",
    "known_formats",
    "read_label_studio",
    "read_qrels",
    "read_run",
    "read_topics",
    "tell_format",
    "validate_run",
    "write_qrels",
    "write_run",
    "write_tasks",
    "write_topics",
]


def read_run(
    source: Source,
    format: str = "auto",
    *,
    collection: ArticleCollection | None = None,
    lengths: Mapping[str, int] | None = None,
    unit: str = "auto",
    errors: str = "raise",
    missing: str = "raise",
    file_fields: bool = False,
    documents: bool = False,
) -> pd.DataFrame:
    """Read a run as a run frame: `qid, docno, score, rank, passages`.

    Args:
        source: A path (plain, .gz or .bz2) or an open file.
        format: 'auto', or the name of one of `known_formats('run')`.
        collection: The articles: they turn element paths into offsets and tell the lengths of whole articles. Offsets
            are checked to count characters, and converted if they count bytes.
        lengths: The lengths of articles, {docno: characters}, if there is no collection.
        unit: 'characters' or 'bytes', if it is known what offsets count.
        errors: 'raise' a FormatError at the first fault, or 'skip' faulty lines and warn how many and why.
        missing: 'raise' for passages that do not exist, or 'official' to read them as INEX's tool does.
        file_fields: Add the file's own `file_rank` and `file_score`, lists along with `passages`.
        documents: Read a TREC run of whole articles without passages, so that it needs no lengths, for measures of
            documents.

    Raises:
        FormatError: The run cannot be read; it names file and line.

    Example:
        >>> import io
        >>> run = read_run(io.BytesIO(b"7 Q0 12 1 9.5 mine 100 50\\n"))
        >>> run[["qid", "docno"]].values.tolist(), run["passages"].iloc[0][0]
        ([['7', '12']], {'start': 100, 'end': 150, 'score': 1.0})
    """
    options = {
        "collection": collection, "lengths": lengths, "unit": unit, "errors": errors, "missing": missing,
        "file_fields": file_fields, "documents": documents,
    }  # fmt: skip
    return _read_frame(source, format, "run", options)


def write_run(run: pd.DataFrame, target: Source, format: str = "fol", **options: object) -> None:
    """Write a run frame to a file; a warning names what its format cannot hold.

    Args:
        target: A path (.gz, .bz2: compressed) or an open file.
        format: The name of a format that can be written.
        **options: Those of the format's own writer, such as tag='name of the run'.

    Example:
        >>> import io
        >>> file = io.StringIO()
        >>> run = read_run(io.BytesIO(b"7 Q0 12 1 9.5 mine 100 50\\n"))
        >>> write_run(run, file, tag="again")
        >>> file.getvalue()
        '7 Q0 12 1 1 again 100 50\\n'
    """
    _find_writer(format, "run")(run, target, **options)


def read_qrels(
    source: Source,
    format: str = "auto",
    *,
    collection: ArticleCollection | None = None,
    lengths: Mapping[str, int] | None = None,
    unit: str = "auto",
    errors: str = "raise",
    documents: bool = False,
    assessor: str | None = None,
) -> pd.DataFrame:
    """Read qrels as a qrels frame: `qid, docno, label, highlights, bep, length` (INEX: and `relevant_size`).

    Args:
        source: A path (plain, .gz or .bz2), an open file, or a folder for formats that are folders.
        format: 'auto', or the name of one of `known_formats('qrels')`.
        documents: Read the columns qid, docno and label only, of TREC qrels.
        assessor: Whose judgments to read, if there are those of several people.

    Example:
        >>> import io
        >>> qrels = read_qrels(io.BytesIO(b"7 Q0 12 32 900 10 10:32\\n7 Q0 13 0 500\\n"))
        >>> qrels[["docno", "label", "bep"]].values.tolist()
        [['12', 1, 10], ['13', 0, -1]]
    """
    options = {
        "collection": collection, "lengths": lengths, "unit": unit, "errors": errors, "documents": documents,
        "assessor": assessor,
    }  # fmt: skip
    return mark_qrels(_read_frame(source, format, "qrels", options), source_name(source), collection)


def write_qrels(qrels: pd.DataFrame, target: Source, format: str = "inex", *, collection: Corpus | None = None) -> None:
    """Write a qrels frame to a file; a warning names what its format cannot hold.

    Args:
        target: A path (.gz, .bz2: compressed) or an open file; a folder for formats that are folders.
        collection: A Collection or another corpus, for the formats of annotation tools, which hold the texts too.

    Example:
        >>> import sys
        >>> from pyterrier_focused import QRELS_COLUMNS
        >>> qrels = pd.DataFrame([["q1", "12", 1, [(5, 9)], 5, 100]], columns=QRELS_COLUMNS)
        >>> write_qrels(qrels, sys.stdout)
        q1 Q0 12 4 100 5 5:4
    """
    options = {"collection": collection} if "collection" in find_format(format, "qrels").write_options else {}
    _find_writer(format, "qrels")(qrels, target, **options)


def read_topics(source: Source) -> pd.DataFrame:
    """Read topics: INEX XML of 2006 to 2010, from a file or a folder, or a CSV, TSV or JSON table with qid and query.

    Args:
        source: A path (plain, .gz or .bz2), a folder of INEX topics, or an open file.

    Returns:
        A frame with qid, query, and the file's other columns; `pyterrier_focused.io.inex.topics.read_topics` says which
        INEX topics have.

    Example:
        >>> import io
        >>> read_topics(io.BytesIO(b"7\\tlighthouse lenses\\n")).values.tolist()
        [['7', 'lighthouse lenses']]
    """
    if isinstance(source, str | os.PathLike) and os.path.isdir(source):
        return topics.read_topics(source)
    name = source_name(source)
    with open_binary(source) as stream:
        beginning = stream.peek(HEAD).removeprefix(b"\xef\xbb\xbf")  # type: ignore[attr-defined]
        if is_topic_table(name, beginning):
            return read_topic_table(Opened(stream, name))
        if beginning.strip() and not beginning.lstrip().startswith((b"<", b"\xff\xfe", b"\xfe\xff")):
            fault = "these are no topics: INEX XML, a table with qid and query, or lines qid<tab>query"
            raise FormatError(fault, file=name, line=1)
        return topics.read_topics(Opened(stream, name))


# Options that a reader refuses unless it takes them: the value that leaves them out, and whose they are
_REFUSED = {
    "collection": (None, "collection= is for formats whose spans lie in the texts of articles"),
    "unit": ("auto", "unit= is for formats whose offsets may count bytes"),
    "missing": ("raise", "file_fields= and missing= are for INEX's runs"),
    "file_fields": (False, "file_fields= and missing= are for INEX's runs"),
    "assessor": (None, "assessor= is for judgments with assessors, and this format does not say who judged"),
}


def _read_frame(source: Source, name: str, kind: Kind, options: JsonObject) -> pd.DataFrame:
    """Read a run or qrels, in the format of a *name* or, if that is 'auto', in the one that it has."""
    format = find_format(name, kind) if name != "auto" else None
    check_choice("missing", options.get("missing", "raise"), ("raise", "official"))
    with open_and_look(source) as (opened, head):
        format = format or tell_by_head(head, kind)
        if head.is_folder and not (format.by_path or format.looks_like(head)):
            raise ValueError(f"{head.name}: a folder cannot be read as {format.name}")
        if format.by_path and head.path is None:
            raise ValueError(f"{format.name}: {format.layout} is read from a path, not from an open file")
        _refuse_options(format, options, head.name)
        own_options = {option: value for option, value in options.items() if option in format.read_options}
        return format.read(source if format.by_path else opened, **own_options)


def _refuse_options(format: Format, options: dict[str, object], file: str) -> None:
    """Raise FormatError for an option that was given and that the format's reader does not take."""
    for option, (default, why) in _REFUSED.items():
        if options.get(option, default) != default and option not in format.read_options:
            others = [other.name for other in known_formats(format.kind).values() if option in other.read_options]
            raise FormatError(f"{why} ({', '.join(others)}); this one is {format.name}", file=file, line=1)


def _find_writer(name: str, kind: Kind) -> Callable[..., None]:
    formats = known_formats(kind)
    writers = {format.name: format.write for format in formats.values() if format.write}
    check_choice("format", name, tuple(writers))
    return writers[name]
