"""Hostile input is data: each bad article is rejected with its reason, the others are taken, nothing is fetched."""

import json
import os
import socket
import time

import pytest
from parsing import parse_article_xml, parse_page, parse_wikitext

import pyterrier_focused as ptf
from pyterrier_focused.errors import BuildError
from pyterrier_focused.wikitext import RejectedArticle

GOOD = b"<article><header><title>Good</title><id>7</id></header><bdy><p>Words.</p></bdy></article>"
LAUGHS = (
    b'<!DOCTYPE a [<!ENTITY x "ha">'
    + b"".join(b'<!ENTITY x%d "%s">' % (i, b"&x%s;" % (str(i - 1).encode() if i else b"") * 10) for i in range(9))
    + b"]><a>&x8;</a>"
)
BAD_XML = {
    "billion laughs": (LAUGHS, "an entity that HTML does not define.*&x8;.*--entity x8=TEXT"),
    "truncated": (GOOD[:60], "not well-formed"),
    "bad nesting": (b"<a><b></a></b>", "not well-formed.*tag mismatch"),
    "invalid UTF-8": (b"<a>\xff\xfe</a>", "not well-formed"),
    "NUL byte": (b"<a>x\x00y</a>", "not well-formed"),
    "unknown encoding": (b'<?xml version="1.0" encoding="x-nothing"?><a/>', "encoding"),
    "empty": (b"", "it is empty"),
    "100,000 levels": (b"<a>" * 100_000 + b"</a>" * 100_000, "Excessive depth|nested over 1,000"),
    "1,001 levels": (b"<a>" * 1_001 + b"</a>" * 1_001, "nested over 1,000"),
    "a space in the id": (b"<a><header><id>7 8</id></header></a>", "white space"),
}


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*arguments):
        raise AssertionError(f"a connection was tried: {arguments}")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.mark.parametrize("what", BAD_XML)
def test_a_bad_article_is_rejected_with_its_reason(what, no_network):
    data, reason = BAD_XML[what]
    with pytest.raises(RejectedArticle, match=reason):
        parse_article_xml(data, "file")


def test_a_dtd_that_is_named_is_not_fetched(no_network):
    data = b'<!DOCTYPE article SYSTEM "http://127.0.0.1:9/article.dtd">' + GOOD.replace(b"Words", b"Caf&eacute;")
    assert parse_article_xml(data, "file").text.endswith("Café.")


ELSEWHERE = {
    "in a file": '[<!ENTITY f SYSTEM "file:///etc/passwd">]',
    "on a server": '[<!ENTITY % p SYSTEM "http://127.0.0.1:9/x"> %p;]',
    "in a DTD": 'PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "docbookx.dtd"',
}


@pytest.mark.parametrize("place", ELSEWHERE)
def test_references_to_what_is_defined_elsewhere_are_left_out_and_counted(place, no_network, tmp_path, capsys):
    (tmp_path / "a.xml").write_text(f'<!DOCTYPE a {ELSEWHERE[place]}><a b="&f;">A&nbsp;&f;<![CDATA[&f;]]></a>')
    collection = ptf.Collection.build(tmp_path / "a.xml", tmp_path / "c")
    assert collection.text(["a"]) == ["A\xa0&f;"]
    assert collection.report().values.tolist() == [["entity", "f", 2]]
    assert "2 references" in capsys.readouterr().out


def test_a_document_beyond_the_size_is_rejected(tmp_path):
    (tmp_path / "a.xml").write_bytes(b"<a>" + b"x" * 2**26 + b"</a>")
    with pytest.raises(BuildError, match=r"a\.xml.*67,108,864"):
        ptf.Collection.build(tmp_path / "a.xml", tmp_path / "c", verbose=False)


def test_a_text_node_of_50_megabytes_is_only_long(no_network):
    article = parse_article_xml(b"<a><id>1</id>" + b"x" * 50_000_000 + b"</a>", "big")
    assert len(article.text) == 50_000_001


