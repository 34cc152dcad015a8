"""INEX assessment files, in the structure that X-Rai's download_pools.php writes."""

import io

import pytest
from xml_articles import ARTICLES, XmlArticles

from pyterrier_focused import cells
from pyterrier_focused.errors import FormatError
from pyterrier_focused.io import read_qrels

COLLECTION = XmlArticles(ARTICLES)
POOL = """<?xml version="1.0"?>
<!DOCTYPE assessments SYSTEM "../../assessments.dtd">
<assessments pool="311" topic="401" version="2">

<!-- Topic definition -->
<inex_topic topic_id="401" query_type="CO+S" ct_no="8"><title>lead</title></inex_topic>

<!-- Topic assessments (only completed files) -->
 <file collection="wikien" name="7">
   <best-entry-point path="/article[1]/bdy[1]/p[1]"/>
   <passage start="/article[1]/bdy[1]/p[1]/text()[1].0" end="/article[1]/bdy[1]/p[1]/b[1]" size="7"/>
   <passage start="/article[1]/bdy[1]/sec[1]/p[1]" end="/article[1]/bdy[1]/sec[1]/p[2]/text()[1].6" size="14"/>
   <element path="/article[1]" exhaustivity="2" size="66" rsize="21"/>
 </file>
 <file collection="wikien" name="12">
 </file>
</assessments>
"""


def test_passages_and_best_entry_points():
    text, other = COLLECTION.text(["7", "12"])
    qrels = read_qrels(io.BytesIO(POOL.encode()), collection=COLLECTION)
    assert [[text[start:end] for start, end in cell] for cell in cells(qrels["highlights"])] == [
        ["of gold", "Nigredo.Albedo"], [],
    ]  # fmt: skip
    assert qrels.drop(columns="highlights").to_dict("list") == {
        "qid": ["401", "401"],
        "docno": ["7", "12"],
        "label": [1, 0],
        "bep": [text.index("of gold"), -1],
        "length": [len(text), len(other)],
        "relevant_size": [len("of gold") + len("Nigredo.Albedo"), 0],
    }


def test_assessments_of_a_folder_are_read_together(tmp_path):
    (tmp_path / "topic-401").mkdir()
    (tmp_path / "topic-401" / "pool-311.xml").write_text(POOL)
    (tmp_path / "pool-312.xml").write_text(POOL.replace('topic="401"', 'topic="402"'))
    assert read_qrels(tmp_path, collection=COLLECTION)["qid"].tolist() == ["402", "402", "401", "401"]
    (tmp_path / "pool-313.xml").write_text(POOL)
    with pytest.raises(FormatError, match=r"pool-311\.xml:9: a file judged twice for its topic; topic '401'; keep"):
        read_qrels(tmp_path, collection=COLLECTION)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (
            "p[2]/text()[1].6",
            "p[9]",
            "9: a path that the article does not have; topic '401', article '7', path '/article.*p.9.'",
        ),
        ("p[2]/text()[1].6", "p[1]/text()[1].0", "9: a passage without characters"),
        ('name="7"', 'name="99"', "9: an article that is not in the collection; topic '401', article '99'"),
        ('name="7"', "", "9: a <file> without its attribute name"),
        ('name="12"', 'name="7"', "15: a file judged twice"),
    ],
)
def test_errors_name_file_and_line_of_inex_assessments(old, new, reason):
    text = POOL.replace(old, new, 1).encode()
    with pytest.raises(FormatError, match=f"<stream>:{reason}"):
        read_qrels(io.BytesIO(text), collection=COLLECTION)
    with pytest.warns(UserWarning, match="1 skipped"):
        assert len(read_qrels(io.BytesIO(text), collection=COLLECTION, errors="skip")) == 1


def test_assessments_need_a_collection():
    with pytest.raises(FormatError, match=r"pass collection=Collection"):
        read_qrels(io.BytesIO(POOL.encode()))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"<topics/>", r"<stream>:1: no assessments: expected <assessments topic=..>, found <topics>"),
        (POOL.encode()[:-5], "malformed XML"),
    ],
)
def test_what_is_no_assessments_is_refused(data, message):
    with pytest.raises(FormatError, match=message):
        read_qrels(io.BytesIO(data), collection=COLLECTION)
