"""Corpora of any kind as collections."""

from __future__ import annotations

import os
import tempfile
import weakref
from typing import Any

from ..collection import Collection
from ..errors import BuildError, CollectionError
from ..frames.articles import ArticleCollection
from ..reading.names import holds_records
from .corpus import Corpus, articles, open_corpus


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
