"""The index of a collection's parts: every part is a document of the engine, and its docno is the passage id."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyterrier as pt

from ..collection.checksums import read_sealed, seal, verify_checksums, write_checksums
from ..collection.storage import StoragePath
from ..errors import CollectionError
from ..frames import make_ids
from ..spans import Ints
from .parts import PartsTransformer, check_count
from .selectors import Elements, Selector, seams_of, select, selectors

if TYPE_CHECKING:
    from .nexi_retriever import NexiRetriever

ENGINES = ("pisa", "terrier")
_HEADINGS = ("keep", "drop", "add")
_SECTIONS = ("section", "sec", "ss1", "ss2", "ss3", "ss4", "p")
_HEADING_TAGS = ("title", "st")


class PartIndex(pt.Artifact):
    """An index of parts on disk: a factory of retrievers whose results are frames of parts.

    It is made by `Collection.index(...)` and opened by its path; retrievers are `bm25()` and `retriever(model)`.
    """

    ARTIFACT_TYPE = "part_index"
    ARTIFACT_FORMAT = "focused"
    ARTIFACT_PACKAGE_HINT = "pyterrier-focused"

    def __init__(self, path: str | Path):
        super().__init__(path)
        meta = read_sealed(StoragePath(path) / "pt_meta.json")
        if meta is None:
            raise CollectionError(f"{path}: no index of parts is here; make one with Collection.index(path)")
        self.meta: dict[str, Any] = meta
        if (self.meta.get("type"), self.meta.get("format")) != (self.ARTIFACT_TYPE, self.ARTIFACT_FORMAT):
            raise CollectionError(f"{path}: this is no index of parts, but {self.meta.get('type')!r}")

    @property
    def engine(self) -> str:
        """The engine that searches: 'pisa' or 'terrier'."""
        return self.meta["engine"]

    def bm25(
        self, k1: float = 0.9, b: float = 0.4, num_results: int = 1000, threads: int | None = None
    ) -> PartRetriever:
        """Rank parts by BM25; the parameters mean the same with every engine.

        threads: how many topics PISA searches at a time; None for as many as there are processors that this process may
            use. The results are the same.
        """
        return PartRetriever(self, "bm25", num_results, threads, k1=k1, b=b)

    def retriever(
        self, model: str, num_results: int = 1000, threads: int | None = None, **parameters: float
    ) -> PartRetriever:
        """Rank parts by a scoring model of the engine; *threads* is as of `bm25`.

        With PISA: 'bm25' (k1, b), 'qld' (mu), 'pl2' (c), 'dph'; with Terrier: the name of any weighting model ('DPH',
        'DirichletLM', ...) and its controls as parameters.
        """
        return PartRetriever(self, model, num_results, threads, **parameters)

    def nexi(self, structure: str = "vague", collection: Any = None, **settings: Any) -> NexiRetriever:
        """Run castitles in NEXI over this index; see `content_and_structure.NexiRetriever` for the settings.

        *collection* is the one that was indexed; without it, it is opened from where it was then.
        """
        from .nexi_retriever import NexiRetriever

        return NexiRetriever(self, self.collection() if collection is None else collection, structure, **settings)

    def collection(self) -> Any:
        """Open the collection that was indexed, from where it was then."""
        from ..collection import Collection

        try:
            return Collection(self.meta["collection"])
        except CollectionError as error:
            raise CollectionError(f"{self!r}: its collection is not where it was: {error}; give collection=") from error

    def verify(self) -> None:
        """Read every file and compare it with its checksum. Raises CollectionError, which names each damaged file."""
        verify_checksums(StoragePath(str(self.path)))

    def __len__(self) -> int:
        return self.meta["parts"]

    def __repr__(self) -> str:
        return f"PartIndex({str(self.path)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PartIndex) and Path(str(other.path)).absolute() == Path(str(self.path)).absolute()

    def __hash__(self) -> int:
        return hash(str(Path(str(self.path)).absolute()))


class PartRetriever(PartsTransformer):
    """Retrieve parts: `qid` and `query` in, a row for each part found out (`docno` = passage id, `score`, `rank`).

    Foreign columns of the topics are kept. Any text is a query: there are no operators, and letters beyond ASCII count.
    """

    def __init__(
        self,
        index: PartIndex,
        model: str = "bm25",
        num_results: int = 1000,
        threads: int | None = None,
        **parameters: float,
    ):
        check_count(self, "num_results", num_results, 1)
        check_count(self, "threads", threads, 1, optional=True)
        if index.engine != "pisa" and threads not in (None, 1):
            raise ValueError(f"PartRetriever: threads={threads!r}; only PISA searches with several")
        self.index = index
        self.model = model
        self.num_results = num_results
        self.threads = threads
        self.parameters = parameters
        self._searcher = _engine(index.engine).Searcher(Path(str(index.path)) / index.engine, model, parameters)

    def settings(self) -> dict[str, Any]:
        """Return the arguments that make this transformer again."""
        threads = {} if self.threads is None else {"threads": self.threads}
        return {"index": self.index, "model": self.model, "num_results": self.num_results, **threads, **self.parameters}

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Retrieve parts for each topic."""
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        for qid, query in zip(inp["qid"], inp["query"], strict=True):
            if not isinstance(query, str):
                raise ValueError(f"{self!r}: topic {qid!r}: the query {query!r} is no text")
        topics = inp.drop(columns=["score", "rank"], errors="ignore")
        return self._searcher.search(topics, self.num_results, self.threads)

    def fuse_rank_cutoff(self, k: int) -> pt.Transformer | None:
        """Take a following `% k`: the engine finds fewer parts."""
        if k >= self.num_results:
            return self
        return PartRetriever(self.index, self.model, k, self.threads, **self.parameters) if k >= 1 else None

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.settings(),)


