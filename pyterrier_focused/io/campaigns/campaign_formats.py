"""Formats of other campaigns, and how the beginning of a file tells them."""

from ..base import Format, Head, later

BIOASQ = "JSON: questions with snippets (BioASQ)"
KILT = "JSON lines: id, output with provenance (KILT)"
RANKS = "qid docno rank"


def _looks_like_bioasq(head: Head) -> bool:
    # KILT's answers have an "output", SQuAD's articles "paragraphs".
    of_others = b'"output"' in head.first_line or b'"paragraphs"' in head.data
    return head.data.startswith(b"{") and b'"questions"' in head.data and not of_others


def _looks_like_genomics_run(fields: list[bytes]) -> bool:
    """Tell whether the second field, Q0 elsewhere, is a PMID, before rank, perhaps a score, offset and length."""
    if len(fields) not in (5, 6, 7) or fields[1] == b"0" or not all(field.isdigit() for field in fields[:3]):
        return False
    offsets = (4,) if len(fields) == 7 else (3, 4)
    return any(all(field.isdigit() for field in fields[offset : offset + 2]) for offset in offsets)


def _looks_like_genomics_gold(head: Head) -> bool:
    # A table of evidence has a header.
    lines = [head.first_line] if head.is_table else head.lines
    return head.is_text and 2 * sum(map(_looks_like_gold_line, lines)) >= len(lines)


def _looks_like_gold_line(line: bytes) -> bool:
    columns = [column.strip() for column in line.split(b"\t")]
    return len(columns) >= 5 and all(map(bytes.isdigit, columns[:4])) and columns[1] != b"0"


def _looks_like_kilt(head: Head) -> bool:
    return head.data.startswith(b"{") and b'"output"' in head.first_line


def _looks_like_ranks(head: Head) -> bool:
    is_tabbed = head.first_line.count(b"\t") == 2
    return is_tabbed and head.has_rows(lambda fields: len(fields) == 3 and fields[2].isdigit())


FORMATS = (
    Format(
        name="bioasq",
        kind="run",
        layout=BIOASQ,
        looks_like=_looks_like_bioasq,
        read=later(__package__, "bioasq.read_bioasq_run"),
        parse=later(__package__, "bioasq.bioasq_run_columns"),
    ),
    Format(
        name="bioasq",
        kind="qrels",
        layout=BIOASQ,
        looks_like=_looks_like_bioasq,
        read=later(__package__, "bioasq.read_bioasq_qrels"),
    ),
    Format(
        name="genomics",
        kind="run",
        layout="topic pmid rank [score] offset length [tag] (TREC Genomics)",
        looks_like=lambda head: head.has_rows(_looks_like_genomics_run),
        read=later(__package__, "genomics.read_genomics_run"),
        parse=later(__package__, "genomics.parse_genomics_run"),
    ),
    Format(
        name="genomics",
        kind="qrels",
        layout="topic, pmid, offset, length, aspects, separated by tabs",
        looks_like=_looks_like_genomics_gold,
        read=later(__package__, "genomics.read_genomics_gold"),
    ),
    Format(
        name="kilt",
        kind="run",
        layout=KILT,
        looks_like=_looks_like_kilt,
        read=later(__package__, "kilt.read_kilt_run"),
        parse=later(__package__, "kilt.kilt_run_columns"),
    ),
    Format(
        name="kilt",
        kind="qrels",
        layout=KILT,
        looks_like=_looks_like_kilt,
        read=later(__package__, "kilt.read_kilt_qrels"),
    ),
    Format(
        name="msmarco",
        kind="run",
        layout=f"{RANKS}, separated by tabs (MS MARCO)",
        looks_like=_looks_like_ranks,
        read=later(__package__, "msmarco.read_msmarco_run"),
    ),
)
