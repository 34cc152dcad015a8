"""The texts of parts as they were indexed, for re-rankers and readers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyterrier as pt

from ..errors import check_choice
from ..frames.articles import ArticleCollection
from ..frames.ids import read_ids
from .passages.part_texts import HEADINGS, read_elements, write_texts
from .transformer import PartsTransformer


class PartTextLoader(PartsTransformer):
    """Add the `text` of each row's part as it goes into an index: with titles and headings, if the index has them.

    Input: any rows with `docno` (a passage id). Output: the rows with the column `text`.

    Args:
        headings, titles, fields: As in `part_texts`; fields come one after another, a line each.
    """

    def __init__(
        self,
        collection: ArticleCollection,
        headings: str = "keep",
        titles: bool = False,
        fields: bool = False,
        verbose: bool = False,
    ):
        check_choice("PartTextLoader: headings", headings, HEADINGS)
        self.collection = collection
        self.headings = headings
        self.titles = titles
        self.fields = fields
        self.verbose = verbose

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["docno"])
        part, ids = pd.factorize(inp["docno"], use_na_sentinel=False)
        article, names, start, end = read_ids(ids)
        if (start < 0).any():
            wrong = ids[int(np.argmax(start < 0))]
            raise ValueError(f"{self!r}: docno {wrong!r} names no part of the form ARTICLE#START-END")
        texts = np.empty(len(ids), dtype=object)
        articles = self.collection.articles(names.tolist()) if len(ids) else ()
        shown = pt.tqdm(articles, desc="loading text", total=len(names), disable=not self.verbose)
        for number, read in enumerate(shown):
            own = np.flatnonzero(article == number)
            if end[own].max() > len(read["text"]):
                wrong = ids[own[int(np.argmax(end[own]))]]
                raise ValueError(f"{self!r}: part {wrong!r} reaches beyond its article in {self.collection!r}")
            elements = read_elements(self.collection.element_columns(read["docno"]), self.collection.heading_tags)
            written = write_texts(read, elements, start[own], end[own], self.headings, self.titles, self.fields)
            for index, fields in zip(own.tolist(), written, strict=True):
                texts[index] = "\n".join(text for name, text in fields.items() if name != "docno")
        return inp.assign(text=pd.Series(texts[part], index=inp.index, dtype=object))