def build_index(
    collection: Any,
    path: str | Path,
    engine: str = "pisa",
    elements: str | Selector | Iterable[str | Selector] | None = None,
    *,
    min_length: int = 1,
    headings: str = "keep",
    titles: bool = False,
    threads: int = 1,
    overwrite: bool = False,
    verbose: bool = False,
) -> PartIndex:
    """Index parts of the articles of *collection* in the new folder *path*.

    engine: 'pisa' (extra [retrieval]) or 'terrier' (extra [terrier], needs Java).
    elements, min_length, headings, titles: what is indexed, as of `part_texts`.
    threads: of the engine while it indexes (PISA).
    overwrite: replace an index of parts that is at *path*; without it, an existing path is an error.
    verbose: show the engine's own log, on standard error.
    """
    parts = part_texts(collection, elements, min_length=min_length, headings=headings, titles=titles)
    meta = {
        "collection": str(Path(collection.path).absolute()),
        "elements": [repr(selector) for selector in selectors(_SECTIONS if elements is None else elements)],
        "min_length": min_length,
        "headings": headings,
        "titles": titles,
    }
    return index_parts(parts, path, engine, meta=meta, threads=threads, overwrite=overwrite, verbose=verbose)


def index_parts(
    parts: Iterable[dict[str, str]],
    path: str | Path,
    engine: str = "pisa",
    *,
    meta: dict[str, Any] | None = None,
    threads: int = 1,
    overwrite: bool = False,
    verbose: bool = False,
) -> PartIndex:
    """Index parts, dicts of `docno` (a passage id) and `text`, in the new folder *path*.

    meta: what the index is to say of the parts. The other parameters are as of `build_index`.
    """
    if engine not in ENGINES:
        raise ValueError(f"engine={engine!r}; choose one of {', '.join(map(repr, ENGINES))}")
    path = Path(path)
    if path.exists():
        if not overwrite:
            raise CollectionError(f"{path} exists already; open it with PartIndex(path), or give overwrite=True")
        PartIndex(path)  # nothing but an index of parts is ever replaced
    waiting = iter(parts)
    first = next(waiting, None)
    if first is None:
        chosen = f" that fits {', '.join(meta['elements'])}" if meta else ""
        raise ValueError(f"nothing to index: no article has a part{chosen}")
    counted = _Counted(chain([first], waiting))
    work = path.with_name(f"{path.name}.building")
    shutil.rmtree(work, ignore_errors=True)
    try:
        _engine(engine).build(counted, work / engine, threads, verbose)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    about = {
        "type": PartIndex.ARTIFACT_TYPE,
        "format": PartIndex.ARTIFACT_FORMAT,
        "package_hint": PartIndex.ARTIFACT_PACKAGE_HINT,
        "engine": engine,
        "parts": counted.count,
        **(meta or {}),
    }
    (work / "pt_meta.json").write_bytes(seal(about))
    write_checksums(StoragePath(work))
    if path.exists():
        shutil.rmtree(path)
    work.rename(path)
    return PartIndex(path)


