"""INEX topics of all years."""

import io
import re
import xml.etree.ElementTree

import pandas as pd
import pytest

from pyterrier_focused.errors import FormatError
from pyterrier_focused.io import read_topics, write_topics
from pyterrier_focused.io.inex.topics import plain_query

TOPIC_2006 = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE inex_topic SYSTEM "topic.dtd">
<inex_topic topic_id="289" ct_no="3">
<title>emperor "Napoleon I" Polish</title>
<castitle>//article[about(., Z\u00fcrich)]</castitle>
<description>Find   it.</description>
<narrative>Long
story.</narrative>
</inex_topic>
"""


@pytest.fixture(scope="module")
def file_of_2009(shared_data):
    return shared_data / "inex-2009-topics.xml"


@pytest.fixture(scope="module")
def topics_of_2009(file_of_2009):
    return read_topics(file_of_2009)


def test_topics_of_2009_have_the_fields_that_pythons_own_parser_reads(file_of_2009, topics_of_2009):
    """Predefined entities win over the DTD's redefinitions, as XML wants it."""
    parts = ["title", "castitle", "phrasetitle", "description", "narrative"]
    others = xml.etree.ElementTree.parse(file_of_2009).getroot()
    expected = {part: [(topic.find(part).text or "").strip() for topic in others] for part in parts}
    assert topics_of_2009[parts].to_dict("list") == expected
    assert topics_of_2009.columns.tolist() == ["qid", "query", *parts]
    assert topics_of_2009["qid"].tolist() == [topic.get("id") for topic in others]


def test_topics_of_2009_are_numbered(topics_of_2009):
    assert topics_of_2009["qid"].tolist() == [str(2009001 + i) for i in range(115)]


def test_queries_of_2009_are_titles_without_marks(topics_of_2009):
    assert not topics_of_2009["query"].str.contains(r"""["+()'-]""").any()
    topic = topics_of_2009.set_index("qid").loc["2009006"]
    assert topic["title"] == "opera singer italian spanish -soprano"
    assert topic["query"] == "opera singer italian spanish"


@pytest.fixture
def folder_of_2006(tmp_path):
    """Two topics of 2006, a file each, and their DTD."""
    (tmp_path / "b").mkdir()
    (tmp_path / "289.xml").write_bytes(TOPIC_2006.encode("iso-8859-1"))
    (tmp_path / "b" / "290.xml").write_bytes(TOPIC_2006.replace('"289"', '"290"').encode("iso-8859-1"))
    (tmp_path / "topic.dtd").write_text("<!ELEMENT inex_topic ANY>")
    return tmp_path


def test_topics_of_2006_are_one_file_each(folder_of_2006):
    topics = read_topics(folder_of_2006)
    assert topics["qid"].tolist() == ["289", "290"]
    assert topics.iloc[0].to_dict() == {
        "qid": "289",
        "query": "emperor Napoleon I Polish",
        "title": 'emperor "Napoleon I" Polish',
        "castitle": "//article[about(., Zürich)]",
        "phrasetitle": "",
        "description": "Find   it.",
        "narrative": "Long\nstory.",
    }


def test_a_file_of_2006_is_read_by_itself(folder_of_2006):
    assert read_topics(folder_of_2006 / "289.xml")["qid"].tolist() == ["289"]


def test_a_topic_in_two_files_is_refused_with_both(folder_of_2006):
    (folder_of_2006 / "c.xml").write_bytes(TOPIC_2006.encode("iso-8859-1"))
    with pytest.raises(FormatError, match=r"c\.xml:3: topic '289' is also in .*289\.xml:3"):
        read_topics(folder_of_2006)


def test_line_ends_and_comments_of_topics_are_left_out():
    text = '<topics>\n<!-- a --><topic id=" 7 ">\n<title>a <!-- b -->b &amp; c&eacute;</title></topic></topics>'
    text = '<!DOCTYPE topics [<!ENTITY eacute "&#233;">]>\n' + text
    topics = read_topics(io.BytesIO(text.replace("\n", "\r\n").encode()))
    assert topics[["qid", "title", "query"]].to_numpy().tolist() == [["7", "a b & cé", "a b cé"]]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("<topics>\n<topic id='1'><title>x</title></topics>", 2, "malformed XML"),
        ("<topics>\n<topic><title>x</title></topic></topics>", 2, "a topic without id"),
        ("<topics>\n<topic id='1'><title> </title></topic></topics>", 2, "topic '1' has no title"),
        ("<topics>\n<topic id='1'/></topics>", 2, "topic '1' has no title"),
        (
            "<t><topic id='1'><title>x</title></topic>\n<topic id='1'><title>x</title></topic></t>",
            2,
            "topic '1' is also",
        ),
        ("<inex-submission/>", 1, "no topics: expected <topic id=..> or <inex_topic topic_id=..>, found <inex-"),
        ("1 Q0 a 0 5", 1, "these are no topics: INEX XML, a table with qid and query, or lines qid<tab>query"),
    ],
)
def test_errors_name_file_and_line_of_topics(tmp_path, text, line, reason):
    file = tmp_path / "topics.xml"
    file.write_text(text)
    with pytest.raises(FormatError, match=rf"topics\.xml:{line}: {reason}"):
        read_topics(file)


def test_an_empty_folder_or_file_has_no_topics(tmp_path):
    with pytest.raises(ValueError, match=r"no \.xml files"):
        read_topics(tmp_path)
    with pytest.raises(FormatError, match="the file is empty"):
        read_topics(io.BytesIO(b" \n"))


