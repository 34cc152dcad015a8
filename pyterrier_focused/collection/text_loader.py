"""The transformer that loads the text of articles and passages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import pyterrier as pt

from ..errors import check_choice
from ..frames.ids import parse_ids

FIELDS = ("text", "title")


class TextLoader(pt.Transformer):
    """Add columns with the `text` of the article or the passage that `docno` names, and with its article's `title`.

    collection: where they are read from. fields: 'text', 'title', a list of these, or '*' for both.
    verbose: show a progress bar.
    """

    schematic = {"help_url": None}  # draws without a look-up on the network

    def __init__(self, collection: Any, fields: str | Sequence[str] = "*", *, verbose: bool = False):
        named = (fields,) if isinstance(fields, str) else tuple(fields)
        wanted = FIELDS if fields == "*" else named
        for field in wanted:
            check_choice("TextLoader: fields", field, FIELDS)
        self.collection = collection
        self.fields = wanted
        self.verbose = verbose

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Add the columns."""
        pt.validate.columns(inp, includes=["docno"])
        docnos = pt.tqdm(inp["docno"], desc="loading text", unit="doc") if self.verbose else inp["docno"]
        added = {}
        if "text" in self.fields:
            added["text"] = self.collection.text(docnos)
        if "title" in self.fields:
            articles = parse_ids(inp["docno"].to_numpy(dtype=object))[0].tolist()
            distinct = list(dict.fromkeys(articles))
            found = self.collection.articles(distinct)
            titles = {docno: article["title"] for docno, article in zip(distinct, found, strict=True)}
            added["title"] = [titles[article] for article in articles]
        columns = {name: pd.Series(values, index=inp.index, dtype=object) for name, values in added.items()}
        return inp.assign(**{name: columns[name] for name in self.fields})

    def __repr__(self) -> str:
        return f"TextLoader({self.collection!r}, {self.fields!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TextLoader) and (self.collection, self.fields) == (other.collection, other.fields)

    def __hash__(self) -> int:
        return hash(("TextLoader", self.collection, self.fields))
