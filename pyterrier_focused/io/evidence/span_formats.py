"""Evidence as a format of qrels: any table of spans or quotes, read with a collection or another corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ...libraries import pd
from ..base import Format, later

if TYPE_CHECKING:
    import os

    from ...frames.articles import ArticleCollection


def read_evidence_qrels(
    source: str | os.PathLike[str],
    collection: ArticleCollection | None = None,
    *,
    errors: Literal["raise", "skip"] = "raise",
) -> pd.DataFrame:
    """Read a file of evidence as a qrels frame; see `read_spans`."""
    # Imported here, since all qrels are recognised by what this module says.
    from .read import read_spans

    return read_spans(source, collection, errors=errors)


FORMATS = (
    Format(
        name="spans",
        kind="qrels",
        layout="CSV, TSV, JSON or JSON lines: question, document, start, end",
        looks_like=lambda head: head.is_table,
        read=read_evidence_qrels,
        write=later(__package__, "write.write_spans"),
        endings=("jsonl",),
        by_path=True,
        general=True,
    ),
)
