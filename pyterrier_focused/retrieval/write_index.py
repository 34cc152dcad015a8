"""Writing an index of parts: parts are counted, files checked and sealed, and the folder put in place at the end."""

from __future__ import annotations

import errno
import os
import re
import shutil
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from inspect import Parameter, signature
from itertools import chain
from pathlib import Path
from typing import cast

from ..collection import Collection
from ..collection.files.checksums import describe_files, find_fault, read_sealed, seal, write_checksums
from ..collection.files.lock import try_lock
from ..collection.files.storage import StoragePath
from ..collection.parallel import map_on_ray
from ..errors import CollectionError, warn_caller
from ..reading.json import JsonObject
from .engines.base import Document, Engine, IndexOptions
from .engines.choose import choose_engine, engines_that_keep, open_engine
from .engines.terms import check_language
from .passages.part_texts import PartsSeen, PartTexts

MANIFEST = "pt_meta.json"
# What PyTerrier reads of an artifact to open it.
ABOUT = {"type": "part_index", "format": "focused", "package_hint": "pyterrier-focused"}
_WORKING = ".building"
_MARKER = "build.lock"
_MARK = "pyterrier_focused builds an index here\n"
# In the folder of a build: the index that it makes, and the one that this replaces.
_NEW = "index"
_OLD = "replaced"
_KEYWORD = Parameter.KEYWORD_ONLY


@dataclass
class PartsCount:
    """The number of parts so far, whether one of them held a word, and the number of blank ones left out."""

    parts: int = 0
    has_words: bool = False
    blank: int = 0

    def add(self, other: PartsCount) -> None:
        self.parts += other.parts
        self.has_words = self.has_words or other.has_words

    def check(self) -> None:
        if not self.has_words:
            raise ValueError("nothing to index: no part holds a word of letters or digits")


class CountedParts:
    """Iterate over (docno, {field: text}) pairs of parts and count them; they must hold a word."""

    def __init__(self, parts: Iterable[dict[str, str]], fields: bool, nothing: str):
        """*nothing*: the error's message if there is no part."""
        self.count = PartsCount()
        waiting = iter(parts)
        first = next(waiting, None)
        if first is None:
            raise ValueError(nothing)
        self.fields = tuple(name for name in first if name != "docno") if fields else ()
        self._parts = chain([first], waiting)

    def __iter__(self) -> Iterator[Document]:
        yield from _count_parts(self._parts, self.fields or ("text",), self.count)
        self.count.check()


class CutParts(CountedParts):
    """The parts of articles; blank ones are left out and counted."""

    def __init__(self, parts: PartTexts, fields: bool, nothing: str):
        self._texts = parts
        super().__init__(self._cut_all(), fields, nothing)

    def _cut_all(self) -> Iterator[dict[str, str]]:
        seen = self._texts.see_nothing()
        yield from self._texts.cut(self._texts.collection.articles_with_elements(), seen)
        self._texts.check(seen)
        self.count.blank = seen.blank


class SplitParts(CutParts):
    """The parts of a collection, of which workers of Ray can make those of each shard."""

    def feed_on_ray(self, take: Callable[[Iterable[Document]], int]) -> int:
        """Have workers cut the parts of a shard each and call *take* with them; returns the sum of what it returns."""
        taken = 0
        seen = self._texts.see_nothing()
        shards = range(cast(Collection, self._texts.collection).meta["shards"])
        tasks = ((self._texts, shard, self.fields or ("text",), take) for shard in shards)
        for task, fed in map_on_ray(_feed_shard, tasks):
            if isinstance(fed, Exception):
                raise CollectionError(f"{self._texts.collection!r}, shard {task[1]}: {fed}") from fed
            taken += fed.taken
            seen.add(fed.seen)
            self.count.add(fed.count)
        self._texts.check(seen)
        self.count.blank = seen.blank
        self.count.check()
        return taken


def count_parts(parts: Iterable[dict[str, str]], fields: bool, nothing: str) -> CountedParts:
    """Return the parts as an iterable that counts them. *nothing*: the error's message if there are none."""
    if isinstance(parts, PartTexts):
        kind = SplitParts if isinstance(parts.collection, Collection) else CutParts
        return kind(parts, fields, nothing)
    return CountedParts(parts, fields, nothing)


@dataclass(frozen=True)
class FedShard:
    """The outcome of feeding the parts of a shard."""

    taken: int
    count: PartsCount
    seen: PartsSeen


