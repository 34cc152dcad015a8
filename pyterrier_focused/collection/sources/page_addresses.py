"""Titles of pages as docnos, and the addresses of pages."""

from __future__ import annotations

from urllib.parse import quote

# Kept in addresses of pages, like letters and digits.
_KEPT = ";@$!*(),/~:"


def title_as_docno(title: str) -> str:
    return "_".join(title.split())


def address_base(main_page: str) -> str:
    """Return the beginning of the addresses of a wiki's pages, given that of its main page; '' for none."""
    for mark in ("/wiki/", "?title="):
        before, separator, _ = main_page.partition(mark)
        if separator:
            return before + separator
    before, separator, _ = main_page.rpartition("/")
    return before + separator


def page_address(base: str, title: str) -> str:
    """Return the address of a page, '' if the base of the wiki's addresses is not known."""
    return base + quote(title_as_docno(title), safe=_KEPT, errors="replace") if base else ""
