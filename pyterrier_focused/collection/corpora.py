"""What a corpus is: a collection, any source of one, records, or texts in memory; and its articles.

An article is a docno, which holds no white space, and its text; offsets count its characters, as in a collection.
"""

from __future__ import annotations

import os
import re
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import accumulate, chain, groupby
from typing import Any, Literal, NamedTuple, TypeAlias, TypeGuard, Union

import pandas as pd

from ..errors import BuildError, CollectionError, FormatError, warn_caller
from ..frames.articles import ArticleCollection, CorpusArticle, Page
from ..frames.span_cells import is_blank, is_missing
from ..reading.files import plain_name, read_text
from ..reading.json import Row, records_in
from ..reading.names import as_docno, find_stem, holds_records, name_file
from ..reading.show import show_value
from ..reading.tables import TABLES, read_table
from ..reading.values import DOCUMENT, IDS, TEXT, map_names, name_or_none, whole_or_none
from .build_options import BuildOptions
from .sources.find import detect, find_sources, read_articles
from .sources.raw import Rejection
from .store import Collection

# A path, texts by docno, a frame with docno and text, dicts with these, or a Collection, which yields such dicts
Corpus: TypeAlias = Union[str, os.PathLike[str], Mapping[str, str], "pd.DataFrame", Iterable[Any], ArticleCollection]

# The lines of a file, as tools and GitHub name them.
LINES_OF = re.compile(r"(?P<path>[^\n]+?)(?::|#L)(?P<first>[0-9]{1,9})(?:-L?(?P<last>[0-9]{1,9}))?")
_MANIFEST = "pt_meta.json"
_DOCNO = ("docno", "doc_id", "_id", "id", "docid", "document_id", "wikipedia_id", "document", "doc", "title")
_TEXT = ("text", "content", "contents", "page_content", "body")
# In these a document of a framework keeps what it says of itself.
_METADATA = ("metadata", "meta", "document", "node", "kwargs", "fields")
_PAGES = {"page_label", "page_number", "page"}
_PAGE_FIELDS = (*_PAGES, "total_pages", "category")


# What the page numbers of a field `page` begin with.
PageBase = Literal[0, 1]


class PageName(NamedTuple):
    """How a page is named: its label; its number from 1; its `page`, which may count from 0, as `from_zero` knows.

    `is_element` tells that it names one of the elements of a page, not all of it.
    """

    label: str | None = None
    number: int | None = None
    page: int | None = None
    from_zero: bool = False
    is_element: bool = False


def read_corpus(source: str | os.PathLike[str], suffixes: Sequence[str] | None = None) -> pd.DataFrame:
    """Read texts as a frame with the columns `docno, text` and, from a folder of files, `file`.

    The source is

    - a collection that was built;
    - what `Collection.build` takes: a folder of text, code, Markdown or HTML, XML, dumps of Wikipedia, archives. Of a
      folder with text every file that is text by its bytes is an article, but for hidden ones and those that hold
      records (JSON, CSV, Parquet); its docno is its path, white space as `_`, without .txt, .md, .markdown, .rst,
      .text and .html;
    - JSON lines (or a JSON list), CSV or Parquet with a docno (`docno`, `doc_id`, `_id`, `id` ...) and a `text`
      (`content`, `contents` ...): BEIR's corpora, and KILT's knowledge source, whose lists of paragraphs are joined;
    - SQuAD's JSON: an article a title, its paragraphs one empty line apart.

    Args:
        suffixes: The endings of the files in a folder that are articles, such as `(".py", ".json")`; None for all.

    Example:
        >>> _ = open("cats.txt", "w").write("Cats sleep.")
        >>> read_corpus("cats.txt").values.tolist()
        [['cats', 'Cats sleep.']]
    """
    opened = open_corpus(source)
    articles = list(_iterate_articles(opened) if opened is not source else _read_path(source, suffixes))
    frame = pd.DataFrame({"docno": [a.docno for a in articles], "text": [a.text for a in articles]}, dtype=object)
    if os.path.isdir(source) and all(article.names for article in articles):
        frame["file"] = [a.names[0] for a in articles]
    return frame


