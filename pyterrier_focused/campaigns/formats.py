"""Formats of other campaigns, and how the beginning of a file tells them."""

from ..io.base import Format, Head
from .bioasq.files import bioasq_run_columns, read_bioasq_qrels, read_bioasq_run
from .genomics.files import parse_genomics_run, read_genomics_gold, read_genomics_run
from .genomics.formats import looks_like_gold, looks_like_run
from .kilt.files import kilt_run_columns, read_kilt_qrels, read_kilt_run

BIOASQ = "JSON: questions with snippets (BioASQ)"
KILT = "JSON lines: id, output with provenance (KILT)"


def _looks_like_bioasq(head: Head) -> bool:
    # KILT's answers have an "output", SQuAD's articles "paragraphs".
    of_others = b'"output"' in head.first_line or b'"paragraphs"' in head.data
    return head.data.startswith(b"{") and b'"questions"' in head.data and not of_others


def _looks_like_kilt(head: Head) -> bool:
    return head.data.startswith(b"{") and b'"output"' in head.first_line


FORMATS = (
    Format(
        name="bioasq",
        kind="run",
        layout=BIOASQ,
        looks_like=_looks_like_bioasq,
        read=read_bioasq_run,
        parse=bioasq_run_columns,
    ),
    Format(
        name="bioasq",
        kind="qrels",
        layout=BIOASQ,
        looks_like=_looks_like_bioasq,
        read=read_bioasq_qrels,
    ),
    Format(
        name="genomics",
        kind="run",
        layout="topic pmid rank [score] offset length [tag] (TREC Genomics)",
        looks_like=lambda head: head.has_rows(looks_like_run),
        read=read_genomics_run,
        parse=parse_genomics_run,
    ),
    Format(
        name="genomics",
        kind="qrels",
        layout="topic, pmid, offset, length, aspects, separated by tabs",
        looks_like=looks_like_gold,
        read=read_genomics_gold,
    ),
    Format(
        name="kilt",
        kind="run",
        layout=KILT,
        looks_like=_looks_like_kilt,
        read=read_kilt_run,
        parse=kilt_run_columns,
    ),
    Format(
        name="kilt",
        kind="qrels",
        layout=KILT,
        looks_like=_looks_like_kilt,
        read=read_kilt_qrels,
    ),
)
