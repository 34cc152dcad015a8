"""Tables of other libraries: Arrow's, and those that only export Arrow data, as polars does."""

import pandas as pd
import pyarrow as pa
import pytest

import pyterrier_focused as ptf

RUN = pa.table({"qid": ["1"], "docno": ["a"], "score": [2.0], "passages": [[{"start": 0, "end": 50}]]})
QRELS = pa.table({"qid": ["1"], "docno": ["a"], "label": [1], "highlights": [[{"start": 0, "end": 50}]]})
PARTS = pa.table({"qid": ["1", "1"], "docno": ["a#0-50", "a#60-70"], "score": [2.0, 1.0]})


class Exported:
    """A table that can only be exported."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("form", [lambda table: table, Exported], ids=["Arrow", "exported"])
def test_checks_and_packing_take_tables(form):
    ptf.check_run(form(RUN))
    ptf.check_qrels(form(QRELS))
    pd.testing.assert_frame_equal(ptf.pack(form(PARTS)), ptf.pack(PARTS.to_pandas()))
    assert ptf.unpack(form(RUN))["docno"].tolist() == ["a#0-50"]


def test_spans_of_64_bit_lists_are_read():
    spans = pa.large_list(pa.struct([("start", pa.int64()), ("end", pa.int64())]))
    run = RUN.set_column(3, "passages", pa.array(RUN["passages"].to_pylist(), spans))
    assert ptf.unpack(run)["docno"].tolist() == ["a#0-50"]


def test_other_things_are_refused():
    with pytest.raises(ValueError, match="a run must be a pandas, polars or Arrow table, not list"):
        ptf.check_run([("1", "a", 2.0)])
