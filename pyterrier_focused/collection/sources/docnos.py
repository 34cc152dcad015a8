"""Docnos that can be ones."""

from __future__ import annotations

import re

from ...wikitext import RejectedArticle

_PASSAGE = re.compile(r"#\d+-\d+$")


def checked_docno(docno: str) -> str:
    """Return a docno that can be one; RejectedArticle says why it cannot."""
    if not docno:
        raise RejectedArticle("it has no id")
    if docno.split() != [docno]:
        raise RejectedArticle(f"its id {docno[:80]!r} holds white space")
    # The name of a file may hold bytes that are not UTF-8.
    if any("\ud800" <= character <= "\udfff" for character in docno):
        raise RejectedArticle(f"its id {docno[:80]!r} is not in UTF-8")
    if _PASSAGE.search(docno):
        raise RejectedArticle(f"its id {docno[:80]!r} reads as the id of a passage")
    return docno