def articles(corpus: Corpus) -> Iterator[CorpusArticle]:
    """Yield the articles of a corpus, checked.

    A corpus is a path as for `read_corpus`, a mapping of docno to text, a DataFrame with `docno` and `text`, an
    iterable of such dicts (as `dataset.get_corpus_iter()`) or of documents of LangChain, LlamaIndex or Haystack, or a
    Collection. A list of texts in place of one, and rows or documents that name their page, are pages of an article.

    Example:
        >>> [article.docno for article in articles({"a": "Cats sleep.", "b": "Dogs run."})]
        ['a', 'b']
    """
    docnos: set[str] = set()
    for article in _iterate_articles(corpus):
        if not isinstance(article.docno, str) or not article.docno or re.search(r"\s", article.docno):
            raise ValueError(f"article {article.docno!r}: a docno is text without white space; name the article so")
        if not isinstance(article.text, str):
            raise ValueError(f"article {article.docno!r}: its text is {show_value(article.text)}; give text")
        if article.docno in docnos:
            raise ValueError(f"article {article.docno!r} occurs more than once in the corpus; give each its own docno")
        docnos.add(article.docno)
        yield article
    if not docnos:
        raise ValueError("the corpus holds no article")


class Texts:
    """In-memory lookup of articles by docno or other names; of a Collection only those *wanted* (None for all)."""

    def __init__(self, corpus: Corpus, wanted: Iterable[str] | None):
        corpus = open_corpus(corpus)
        if wanted is not None and is_collection(corpus):
            self.docnos = set(corpus.lengths()["docno"].tolist())
            named = (next((name for name in _list_names(want) if name in self.docnos), None) for want in wanted)
            docnos = [name for name in dict.fromkeys(named) if name is not None]
            self.articles = {article.docno: article for article in map(_read_dict, corpus.articles(docnos))}
        else:
            self.articles = {article.docno: article for article in articles(corpus)}
            self.docnos = set(self.articles)
        names: dict[str, set[str]] = {}
        for article in self.articles.values():
            for name in article.names:
                names.setdefault(name, set()).add(article.docno)
        self._other_names = {name: docnos.pop() for name, docnos in names.items() if len(docnos) == 1}

    def find(self, name: str | None) -> CorpusArticle | None:
        """Return the article with this docno or other name; without a name, the only article there is."""
        if name is None:
            return next(iter(self.articles.values())) if len(self.articles) == 1 else None
        return self.articles.get(name if name in self.articles else self._other_names.get(name, ""))

    def find_path(self, name: str) -> CorpusArticle | None:
        """Return the article with this name, or of the file at this path or address, given from any folder."""
        return next((article for name in _list_names(name) if (article := self.find(name))), None)

    def find_file(self, path: str) -> CorpusArticle | None:
        """Return the article of a file that a tool names: as `find_path`, or the only one whose path ends like this."""
        article = self.find_path(path)
        if article is None and path.strip():
            end = "/" + path.replace("\\", "/").rpartition("/")[2]
            holders = [docno for docno in self.articles if docno.endswith(end)]
            article = self.articles[holders[0]] if len(holders) == 1 else None
        return article

    def holding(self, text: str) -> CorpusArticle | None:
        """Return the only article that equals a text, or else the only one that contains it."""
        same = [article for article in self.articles.values() if article.text == text]
        holders = same or [article for article in self.articles.values() if text in article.text]
        return holders[0] if len(holders) == 1 else None

    def like(self, name: str) -> list[str]:
        return get_close_matches(name, sorted(self.docnos)[:10_000], n=3)


