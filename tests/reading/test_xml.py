"""The XML parser that all readers share: nothing is opened, characters are HTML's, time and memory stay linear."""

import contextlib
import http.server
import io
import os
import subprocess
import sys
import threading
import time
from typing import ClassVar

import pytest
import xml_articles
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from xml_articles import ARTICLES, XmlArticles

from pyterrier_focused.collection import Collection
from pyterrier_focused.errors import FormatError
from pyterrier_focused.io import read_qrels, read_run, read_topics
from pyterrier_focused.reading.xml import XmlError, parse_xml, plain_xml, text_of

COLLECTION = XmlArticles(ARTICLES)
TOPICS = (
    '<topics><topic id="1" xml:id="x"><title>caf&eacute;</title></topic>'
    '<topic id="2" xml:id="x"><title>b</title></topic></topics>'
)
RUN = (
    '<inex-submission run-id="r"><topic topic-id="1"><result xml:id="x"><file>caf&eacute;</file>'
    '<fol offset="0" length="9"/></result>'
    '<result xml:id="x"><file>b</file><fol offset="0" length="9"/></result></topic></inex-submission>'
)
POOL = '<assessments topic="1"><file name="7" xml:id="x"/><file name="12" xml:id="x"/></assessments>'
ARTICLE = '<article><p xml:id="x">caf&eacute;</p><p xml:id="x">b</p></article>'
DOCTYPES = [
    '<!DOCTYPE a SYSTEM "{}">',
    '<!DOCTYPE a PUBLIC "-//X//Y" "{}">',
    '<!-- <!DOCTYPE b> --><?x <!DOCTYPE c>?>\n<!DOCTYPE a SYSTEM "{}" [<!-- ]> "\' --><!ELEMENT a ANY><?x ]> ?>]  >',
    "<!DOCTYPE a SYSTEM '{}' [<!ATTLIST a b CDATA \"]>\">]>",
]
READ_ALL = f"""
import pathlib, sys
sys.path.insert(0, {os.path.dirname(xml_articles.__file__)!r})
from pyterrier_focused.collection import Collection
from pyterrier_focused.io import read_qrels, read_run, read_topics
from xml_articles import ARTICLES, XmlArticles
for folder in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    print(read_topics(folder / "0.xml")["title"].tolist(), read_run(folder / "1.xml")["docno"].tolist())
    print(read_qrels(folder / "2.xml", collection=XmlArticles(ARTICLES))["docno"].tolist())
    built = Collection.build(folder / "3.xml", str(folder) + ".built", verbose=False)
    print([article["text"] for article in built.articles()])
"""


def documents(doctype, encoding="utf-8"):
    return [(doctype + text).encode(encoding) for text in (TOPICS, RUN, POOL, ARTICLE)]


def write_documents(folder, dtd):
    """A numbered folder for each document type, with the documents by number."""
    for number, doctype in enumerate(DOCTYPES):
        (folder / str(number)).mkdir(parents=True)
        for place, data in enumerate(documents(doctype.format(dtd))):
            (folder / str(number) / f"{place}.xml").write_bytes(data)


