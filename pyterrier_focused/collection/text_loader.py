"""The transformer that loads the text of articles and passages."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyterrier as pt


class TextLoader(pt.Transformer):
    """Add the column `text`: that of the article or the passage that `docno` names."""

    schematic = {"help_url": None}  # draws without a look-up on the network

    def __init__(self, collection: Any):
        self.collection = collection

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["docno"])
        return inp.assign(text=pd.Series(self.collection.text(inp["docno"]), index=inp.index, dtype=object))

    def __repr__(self) -> str:
        return f"TextLoader({self.collection!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TextLoader) and self.collection == other.collection

    def __hash__(self) -> int:
        return hash(("TextLoader", self.collection))