def _feed_shard(
    texts: PartTexts, shard: int, fields: tuple[str, ...], take: Callable[[Iterable[Document]], int]
) -> FedShard:
    """Call *take* with the parts of a shard; this runs in a worker."""
    count = PartsCount()
    seen = texts.see_nothing()
    articles = cast(Collection, texts.collection).articles_with_elements([shard])
    taken = take(_count_parts(texts.cut(articles, seen), fields, count))
    return FedShard(taken, count, seen)


def _count_parts(parts: Iterable[dict[str, str]], fields: tuple[str, ...], count: PartsCount) -> Iterator[Document]:
    for part in parts:
        docno = part["docno"]
        if len(docno.split()) != 1 or docno.split()[0] != docno:
            raise ValueError(f"docno {docno!r} holds white space; engines take docnos without")
        texts = {field: part.get(field, "") for field in fields}
        count.parts += 1
        if not count.has_words:
            count.has_words = any(map(str.isalnum, "".join(texts.values())))
        yield docno, texts


def check_options(engine: Engine, options: IndexOptions) -> None:
    """Raise a ValueError if *engine* cannot index with *options*."""
    check_language(options.language)
    for option, given in (("blocks", options.blocks), ("fields", bool(options.fields))):
        if given and not getattr(engine.can, option):
            others = " or ".join(f"engine={name!r}" for name in engines_that_keep(option))
            raise ValueError(f"{option}=True: {engine.name} keeps no {option}; index with {others}")


def check_own_options(name: str | None, own: Mapping[str, object], function: Callable[..., object]) -> None:
    """Raise a ValueError for an option that neither the engine of this *name* nor the *function* has."""
    engine = open_engine(choose_engine(name))
    options = [option for option, parameter in signature(function).parameters.items() if parameter.kind is _KEYWORD]
    for option in sorted(set(own) - engine.can.build_options):
        if option == "windows" and "titles" in options:
            raise ValueError(f"windows={own[option]!r}: write elements=Windows({own[option]!r})")
        # an address, or the arguments of a client, may hold a password
        shown = "..." if option in ("url", "client") else repr(own[option])
        its_own = ", ".join(sorted(engine.can.build_options)) or "none of its own"
        raise ValueError(
            f"{option}={shown}: {engine.name} has no such option; it has {its_own}, and as all engines "
            f"{', '.join(options)}"
        )


def read_manifest(path: Path) -> JsonObject:
    """Read the manifest of an index of parts. Raises CollectionError if there is none, or it is damaged."""
    anew = "make one with Collection.index(path)"
    if path.is_dir() and any(path.iterdir()):
        anew = f"delete the folder, then build it anew: pt-focused index COLLECTION {path}"
    try:
        meta = read_sealed(StoragePath(path) / MANIFEST)
    except CollectionError as error:
        raise CollectionError(f"{error}; if you cannot, {anew}") from error
    if meta is None:
        missing = f" ({MANIFEST} is missing)" if path.is_dir() else ""
        raise CollectionError(f"{path}: no index of parts is here{missing}; {anew}")
    if (meta.get("type"), meta.get("format")) != (ABOUT["type"], ABOUT["format"]):
        kind = meta.get("type")
        raise CollectionError(f"{path}: this is not an index of parts, but {kind!r}; make one with pt-focused index")
    return meta


def read_whole_index(path: Path) -> JsonObject:
    """Read the manifest of an index whose files fit it, once more if a build replaced the index meanwhile."""
    while True:
        folder = _identify_folder(path)
        try:
            meta = read_manifest(path)
            check_files(path, meta)
        except (CollectionError, FileNotFoundError):
            time.sleep(_REPLACING)
            _restore_replaced(path)
            if _identify_folder(path) == folder:
                raise
        else:
            return meta


def _identify_folder(path: Path) -> tuple[int, int, int] | None:
    """Return numbers that tell a folder from another one of its name; None if there is none."""
    try:
        about = path.stat()
    except OSError:
        return None
    return about.st_dev, about.st_ino, about.st_mtime_ns


def check_files(path: Path, meta: JsonObject) -> None:
    """Compare the sizes of an index's files with its manifest, and what can be read in a few milliseconds."""
    described = meta.get("files")
    fault = "an earlier version made it" if described is None else find_fault(StoragePath(path), described)
    if fault:
        source = meta.get("collection", "COLLECTION")
        raise CollectionError(
            f"{path}: this index is not whole, {fault}; copy it again, or build it again: pt-focused index {source} "
            f"{path} --overwrite"
        )


