"""BEIR's qrels: a table with the columns `query-id`, `corpus-id` and `score`, whose documents are judged as a whole."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..reading.files import Source, source_name
from ..reading.lines import BadLine, Faults, whole
from ..reading.tables import read_table

_COLUMNS = ("query-id", "corpus-id", "score")


def read_beir_qrels(source: Source, *, errors: str = "raise") -> pd.DataFrame:
    """Read the labels of whole documents: `qid, docno, label`, for measures of documents."""
    faults = Faults(source_name(source), errors)
    rows: dict[tuple[str, str], int] = {}
    for line, row in read_table(source)[1]:
        qid, docno, score = (str(row.get(name, "")) for name in _COLUMNS)
        try:
            label = whole(score, "score")
            if not qid or not docno:
                raise BadLine("a judgment without query-id or corpus-id", "give both")
            if (qid, docno) in rows:
                raise BadLine("a document judged twice for its query", "keep one of the lines")
        except BadLine as bad:
            faults.add(bad, line, "\t".join((qid, docno, score)))
            continue
        rows[qid, docno] = label
    faults.report()
    qrels = pd.DataFrame(list(rows), columns=["qid", "docno"], dtype=object)
    qrels["label"] = np.array(list(rows.values()), dtype=np.int64)
    return qrels
