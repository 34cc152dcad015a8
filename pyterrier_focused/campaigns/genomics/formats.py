"""How the beginning of a file of TREC Genomics is told from those of others."""

from ...io.base import Head


def looks_like_run(fields: list[bytes]) -> bool:
    """Tell whether the second field, Q0 elsewhere, is a PMID, before rank, perhaps a score, offset and length."""
    if len(fields) not in (5, 6, 7) or fields[1] == b"0" or not all(field.isdigit() for field in fields[:3]):
        return False
    offsets = (4,) if len(fields) == 7 else (3, 4)
    return any(all(field.isdigit() for field in fields[offset : offset + 2]) for offset in offsets)


def looks_like_gold(head: Head) -> bool:
    # A table of evidence has a header.
    lines = [head.first_line] if head.is_table else head.lines
    return head.is_text and 2 * sum(map(_looks_like_gold_line, lines)) >= len(lines)


def _looks_like_gold_line(line: bytes) -> bool:
    columns = [column.strip() for column in line.split(b"\t")]
    return len(columns) >= 5 and all(map(bytes.isdigit, columns[:4])) and columns[1] != b"0"
