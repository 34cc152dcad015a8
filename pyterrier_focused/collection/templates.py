"""The Template: pages of a dump, gathered in a database before its articles are read, and found by their titles."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path

from .sources.dump import WikiSite
from .sources.mediawiki import TemplatePage, find_shown_pages, read_template_page
from .sources.raw import RawArticle

FILE = "templates.sqlite"
# So many redirects may lead to each other.
MAX_REDIRECTS = 5


def read_templates(
    raws: Sequence[RawArticle], site: WikiSite, shown: frozenset[str] = frozenset()
) -> tuple[list[TemplatePage], set[str]]:
    """Return the templates among pages, or the pages of the titles *shown*, and the titles of pages that pages show."""
    pages = [page for raw in raws if (page := read_template_page(raw, site, shown)) is not None]
    return pages, set() if shown else set().union(*map(find_shown_pages, raws))


def write_templates(folder: Path, pages: Iterable[TemplatePage]) -> None:
    """Write the database of a dump's templates; of two pages of one title the first is taken."""
    working = folder / f"{FILE}.part"
    working.unlink(missing_ok=True)
    database = sqlite3.connect(working)
    with database:
        database.execute("CREATE TABLE pages (title TEXT PRIMARY KEY, wikitext TEXT, redirect TEXT)")
        database.executemany("INSERT OR IGNORE INTO pages VALUES (?, ?, ?)", pages)
    database.close()
    os.replace(working, folder / FILE)


class TemplateStore:
    def __init__(self, folder: str):
        self._pages = sqlite3.connect(f"{Path(folder, FILE).absolute().as_uri()}?mode=ro&immutable=1", uri=True)

    def find(self, title: str) -> str | None:
        """Return the wikitext of a template's page, through redirects; None if there is none."""
        for _ in range(MAX_REDIRECTS):
            page = self._pages.execute("SELECT wikitext, redirect FROM pages WHERE title = ?", [title]).fetchone()
            if page is None or page[0] is not None:
                return None if page is None else str(page[0])
            title = page[1]
        return None
