"""Reading the database of judgments (SQLite) that `pt-focused assess` keeps."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pandas as pd

from ...errors import FormatError
from ...frames.articles import ArticleCollection
from ...frames.text_ids import TEXT_ID, check_text
from ...reading.json import loads
from ...reading.lines import BadLine
from .judgments import Record, check_record, qrels_of

# of the tables, which `pyterrier_focused.assessment` makes
VERSION = "1"

_QUERY = """
SELECT j.qid, j.docno, j.assessor, j.highlights, j.bep, a.length, j.status, j.unsure, j.note, j.time,
       coalesce(v.seconds, 0), coalesce((SELECT made_by FROM actions x WHERE (x.qid, x.docno, x.assessor, x.version)
       = (j.qid, j.docno, j.assessor, j.version)), j.assessor)
FROM judgments j JOIN articles a USING (docno) JOIN topics t USING (qid)
LEFT JOIN visits v ON (v.qid, v.docno, v.assessor) = (j.qid, j.docno, j.assessor)
ORDER BY t.number, j.docno, j.assessor
"""


def read_judgments_db(
    source: str | os.PathLike[str],
    collection: ArticleCollection | None = None,
    *,
    errors: str = "raise",
    assessor: str | None = None,
) -> pd.DataFrame:
    """Read a database of judgments as a qrels frame; see `pyterrier_focused.io.annotations.judgments.qrels_of`."""
    records = read_db_records(source)
    made_on = _read_text_id(os.fspath(source))
    check_text(made_on, os.fspath(source), collection)
    qrels = qrels_of(records, os.fspath(source), assessor=assessor, collection=collection)
    if made_on:
        qrels.attrs[TEXT_ID] = made_on
    return qrels


def _read_text_id(name: str) -> str:
    """Return the id of the text that was judged; "" if the database tells none."""
    with closing(connect_to_read(name)) as connection:
        rows = connection.execute("SELECT value FROM meta WHERE name = ?", (TEXT_ID,)).fetchall()
    return str(rows[0][0]) if rows else ""


def read_db_records(source: str | os.PathLike[str]) -> list[Record]:
    """Read all judgments of a database, of all assessors, without articles that were opened and left unchanged."""
    if not isinstance(source, str | os.PathLike):
        raise ValueError("a database of judgments is read from a path, not from an open file")
    name = os.fspath(source)
    try:
        with closing(connect_to_read(name)) as connection:
            version = connection.execute("SELECT value FROM meta WHERE name = 'version'").fetchall()
            rows = connection.execute(_QUERY).fetchall() if version == [(VERSION,)] else []
        if version != [(VERSION,)]:
            raise BadLine(
                f"it is of version {version[0][0] if version else '?'}, not {VERSION}", "upgrade this program"
            )
        return [_read_row(*row) for row in rows]
    except sqlite3.DatabaseError as error:
        raise FormatError(explain_database(error), file=name) from None
    except (UnicodeDecodeError, BadLine) as error:
        raise FormatError(f"this database of judgments cannot be read ({error})", file=name) from None


def connect_to_read(name: str) -> sqlite3.Connection:
    """Open a database to read, on a read-only disk too.

    A transaction that a crash cut short is rolled back: in the file, or in a copy of a read-only file.
    """
    connection = _connect(name)
    try:
        connection.execute("SELECT 1 FROM sqlite_master")
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or not os.path.exists(f"{name}-journal"):
            return connection
        connection.close()
        with tempfile.TemporaryDirectory() as folder, closing(_connect(_copy_database(name, folder))) as copy:
            connection = sqlite3.connect(":memory:")
            copy.backup(connection)
    return connection


def _connect(name: str) -> sqlite3.Connection:
    return sqlite3.connect(f"{Path(name).absolute().as_uri()}?mode=rw", uri=True, timeout=10)


def _copy_database(name: str, folder: str) -> str:
    for suffix in ("", "-journal"):
        shutil.copyfile(f"{name}{suffix}", os.path.join(folder, f"copy{suffix}"))
    return os.path.join(folder, "copy")


def explain_database(error: sqlite3.DatabaseError) -> str:
    if "locked" in str(error) or "busy" in str(error):
        return f"another program is writing to this database ({error}); wait for it, or end it"
    return f"this database of judgments cannot be read ({error}); it is damaged or another kind of file"


def _read_row(
    qid: object, docno: object, assessor: object, highlights: object, bep: object, length: object, status: object,
    unsure: object, note: object, time: object, seconds: object, made_by: object,
) -> Record:  # fmt: skip
    """Return a row as a record; BadLine names a field that is not as `assess` writes it."""
    try:
        spans = loads(str(highlights))
    except json.JSONDecodeError:
        raise BadLine(f"the highlights {highlights!r:.80} are not a list", "it is damaged") from None
    return check_record({
        "qid": qid, "docno": docno, "assessor": assessor, "label": 1 if spans else 0, "highlights": spans, "bep": bep,
        "length": length, "status": status, "unsure": bool(unsure), "note": note, "time": time,
        "seconds": round(seconds, 1) if isinstance(seconds, float) else seconds, "made_by": made_by,
    })  # fmt: skip
