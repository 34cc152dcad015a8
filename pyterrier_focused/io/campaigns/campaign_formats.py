"""Formats of other campaigns, and how the beginning of a file tells them."""

from ..base import Format, Head, holds_times, later

BIOASQ = "JSON: questions with snippets (BioASQ)"
SEGMENTS = "query Q0 video start end relevance"
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


def _looks_like_found_segment(fields: list[bytes]) -> bool:
    return len(fields) in (7, 8, 9) and holds_times(fields)


def _looks_like_judged_segment(fields: list[bytes]) -> bool:
    return len(fields) == 6 and holds_times(fields)


def _looks_like_kilt(head: Head) -> bool:
    return head.data.startswith(b"{") and b'"output"' in head.first_line


def _has_field(head: Head, name: bytes) -> bool:
    return head.data.startswith(b"{") and b'"%s"' % name in head.first_line


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
        name="hyperlinking",
        kind="run",
        layout="query Q0 video start end [jumpin] rank score [tag], times in MM.SS (MediaEval)",
        looks_like=lambda head: head.has_rows(_looks_like_found_segment),
        read=later(__package__, "hyperlinking.read_hyperlinking_run"),
        parse=later(__package__, "hyperlinking.parse_hyperlinking_run"),
    ),
    Format(
        name="hyperlinking",
        kind="qrels",
        layout=f"{SEGMENTS}, times in MM.SS (MediaEval)",
        looks_like=lambda head: not head.is_table and head.has_rows(_looks_like_judged_segment),
        read=later(__package__, "hyperlinking.read_hyperlinking_qrels"),
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
        name="moments",
        kind="run",
        layout="JSON lines: qid, vid, pred_relevant_windows (QVHighlights)",
        looks_like=lambda head: _has_field(head, b"pred_relevant_windows"),
        read=later(__package__, "moments.read_moments_run"),
    ),
    Format(
        name="moments",
        kind="qrels",
        layout="JSON lines: qid, vid, relevant_windows (QVHighlights)",
        looks_like=lambda head: _has_field(head, b"relevant_windows"),
        read=later(__package__, "moments.read_moments_qrels"),
    ),
    Format(
        name="msmarco",
        kind="run",
        layout=f"{RANKS}, separated by tabs (MS MARCO)",
        looks_like=_looks_like_ranks,
        read=later(__package__, "msmarco.read_msmarco_run"),
    ),
)
