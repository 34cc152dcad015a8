"""Passages of any retriever's documents, cut at query time, whose ids tell their places."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyterrier as pt

from ...frames.articles import HAS_SHOWN_TEXTS, ShownText
from ...frames.find_tokens import Tokenizer, find_tokens
from ...frames.ids import make_ids, parse_ids
from ...frames.ranking_rule import positions
from ...frames.spans import Ints
from ..transformer import PartsTransformer
from .selectors import NO_ELEMENTS, Windows

_ADVICE = "load it with collection.text_loader(spaces='keep'), without titles and headings"


class Slide(PartsTransformer):
    """Cut the text of each row into windows that slide over it: a row for each window, its docno `ARTICLE#START-END`.

    Input: rows with `docno` and `text`: a document with its whole text, or a part (`docno` = passage id) with its own.
    Output: the same columns, `text` cut to the window, a new `rank`; a `score` is the document's, until a re-ranker
    gives the window its own. Text of white space only has no window. Spaces, titles and headings that a collection's
    `text_loader` added are in no window: each has the article's characters at its offsets.

        bm25 >> pt.text.get_text(dataset) >> Slide(150, 75) >> monoT5 >> RelevantInContext()

    Args:
        size: The length of a window, as in `Windows`.
        unit: One of `Windows`, or a callable that takes a text and returns its units in order: a tokenizer, as in
            `Tokens`, or any splitter into (start, end) offsets, whose spans are the passages with a size of 1.

    Example:
        >>> documents = pd.DataFrame({"qid": ["q1"], "docno": ["7"], "text": ["A cat sat. A dog ran."]})
        >>> Slide(3)(documents)["docno"].tolist()
        ['7#0-10', '7#11-21']
        >>> Slide(1, unit=lambda text: text.split(". "))(documents)["docno"].tolist()
        ['7#0-9', '7#11-21']
    """

    def __init__(self, size: int, stride: int | None = None, unit: str | Tokenizer = "words"):
        # This checks them.
        Windows(size, stride, "chars" if callable(unit) else unit)
        self.size = size
        self.stride = stride
        self.unit = unit

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        with pt.validate.any(inp, context=self) as modes:
            modes.result_frame(extra_columns=["text"], mode="results")
            modes.document_frame(extra_columns=["text"], mode="documents")
        if "oldqid" in inp.columns:
            raise ValueError(
                "pt.text.snippets reads the ids of pt.text.sliding only; add snippets by Snippets(collection) of "
                "pyterrier_focused.retrieval, or give it pt.text.sliding() >> scorer"
            )
        article, first, last = parse_ids(inp["docno"].to_numpy(dtype=object))
        row: list[Ints] = []
        starts: list[Ints] = []
        ends: list[Ints] = []
        texts: list[str] = []
        for number, (docno, text) in enumerate(zip(inp["docno"], inp["text"], strict=True)):
            if not isinstance(text, str):
                raise ValueError(f"{self!r}: docno {docno!r}: the text {text!r} is not text")
            if isinstance(text, ShownText):
                text = text.own
            elif first[number] < 0 and inp.attrs.get(HAS_SHOWN_TEXTS):
                raise ValueError(f"{self!r}: docno {docno!r}: its text is another than was loaded; {_ADVICE}")
            length = last[number] - first[number]
            if first[number] >= 0 and length != len(text):
                raise ValueError(
                    f"{self!r}: docno {docno!r} has {length} characters, and its text {len(text)}; offsets are lost "
                    f"unless the text is the part's own; {_ADVICE}"
                )
            start, end = self._cut_windows(docno, text)
            row.append(np.full(len(start), number))
            starts.append(start + max(int(first[number]), 0))
            ends.append(end + max(int(first[number]), 0))
            texts += [text[a:b] for a, b in zip(start.tolist(), end.tolist(), strict=True)]
        none: Ints = np.zeros(0, dtype=np.int64)
        rows, start, end = (np.concatenate([none, *column]) for column in (row, starts, ends))
        out = inp.iloc[rows].reset_index(drop=True)
        out["docno"] = np.array(make_ids(article[rows], start, end), dtype=object)
        out["text"] = np.array(texts, dtype=object)
        if "score" in out.columns and "qid" in out.columns:
            order = np.lexsort((-out["score"].to_numpy(dtype=np.float64), pd.factorize(out["qid"])[0]))
            out = out.iloc[order].reset_index(drop=True)
            out["rank"] = positions(pd.factorize(out["qid"])[0])
        return out

    def _cut_windows(self, docno: str, text: str) -> tuple[Ints, Ints]:
        if isinstance(self.unit, str):
            return Windows(self.size, self.stride, self.unit).spans(text, NO_ELEMENTS)
        return Windows(self.size, self.stride).join_units(*find_tokens(text, self.unit, f"{self!r}: docno {docno!r}"))
