"""Building a collection: one process reads the source and writes the database, others parse what lies between.

A build can be killed at any moment: the same call again goes on after the articles that were committed. The manifest
comes last, so a folder with a manifest is a whole collection.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import lru_cache
from itertools import count, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tqdm

from ..errors import BuildError, CollectionError, warn_caller
from ..reading.json import JsonObject
from ..reading.names import as_docno
from ..wikitext import ParsedArticle
from .build_options import VERSION, BuildOptions
from .database import FILE, NUMBERS, ArticleRow, ArticleWriter
from .files.checksums import read_sealed, seal, sha256_of, write_checksums
from .parallel import map_in_order
from .sources.dump import WikiSite
from .sources.files import list_files, strip_ending
from .sources.find import RawBatch, detect, find_common_title_end, find_sources, make_parser, parse_raws, read
from .sources.page_addresses import page_address
from .sources.raw import RawArticle, Redirect, Rejection, TagNumbers
from .sources.xml_kinds import INEX, find_profile

MANIFEST = "pt_meta.json"
ERRORS = "errors.jsonl"
# Seconds between commits: what a killed build loses.
COMMIT = 5.0
# Articles that one task of an index takes.
SHARD = 5_000
# How many kinds of omissions the manifest names, commonest first.
MAX_LEFT_OUT = 1_000
_TWICE = "another article of this id came before it"
_OF_ONE_NAME = "; --id-from path (id_from='path') tells files of one name apart"
_COUNTERS = ("kinds", "repeated", "left_out")


class ParsedBatch(NamedTuple):
    """Articles as rows, each with where it is from and its number in the file, and what is counted and refused."""

    rows: list[tuple[RawArticle, int, ArticleRow]]
    tags: list[str]
    redirects: list[Redirect]
    rejected: list[Rejection]
    counted: dict[str, Counter[Any]]


def build(
    source: str | Path | Sequence[str | Path], path: str | Path, options: BuildOptions, *, verbose: bool = False
) -> JsonObject:
    """Build, or go on building, the collection at *path*; returns its manifest. See `Collection.build`."""
    if "://" in str(path):
        raise CollectionError(f"{path}: a collection is built on a local disk; copy it there")
    folder = Path(path).absolute()
    sources = find_sources(source)
    format = detect(sources, options.is_article_xml) if options.format == "auto" else options.format
    about = options.describe(format)
    if format in ("html", "text") and (title_end := find_common_title_end(sources)):
        about["title_end"] = title_end
    plan = _fingerprint(about, sources)
    there = read_sealed(folder / MANIFEST)
    if there is not None:
        _check_finished(folder, there, about, plan)
        _check_accepted(folder, there, options.max_rejected)
        return there
    if folder.is_dir() and any(
        file.suffix not in (".part", ".part-journal", ".sqlite", ".jsonl") for file in folder.iterdir()
    ):
        raise CollectionError(f"{folder} is not empty and holds no collection; give a folder that is new or empty")
    # Raises if there is nothing to read.
    next(read(sources, format), None)
    folder.mkdir(parents=True, exist_ok=True)
    writer = ArticleWriter(folder)
    try:
        manifest = _Build(folder, writer, about, plan, sources, options, verbose).run()
    except BaseException:
        writer.close()
        raise
    return manifest


def _fingerprint(about: JsonObject, sources: Sequence[str]) -> JsonObject:
    """Describe what is built of what: the options, and the names, sizes and times of change of all files."""
    digest = hashlib.sha256()
    for source in sources:
        for file in list_files(source):
            digest.update(json.dumps(file[1:]).encode())
    return {"about": json.loads(json.dumps(about)), "files": digest.hexdigest()}


def _check_finished(folder: Path, manifest: JsonObject, about: JsonObject, plan: JsonObject) -> None:
    if manifest["type"] != "collection":
        kind = {"part_index": "an index"}.get(manifest["type"], repr(manifest["type"]))
        raise CollectionError(f"{folder} is {kind}, not a collection; give another folder")
    if manifest.get("plan") != plan:
        why = _compare(manifest.get("plan", {}), plan) or "another source"
        advice = f"open it with Collection({str(folder)!r}), or build"
        raise CollectionError(
            f"{folder} holds a collection already, of something else ({why}, or files that have changed); "
            f"{advice} into another folder"
        )


def _compare(before: JsonObject, now: JsonObject) -> str:
    was, given = before.get("about", {}), now["about"]
    changed = sorted(key for key in was | given if was.get(key) != given.get(key))
    return ", ".join(f"{key} was {was.get(key)!r} and is {given.get(key)!r}" for key in changed)


class _Build:
    def __init__(
        self, folder: Path, writer: ArticleWriter, about: JsonObject, plan: JsonObject, sources: Sequence[str],
        options: BuildOptions, verbose: bool,
    ):  # fmt: skip
        self._folder = folder
        self._writer = writer
        self._about = about
        self._plan = plan
        self._sources = sources
        self._options = options
        self._verbose = verbose
        self._codes = TagNumbers()
        self._counted: dict[str, Counter[Any]] = {name: Counter() for name in _COUNTERS}
        self._totals = Counter(articles=0, elements=0, redirects=0, rejected=0)
        self._digest = b""
        self._languages: set[str] = set()
        self._renamed: list[tuple[str, str]] = []

    def run(self) -> JsonObject:
        done = self._restore(self._writer.read_state())
        committed = time.monotonic()
        about = json.dumps(self._about)
        tasks = ((about, *batch) for batch in islice(self._read(), done, None))
        parsed = map_in_order(parse_batch, self._show(tasks), self._options.workers, self._options.engine)
        # Processes and Ray end here, whatever happens.
        with closing(parsed):
            for batch in parsed:
                self._write(batch)
                done += 1
                if time.monotonic() - committed > COMMIT:
                    self._writer.commit(self._describe_state(done))
                    committed = time.monotonic()
        self._writer.commit(self._describe_state(done))
        return self._finish()

    def _read(self) -> Iterator[RawBatch]:
        for batch in read(self._sources, self._about["format"]):
            self._languages.add(batch.site.language)
            yield batch

    def _show(self, tasks: Iterator[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
        with tqdm.tqdm(unit="B", unit_scale=True, desc="building", disable=not self._verbose) as bar:
            for task in tasks:
                yield task
                bar.update(sum(len(raw.data) for raw in task[-1]))

    def _write(self, batch: ParsedBatch) -> None:
        lookup = np.array([self._codes[tag] for tag in batch.tags], dtype="<i4")
        renames = self._about["format"] == "inex" and INEX not in batch.counted["kinds"]
        rejected = list(batch.rejected)
        for raw, number, article in batch.rows:
            row = article._replace(elements=_recode(article.elements, lookup))
            if not self._writer.add(row):
                if not renames:
                    is_name = f"/{row.docno}.xml" in f"/{raw.file}"
                    rejected.append(raw.reject(f"{_TWICE}{_OF_ONE_NAME if is_name else ''}")._replace(id=row.docno))
                    continue
                names = (row._replace(docno=name) for name in _propose_docnos(raw.file, number))
                row = next(filter(self._writer.add, names))
                self._renamed.append((article.docno, row.docno))
            self._seal(row.docno, row.compute_checksum())
            self._totals.update(articles=1, elements=len(row.elements) // (4 * len(NUMBERS)))
        self._seal(*batch.redirects)
        self._writer.add_redirects(batch.redirects)
        self._writer.reject(rejected)
        self._totals.update(redirects=len(batch.redirects), rejected=len(rejected))
        for name, counter in batch.counted.items():
            self._counted[name].update(counter)

    def _seal(self, *content: object) -> None:
        self._digest = hashlib.sha256(self._digest + repr(content).encode("utf-8", "backslashreplace")).digest()

    def _describe_state(self, done: int) -> JsonObject:
        counted = {name: list(counter.items()) for name, counter in self._counted.items()}
        return {
            "done": done,
            "plan": self._plan,
            "digest": self._digest.hex(),
            "tags": list(self._codes),
            "counted": counted,
            "totals": dict(self._totals),
            "renamed": self._renamed,
        }

    def _restore(self, state: JsonObject) -> int:
        """Go on from the state of an unfinished build; returns how many batches are there already."""
        if not state:
            return 0
        if state["plan"] != self._plan:
            difference = _compare(state["plan"], self._plan) or "the source has changed"
            raise CollectionError(
                f"{self._folder} holds an unfinished build that does not fit: {difference}; repeat the old call, or "
                "build into another folder"
            )
        for tag in state["tags"]:
            self._codes[tag]
        self._digest = bytes.fromhex(state["digest"])
        self._totals.update(state["totals"])
        self._renamed = state["renamed"]
        for name, entries in state["counted"].items():
            self._counted[name].update({tuple(key) if isinstance(key, list) else key: n for key, n in entries})
        if self._verbose:
            print(f"{self._folder}: {self._totals['articles']:,} articles are there already; going on with the others")
        return int(state["done"])

    def _finish(self) -> JsonObject:
        """Write what was rejected, and the manifest. Raises BuildError if too much was lost."""
        self._report_oddities()
        kinds = self._counted["kinds"]
        rejections = list(self._writer.read_rejections())
        said = next((entry for entry in rejections if entry.is_cut), next(iter(rejections), None))
        state = self._describe_state(0)
        manifest = {
            "type": "collection",
            "format": "focused",
            "package_hint": "pyterrier-focused",
            "version": VERSION,
            "source_format": self._about["format"],
            "about": self._about,
            "plan": self._plan,
            **self._totals,
            "digest": self._digest.hex()[:32],
            "entities": sum(n for (kind, _), n in self._counted["left_out"].items() if kind == "entity"),
            "checksums": self._writer.compute_checksums(),
            "tags": state["tags"],
            "shards": -(-self._totals["articles"] // SHARD),
            "left_out": [
                (*key, n)
                for key, n in sorted(self._counted["left_out"].items(), key=lambda e: (-e[1], e))[:MAX_LEFT_OUT]
            ],
            "is_cut": any(entry.is_cut for entry in rejections),
            "first_rejected": f"{said.file}, byte {said.position:,}: {said.reason}" if said else "",
            "xml": _describe_xml(kinds, self._about.get("xml", {})),
            "languages": [self._about["language"]] if self._about.get("language") else sorted(self._languages - {""}),
        }
        lines = (json.dumps(entry._asdict(), ensure_ascii=False) for entry in rejections)
        (self._folder / ERRORS).write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace"))
        if not manifest["articles"]:
            self._writer.remove()
        _check_accepted(self._folder, manifest, self._options.max_rejected)
        self._writer.finish()
        folder = self._folder
        sealed = seal(manifest)
        known = [(name, sha256_of(folder / name)) for name in (FILE, ERRORS)]
        write_checksums(folder, [*known, (MANIFEST, hashlib.sha256(sealed).hexdigest())])
        # The manifest makes it a collection, so it comes last.
        (folder / MANIFEST).write_bytes(sealed)
        return manifest

    def _report_oddities(self) -> None:
        if self._renamed:
            old, new = self._renamed[0]
            warn_caller(
                f"{self._folder}: ids that other articles have: {len(self._renamed):,} of the articles are named by "
                f"their files, the first {new!r} in place of {old!r}"
            )
        for tag, number in self._counted["repeated"].most_common(1):
            files = "1 file holds" if number == 1 else f"{number:,} files hold"
            warn_caller(
                f"{self._folder}: {files} nothing but elements {tag}; record='//{tag}' (--record //{tag}) makes an "
                "article of each, in a new folder"
            )


@lru_cache(4)
def _open_parser(about: str, site: WikiSite) -> Any:
    options = json.loads(about)
    return make_parser(options["format"], options, site)


def parse_batch(about: str, site: WikiSite, raws: Sequence[RawArticle]) -> ParsedBatch:
    """Parse articles, in any process."""
    codes = TagNumbers()
    batch = ParsedBatch([], [], [], [], {name: Counter() for name in _COUNTERS})
    of_file: Counter[str] = Counter()
    for raw, article in parse_raws(_open_parser(about, site), raws, batch.rejected):
        if isinstance(article, Redirect):
            batch.redirects.append(article)
            continue
        of_file[raw.file] += 1
        batch.rows.append((replace(raw, data=b""), of_file[raw.file], _make_row(article, codes, site)))
        batch.redirects.extend(Redirect(alias, article.title) for alias in article.redirects)
        batch.counted["left_out"].update(article.left_out)
        if article.kind:
            batch.counted["kinds"][article.kind] += 1
        if article.repeated:
            batch.counted["repeated"][article.repeated] += 1
    return batch._replace(tags=list(codes))


def _make_row(article: ParsedArticle, codes: TagNumbers, site: WikiSite) -> ArticleRow:
    tags = [codes[name] for name in article.tag]
    numbers = [tags, article.parent, list(_number_siblings(article.parent, article.tag)), article.start, article.end]
    return ArticleRow(
        article.docno, article.title, article.url or page_address(site.base, article.title), article.revision,
        article.timestamp, article.language, "\n".join(" ".join(name.split()) for name in article.categories),
        len(article.text), np.array(numbers, dtype="<i4").tobytes(),
        json.dumps([(link.start, link.end, link.target) for link in article.links]) if article.links else "",
        article.text.encode(),
    )  # fmt: skip


def _number_siblings(parents: Sequence[int], tags: Sequence[str]) -> Iterator[int]:
    """Number elements among the children of a parent with the same name, whatever their attributes, from 1."""
    seen: dict[tuple[int, str], int] = {}
    for parent, tag in zip(parents, tags, strict=True):
        key = (parent, tag.partition(" ")[0])
        seen[key] = seen.get(key, 0) + 1
        yield seen[key]


def _recode(elements: bytes, lookup: Any) -> bytes:
    numbers = np.frombuffer(elements, dtype="<i4").reshape(len(NUMBERS), -1)
    return bytes(lookup[numbers[0]].tobytes() + elements[numbers[0].nbytes :])


def _propose_docnos(file: str, number: int) -> Iterator[str]:
    path = strip_ending(as_docno(file))
    ending = f"-{number}" if number > 1 else ""
    yield path.rpartition("/")[2] + ending
    yield path + ending
    yield as_docno(file) + ending
    for more in count(2):
        yield f"{path}{ending}-{more}"


def _describe_xml(kinds: Counter[str], given: JsonObject) -> JsonObject:
    """Count files by kind of XML, and return the tags of their headings and their spaces; {} for no XML."""
    profiles = [find_profile(kind, given) for kind in sorted(kinds)]
    tags = dict.fromkeys(tag for profile in profiles for tag in profile.heading_tags)
    spaces = ", ".join(sorted({profile.spaces for profile in profiles}))
    return {"kinds": kinds, "heading_tags": list(tags), "spaces": spaces} if kinds else {}


def _check_accepted(folder: Path, manifest: JsonObject, max_rejected: float) -> None:
    articles = manifest["articles"]
    rejected = manifest["rejected"]
    first = manifest["first_rejected"]
    if not articles:
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
