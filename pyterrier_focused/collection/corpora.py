"""Sources of any kind as corpora: their articles, with the texts that a collection of them would have."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence

from ..errors import BuildError, CollectionError, FormatError, warn_caller
from ..frames.articles import CorpusArticle
from .build_options import BuildOptions
from .sources.find import detect, find_sources, read_articles
from .sources.raw import Rejection
from .store import Collection


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
    format = detect(sources)
    if format == "mediawiki":
        # What its templates show is in the dump itself.
        yield from _read_dump(path)
        return
    rejected: list[Rejection] = []
    count = 0
    for article in read_articles(sources, format, rejected):
        if suffixes is None or article.names[0].lower().endswith(tuple(suffixes)):
            count += 1
            yield article
    if rejected:
        first = rejected[0]
        file = os.path.join(path, first.file) if os.path.isdir(path) else path
        if len(rejected) > max_rejected * (count + len(rejected)):
            raise FormatError(first.reason, file=file)
        warn_caller(f"{path}: {len(rejected)} articles cannot be read (first: {file}: {first.reason})")


def _read_dump(path: str) -> Iterator[CorpusArticle]:
    with tempfile.TemporaryDirectory(prefix="pt-focused-", ignore_cleanup_errors=True) as folder:
        try:
            made = Collection.build(path, folder, verbose=False)
        except BuildError as error:
            raise CollectionError(str(error).replace(folder, path)) from None
        for row in made.articles():
            yield CorpusArticle(row["docno"], row["text"], title=row["title"])
