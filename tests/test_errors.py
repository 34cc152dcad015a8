"""Errors and warnings: warnings point at the line of the user that led to them."""

import io
import warnings

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest

import pyterrier_focused as ptf
from pyterrier_focused.measures import CharP, iP

QRELS = pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1], "highlights": [[(0, 9)]]})
RUN = pd.DataFrame({"qid": ["1"], "docno": ["b"], "score": [1.0], "passages": [[(0, 9)]]})
TOPICS = pd.DataFrame({"qid": ["1"], "query": ["lamps"]})

CALLS = {
    "Experiment": lambda: pt.Experiment([pt.Transformer.from_df(RUN)], TOPICS, QRELS, [CharP]),
    "ir_measures": lambda: ir_measures.calc_aggregate(
        [iP @ 0.1], QRELS.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"}),
        RUN.rename(columns={"qid": "query_id", "docno": "doc_id"}),
    ),
    "evaluate": lambda: ptf.evaluation.evaluate(QRELS, {"mine": RUN}, [CharP]),
    "read_run": lambda: ptf.read_run(io.BytesIO(b"1 Q0 a 1 1 x 0 9\n1 Q0 a\n"), "fol", errors="skip"),
    "check_qrels": lambda: ptf.check_qrels(QRELS.assign(label=0)),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_warnings_point_at_the_callers_line(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        call()
    places = {warning.filename for warning in caught if issubclass(warning.category, UserWarning)}
    assert places == {__file__}
