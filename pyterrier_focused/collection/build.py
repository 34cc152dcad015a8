"""Building a collection: plan the blocks, make a shard of each, then the index of docnos and the manifest.

A build can be killed at any moment: the same call again keeps the shards that are complete and makes the others. The
manifest comes last, so a folder with a manifest is a whole collection.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import zip_longest
from typing import Any, NamedTuple

from ..errors import CollectionError, import_extra
from .arrow_files import Layout
from .checksums import read_sealed, seal, sha256_of, write_checksums
from .docno_index import INDEX, write_index
from .filesystem import Location
from .shard import names, read_summary
from .sources import FORMATS, Block, SourceFile, blocks, detect, find_sources
from .workers import Job, run_here, run_in_processes, run_on_ray

VERSION = 2  # of what is stored, and of how text is made
MANIFEST, PLAN, BUILT, ERRORS = "pt_meta.json", "plan.jsonl", "built.json", "errors.jsonl"
ENGINES = ("local", "ray")
_LOCK = "build.lock"


class Plan(NamedTuple):
    """What a build is to do: about it, its fingerprint, its sources, and how many blocks it has."""

    about: dict[str, Any]
    fingerprint: str
    sources: list[str]
    blocks: int


def build(
    source: Any, path: Any, *, format: str, id_from: str, workers: int, engine: str, verbose: bool
) -> dict[str, Any]:
    """Build, or go on building, the collection at *path*; returns its manifest. See `Collection.build`."""
    _check(format, workers, engine)
    folder, sources = Location(path), find_sources(source)
    about = _about(detect(sources) if format == "auto" else format, id_from)
    there = read_sealed(folder / MANIFEST)
    if there is not None:
        _check_finished(folder, about, sources)
        _clean(folder)
        return there
    if (folder / PLAN).stat() is None and any(not _is_own(entry.name) for entry in folder.entries()):
        raise CollectionError(f"{folder} is not empty and holds no collection; give a folder that is new or empty")
    next(blocks(sources, about["format"]))  # raises where there is nothing to read
    folder.make()
    with _locked(folder):
        _clean(folder)
        plan = _make_plan(folder, about, sources)
        _make_shards(folder, plan, workers, engine, verbose)
        manifest = _finish(folder, plan)
    _clean(folder)
    return manifest


def _check(format: str, workers: int, engine: str) -> None:
    import_extra("pyarrow", "retrieval")
    if engine not in ENGINES:
        raise ValueError(f"engine={engine!r}; choose one of {', '.join(map(repr, ENGINES))}")
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise ValueError(f"workers={workers!r}; give a whole number of at least 1")
    if format not in ("auto", *FORMATS):
        raise ValueError(f"format={format!r}; choose one of {', '.join(map(repr, ('auto', *FORMATS)))}")


def _about(format: str, id_from: str) -> dict[str, Any]:
    """What makes a collection what it is, beside its source: format, options, and what parses."""
    if format == "mediawiki":
        import_extra("mwparserfromhell", "retrieval")
        return {
            "version": VERSION,
            "format": format,
            "mwparserfromhell": importlib.metadata.version("mwparserfromhell"),
        }
    from .xml_article import ArticleXml

    ArticleXml(id_from)  # raises for what is no XPath
    return {"version": VERSION, "format": format, "id_from": id_from}


def _lines(about: dict[str, Any], sources: Sequence[SourceFile]) -> Iterator[bytes]:
    """The plan, a line a block, behind one that says what it is about: all that a build depends on."""
    yield json.dumps(about, sort_keys=True).encode()
    for block in blocks(sources, about["format"]):
        yield json.dumps(block.as_json(), sort_keys=True).encode()


def _make_plan(folder: Location, about: dict[str, Any], sources: Sequence[SourceFile]) -> Plan:
    """Write the plan, or compare it with that of an unfinished build, which is refused where it is another."""
    digest, count = hashlib.sha256(), -1
    working = (folder / PLAN).working()
    with working.create() as file:
        for line in _lines(about, sources):
            digest.update(line)
            file.write(line + b"\n")
            count += 1
    if (folder / PLAN).stat() is not None:
        with (folder / PLAN).open() as old, working.open() as new:
            for before, now in zip_longest(old, new):
                if before != now:
                    raise CollectionError(
                        f"{folder} holds an unfinished build that does not fit: {_difference(before, now)}; repeat the "
                        "old call, or build into another folder"
                    )
    working.move(folder / PLAN)
    return Plan(about, digest.hexdigest(), [str(source.folder) for source in sources], count)


def _difference(before: bytes | None, now: bytes | None) -> str:
    """Say how two plans differ, by their first lines that do."""
    was, given = (json.loads(line) if line else {} for line in (before, now))
    if "version" in was and "version" in given:
        changed = sorted(key for key in was | given if was.get(key) != given.get(key))
        return ", ".join(f"{key} was {was.get(key)!r} and is {given.get(key)!r}" for key in changed)
    paths = {path: tuple(facts) for path, *facts in was.get("files", [])}
    for path, *facts in given.get("files", []):
        if paths.get(path) != tuple(facts):
            return f"the source has changed, at {path}"
    return f"the source has changed, at {given.get('path') or was.get('path') or 'the end of its files'}"


def _check_finished(folder: Location, about: dict[str, Any], sources: Sequence[SourceFile]) -> None:
    """A collection that is whole is left alone; raises CollectionError where it is of something else."""
    built = read_sealed(folder / BUILT) or {}
    digest = hashlib.sha256()
    for line in _lines(about, sources):
        digest.update(line)
    if built.get("fingerprint") != digest.hexdigest():
        was = built.get("about", {})
        why = _difference(json.dumps(was).encode(), json.dumps(about).encode()) if was != about else "another source"
        raise CollectionError(
            f"{folder} holds a collection already, of something else ({why}, or files that have changed); open it with "
            f"Collection({str(folder)!r}), or build into another folder"
        )


def _tasks(folder: Location, plan: Plan) -> Iterator[Job]:
    """The tasks whose shards are not there."""
    complete = {entry.name for entry in folder.entries()}
    with (folder / PLAN).open() as file:
        for number, line in enumerate(file, -1):
            if number >= 0 and names(number)[2] not in complete:
                yield Job(str(folder), number, Block.from_json(json.loads(line)), plan.sources, plan.about)


def _make_shards(folder: Location, plan: Plan, workers: int, engine: str, verbose: bool) -> None:
    from tqdm import tqdm

    sizes = [task.block.work for task in _tasks(folder, plan)]
    if verbose and len(sizes) < plan.blocks:
        print(
            f"{folder}: {plan.blocks - len(sizes)} of {plan.blocks} blocks are there already; going on with the others"
        )
    with tqdm(total=sum(sizes), unit="B", unit_scale=True, desc="building", disable=not verbose) as bar:
        done = 0

        def progress(read: int) -> None:
            bar.update(done + read - bar.n)

        if engine == "ray":
            finished = run_on_ray(_tasks(folder, plan))
        elif workers == 1 or len(sizes) < 2:
            finished = run_here(_tasks(folder, plan), progress)
        else:
            finished = run_in_processes(_tasks(folder, plan), min(workers, len(sizes)))
        with closing(finished):  # processes and Ray end here, whatever happens
            for task in finished:
                done += task.block.work
                progress(0)


def _finish(folder: Location, plan: Plan) -> dict[str, Any]:
    """Index the docnos, list what was rejected, and write the manifest."""
    layout, duplicates = write_index(folder, plan.blocks)
    articles = elements = rejected = 0
    errors = (folder / ERRORS).working()
    with errors.create() as file:
        for number in range(plan.blocks):
            summary = read_summary(folder, number)
            twice = duplicates.get(number, [])
            for entry in [*summary.rejected, *(entry for _, _, entry in twice)]:
                file.write(json.dumps(entry._asdict(), ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")
                rejected += 1
            articles += summary.articles - len(twice)
            elements += summary.elements - sum(size for _, size, _ in twice)
    errors.move(folder / ERRORS)
    manifest = {
        "type": "collection",
        "format": "focused",
        "package_hint": "pyterrier-focused",
        "version": VERSION,
        "source_format": plan.about["format"],
        "about": plan.about,
        "articles": articles,
        "elements": elements,
        "rejected": rejected,
        "shards": plan.blocks,
        "docno_index": layout,
        "duplicates": [[number, row] for number, twice in sorted(duplicates.items()) for row, _, _ in twice],
    }
    (folder / BUILT).write(seal({"fingerprint": plan.fingerprint, "about": plan.about}))
    sealed = seal(manifest)
    write_checksums(folder, [*_checksums(folder, plan.blocks, layout), (MANIFEST, hashlib.sha256(sealed).hexdigest())])
    (folder / MANIFEST).write(sealed)  # which makes it a collection, so it is the last
    return manifest


def _checksums(folder: Location, shards: int, index: Layout) -> Iterator[tuple[str, str]]:
    """Yield the checksums of all files but the manifest; large ones were made while the files were written."""
    for number in range(shards):
        articles, elements, summary = names(number)
        layouts = read_summary(folder, number).layouts
        yield articles, layouts[0].sha256
        yield elements, layouts[1].sha256
        yield summary, sha256_of(folder / summary)
    yield INDEX, index.sha256
    for name in (ERRORS, BUILT):
        yield name, sha256_of(folder / name)


def _is_own(name: str) -> bool:
    """Whether a file is one that a build leaves before it has a plan."""
    return name.endswith(".part") or name == _LOCK


def _clean(folder: Location) -> None:
    """Delete what workers that were killed had begun, and what a finished build needs no more."""
    finished = (folder / MANIFEST).stat() is not None
    for entry in folder.entries():
        if entry.name.endswith(".part") or (finished and entry.name in (PLAN, _LOCK)):
            (folder / entry.name).remove()


@contextmanager
def _locked(folder: Location) -> Iterator[None]:
    """Hold a local folder for one build; the lock goes with the process, however it ends."""
    if not folder.is_local:
        yield
        return
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    with open((folder / _LOCK).url, "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise CollectionError(f"{folder}: another build is at work here; wait for it to end") from error
        yield
