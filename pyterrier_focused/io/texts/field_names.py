"""How files of evidence and of results name a question, its id, and a passage of a document."""

from __future__ import annotations

import re

from ...frames.ids import parse_ids
from ...frames.spans import Span

# The most telling names come first.
NAMED_QID = ("qid", "query_id", "query-id", "question_id", "task_id")
QID = (*NAMED_QID, "id", "_id")
QUERY = ("query", "question", "user_input", "input")

_DASHED = re.compile(r"(?P<docno> \S+ ) - (?P<start> [0-9]{1,15} ) - (?P<end> [0-9]{1,15} )", re.VERBOSE)


def parse_passage_id(name: str) -> tuple[str, Span] | None:
    """Read the document and the span off a passage's name: `DOCNO#START-END`, or MTRAG's `DOCNO-START-END`.

    Example:
        >>> parse_passage_id("ibmcld_00474-7885-8455")
        ('ibmcld_00474', (7885, 8455))
    """
    if "#" in name:
        docno, start, end = (column[0] for column in parse_ids([name]))
        return (str(docno), (int(start), int(end))) if start >= 0 else None
    match = _DASHED.fullmatch(name)
    if match is None or int(match["start"]) >= int(match["end"]):
        return None
    return match["docno"], (int(match["start"]), int(match["end"]))
