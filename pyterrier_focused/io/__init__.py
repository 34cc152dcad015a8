"""Reading and writing runs, qrels and topics: one file a format, and here the table of them.

`read_run`, `read_qrels` and `read_topics` take a path (plain, .gz or .bz2) or an open file, find out the format and
return the frames of `pyterrier_focused.frames`; `write_run` and `write_qrels` write them. The readers that return bare
numpy columns are in the files of their formats. Nothing is imported before it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .files import Source

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_qrels", "read_run", "read_topics", "write_qrels", "write_run"]

RUN_FORMATS = {"fol": "8 fields a line: topic Q0 article rank score tag offset length"}
QRELS_FORMATS = {"inex": "topic Q0 article relevant_size article_length [bep offset:length ...]"}


def read_run(source: Source, format: str = "auto", **options: Any) -> pd.DataFrame:
    """Read a run as a run frame: `qid, docno, score, rank, passages`.

    Raises FormatError (a ValueError) that names file and line where the run cannot be read.
    """
    from .fol import read_fol

    return read_fol(source, **options)


def write_run(run: pd.DataFrame, target: Source, format: str = "fol", **options: Any) -> None:
    """Write a run frame."""
    from .fol import write_fol

    write_fol(run, target, **options)


def read_qrels(source: Source, format: str = "auto", **options: Any) -> pd.DataFrame:
    """Read qrels as a qrels frame: `qid, docno, label, highlights, bep, length` (INEX: and `relevant_size`).

    Raises FormatError (a ValueError) that names file and line where they cannot be read.
    """
    from .inex_qrels import read_inex_qrels

    return read_inex_qrels(source, **options)


def write_qrels(qrels: pd.DataFrame, target: Source, format: str = "inex") -> None:
    """Write a qrels frame."""
    from .inex_qrels import write_inex_qrels

    write_inex_qrels(qrels, target)


def read_topics(source: Source) -> pd.DataFrame:
    """Read INEX topics (2006-2010) from a file or a folder; see `pyterrier_focused.io.topics.read_topics`."""
    from .topics import read_topics

    return read_topics(source)