def test_entities_of_a_dtd_are_not_expanded():
    text = '<!DOCTYPE t [<!ENTITY x "boo">]><t><topic id="1"><title>&x;</title></topic></t>'
    with pytest.raises(FormatError, match=r"<stream>:1: an entity that HTML does not define.*&x;"):
        read_topics(io.BytesIO(text.encode()))


@pytest.mark.parametrize(
    ("title", "query"),
    [
        ('"plays of Shakespeare"+Macbeth', "plays of Shakespeare Macbeth"),
        ("ski +waxing  -water -wave", "ski waxing"),
        ('disaster -"natural disaster" cost', "disaster cost"),
        ("Al-Andalus self-portrait", "Al Andalus self portrait"),
        ("Ramakrishna's mysticism valentine’s day", "Ramakrishna mysticism valentine day"),
        ("C++ vs. C#: AT&T (R&D) 50% ~x^2 a|b [c] {d} /e/ f\\g h*", "C vs C AT T R D 50 x 2 a b c d e f g h"),
        ("female OR woman AND NOT man", "female or woman and not man"),
        ("ORANGE ANDES", "ORANGE ANDES"),
        ("-only -this", "only this"),
        ("rock - paper", "rock paper"),
        ("हिन्दी संगीत 東京", "हिन्दी संगीत 東京"),
        ("naïve café", "naïve café"),
    ],
)
def test_a_title_becomes_a_query_without_operators(title, query):
    assert plain_query(title) == query


TOPICS = pd.DataFrame({"qid": ["1", "a b"], "query": ['Čapek\tand, "more"', "two\nlines"], "narrative": ["", "long"]})


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz", "t.TSV", "t.json", "topics"])
def test_tables_of_topics_come_back_as_they_were(tmp_path, name):
    write_topics(TOPICS, tmp_path / name)
    pd.testing.assert_frame_equal(read_topics(tmp_path / name), TOPICS, check_dtype=False)


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA], ids=repr)
def test_what_a_topic_lacks_is_an_empty_field(missing):
    target = io.StringIO()
    write_topics(pd.DataFrame({"qid": ["1"], "query": ["fog"], "narrative": [missing]}, dtype=object), target)
    assert target.getvalue() == "qid\tquery\tnarrative\n1\tfog\t\n"


def test_a_table_of_topics_needs_no_header():
    topics = read_topics(io.StringIO("1\tlead and gold\n\n2\tnaïve\n"))
    assert topics.to_dict("list") == {"qid": ["1", "2"], "query": ["lead and gold", "naïve"]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("qid\tbody\n1\tx\n", "t.tsv:1: expected a header with qid and query, each column once"),
        ("qid\tquery\tquery\n1\tx\ty\n", "t.tsv:1: expected a header with qid and query, each column once"),
        ("qid\tquery\n1\tx\n1\ty\n", "t.tsv:3: topic '1' is also in line 2"),
        ("qid\tquery\n1\tx\t\n", "t.tsv:2: 3 fields instead of 2"),
        ("qid\tquery\n \tx\n", "t.tsv:2: topic ' ' has no id"),
        ("1\t \n", "t.tsv:1: topic '1' has no query"),
        ('qid\tquery\n1\t"x', "t.tsv:2: not a well-formed table"),
        ("", "t.tsv: no topics: the file is empty"),
        ("\xe9\t1".encode("latin-1"), "t.tsv: bytes that are not UTF-8"),
    ],
)
def test_bad_tables_of_topics_are_refused_with_their_line(tmp_path, text, message):
    (tmp_path / "t.tsv").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(FormatError, match=re.escape(message)):
        read_topics(tmp_path / "t.tsv")


def test_queries_without_a_header_keep_their_quotation_marks():
    topics = read_topics(io.StringIO('1\t"sea marks" lamps\n2\ta 5" lens\n'))
    assert topics["query"].tolist() == ['"sea marks" lamps', 'a 5" lens']


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", "ID,Question,Narrative\n1,sea marks,long\n"),
        ("t.jsonl", '{"id": 1, "question": "sea marks", "Narrative": "long"}\n'),
        ("t.json", '[{"id": "1", "question": "sea marks", "Narrative": "long"}]'),
    ],
)
def test_tables_of_topics_with_other_names(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    topics = read_topics(tmp_path / name)
    assert topics[["qid", "query", "Narrative"]].values.tolist() == [["1", "sea marks", "long"]]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.jsonl", '{"qid": 1, "query": "x"}\n[]\n', "t.jsonl:2: this topic is not an object with qid and query"),
        ("t.jsonl", '{"qid": 1}\n', "t.jsonl:1: topic '1' has no query"),
        ("t.tsv", "1\tx\ty\n", "t.tsv:1: expected a qid, a tab and the query"),
    ],
)
def test_a_line_that_is_no_topic_is_refused(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(FormatError, match=re.escape(message)):
        read_topics(tmp_path / name)


def test_what_a_table_of_topics_cannot_hold_is_refused():
    with pytest.raises(ValueError, match="topics need the column 'query'"):
        write_topics(TOPICS.drop(columns="query"), io.StringIO())
    with pytest.raises(ValueError, match="column 'x' holds list"):
        write_topics(TOPICS.assign(x=[[1], [2]]), io.StringIO())
