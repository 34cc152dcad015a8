"""A file of the wrong kind is called by its name: qrels where a run is wanted, and the other way round."""

import io

import pytest

from pyterrier_focused.errors import FormatError
from pyterrier_focused.io import read_qrels, read_run

FOL = b"2009001 Q0 15 1 -1.8e-05 tag 35336 1877\n2009001 Q0 15 2 7 tag 0 9\n"
QRELS = b"2009001 Q0 85 7300 10656 100 1205:3431 4643:720\n2009001 Q0 86 9 10 0 1:3 4:6\n"
RUN_XML = b"<inex-submission run-id='a'><topic topic-id='1'/></inex-submission>"
QRELS_XML = b"<assessments topic='1'/>"


@pytest.mark.parametrize(
    ("read", "data", "looks"),
    [
        (read_qrels, FOL, r"a run \(fol\), not like qrels"),
        (read_qrels, RUN_XML, r"a run \(inex-xml\), not like qrels"),
        (read_run, QRELS, r"qrels \(inex\), not like a run"),
        (read_run, QRELS_XML, r"qrels \(inex-xml\), not like a run"),
    ],
)
def test_a_file_of_the_other_kind(read, data, looks):
    with pytest.raises(FormatError, match=f"<stream>:1: this looks like {looks}"):
        read(io.BytesIO(data))


@pytest.mark.parametrize(
    ("read", "data"),
    [
        (read_run, b"7 9 1 10 5 tag\n7 10 2 0 3 tag\n"),
        (read_run, b"7 9 1 0.5 10 5 tag\n7 10 2 0.1 0 3 tag\n"),
        (read_qrels, b"7\t9\t20\t5\tB A\n7\t10\t0\t3\tC\n"),
    ],
)
def test_lines_with_the_article_in_place_of_q0_are_no_run_and_no_qrels(read, data):
    """Topic, article, and for runs the rank; offset and length."""
    with pytest.raises(FormatError, match="<stream>:1: this is not a known format of"):
        read(io.BytesIO(data))


@pytest.mark.parametrize("read", [read_run, read_qrels])
def test_utf16_that_is_no_xml(read):
    with pytest.raises(FormatError, match="<stream>:1: this is UTF-16; convert it to UTF-8"):
        read(io.BytesIO(FOL.decode().encode("utf-16")))
