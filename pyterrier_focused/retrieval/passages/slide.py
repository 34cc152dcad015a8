"""Passages of any retriever's documents, cut at query time, whose ids say where they are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyterrier as pt

from ...frames.ids import make_ids, parse_ids
from ...frames.ranking_rule import positions
from ...frames.spans import Ints
from ..transformer import PartsTransformer
from .selectors import NO_ELEMENTS, Windows


class Slide(PartsTransformer):
    """Cut the text of each row into windows that slide over it: a row for each window, its docno `ARTICLE#START-END`.

    Input: rows with `docno` and `text`: a document with its whole text, or a part (`docno` = passage id) with its own.
    Output: the same columns, `text` cut to the window, a new `rank`; a `score` is the document's, until a re-ranker
    gives the window its own. Text of white space only has no window.

        bm25 >> pt.text.get_text(dataset) >> Slide(150, 75) >> monoT5 >> RelevantInContext()

    size, stride, unit: as in `Windows`: the length of a window, how far the next one begins after it (without: they
        touch), and what is counted: 'words', 'sentences' or 'chars'.
    """

    def __init__(self, size: int, stride: int | None = None, unit: str = "words"):
        # This checks them.
        Windows(size, stride, unit)
        self.size = size
        self.stride = stride
        self.unit = unit

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Cut the texts."""
        with pt.validate.any(inp, context=self) as modes:
            modes.result_frame(extra_columns=["text"], mode="results")
            modes.document_frame(extra_columns=["text"], mode="documents")
        windows = Windows(self.size, self.stride, self.unit)
        article, first, last = parse_ids(inp["docno"].to_numpy(dtype=object))
        row: list[Ints] = []
        starts: list[Ints] = []
        ends: list[Ints] = []
        texts: list[str] = []
        for at, (docno, text) in enumerate(zip(inp["docno"], inp["text"], strict=True)):
            if not isinstance(text, str):
                raise ValueError(f"{self!r}: docno {docno!r}: the text {text!r} is not text")
            if first[at] >= 0 and last[at] - first[at] != len(text):
                raise ValueError(
                    f"{self!r}: docno {docno!r} has {last[at] - first[at]} characters, and its text {len(text)}; "
                    "offsets are lost unless the text is the part's own; load it with "
                    "collection.text_loader(spaces='keep')"
                )
            start, end = windows.spans(text, NO_ELEMENTS)
            row.append(np.full(len(start), at))
            starts.append(start + max(int(first[at]), 0))
            ends.append(end + max(int(first[at]), 0))
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