def part_texts(
    collection: Any,
    elements: str | Selector | Iterable[str | Selector] | None = None,
    *,
    min_length: int = 1,
    headings: str = "keep",
    titles: bool = False,
) -> Iterator[dict[str, str]]:
    """Yield `{"docno": passage id, "text": ...}` for each part of the articles of *collection*: what any indexer takes.

    elements: tags ('section'), XPath-like patterns ('/article/section', '//section[1]//p'), `Leaves()`, `Windows(...)`,
        or several of these; 'article' is the whole article. Two parts of one span are one. None takes sections at every
        level and paragraphs, by the tags that MediaWiki collections and INEX have for them.
    min_length: parts of fewer characters are left out, and those of white space always.
    headings: 'keep' leaves the headings of sections in the text; 'drop' leaves them out (as topics made of headings ask
        for); 'add' puts those of the sections around a part before its text. A part's span is the same in all three.
    titles: put the article's title before the text of each part.
    """
    chosen = selectors(_SECTIONS if elements is None else elements)
    if headings not in _HEADINGS:
        raise ValueError(f"headings={headings!r}; choose one of {', '.join(map(repr, _HEADINGS))}")
    if isinstance(min_length, bool) or not isinstance(min_length, int) or min_length < 1:
        raise ValueError(f"min_length={min_length!r}; give a whole number of at least 1")
    hits, tags = [elements is None] * len(chosen), set[str]()
    for article in collection.articles():
        docno, text = article["docno"], article["text"]
        columns = elements_of(collection, docno)
        start, end, hit = select(chosen, text, columns, min_length)
        hits = [before or now for before, now in zip(hits, hit, strict=True)]
        tags.update(columns.tag)
        before = [f"{article['title']}\n" if titles else ""] * len(start)
        if headings == "drop":
            text = _without_headings(text, columns)
        elif headings == "add":
            around = _headings_around(text, columns, start, end)
            before = [title + above for title, above in zip(before, around, strict=True)]
        ids = make_ids([docno] * len(start), start, end)
        seams = seams_of(columns)
        for name, lead, first, last in zip(ids, before, start.tolist(), end.tolist(), strict=True):
            yield {"docno": name, "text": lead + apart(text, first, last, seams)}
    if tags and not all(hits):
        idle = ", ".join(str(selector) for selector, hit in zip(chosen, hits, strict=True) if not hit)
        raise ValueError(f"elements: nothing in the collection fits {idle}; its tags are {', '.join(sorted(tags))}")


def apart(text: str, start: int, end: int, seams: Ints) -> str:
    """Return the text from *start* to *end* with a space at each seam, where one element ends and the next begins.

    XML may have no white space there, and the last word of a heading is not the first of the paragraph below it.
    """
    inside = seams[np.searchsorted(seams, start, side="right") : np.searchsorted(seams, end)].tolist()
    return " ".join(text[a:b] for a, b in pairwise([start, *inside, end]))


def elements_of(collection: Any, docno: str) -> Elements:
    """Read the elements of one article."""
    table = collection.elements(docno)
    start, end, parent = (table[name].to_numpy(dtype=np.int64) for name in ("start", "end", "parent"))
    return Elements(table["path"].tolist(), table["tag"].tolist(), start, end, parent)


class _Counted:
    """(docno, text) pairs of parts, counted as they pass; a docno that an engine would split is an error."""

    def __init__(self, parts: Iterable[dict[str, str]]):
        self.count = 0
        self._parts = parts

    def __iter__(self) -> Iterator[tuple[str, str]]:
        for part in self._parts:
            docno = part["docno"]
            if len(docno.split()) != 1 or docno.split()[0] != docno:
                raise ValueError(f"docno {docno!r} holds white space; engines take docnos without")
            self.count += 1
            yield docno, part["text"]


def _headings(elements: Elements) -> Ints:
    """Return the rows of the headings of an article's sections; the article's own title is none."""
    rows = zip(elements.tag, elements.parent.tolist(), strict=True)
    heading = [tag in _HEADING_TAGS and above > 0 and elements.tag[above] != "header" for tag, above in rows]
    return np.flatnonzero(heading)


def _headings_around(text: str, elements: Elements, start: Ints, end: Ints) -> list[str]:
    """Return the headings of the sections around each part, outermost first, a line each; not those inside it."""
    around = [""] * len(start)
    for row in _headings(elements).tolist():
        section = elements.parent[row]
        holds = (elements.start[section] <= start) & (end <= elements.end[section])
        has = (start <= elements.start[row]) & (elements.end[row] <= end)
        line = f"{text[elements.start[row] : elements.end[row]].strip()}\n"
        for part in np.flatnonzero(holds & ~has).tolist():
            around[part] += line
    return around


def _without_headings(text: str, elements: Elements) -> str:
    """Return *text* with spaces where the headings are: offsets stay."""
    for row in _headings(elements).tolist():
        first, last = int(elements.start[row]), int(elements.end[row])
        text = text[:first] + " " * (last - first) + text[last:]
    return text


def _engine(name: str) -> Any:
    if name == "pisa":
        from . import pisa

        return pisa
    from . import terrier

    return terrier


def _again(settings: dict[str, Any]) -> PartRetriever:
    return PartRetriever(**settings)
