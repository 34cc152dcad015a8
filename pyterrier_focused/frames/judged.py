"""Which rows of a ranking are judged."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .checks import need
from .ids import parse_ids


def is_judged(rows: pd.DataFrame, qrels: pd.DataFrame) -> NDArray[np.bool_]:
    """Tell for each row whether it is judged for its topic; a part counts as judged if its article is."""
    need(rows, ["qid", "docno"], "the run")
    need(qrels, ["qid", "docno"], "the qrels")
    judged = pd.MultiIndex.from_arrays([qrels["qid"].astype(str), qrels["docno"].astype(str)])
    qid = rows["qid"].astype(str)
    docno = rows["docno"].astype(str)
    article = parse_ids(docno)[0] if len(rows) else docno
    found = [pd.MultiIndex.from_arrays([qid, names]).isin(judged) for names in (docno, article)]
    return np.asarray(found[0] | found[1], dtype=bool)