def test_a_document_type_opens_nothing(tmp_path):
    os.mkfifo(tmp_path / "dtd")  # whoever opens it waits for ever
    write_documents(tmp_path / "in", tmp_path / "dtd")
    command = [sys.executable, "-c", READ_ALL, tmp_path / "in"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "['café', 'b'] ['café', 'b']\n['7', '12']\n['café b']\n" * len(DOCTYPES)


class Requests(http.server.BaseHTTPRequestHandler):
    """Whatever is asked is not there, and is remembered."""

    asked: ClassVar[list[str]] = []

    def do_GET(self):
        self.asked.append(self.path)
        self.send_error(404)

    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def port():
    """The port of a server of this machine."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Requests) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server.server_port
        server.shutdown()


@pytest.mark.filterwarnings("ignore:.*nothing but elements p")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("place", ["http://127.0.0.1:{port}/x.dtd", "{folder}/local.dtd"], ids=["server", "file"])
@pytest.mark.parametrize("doctype", DOCTYPES, ids=["system", "public", "comments", "attributes"])
def test_every_reader_takes_what_names_a_dtd_and_asks_no_server(doctype, place, encoding, port, tmp_path):
    (tmp_path / "local.dtd").write_text('<!ENTITY eacute "WRONG"><!ATTLIST topic id CDATA "9"><!ELEMENT x ANY>')
    topics, run, pool, article = documents(doctype.format(place.format(port=port, folder=tmp_path)), encoding)
    assert read_topics(io.BytesIO(topics))["title"].tolist() == ["café", "b"]
    assert read_run(io.BytesIO(run))["docno"].tolist() == ["café", "b"]
    assert read_qrels(io.BytesIO(pool), collection=COLLECTION)["docno"].tolist() == ["7", "12"]
    (tmp_path / "a.xml").write_bytes(article)
    built = Collection.build(tmp_path / "a.xml", tmp_path / "collection", verbose=False)
    assert [found["text"] for found in built.articles()] == ["café b"]
    assert Requests.asked == []


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("<a>\n&nope;</a>", 2, "HTML does not define"),
        ('<!DOCTYPE a [\n<!ENTITY x "y">]>\n\n<a b="&x;"/>', 4, "HTML does not define"),
        ('<!DOCTYPE a [<!ENTITY eacute "boo">]><a>&eacute;</a>', 1, "HTML does not define"),
        ("<!DOCTYPE a [\n<a>", 1, "does not end"),
        ("<!--\n<a/>", 1, "--> is missing"),
        ("\n\n<?xml version='1.0'?><a/>", 3, "not at the start"),
        ("<!DOCTYPE a><!DOCTYPE a SYSTEM 'x'><a/>", 1, "malformed XML"),
        ("<a><!DOCTYPE a SYSTEM 'x'></a>", 1, "malformed XML"),
        ("<a/>\n<!DOCTYPE a SYSTEM 'x'>", 2, "malformed XML"),
        ("words", 1, "an element is expected.*'words'"),
        ('<?xml version="1.0" encoding="punycode"?><a/>', 1, "encoding that is not known: 'punycode'"),
        ('<?xml version="1.0" encoding="utf-16"?><a/>', 1, "not in its encoding"),
        ("<a>" * 5000, 1, "malformed XML"),
    ],
)
def test_what_is_refused_names_file_line_and_reason(text, line, reason):
    with pytest.raises(FormatError, match=rf"(?s)f\.xml:{line}: .*{reason}"):
        parse_xml(text.encode(), "f.xml")


CHARACTERS = "aé漢\U0001f600\t"
PIECES = st.one_of(
    st.text(CHARACTERS, max_size=5),
    st.sampled_from(["&eacute;", "&lt;", "&amp;", "&#233;", "&#x6f22;", "&nbsp;", "&LT;", "&fjlig;", "]", ">", "\n"]),
    st.sampled_from(
        ["<![CDATA[&eacute;<b>]]>", "<!--&eacute;<b>-->", "<?x &eacute;?>", "<b/>", '<b c="&eacute;&quot;>"/>']
    ),
)


@given(st.lists(PIECES, max_size=8), st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"]))
def test_text_is_that_of_a_parser_which_reads_html_s_dtd(pieces, encoding):
    text = f"<a>{''.join(pieces)}</a>"
    declared = (
        '<!DOCTYPE a [<!ENTITY eacute "&#233;"><!ENTITY nbsp "&#160;"><!ENTITY LT "&#38;#60;"><!ENTITY fjlig "fj">]>'
    )
    expected = etree.fromstring((declared + text).encode(), etree.XMLParser(remove_comments=True, remove_pis=True))
    found = parse_xml(text.encode(encoding), "f.xml")
    assert text_of(found) == "".join(expected.itertext())
    assert [dict(element.attrib) for element in found.iter()] == [dict(element.attrib) for element in expected.iter()]


@pytest.mark.parametrize(
    ("encoding", "word"),
    [
        *((encoding, "é") for encoding in ("iso-8859-1", "ISO-8859-15", "windows-1252")),
        *((encoding, "日") for encoding in ("Shift_JIS", "EUC-JP", "Big5")),
        ("KOI8-R", "Ж"),
        ("GB18030", "汉"),
    ],
)
def test_every_encoding_of_xml_reads_as_itself(encoding, word):
    data = f'<?xml version="1.0" encoding="{encoding}"?><a>{word}</a>'.encode(encoding)
    assert parse_xml(data, "f").text == word


@pytest.mark.parametrize(
    "codec", ["punycode", "idna", "utf-7", "unicode_escape", "rot13", "hex", "zlib", "undefined", "mbcs", "palmos"]
)
def test_codecs_of_python_that_are_no_encodings_are_refused(codec):
    with pytest.raises(XmlError, match="encoding that is not known"):
        plain_xml(f'<?xml version="1.0" encoding="{codec}"?><a/>'.encode())


MEGABYTES = 8 * 10**6
LARGE = {
    "blanks": b" " * MEGABYTES + b"<a/>",
    "line ends": b"\n" * MEGABYTES + b"<a/>",
    "greater than": b"<a>" + b">" * MEGABYTES + b"</a>",
    "comments": b"<!--x-->" * (MEGABYTES // 8) + b"<a/>",
    "open CDATA": b"<a>&eacute;" + b"<![CDATA[" * (MEGABYTES // 9),
    "open comments in a DTD": b"<!DOCTYPE a [" + b"<!--" * (MEGABYTES // 4),
    "brackets of a DTD": b"<!DOCTYPE a [" + b"[" * MEGABYTES,
    "quotes of a DTD": b"<!DOCTYPE a " + b"'" * MEGABYTES,
    "declarations": b"<!DOCTYPE a [" + b"<!ENTITY " * (MEGABYTES // 9) + b"]><a/>",
    "ampersands": b"<a>" + b"&a" * (MEGABYTES // 2) + b"</a>",
    "references": b"<a>" + b"&#9;" * (MEGABYTES // 4) + b"</a>",
    "encodings": b"<?xml " + b" encoding= " * (MEGABYTES // 11) + b"?><a/>",
}


MEASURED = """
import pathlib, resource, sys
from pyterrier_focused.reading.xml import parse_xml
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
data = pathlib.Path(sys.argv[1]).read_bytes()
before = peak()
assert parse_xml(data, "f").tag == "a"
assert peak() - before < 10 * len(data), (peak() - before) / len(data)
"""


@pytest.mark.long
@pytest.mark.parametrize("what", LARGE)
def test_time_is_linear_whatever_stands_there(what):
    began = time.process_time()
    with contextlib.suppress(FormatError):
        parse_xml(LARGE[what], "f")
    assert time.process_time() - began < 8  # what is not linear takes hours


@pytest.mark.parametrize("what", ["blanks", "greater than"])
def test_memory_is_at_most_ten_times_the_document(what, tmp_path):
    (tmp_path / "document").write_bytes(LARGE[what])
    subprocess.run([sys.executable, "-c", MEASURED, tmp_path / "document"], check=True)


def test_an_entity_of_thousands_of_digits_is_no_meaning_of_html():
    data = b'<!DOCTYPE a [<!ENTITY eacute "&#' + b"9" * 10_000 + b';">]><a>&eacute;</a>'
    with pytest.raises(FormatError, match="eacute"):
        parse_xml(data, "a.xml")