def check_target(path: Path, overwrite: bool) -> None:
    """Raise a CollectionError if an index cannot be put at *path*: nothing but an index is ever replaced."""
    if path.parts and re.fullmatch(r"[a-z][a-z0-9+.-]+:", path.parts[0]):
        raise CollectionError(
            "an index is a local folder, and this is an address; give a folder, and the address of a cluster as url= "
            "or OPENSEARCH_URL"
        )
    if path.is_symlink():
        raise CollectionError(f"{path} is a link; give the path of the folder, {path.resolve()}")
    _restore_replaced(path)
    if not path.exists():
        return
    if not overwrite:
        advice = "open it with PartIndex(path), or give overwrite=True"
        raise CollectionError(f"{path} exists already; {advice}")
    read_manifest(path)


# Seconds after which a build that replaces an index has put the new one in its place.
_REPLACING = 0.02

# What a folder's new name is, if it cannot be taken because something is there.
_TAKEN = (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR)


def write_index(parts: CountedParts, path: Path, engine: str, options: IndexOptions, meta: JsonObject) -> None:
    """Index the parts in a folder of a unique name beside *path*, and put it there when all is done.

    meta: entries of the manifest besides the engine, its options and the number of parts.
    """
    _clear_leftovers(path, options.overwrite)
    with _make_working_folder(path) as work:
        index = work / _NEW
        open_engine(engine).build(parts, index / engine, replace(options, target=path))
        about = {"language": options.language, "blocks": options.blocks, "fields": list(options.fields)}
        counted = {"parts": parts.count.parts, "blank": parts.count.blank}
        files = {"files": describe_files(StoragePath(index))}
        (index / MANIFEST).write_bytes(seal({**ABOUT, **meta, "engine": engine, **counted, **about, **files}))
        write_checksums(StoragePath(index))
        _put_in_place(index, path, work / _OLD, options.overwrite)


def _put_in_place(index: Path, path: Path, old: Path, overwrite: bool) -> None:
    """Rename a folder to *path*; an index that is there moves to *old* if it is to be replaced, and else stays."""
    try:
        while True:
            try:
                index.rename(path)
                return
            except OSError as error:
                if error.errno not in _TAKEN:
                    raise
            if not overwrite:
                advice = "open its index with PartIndex(path)"
                raise CollectionError(f"{path}: another build was faster; {advice}")
            folder = _identify_folder(path)
            # another build that replaces it may be faster: then something else is there, or nothing
            with suppress(FileNotFoundError):
                try:
                    check_target(path, overwrite)
                except CollectionError:
                    if folder is None or _identify_folder(path) != folder:
                        continue
                    raise
                shutil.rmtree(old, ignore_errors=True)
                path.rename(old)
    except BaseException:
        if not os.path.lexists(path) and old.exists():
            old.rename(path)
        raise


@contextmanager
def _make_working_folder(path: Path) -> Iterator[Path]:
    """Make a folder beside *path* with a marker that is locked while the build is at work; it is gone in the end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    work = path.with_name(f"{path.name}.{uuid.uuid4().hex}{_WORKING}")
    work.mkdir()
    try:
        with (work / _MARKER).open("w", encoding="utf-8") as marker:
            # without its text it is no marker, so that no other build takes it for that of a killed one
            try_lock(marker)
            marker.write(_MARK)
            marker.flush()
            yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _list_working_folders(path: Path) -> Iterator[Path]:
    """List the folders of builds of this index, at work or killed; none that another program made."""
    name = re.compile(rf"{re.escape(path.name)}\.[0-9a-f]{{32}}{re.escape(_WORKING)}")
    for folder in path.parent.iterdir() if path.parent.is_dir() else ():
        marker = folder / _MARKER
        # the build that made it may just end
        with suppress(FileNotFoundError):
            its_own = name.fullmatch(folder.name) and not folder.is_symlink() and marker.is_file()
            if its_own and marker.read_text(encoding="utf-8") == _MARK:
                yield folder


def _restore_replaced(path: Path) -> None:
    """Put an index back that a build had moved aside when it was killed; a build at work moves it again."""
    for folder in _list_working_folders(path) if not os.path.lexists(path) else ():
        # without a new index the old one was replaced already
        if (folder / _NEW).is_dir():
            with suppress(OSError):
                (folder / _OLD).rename(path)
                return


def _clear_leftovers(path: Path, overwrite: bool) -> None:
    """Remove the remains of killed builds of this index if *overwrite* says so; else warn of them."""
    for folder in _list_working_folders(path):
        try:
            with (folder / _MARKER).open("r+", encoding="utf-8") as opened:
                free = try_lock(opened)
        except FileNotFoundError:
            continue
        if free and overwrite:
            # that build, or another one, may be removing it
            shutil.rmtree(folder, ignore_errors=True)
        elif free:
            advice = "overwrite=True removes it"
            warn_caller(f"{folder} is left of a build that was killed; {advice}")
        elif free is None:
            warn_caller(f"{folder} is of another build at work, or left of one; delete it if none is")
