"""Formats of TREC and MS MARCO, and how the beginning of a file tells them."""

from .base import Format, Head
from .trec import RANKS, read_msmarco_run, read_trec_qrels, read_trec_run, write_trec_qrels, write_trec_run


def _looks_like_run(head: Head) -> bool:
    """Tell a TREC run from lines that have the article in place of `Q0`, and its rank in place of the article."""
    has_ranks = head.numbers_differ(1) and all(fields[2].isdigit() for fields in head.rows if len(fields) > 2)
    return not has_ranks and head.has_rows(_looks_like_run_line)


def _looks_like_run_line(fields: list[bytes]) -> bool:
    """Recognise a line of a run; five bare numbers may be one without its tag, which the reader reports."""
    if len(fields) == 5:
        return all(map(bytes.isdigit, fields)) and fields[1] != b"0"
    return len(fields) == 6


def _looks_like_ranks(head: Head) -> bool:
    is_tabbed = head.first_line.count(b"\t") == 2
    return is_tabbed and head.has_rows(lambda fields: len(fields) == 3 and fields[2].isdigit())


FORMATS = (
    Format(
        name="trec",
        kind="run",
        layout="topic Q0 article rank score tag",
        looks_like=_looks_like_run,
        read=read_trec_run,
        write=write_trec_run,
        endings=("trec",),
    ),
    Format(
        name="trec",
        kind="qrels",
        layout="topic 0 article label",
        looks_like=lambda head: not head.is_table and head.has_rows(lambda fields: len(fields) == 4),
        read=read_trec_qrels,
        write=write_trec_qrels,
        endings=("trec",),
    ),
    Format(
        name="msmarco",
        kind="run",
        layout=f"{RANKS}, separated by tabs (MS MARCO)",
        looks_like=_looks_like_ranks,
        read=read_msmarco_run,
    ),
)