def _list_names(name: str) -> Iterator[str]:
    """Yield the names an article may have that is asked for by a name: itself, tails of its path, its document's."""
    lines = LINES_OF.fullmatch(name)
    documents = (name.partition("#:~:")[0], lines["path"] if lines else "", name.rpartition("#")[0])
    others = [other for other in documents if other and other != name]
    return chain([name], _list_tails(name), others, (tail for other in others[:1] for tail in _list_tails(other)))


def _list_tails(path: str) -> Iterator[str]:
    """Yield the names a file may have that lies at a path: the path's ends, these without suffix, and as docnos."""
    parts = path.replace("\\", "/").split("/")
    for number in range(len(parts)):
        tail = "/".join(parts[number:])
        stem = find_stem(tail)
        yield from dict.fromkeys((tail, stem, as_docno(stem)))


def is_frame(value: object) -> TypeGuard[pd.DataFrame]:
    return isinstance(value, pd.DataFrame)


def as_frame(table: object) -> Any:
    """Return a table of Arrow, polars, Hugging Face's datasets or ragas as a DataFrame, anything else as it is."""
    convert = getattr(table, "to_pandas", None)
    return convert() if callable(convert) else table


def is_collection(corpus: object) -> TypeGuard[ArticleCollection]:
    return callable(getattr(corpus, "articles", None)) and callable(getattr(corpus, "lengths", None))


def open_corpus(corpus: Corpus) -> Corpus:
    """Open the collection whose folder a path is; any other corpus stays as it is."""
    if isinstance(corpus, str | os.PathLike) and os.path.exists(os.path.join(corpus, _MANIFEST)):
        return Collection(os.fspath(corpus))
    return corpus


def as_collection(corpus: Corpus) -> ArticleCollection:
    """Open a collection, or make one of any other corpus, in a temporary folder that is removed with it."""
    opened: Any = open_corpus(corpus)
    if callable(getattr(opened, "articles", None)):
        collection: ArticleCollection = opened
        return collection
    folder = tempfile.TemporaryDirectory(prefix="pt-focused-", ignore_cleanup_errors=True)
    path = os.fspath(opened) if isinstance(opened, str | os.PathLike) else None
    try:
        if path is not None and not holds_records(path):
            made = Collection.build(path, folder.name, verbose=False)
        else:
            made = Collection.from_iter((each.as_dict() for each in articles(opened) if each.text.strip()), folder.name)
    except BaseException as error:
        folder.cleanup()
        if isinstance(error, BuildError):
            raise CollectionError(str(error).replace(folder.name, path or "the corpus")) from None
        raise
    weakref.finalize(made, folder.cleanup)
    return made


def _iterate_articles(corpus: Corpus) -> Iterator[CorpusArticle]:
    corpus = as_frame(open_corpus(corpus))
    if isinstance(corpus, str | os.PathLike):
        yield from _read_path(corpus)
    elif is_collection(corpus):
        yield from map(_read_dict, corpus.articles())
    elif isinstance(corpus, Mapping):
        yield from (make_article(docno, text) for docno, text in corpus.items())
    elif is_frame(corpus) and not {"docno", "text"} <= set(corpus.columns):
        yield from _join_pages(_read_other_names(corpus))
    elif is_frame(corpus) and {"page", "page_number", "page_label"}.isdisjoint(corpus.columns):
        files = corpus["file"] if "file" in corpus.columns else [None] * len(corpus)
        titles = corpus["title"] if "title" in corpus.columns else [""] * len(corpus)
        for docno, text, file, title in zip(corpus["docno"], corpus["text"], files, titles, strict=True):
            names = name_file(file) if isinstance(file, str) else ()
            yield CorpusArticle(docno, text, names, title=_read_title(title))
    elif isinstance(corpus, Iterable):
        rows = corpus.to_dict("records") if is_frame(corpus) else corpus
        yield from _join_pages((_read_dict(row), _find_page(row)) for row in rows)
    else:
        raise ValueError(
            f"a corpus is a path, a mapping of docno to text, a DataFrame, dicts with docno and text, or a Collection; "
            f"not {type(corpus).__name__}"
        )


