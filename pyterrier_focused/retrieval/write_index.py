"""How an index of parts comes to its folder: counted, checked, sealed, and put in place when all is done."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from ..collection.files.checksums import seal, write_checksums
from ..collection.files.storage import StoragePath
from .engines.base import Engine, IndexOptions
from .engines.choose import engines_that_keep, open_engine
from .engines.terms import check_language

if TYPE_CHECKING:
    from ..io.reading.json import Row


class CountedParts:
    """(docno, texts by field) pairs of parts, counted as they pass.

    A docno that an engine would split is an error, and parts without a word are one in the end.
    """

    def __init__(self, parts: Iterable[dict[str, str]], fields: bool, nothing: str):
        """*nothing*: what the error says if there is no part."""
        waiting = iter(parts)
        first = next(waiting, None)
        if first is None:
            raise ValueError(nothing)
        self.count = 0
        self.fields = tuple(name for name in first if name != "docno") if fields else ()
        self._parts = chain([first], waiting)

    def __iter__(self) -> Iterator[tuple[str, dict[str, str]]]:
        fields = self.fields or ("text",)
        has_words = False
        for part in self._parts:
            docno = part["docno"]
            if len(docno.split()) != 1 or docno.split()[0] != docno:
                raise ValueError(f"docno {docno!r} holds white space; engines take docnos without")
            self.count += 1
            texts = {field: part.get(field, "") for field in fields}
            has_words = has_words or any(map(str.isalnum, "".join(texts.values())))
            yield docno, texts
        if not has_words:
            raise ValueError("nothing to index: no part holds a word of letters or digits")


def check_options(engine: Engine, options: IndexOptions) -> None:
    """Raise a ValueError if *engine* cannot index with *options*."""
    check_language(options.language)
    for option, given in (("blocks", options.blocks), ("fields", bool(options.fields))):
        if given and not getattr(engine.can, option):
            others = " or ".join(f"engine={name!r}" for name in engines_that_keep(option))
            raise ValueError(f"{option}=True: {engine.name} keeps no {option}; index with {others}")
    unknown = sorted(set(options.own) - engine.can.build_options)
    if unknown:
        known = ", ".join(sorted(engine.can.build_options)) or "none of its own"
        raise ValueError(f"{unknown[0]}={options.own[unknown[0]]!r}: {engine.name} has no such option; it has {known}")


def write_index(parts: CountedParts, path: Path, engine: str, options: IndexOptions, meta: Row) -> None:
    """Index the parts in a folder beside *path*, and put it there when all is done.

    meta: what the index is to say of itself, beside its engine, its options and the number of its parts.
    """
    work = path.with_name(f"{path.name}.building")
    shutil.rmtree(work, ignore_errors=True)
    try:
        open_engine(engine).build(parts, work / engine, options)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    about = {"language": options.language, "blocks": options.blocks, "fields": list(options.fields)}
    (work / "pt_meta.json").write_bytes(seal({**meta, "engine": engine, "parts": parts.count, **about}))
    write_checksums(StoragePath(work))
    if path.exists():
        shutil.rmtree(path)
    work.rename(path)