def write_files(folder, files):
    folder.mkdir()
    for name, data in files.items():
        with open(os.path.join(os.fsencode(folder), os.fsencode(name)), "wb") as file:
            file.write(data)
    return folder


def read_errors(collection):
    return [json.loads(line) for line in (collection.path / "errors.jsonl").read_text().splitlines()]


def test_the_build_goes_on_and_lists_every_bad_article(tmp_path):
    bad = {f"{number:02}.xml": data for number, (data, _) in enumerate(BAD_XML.values())}
    no_title = b"<article><bdy>Only words.</bdy></article>"
    files = {**bad, "good.xml": GOOD, "twin.xml": GOOD, "no-title.xml": no_title}
    folder = write_files(tmp_path / "articles", files)
    collection = ptf.Collection.build(folder, tmp_path / "c", max_rejected=1, verbose=False)
    assert {article["docno"]: article["title"] for article in collection.articles()} == {"7": "Good", "no-title": ""}
    errors = read_errors(collection)
    assert len(errors) == len(BAD_XML) + 1 == collection.meta["rejected"]
    assert all(error["reason"] and error["file"] and "position" in error and error["id"] for error in errors)


ODD_NAMES = [b"\xff.xml", b"a\nb.xml", "é.xml", "x#1-2.xml", "UP.XML", "sp ace.xml", "z.xml.gz", "b.xml"]


def test_odd_files_in_a_folder(tmp_path):
    folder = write_files(tmp_path / "in", dict.fromkeys(ODD_NAMES, b"<article><p>words</p></article>"))
    (folder / "empty.xml").touch()
    (folder / "broken.xml").symlink_to(tmp_path / "nowhere")
    (folder / "round").symlink_to(folder)
    os.mkfifo(folder / "pipe.xml")
    collection = ptf.Collection.build(folder, tmp_path / "c", max_rejected=1, verbose=False)
    assert sorted(collection.docnos()) == ["UP", "b", "z", "é"]
    reasons = {error["file"]: error["reason"] for error in read_errors(collection)}
    assert set(reasons) == {"\\udcff.xml", "a\nb.xml", "x#1-2.xml", "sp ace.xml", "empty.xml"}
    assert "not in UTF-8" in reasons["\\udcff.xml"]
    assert "white space" in reasons["a\nb.xml"]
    assert "reads as the id of a passage" in reasons["x#1-2.xml"]


PAGE = "<page><title>{title}</title><ns>0</ns><id>{id}</id><revision><text>{text}</text></revision></page>"


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        (PAGE.format(title="", id=3, text="words"), "it has no title"),
        (PAGE.format(title="T", id="", text="words"), "it has no id"),
        (PAGE.format(title="T", id=3, text="a <b>"), "not well-formed"),
        (PAGE.format(title="T", id=3, text="a &nothing; b"), "an entity that HTML does not define.*&nothing;"),
        (
            '<!DOCTYPE p [<!ENTITY x "ha">]>' + PAGE.format(title="T", id=3, text="&x;"),
            "an entity that HTML does not define.*&x;",
        ),
        (PAGE.format(title="T", id=3, text="a <b/> c"), "markup or entities that are not escaped"),
        (PAGE.format(title="T", id=3, text="\x00"), "not well-formed"),
    ],
)
def test_a_bad_page_is_rejected_with_its_reason(page, reason, no_network):
    with pytest.raises(RejectedArticle, match=reason):
        parse_page(page.encode())


def test_pages_that_are_no_articles_are_passed_over():
    page = PAGE.format(title="T", id=3, text="words")
    assert parse_page(page.replace("<ns>0", "<ns>1").encode()) is None
    assert parse_page(page.replace("</id>", "</id><redirect title='X'/>", 1).encode()) is None
    assert parse_page(page.replace("words", "#REDIRECT [[X]]").encode()) is None