def make_article(docno: str, text: object, names: tuple[str, ...] = ()) -> CorpusArticle:
    """Make an article of a text, or of a list of the texts of its pages."""
    if isinstance(text, list | tuple) and text and all(isinstance(page, str) for page in text):
        joined, pages = join_pages(text, [PageName(number=i + 1) for i in range(len(text))])
        return CorpusArticle(docno, joined, names, pages=pages)
    return CorpusArticle(docno, text, names)  # type: ignore[arg-type]


def _join_pages(rows: Iterable[tuple[CorpusArticle, PageName | None]]) -> Iterator[CorpusArticle]:
    """Join pages that follow each other and are of one document, as readers of PDF make them.

    Documents of one name that are no pages stay articles, which the caller refuses. So do two texts of one page, unless
    they are elements of it, which have a category.
    """
    for _, group in groupby(rows, key=lambda row: row[0].docno):
        articles, names = zip(*group, strict=True)
        pages = [name for name in names if name is not None]
        if len(pages) == len(names) and (len(set(pages)) == len(pages) or all(page.is_element for page in pages)):
            other_names = tuple(dict.fromkeys(name for article in articles for name in article.names))
            text, found = join_pages([article.text for article in articles], pages)
            yield articles[0]._replace(text=text, names=other_names, pages=found)
        else:
            yield from articles


def join_pages(texts: Sequence[str], names: Sequence[PageName]) -> tuple[str, tuple[Page, ...]]:
    """Join the texts of pages to that of an article, an empty line apart unless they end with a form feed.

    Pieces of one page follow each other.
    """
    base: PageBase = 0 if any(name.from_zero for name in names) else 1
    text = ""
    pages: list[Page] = []
    last: PageName | None = None
    for i, (part, name) in enumerate(zip(texts, names, strict=True)):
        if text and not text.endswith("\f"):
            text += "\n\n"
        if name != last:
            number = number_page(name, base)
            pages.append(Page(len(text), name.label, i + 1 if number is None else number))
        text += part
        last = name
    return text, tuple(pages)


def number_page(page: PageName, base: PageBase) -> int | None:
    """Return the number of a page from 1, if its name tells."""
    if page.number is not None:
        return page.number
    if page.page is not None:
        return page.page + 1 - base
    return whole_or_none(page.label)


def _find_page(row: object) -> PageName | None:
    """Return the page that a row or a framework's document names in its fields or metadata; None if it names none."""
    if isinstance(row, CorpusArticle):
        return None
    for fields in _list_mappings(row):
        names = map_names(tuple(fields))
        named = {name: fields[names[name]] for name in _PAGES & names.keys() if not is_blank(fields[names[name]])}
        if named:
            # Readers of LangChain's kind count from 0, and say so by what else they tell.
            page = name_page(named.get("page"), is_counted="total_pages" in names or "page_label" in names)
            label = str(named["page_label"]) if "page_label" in named else page.label
            number = whole_or_none(named.get("page_number"))
            return page._replace(label=label, number=number, is_element="category" in names)
    return None


def name_page(page: object, is_counted: bool) -> PageName:
    """Name a page by what a field says; `is_counted`: its kind of reader counts from 0."""
    number = whole_or_none(page)
    if number is None:
        return PageName(label=None if page is None else str(page))
    return PageName(page=number, from_zero=number == 0 or is_counted)


def _read_dict(row: object) -> CorpusArticle:
    if isinstance(row, CorpusArticle):
        return row
    if isinstance(row, Mapping) and "docno" in row and "text" in row:
        return make_article(row["docno"], row["text"])._replace(title=_read_title(row.get("title")))
    article = _read_fields(row) if isinstance(row, Mapping) else _read_document(row)
    if article is None:
        raise ValueError(
            f"an article is a dict with docno and text, or a document of a framework, not {show_value(row)}"
        )
    return article


