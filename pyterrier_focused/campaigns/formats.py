"""Formats of other campaigns, and how the beginning of a file tells them."""

from ..io.base import Format, Head
from .bioasq.files import bioasq_run_columns, read_bioasq_qrels, read_bioasq_run

BIOASQ = "JSON: questions with snippets (BioASQ)"


def _looks_like_bioasq(head: Head) -> bool:
    # KILT's answers have an "output", SQuAD's articles "paragraphs".
    of_others = b'"output"' in head.first_line or b'"paragraphs"' in head.data
    return head.data.startswith(b"{") and b'"questions"' in head.data and not of_others


FORMATS = (
    Format(
        name="bioasq",
        kind="run",
        layout=BIOASQ,
        looks_like=_looks_like_bioasq,
        read=read_bioasq_run,
        parse=bioasq_run_columns,
    ),
    Format(name="bioasq", kind="qrels", layout=BIOASQ, looks_like=_looks_like_bioasq, read=read_bioasq_qrels),
)