MEGABYTE = 10**6
BEYOND_BOUNDS = {
    "templates": "{{x " * (MEGABYTE // 4),
    "links": "[[x " * (MEGABYTE // 4),
    "tables": "{|\n" * 1000 + "|}\n" * 1000,
    "lists": "*" * MEGABYTE,
    "definitions": ";" * MEGABYTE,
    "too long": "x " * (2**20 + 1),
}


@pytest.mark.parametrize("what", BEYOND_BOUNDS)
def test_wikitext_that_is_too_long_or_too_deep_is_rejected(what):
    began = time.monotonic()
    with pytest.raises(RejectedArticle, match=r"limit"):
        parse_wikitext("1", "T", BEYOND_BOUNDS[what])
    assert time.monotonic() - began < 30


@pytest.mark.parametrize("letter", ["x", "é"])
def test_two_mebibytes_of_utf_8_are_the_limit(letter):
    fits = f"{letter} " * (2**21 // len(f"{letter} ".encode()))
    fits += "y" * (2**21 - len(fits.encode()))
    assert parse_wikitext("1", "T", fits).text.startswith(f"T\n\n{letter} {letter}")
    with pytest.raises(RejectedArticle, match="2,097,153 bytes"):
        parse_wikitext("1", "T", fits + "y")


BUSY = {
    "ref": "<ref>x " * (MEGABYTE // 7),
    "math": "<math>x " * (MEGABYTE // 8),
    "tables": "{|\n x\n" * (MEGABYTE // 7),
    "comments": "<!-- x " * (MEGABYTE // 7),
    "external links": "[http://x " * (MEGABYTE // 10),
    "many attributes": "<b a=" * (MEGABYTE // 5),
    "equals": "=x " * (MEGABYTE // 3),
    "square brackets": "[x] " * (MEGABYTE // 4),
    "many headings in a line": "== x" * 101 + "== x ==\n" * 1000,
    "braces": "{" * (MEGABYTE // 2) + "}" * (MEGABYTE // 2),
    "closed before they are opened": "</ref>" * 300 + "<ref>" * 300 + "y " * (MEGABYTE // 2),
    "a few, and much text": "<ref>x " * 400 + "y " * (MEGABYTE // 2),
    "hidden": "<div style='display:none'>" * (MEGABYTE // 25),
    "what is gone": "{{gone}}, (" * (MEGABYTE // 12),
    "dates": "{{bd|1900年}} " * (MEGABYTE // 13),
    "items": "<li>x</li>" + "\n \t" * (MEGABYTE // 3) + "<li>" * 10_000,
    "quotes": "'' ''' '''' " * (MEGABYTE // 13),
    "terms": ";" + "[[a:b]]" * (MEGABYTE // 7),
    "code": "<code><b>" * (MEGABYTE // 9),
    "pauses": ", " * (MEGABYTE // 2),
    "commas": "," * MEGABYTE + "x",
    "brackets": "( " * (MEGABYTE // 2),
    "headings": "= x\n" * (MEGABYTE // 5),
    "headings in a line": "== x" * 29 + "== x ==\n" * 20_000,
    "lines of cells": "\n| x" * (MEGABYTE // 8),
    "attributes": "<b a=" * 5 + "y " * 100_000,
    "an open reference": "<ref>x " * 5 + "word <ref name='x'>{{cite|a=b}}</ref> " * 10_000,
}


@pytest.mark.long
@pytest.mark.parametrize("what", BUSY)
def test_wikitext_is_read_in_time_whatever_is_left_open(what):
    began = time.process_time()
    parse_wikitext("1", "T", BUSY[what], language="zh")
    assert time.process_time() - began < 10  # in time that grows as the square of the length it would be minutes


def test_characters_that_xml_cannot_hold_are_no_marks():
    assert parse_wikitext("1", "T", "a\x0e0\x05 b\x11" + "7\x05 c\x02d").text == "T\n\na0 b7 cd"


@pytest.mark.parametrize(
    "text", ["<b>" * 30 + "x", "{{a|" * 90 + "}}" * 90 + " x", "a < b, c <d and x", "[[x", "{{", "''x"]
)
def test_small_faults_are_taken(text):
    assert "x" in parse_wikitext("1", "Title x", text).text