def _read_other_names(frame: pd.DataFrame) -> Iterator[tuple[CorpusArticle, PageName | None]]:
    """Read a frame whose columns have the names that files of JSON may use, such as `doc_id` and `contents`."""
    names = [str(name) for name in frame.columns]
    for number, row in enumerate(frame.itertuples(index=False, name=None)):
        fields = {name: cell for name, cell in zip(names, row, strict=True) if not is_missing(cell)}
        article = _read_fields(fields)
        if article is None:
            missing = [column for column in ("docno", "text") if column not in names]
            raise ValueError(
                f"the corpus lacks the columns {missing} (found {names}), or row {number} has no values there"
            )
        yield article, _find_page(fields)


def _read_document(document: object) -> CorpusArticle | None:
    """Read a document of LangChain, LlamaIndex or Haystack, named as its metadata say; None for anything else."""
    mappings = [(fields, map_names(tuple(fields))) for fields in _list_mappings(document)]
    texts = [fields[names[name]] for fields, names in mappings for name in TEXT if name in names]
    text = next((text for text in texts if isinstance(text, str) and text.strip()), None)
    documents, ids = (_list_values(mappings, known) for known in (DOCUMENT, IDS))
    documents = [name for name in documents if name != text]
    if text is None or not (documents or ids):
        return None
    # a file's name stays the same, an id is made again whenever the file is read
    best = next((name for name in documents if name not in ids), (*documents, *ids)[0])
    names = [name for other in (*documents, *ids) for name in name_file(other)]
    return CorpusArticle(as_docno(best), text, tuple(dict.fromkeys(names)))


def _list_mappings(document: object) -> list[Row]:
    """List the fields of a document, and those of its metadata."""
    if isinstance(document, str | list | tuple):
        return []
    own = _list_fields(document)
    inner = (own[name] for name in _METADATA if name in own)
    return [own, *(_list_fields(value) for value in inner if not isinstance(value, str | list | tuple))]


def _list_fields(thing: object) -> Row:
    """Return a thing's fields by name: its items if it is a mapping, else those of its attributes that are known."""
    if isinstance(thing, Mapping):
        return thing
    known = (*TEXT, *DOCUMENT, *IDS, *_PAGE_FIELDS, *_METADATA)
    values = ((name, getattr(thing, name, None)) for name in known)
    return {name: value for name, value in values if value is not None and not callable(value)}


def _list_values(mappings: Iterable[tuple[Row, Mapping[str, Any]]], known: Iterable[str]) -> list[str]:
    """List the names under known fields, the outermost first."""
    values = [name_or_none(fields[names[name]]) for fields, names in mappings for name in known if name in names]
    return list(dict.fromkeys(value for value in values if value is not None))


def _read_fields(record: Row) -> CorpusArticle | None:
    """Read an article with fields of any known names; None if it lacks its name or its text."""
    docno = next((record[key] for key in _DOCNO if record.get(key) not in (None, "")), None)
    text = next((record[key] for key in _TEXT if record.get(key) is not None), None)
    if docno is None or text is None:
        return _read_document(record)
    titles = [str(record[key]) for key in ("title", "wikipedia_title") if record.get(key)]
    names = (*titles, str(record["url"])) if record.get("url") else tuple(titles)
    title = titles[0] if titles else ""
    if isinstance(text, list):
        paragraphs = [str(part) if str(part).endswith("\n") else f"{part}\n" for part in text]
        return CorpusArticle(as_docno(str(docno)), "".join(paragraphs), names, find_starts(paragraphs), title=title)
    return CorpusArticle(as_docno(str(docno)), text, names, title=title)


def _read_title(value: object) -> str:
    return value if isinstance(value, str) else ""


def _read_path(source: str | os.PathLike[str], suffixes: Sequence[str] | None = None) -> Iterator[CorpusArticle]:
    path = os.fspath(source)
    if holds_records(path):
        records = read_table(path)[1] if plain_name(path.lower()).endswith(TABLES) else json_records(path)
        yield from _check_unique(_join_pages(_read_records(records, path)), path)
    else:
        yield from _check_unique(read_source(path, suffixes), path)


