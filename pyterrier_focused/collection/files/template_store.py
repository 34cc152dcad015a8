"""The Template: pages of a dump, gathered before its articles are read, and found by their titles.

Each block of the dump gives a file of JSON lines; then all are one file of pages, and an index of where each is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, get_args

import numpy as np
import pyarrow as pa

from ...errors import CollectionError
from ...reading.json import JsonObject
from ..sources.find import SourceBlock, read
from ..sources.mediawiki import TemplatePage, find_shown_pages, read_template_page
from ..sources.raw import hash_names
from .arrow_files import FileLayout, damaged, open_batches, write_table
from .checksums import read_sealed, seal, sha256_of
from .storage import StoragePath

PAGES = "templates.jsonl"
INDEX = "templates.arrow"
SUMMARY = "templates.json"
SHOWN = "templates.shown"
Gathered = Literal["templates", "pages"]
# So many redirects may lead to each other.
MAX_REDIRECTS = 5

_SCHEMA = pa.schema([("hash", pa.int64()), ("start", pa.int64()), ("end", pa.int64())])


def name_part(number: int, kind: Gathered = "templates") -> str:
    """Return the name of the file of templates, or of pages that others show, of a block."""
    return f"{number:06}.{kind}.jsonl"


def write_template_part(
    folder: str,
    number: int,
    block: SourceBlock,
    sources: Sequence[str],
    options: JsonObject,
    progress: Callable[[int], None] | None = None,
    kind: Gathered = "templates",
) -> None:
    """Write the templates of block *number*, a line each, and the titles of other pages that pages show in the last."""
    shown = set(read_shown_titles(StoragePath(folder))) if kind == "pages" else set()
    found: set[str] = set()
    file = StoragePath(folder) / name_part(number, kind)
    working = file.working()
    with working.create() as opened:
        for raw in read(block, sources):
            page = read_template_page(raw, block.site, shown)
            if page is not None:
                opened.write(json.dumps(page).encode() + b"\n")
            if kind == "templates":
                found |= find_shown_pages(raw)
            if progress is not None:
                progress(min(max(raw.position - block.start, 0), block.work))
        opened.write(json.dumps({"shown": sorted(found)}).encode() + b"\n")
    working.move(file)


def collect_shown_titles(folder: StoragePath, count: int) -> bool:
    """Write the titles of pages that other pages show, and tell whether there are any."""
    if (folder / SHOWN).stat() is None:
        titles: set[str] = set()
        for number in range(count):
            for line in _read_lines(folder / name_part(number), is_page=False):
                titles.update(json.loads(line)["shown"])
        (folder / SHOWN).write(seal({"titles": sorted(titles)}))
    return bool(read_shown_titles(folder))


def read_shown_titles(folder: StoragePath) -> list[str]:
    sealed = read_sealed(folder / SHOWN)
    titles: list[str] = sealed["titles"] if sealed is not None else []
    return titles


def join_template_parts(folder: StoragePath, count: int) -> None:
    """Make one file and an index of the templates of *count* blocks; of two pages of one title the first is taken."""
    hashes: list[int] = []
    starts: list[int] = []
    size = 0
    parts = [folder / name_part(number, kind) for kind in get_args(Gathered) for number in range(count)]
    parts = [part for part in parts if part.stat() is not None]
    working = (folder / PAGES).working()
    with working.create() as pages:
        for part in parts:
            for line in _read_lines(part):
                hashes += hash_names([TemplatePage(*json.loads(line)).title]).tolist()
                starts.append(size)
                pages.write(line)
                size += len(line)
    working.move(folder / PAGES)
    places = np.array([hashes, starts, [*starts[1:], size][: len(starts)]], dtype=np.int64)
    layout = write_table(folder / INDEX, _SCHEMA, places[:, np.argsort(places[0], kind="stable")])
    (folder / SUMMARY).write(
        seal({"templates": len(hashes), "layout": layout, "pages_sha256": sha256_of(folder / PAGES), "size": size})
    )
    for file in (*parts, folder / SHOWN):
        file.remove()


def _read_lines(part: StoragePath, is_page: bool = True) -> Iterator[bytes]:
    """Yield the lines of a part that are pages, or those that list the titles of others."""
    with part.open() as lines:
        yield from (line for line in lines if line.startswith(b"[") == is_page)


def are_gathered(options: JsonObject) -> bool:
    """Tell whether a build with these options reads templates from the dump."""
    return bool(options["format"] == "mediawiki" and options["text"].get("templates_from") == "dump")


def open_templates(folder: StoragePath, options: JsonObject) -> TemplateStore | None:
    """Return the templates that were gathered; None if there are none."""
    if not are_gathered(options):
        return None
    store = TemplateStore(folder)
    return store if len(store) else None


class TemplateStore:
    def __init__(self, folder: StoragePath):
        summary = read_sealed(folder / SUMMARY)
        if summary is None:
            raise CollectionError(f"{folder / SUMMARY}: it is missing; repeat the build")
        layout = FileLayout.from_json(summary["layout"])
        (self._batch,) = open_batches(folder / INDEX, _SCHEMA, layout)
        self._hashes = self._batch.unchecked_numbers("hash")
        self._file = folder / PAGES
        self._pages = self._file.open()

    def __len__(self) -> int:
        return len(self._hashes)

    def find(self, title: str) -> str | None:
        """Return the wikitext of a template's page, through redirects; None if there is none."""
        for _ in range(MAX_REDIRECTS):
            page = self._find_page(title)
            if page is None or page.wikitext is not None:
                return None if page is None else page.wikitext
            title = page.redirect
        return None

    def _find_page(self, title: str) -> TemplatePage | None:
        key = int(hash_names([title])[0])
        row = int(np.searchsorted(self._hashes, key))
        while row < len(self._hashes) and self._hashes[row] == key:
            start, end = (int(self._batch.numbers(name, row, row + 1)[0]) for name in ("start", "end"))
            self._pages.seek(start)
            try:
                page = TemplatePage(*json.loads(self._pages.read(end - start)))
            except (ValueError, TypeError) as error:
                raise damaged(self._file) from error
            if page.title == title:
                return page
            row += 1
        return None
