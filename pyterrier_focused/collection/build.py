"""Building a collection: plan the blocks, make a shard of each, then the indexes and the manifest.

A build can be killed at any moment: the same call again keeps the shards that are complete and makes the others. The
manifest comes last, so a folder with a manifest is a whole collection.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import tqdm

from ..errors import BuildError, CollectionError, warn_caller
from ..reading.json import JsonObject
from .build_options import VERSION, BuildOptions
from .files.arrow_files import FileLayout
from .files.checksums import read_sealed, seal, sha256_of, write_checksums
from .files.hash_index import INDEXES, Duplicate, rename_duplicates, write_indexes
from .files.lock import try_lock
from .files.shard import identify_source, name_shard_files, read_summary
from .files.storage import StoragePath
from .files.template_store import (
    INDEX,
    PAGES,
    SUMMARY,
    are_gathered,
    collect_shown_titles,
    join_template_parts,
    name_part,
)
from .parallel import JobKind, ShardJob, run_here, run_in_processes, run_on_ray
from .sources.find import (
    SourceBlock,
    SourceFile,
    blocks,
    check_unread,
    check_zims,
    detect,
    find_sources,
)
from .sources.raw import Rejection
from .sources.xml_kinds import find_profile

MANIFEST = "pt_meta.json"
PLAN = "plan.jsonl"
ERRORS = "errors.jsonl"
UNSEALED = (
    "it was built by an earlier version: that its shards are those of its manifest is not checked when it is opened; "
    "build it again for that"
)
# How many kinds of omissions the manifest names, commonest first.
MAX_LEFT_OUT = 1_000
# A build says so if a larger share of the calls of templates was not read.
MAX_UNREAD = 0.2
_LABELS: dict[JobKind, str] = {"templates": "gathering templates", "pages": "gathering pages", "articles": "building"}
_LOCK = "build.lock"
_MADE = re.compile(
    rf"""
    [0-9]{{6,}} \. \w+ (?: \.arrow | \.jsonl )?   # of a block
    | templates \. \w+
    | {PLAN} | {ERRORS} | {" | ".join(INDEXES)}
    """,
    re.VERBOSE,
)


class BuildPlan(NamedTuple):
    """The plan of a build: its options (*about*), fingerprint, sources, and number of blocks."""

    about: dict[str, Any]
    fingerprint: str
    sources: list[str]
    blocks: int


def build(
    source: str | Path | Sequence[str | Path], path: str | Path, options: BuildOptions, *, verbose: bool = False
) -> JsonObject:
    """Build, or go on building, the collection at *path*; returns its manifest. See `Collection.build`."""
    folder = StoragePath(path)
    sources = find_sources(source)
    format = detect(sources, options.is_article_xml) if options.format == "auto" else options.format
    about = options.describe(format)
    there = read_sealed(folder / MANIFEST)
    if there is not None:
        _check_finished(folder, there, about, sources)
        _check_accepted(folder, there, options.max_rejected)
        _remove_leftovers(folder)
        return there
    if (folder / PLAN).stat() is None and any(
        not (entry.name.endswith(".part") or entry.name == _LOCK) for entry in folder.entries()
    ):
        raise CollectionError(f"{folder} is not empty and holds no collection; give a folder that is new or empty")
    # Raises if there is nothing to read.
    next(blocks(sources, about["format"]))
    check_unread(sources, about["format"], is_detected=options.format == "auto")
    if about["format"] == "html":
        check_zims(sources, options.max_rejected)
    folder.make()
    with _hold_lock(folder):
        _remove_leftovers(folder)
        plan = _make_plan(folder, about, sources)
        if are_gathered(about) and (folder / SUMMARY).stat() is None:
            _run_jobs(folder, plan, "templates", options, verbose)
            if collect_shown_titles(folder, plan.blocks):
                _run_jobs(folder, plan, "pages", options, verbose)
            join_template_parts(folder, plan.blocks)
        _run_jobs(folder, plan, "articles", options, verbose)
        manifest = _finish_build(folder, plan, options.max_rejected)
    _remove_leftovers(folder)
    return manifest


def _write_plan_lines(about: JsonObject, sources: Sequence[SourceFile]) -> Iterator[bytes]:
    yield json.dumps(about, sort_keys=True).encode()
    for block in blocks(sources, about["format"]):
        yield json.dumps(block.as_json(), sort_keys=True).encode()


def _make_plan(folder: StoragePath, about: JsonObject, sources: Sequence[SourceFile]) -> BuildPlan:
    """Write the plan, or compare it with that of an unfinished build, which is refused if it is another."""
    digest = hashlib.sha256()
    count = -1
    working = (folder / PLAN).working()
    with working.create() as file:
        for line in _write_plan_lines(about, sources):
            digest.update(line)
            file.write(line + b"\n")
            count += 1
    if (folder / PLAN).stat() is not None:
        with (folder / PLAN).open() as old, working.open() as new:
            for before, now in zip_longest(old, new):
                if before != now:
                    difference = _compare_plans(before, now)
                    raise CollectionError(
                        f"{folder} holds an unfinished build that does not fit: {difference}; repeat the old call, or "
                        "build into another folder"
                    )
    working.move(folder / PLAN)
    return BuildPlan(about, digest.hexdigest(), [source.folder.url for source in sources], count)


def _compare_plans(before: bytes | None, now: bytes | None) -> str:
    was, given = (json.loads(line) if line else {} for line in (before, now))
    if "version" in was and "version" in given:
        changed = sorted(key for key in was | given if was.get(key) != given.get(key))
        return ", ".join(f"{key} was {was.get(key)!r} and is {given.get(key)!r}" for key in changed)
    paths = {path: tuple(facts) for path, *facts in was.get("files", [])}
    for path, *facts in given.get("files", []):
        if paths.get(path) != tuple(facts):
            return f"the source has changed, at {path}"
    return f"the source has changed, at {given.get('path') or was.get('path') or 'the end of its files'}"


def _check_finished(
    folder: StoragePath, manifest: JsonObject, about: JsonObject, sources: Sequence[SourceFile]
) -> None:
    digest = hashlib.sha256()
    for line in _write_plan_lines(about, sources):
        digest.update(line)
    if manifest.get("fingerprint") != digest.hexdigest():
        if "about" not in manifest:
            kind = {"part_index": "an index"}.get(manifest["type"], repr(manifest["type"]))
            raise CollectionError(f"{folder} is {kind}, not a collection; give another folder")
        was = manifest["about"]
        why = _compare_plans(json.dumps(was).encode(), json.dumps(about).encode()) if was != about else "another source"
        advice = f"open it with Collection({str(folder)!r}), or build"
        raise CollectionError(
            f"{folder} holds a collection already, of something else ({why}, or files that have changed); "
            f"{advice} into another folder"
        )


def _list_jobs(folder: StoragePath, plan: BuildPlan, kind: JobKind) -> Iterator[ShardJob]:
    complete = {entry.name for entry in folder.entries()}
    with (folder / PLAN).open() as file:
        for number, line in enumerate(file, -1):
            if number < 0:
                continue
            block = SourceBlock.from_json(json.loads(line))
            is_made = (name_shard_files(number)[-1] if kind == "articles" else name_part(number, kind)) in complete
            if is_made and kind == "articles":
                # Not if it is another collection's.
                is_made = read_summary(folder, number).source == identify_source(block, plan.about)
            if not is_made:
                yield ShardJob(kind, folder.url, number, block, plan.sources, plan.about)


def _run_jobs(folder: StoragePath, plan: BuildPlan, kind: JobKind, options: BuildOptions, verbose: bool) -> None:
    sizes = [task.block.work for task in _list_jobs(folder, plan, kind)]
    if verbose and kind == "articles" and len(sizes) < plan.blocks:
        print(
            f"{folder}: {plan.blocks - len(sizes)} of {plan.blocks} blocks are there already; going on with the others"
        )
    with tqdm.tqdm(total=sum(sizes), unit="B", unit_scale=True, desc=_LABELS[kind], disable=not verbose) as bar:
        done = 0

        def progress(read: int) -> None:
            bar.update(done + read - bar.n)

        if options.engine == "ray":
            finished = run_on_ray(_list_jobs(folder, plan, kind))
        elif options.workers == 1 or len(sizes) < 2:
            finished = run_here(_list_jobs(folder, plan, kind), progress)
        else:
            finished = run_in_processes(_list_jobs(folder, plan, kind), min(options.workers, len(sizes)))
        # Processes and Ray end here, whatever happens.
        with closing(finished):
            for task in finished:
                done += task.block.work
                progress(0)


def _finish_build(folder: StoragePath, plan: BuildPlan, max_rejected: float) -> JsonObject:
    """Write the indexes, what was rejected, and the manifest. Raises BuildError if too much was lost."""
    renamed = list(rename_duplicates(folder, plan.blocks))
    if renamed:
        old, new = renamed[0]
        warn_caller(
            f"{folder}: ids that other articles have: {len(renamed):,} of the articles are named by their files, the "
            f"first {new!r} in place of {old!r}"
        )
    layouts, duplicates = write_indexes(folder, plan.blocks)
    manifest = {
        "type": "collection",
        "format": "focused",
        "package_hint": "pyterrier-focused",
        "version": VERSION,
        "source_format": plan.about["format"],
        "about": plan.about,
        "fingerprint": plan.fingerprint,
        **_sum_up_shards(folder, plan, duplicates),
        "languages": _list_languages(folder, plan.about),
        "shards": plan.blocks,
        "indexes": layouts,
        "duplicates": [[number, article.row] for number, twice in sorted(duplicates.items()) for article in twice],
    }
    _check_accepted(folder, manifest, max_rejected)
    sealed = seal(manifest)
    write_checksums(
        folder, [*_list_checksums(folder, plan.blocks, layouts), (MANIFEST, hashlib.sha256(sealed).hexdigest())]
    )
    # The manifest makes it a collection, so it comes last.
    (folder / MANIFEST).write(sealed)
    return manifest


def _sum_up_shards(folder: StoragePath, plan: BuildPlan, duplicates: dict[int, list[Duplicate]]) -> JsonObject:
    """Return the counts of the manifest; write the list of rejections, and warn of records in unknown XML."""
    counts = Counter(articles=0, elements=0, redirects=0, rejected=0)
    calls = Counter(known=0, unread=0)
    first: dict[bool, Rejection] = {}
    left_out: Counter[tuple[str, str]] = Counter()
    kinds: Counter[str] = Counter()
    repeated: Counter[str] = Counter()
    digests: list[str] = []
    seals: list[str] = []
    errors = (folder / ERRORS).working()
    with errors.create() as file:
        for number in range(plan.blocks):
            summary = read_summary(folder, number)
            twice = duplicates.get(number, [])
            for entry in [*summary.rejected, *(article.rejection for article in twice)]:
                file.write(json.dumps(entry._asdict(), ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")
                first.setdefault(entry.is_cut, entry)
                counts["rejected"] += 1
            left_out.update(summary.left_out)
            calls.update(known=summary.calls, unread=summary.unread)
            kinds.update(summary.kinds)
            repeated.update(summary.repeated)
            digests.append(summary.digest)
            seals.append(summary.seal)
            counts.update({name: summary.rows[name] for name in ("articles", "elements", "redirects")})
            counts.subtract({"articles": len(twice), "elements": sum(article.elements for article in twice)})
    errors.move(folder / ERRORS)
    for tag, count in repeated.most_common(1):
        files = "1 file holds" if count == 1 else f"{count:,} files hold"
        warn_caller(
            f"{folder}: {files} nothing but elements {tag}; record='//{tag}' (--record //{tag}) makes an article of "
            "each, in a new folder"
        )
    said = first.get(True) or first.get(False)
    return {
        **counts,
        "digest": hashlib.sha256("".join(digests).encode()).hexdigest()[:32] if all(digests) else "",
        "seals": seals,
        "template_calls": calls,
        "left_out": sorted(((*key, count) for key, count in left_out.items()), key=lambda entry: (-entry[2], entry))[
            :MAX_LEFT_OUT
        ],
        "is_cut": True in first,
        "first_rejected": f"{said.file}, byte {said.position:,}: {said.reason}" if said else "",
        "xml": _describe_xml(kinds, plan.about.get("xml", {})),
    }


def _describe_xml(kinds: Counter[str], given: JsonObject) -> JsonObject:
    """Count files by kind of XML, and return the tags of their headings and their spaces; {} for no XML."""
    profiles = [find_profile(kind, given) for kind in sorted(kinds)]
    tags = dict.fromkeys(tag for profile in profiles for tag in profile.heading_tags)
    spaces = ", ".join(sorted({profile.spaces for profile in profiles}))
    return {"kinds": kinds, "heading_tags": list(tags), "spaces": spaces} if kinds else {}


def _list_languages(folder: StoragePath, about: JsonObject) -> list[str]:
    if about.get("language"):
        return [about["language"]]
    with (folder / PLAN).open() as file:
        next(file)
        return sorted({SourceBlock.from_json(json.loads(line)).site.language for line in file} - {""})


def _check_accepted(folder: StoragePath, manifest: JsonObject, max_rejected: float) -> None:
    articles = manifest["articles"]
    rejected = manifest["rejected"]
    first = manifest["first_rejected"]
    if not articles:
        # Another source can then be built here.
        for entry in folder.entries():
            if _MADE.fullmatch(entry.name):
                (folder / entry.name).remove()
        why = f"all {rejected:,} were rejected, the first: {first}" if rejected else "nothing in it is an article"
        raise BuildError(f"{folder}: no article was found in the source: {why}")
    advice = "max_rejected=1 (--max-rejected 1) takes what is there"
    if manifest["is_cut"] and max_rejected < 1:
        raise BuildError(f"{folder}: the source is broken or cut short: {first}; get it again, or {advice}")
    if rejected > max_rejected * (articles + rejected):
        raise BuildError(
            f"{folder}: {rejected:,} of {articles + rejected:,} articles were rejected, a larger share than "
            f"{max_rejected:g}; all are listed in {folder / ERRORS}, the first: {first}; {advice}"
        )


def _list_checksums(folder: StoragePath, shards: int, indexes: dict[str, FileLayout]) -> Iterator[tuple[str, str]]:
    """Yield the checksums of all files but the manifest; large ones were made while the files were written."""
    for number in range(shards):
        *tables, summary = name_shard_files(number)
        for table, layout in zip(tables, read_summary(folder, number).layouts, strict=True):
            yield table, layout.sha256
        yield summary, sha256_of(folder / summary)
    for name, index in indexes.items():
        yield name, index.sha256
    gathered = read_sealed(folder / SUMMARY)
    if gathered is not None:
        yield PAGES, gathered["pages_sha256"]
        yield INDEX, FileLayout.from_json(gathered["layout"]).sha256
        yield SUMMARY, sha256_of(folder / SUMMARY)
    yield ERRORS, sha256_of(folder / ERRORS)


def _remove_leftovers(folder: StoragePath) -> None:
    finished = (folder / MANIFEST).stat() is not None
    for entry in folder.entries():
        if entry.name.endswith(".part") or (finished and entry.name in (PLAN, _LOCK)):
            (folder / entry.name).remove()


@contextmanager
def _hold_lock(folder: StoragePath) -> Iterator[None]:
    """Hold a local folder for one build, if its file system has locks."""
    if not folder.is_local:
        yield
        return
    with open((folder / _LOCK).url, "w") as file:
        if try_lock(file) is False:
            raise CollectionError(f"{folder}: another build is at work here; wait for it to end")
        yield


def report_unread(calls: Mapping[str, int]) -> None:
    """Say so if the dump does not tell what many of the wiki's templates show."""
    total = calls.get("known", 0)
    unread = calls.get("unread", 0)
    if total and unread > MAX_UNREAD * total:
        print(
            f"{unread:,} of {total:,} calls of the wiki's templates need Lua, and show what tables say, or nothing; "
            "HTML dumps (Wikimedia Enterprise, ZIM) have it all"
        )