def read_source(
    path: str, suffixes: Sequence[str] | None = None, max_rejected: float = BuildOptions.max_rejected
) -> Iterator[CorpusArticle]:
    """Yield the articles of a path that `Collection.build` takes, with the texts that the collection would have.

    Args:
        suffixes: The endings of the files of a folder that are wanted; None for all.
        max_rejected: The largest share of articles that may be unreadable.

    Raises:
        FormatError: If more of them cannot be read; of fewer, a warning says how many.

    Example:
        >>> with open("cats.txt", "w") as file:
        ...     _ = file.write("Cats sleep.")
        >>> [article.text for article in read_source("cats.txt")]
        ['Cats sleep.']
    """
    sources = find_sources(path)
    rejected: list[Rejection] = []
    count = 0
    endings = (suffixes,) if isinstance(suffixes, str) else tuple(suffixes or ())
    format = detect(sources, endings=endings, is_lenient=True)
    for article in read_articles(sources, format, rejected, endings):
        count += 1
        yield article
    if rejected:
        first = rejected[0]
        file = os.path.join(path, first.file) if os.path.isdir(path) else path
        if len(rejected) > max_rejected * (count + len(rejected)):
            raise FormatError(first.reason, file=file)
        warn_caller(f"{path}: {len(rejected)} articles cannot be read (first: {file}: {first.reason})")


def _check_unique(articles: Iterable[CorpusArticle], path: str) -> Iterator[CorpusArticle]:
    docnos: set[str] = set()
    for article in articles:
        if article.docno in docnos:
            raise FormatError(f"two articles have the docno {article.docno!r}; name one of them differently", file=path)
        docnos.add(article.docno)
        yield article
    if not docnos:
        raise FormatError("the file holds no article", file=path)


def _read_records(records: Iterable[tuple[int, Any]], path: str) -> Iterator[tuple[CorpusArticle, PageName | None]]:
    for where, record in records:
        if isinstance(record, dict) and isinstance(record.get("data"), list):
            yield from ((article, None) for article in read_squad_articles(record["data"], path))
            continue
        if not isinstance(record, dict):
            raise FormatError(
                "this is not a JSON object with a docno and a text", file=path, line=where, text=str(record)
            )
        article = _read_fields(record)
        if article is None:
            missing = "text" if any(record.get(key) for key in _DOCNO) else "docno"
            message = f"the article has no {missing} (fields: {', '.join(record)}); call it {missing!r}"
            raise FormatError(message, file=path, line=where)
        yield article, _find_page(record)


def read_squad_articles(data: list[Row], path: str) -> Iterator[CorpusArticle]:
    """Yield the articles of SQuAD's `data`: the paragraphs of a title, one empty line apart."""
    for number, entry in enumerate(data, start=1):
        try:
            contexts = [paragraph["context"] for paragraph in entry["paragraphs"]]
            title = entry.get("title") or f"article-{number}"
            if not all(isinstance(text, str) for text in (title, *contexts)):
                raise TypeError("the title and every context are texts")
        except (TypeError, KeyError, AttributeError) as error:
            raise FormatError(f"article {number} of the data is not as SQuAD's ({error!r})", file=path) from None
        parts = [f"{context}\n\n" for context in contexts]
        text = "".join(parts).removesuffix("\n\n")
        yield CorpusArticle(as_docno(title), text, (title,), find_starts(parts))


def find_starts(parts: list[str]) -> tuple[int, ...]:
    return tuple(accumulate(map(len, parts[:-1]), initial=0)) if parts else ()


def json_records(path: str) -> Iterator[tuple[int, Any]]:
    """Yield (line, record) of a file of JSON lines, or of the elements of one JSON list or object."""
    return records_in(read_text(path).replace("\r\n", "\n"), path)
