"""Good files, damaged: every reader reads them, or raises a FormatError (a ValueError) with file and line."""

import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_cases import count_cases
from readings import quietly
from xml_articles import ARTICLES, XmlArticles

from pyterrier_focused import check_qrels, check_run
from pyterrier_focused.errors import FormatError
from pyterrier_focused.io import read_qrels, read_run, read_topics
from pyterrier_focused.io.inex.checks import validate_run

COLLECTION = XmlArticles(ARTICLES)
FOL = "".join(f"20090{t} Q0 {d} {r} {9.5 - r} tag {r * 7} {r + 1}\n" for t in (1, 2) for d in (7, 12) for r in (1, 2))
PATHS = (
    "1 Q0 7 1 9 t /article[1]/bdy[1]/sec[1]\n1 Q0 7 2 8 t /article[1]/bdy[1]/p[1] /article[1]/bdy[1]/p[1]/text()[2].3\n"
)
XML = """<?xml version="1.0" encoding="UTF-8"?>
<inex-submission participant-id="12" run-id="R1" task="Focused">
<topic topic-id="1">
<result><file>7</file><path>/article[1]/bdy[1]/sec[1]</path><rank>1</rank><rsv>0.5</rsv></result>
<result><file>12</file><fol offset="3" length="7"/><rank>2</rank><rsv>0.25</rsv></result>
<result><file>7</file><passage start="/article/bdy/p[1]/text()[1].0" end="/article/bdy/p[1]"/><rank>3</rank></result>
</topic>
</inex-submission>
"""
QRELS = "1 Q0 7 12 66 3 3:5 10:7\n1 Q0 12 0 27\n2 Q0 7 3 66 -1 0:3\n"
POOL = """<assessments pool="1" topic="401"><file name="7">
<best-entry-point path="/article[1]/bdy[1]/p[1]"/>
<passage start="/article[1]/bdy[1]/p[1]/text()[1].0" end="/article[1]/bdy[1]/p[1]/b[1]" size="7"/></file>
<file name="12"/></assessments>
"""
TOPICS = """<?xml version="1.0"?>
<!DOCTYPE t [<!ENTITY amp "ampersand"><!ENTITY uuml "&#252;">]>
<t><topic id="1"><title>opera -"soap" Z&uuml;rich &amp; +bel</title><castitle>//a[about(.,x)]</castitle></topic></t>
"""
READERS = {
    "fol": (FOL, read_run, {"missing": "official"}),
    "paths": (PATHS, read_run, {"collection": COLLECTION}),
    "xml": (XML, read_run, {"collection": COLLECTION}),
    "trec": ("1 Q0 7 1 2.5 t\n1 Q0 12 2 1.5 t\n", read_run, {"lengths": {"7": 66, "12": 27}}),
    "inex": (QRELS, read_qrels, {"collection": COLLECTION}),
    "pool": (POOL, read_qrels, {"collection": COLLECTION}),
    "labels": ("1 0 7 1\n1 0 12 0\n", read_qrels, {"lengths": {"7": 66, "12": 27}}),
    "topics": (TOPICS, read_topics, {}),
}
MORE = {
    "table": ('qid\tquery\tnarrative\n1\tlead "and" gold\tx\n2\t"naïve"\ty\n', read_topics, {}),
    "ids": ("1 Q0 a#5-9 1 3 t\n1 Q0 b#0-4 2 2 t\n1 Q0 a#0-5 3 1 t\n", read_run, {}),
    "documents": ("1 Q0 7 1 2.5 t\n1 Q0 12 2 1.5 t\n", read_run, {"documents": True}),
    "validate": (XML, validate_run, {"topics": {"1"}, "collection": COLLECTION}),
    "validate-fol": (FOL, validate_run, {"task": "bic", "collection": COLLECTION}),
}
PIECES = [
    b"\x00", b"\xff", b"\xef\xbb\xbf", b"\r", b"\n", b"\n\n", b" ", b"\t", b"-", b"9" * 30, b"1e3", b"1_0", b"X",
    b"nan", b"<", b">", b"&", b"&lt;", b"&x;", b"]]>", b"<!--", b"-->", b"<?", b'"', b"/", b"[", b"]", b":", b".",
    b"\xc2\xa0", "é".encode(), "٣".encode(), b"<result>", b"</topic>", b"<!DOCTYPE a [", b"\x1f\x8b", b"BZh9",
    b"text()[1].5", b"0",
]  # fmt: skip


@st.composite
def damaged(draw, good):
    data = bytearray(good.encode())
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(data)))
        size = draw(st.sampled_from([0, 0, 1, 1, 5, 40]))
        piece = draw(st.one_of(st.sampled_from(PIECES), st.just(b""), st.binary(max_size=3)))
        if draw(st.booleans()):
            piece = bytes(data[at : at + size]) * 2  # something twice
        data[at : at + size] = piece
    return bytes(data)


NAME = "damaged.txt"


def read_or_refuse(handle, read, options):
    """What a reader makes of a file of this name: a frame, or the error with which it refuses the file."""
    handle.name = NAME
    try:
        return quietly(read, handle, **options)
    except FormatError as error:
        return error


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("errors", ["raise", "skip"])
@settings(max_examples=count_cases(150))
@given(data=st.data())
def test_damaged_inex_files_are_read_or_refused_with_file_and_line(name, errors, data):
    good, read, options = READERS[name]
    if read is not read_topics:
        options = {**options, "errors": errors}
    found = read_or_refuse(io.BytesIO(data.draw(damaged(good))), read, options)
    if isinstance(found, FormatError):
        assert found.file == NAME
        assert re.search(rf"^{re.escape(NAME)}:\d+: |is empty|compressed|pass collection", str(found))
    elif read is read_run:
        check_run(found)
    elif read is read_qrels:
        check_qrels(found)


@pytest.mark.parametrize("name", READERS)
def test_every_truncated_inex_file_is_read_or_refused_by_name(name):
    good, read, options = READERS[name]
    found = enumerate(read_or_refuse(io.StringIO(good[:size]), read, options) for size in range(len(good)))
    assert [(at, error) for at, error in found if isinstance(error, FormatError) and error.file != NAME] == []


@pytest.mark.parametrize("name", MORE)
@given(data=st.data())
def test_damaged_tables_and_runs_are_read_or_refused_by_name(name, data):
    good, read, options = MORE[name]
    found = read_or_refuse(io.BytesIO(data.draw(damaged(good))), read, options)
    assert not isinstance(found, FormatError) or found.file == NAME
    if name == "ids" and "passages" in getattr(found, "columns", ()):
        check_run(found)
