"""Corpora, whatever they are, as collections: the articles of a source as a collection of it has them."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import BuildError, CollectionError, FormatError, warn_caller
from ..frames.articles import ArticleCollection
from ..io.texts.corpus import Corpus, CorpusArticle, articles, holds_records, open_corpus
from .build_options import BuildOptions
from .sources.find import check_unread, detect, find_sources, read_articles
from .sources.raw import Rejection
from .store import Collection


def read_source(
    path: str, suffixes: Sequence[str] | None = None, max_rejected: float = BuildOptions.max_rejected
) -> Iterator[CorpusArticle]:
    """Yield the articles of a path that `Collection.build` takes, with their texts as a collection has them.

    Args:
        suffixes: The endings of the files of a folder that are wanted; None for all.
        max_rejected: The largest share of articles that may be unreadable.

    Raises:
        FormatError: If more of them cannot be read; of fewer, a warning says how many.
    """
    sources = find_sources(path, suffixes)
    format = detect(sources)
    check_unread(sources, format, is_detected=False)
    if format == "mediawiki":
        # What its templates show is in the dump itself.
        yield from articles(as_collection(path))
        return
    rejected: list[Rejection] = []
    count = 0
    for article in read_articles(sources, format, rejected):
        count += 1
        yield article
    if rejected:
        first = rejected[0]
        file = path if sources[0].file else os.path.join(path, first.file)
        if len(rejected) > max_rejected * (count + len(rejected)):
            raise FormatError(first.reason, file=file)
        warn_caller(f"{path}: {len(rejected)} articles cannot be read (first: {file}: {first.reason})")


def as_collection(corpus: Corpus) -> ArticleCollection:
    """Open a collection, or make one of any other corpus, in a temporary folder that goes when it does."""
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
