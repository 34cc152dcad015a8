"""FOL runs and INEX qrels, read line by line with plain Python: what the readers of whole columns are held against."""

import math
import re

WHOLE = re.compile(r"[+-]?[0-9]+")
DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
NO_TEXT = re.compile("[\x00-\x08\x0b-\x1f\x7f]|[^\\S \t\n]")
LIMIT = 2**63


def read_whole(text):
    if not WHOLE.fullmatch(text) or not -LIMIT <= int(text) < LIMIT:
        raise ValueError(text)
    return int(text)


def read_decimal(text):
    if not DECIMAL.fullmatch(text) or math.isinf(float(text)):
        raise ValueError(text)
    return float(text)


def read_fol_line(fields, seen):
    """Return (qid, docno, start, end, rank, score)."""
    topic, _, article, rank, score, _, offset, length = fields
    start, size = read_whole(offset), read_whole(length)
    if start < 0 or size < 0 or start + size >= LIMIT:
        raise ValueError(fields)
    return topic, article, start, start + size, read_whole(rank), read_decimal(score)


def read_qrels_line(fields, seen):
    """Return (qid, docno, relevant size, length, entry point, spans)."""
    topic, _, article, size, length, *rest = fields
    bep = read_whole(rest[0]) if rest else -1
    size, length = read_whole(size), read_whole(length)
    if size < 0 or length < 0 or bep < -1 or (topic, article) in seen:
        raise ValueError(fields)
    spans = []
    for mark in rest[1:]:
        if not re.fullmatch("[0-9]+:[0-9]+", mark):
            raise ValueError(mark)
        start, width = map(int, mark.split(":"))
        if start + width >= LIMIT or len(mark) > 60:
            raise ValueError(mark)
        spans += [(start, start + width)] if width else []
    seen.add((topic, article))
    return topic, article, size, length, bep, spans


def read_by_hand(data, read_line):
    """Return the rows of the good lines, and the numbers of the others."""
    rows, bad, seen = [], [], set()
    for number, line in enumerate(re.split(b"\r\n|\r|\n", data), start=1):
        try:
            text = line.removeprefix(b"\xef\xbb\xbf" if number == 1 else b"").decode()
            if NO_TEXT.search(text):
                raise ValueError(text)
            if fields := text.split():
                rows.append(read_line(fields, seen))
        except ValueError:
            bad.append(number)
    return rows, bad
