"""Which format a source is told to have: by the roots of its XML, and by the endings of its files."""

import zipfile

import pytest
from dumps import dump

import pyterrier_focused as ptf
from pyterrier_focused.collection.sources.xml_roots import find_root, is_dump
from pyterrier_focused.errors import CollectionError

LAW = "<law><title>On fog</title><page>1</page><p>Words.</p><page>2</page></law>"
REVISION = "<revision><text>Words.</text></revision>"
EXPORT = "http://www.mediawiki.org/xml/export-0.11/"

pytestmark = pytest.mark.filterwarnings("ignore:.*left out, not being files that end in")


@pytest.mark.parametrize(
    ("top", "name", "namespace"),
    [
        ("<a>", "a", ""),
        ("\ufeff<?xml version='1.0'?>\n<!-- <b> --><?style <c>?><a x='1'>", "a", ""),
        ("<!DOCTYPE a [<!ENTITY b '<c>'>]><a>", "a", ""),
        ("<!DOCTYPE a PUBLIC '-//x>' \"y>\"><a>", "a", ""),
        ("<a xmlns='urn:x'>", "a", "urn:x"),
        ('<p:a xmlns="urn:y" xmlns:p = "urn:x">', "a", "urn:x"),
    ],
)
def test_the_root_is_found_after_all_that_may_be_before_it(top, name, namespace):
    root = find_root(top.encode())
    assert (root.name, root.namespace) == (name, namespace)


@pytest.mark.parametrize("top", ["", "words", "<!-- a", "<a", "<!DOCTYPE a", "<!-- a -->" * 5_000 + "<!-- b"])
def test_what_has_no_root_has_none(top):
    assert find_root(top.encode()) is None


@pytest.mark.parametrize(
    ("top", "is_one"),
    [
        ("<mediawiki>", True),
        (f"<mediawiki xmlns='{EXPORT}' version='0.11'>", True),
        ("<mediawiki xmlns='urn:other'>", False),
        (f"<page><title>A</title>{REVISION}</page>", True),
        ("<page><title>A</title></page>", False),
        (LAW, False),
        (f"<law><mediawiki/><page>{REVISION}</page></law>", False),
    ],
)
def test_a_dump_is_told_by_its_root(top, is_one):
    assert is_dump(top.encode()) == is_one


@pytest.mark.parametrize("first", ["a.xml", "z.xml"])
def test_a_folder_of_laws_with_pages_is_no_dump(build, first):
    assert len(build({first: LAW, "m.xml": "<law><p>Other.</p></law>"})) == 2


def test_dumps_beside_other_xml_are_an_error_that_names_both(build):
    with pytest.raises(CollectionError, match=r"b\.xml is a dump of MediaWiki and .*a\.xml is not"):
        build({"a.xml": LAW, "b.xml": dump([1])})


def test_a_record_says_that_xml_is_no_dump(build):
    assert len(build({"a.xml": f"<page><title>A</title>{REVISION}</page>"}, record="//revision")) == 1


BOOK = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": "<container/>",
    "OEBPS/content.opf": "<package/>",
    "OEBPS/toc.ncx": "<ncx/>",
    "OEBPS/style.css": "p {}",
    "OEBPS/one.xhtml": "<html xmlns='http://www.w3.org/1999/xhtml'><body><h2>One</h2><p>Fog.</p></body></html>",
}


@pytest.mark.parametrize("chapters", [1, 4])
def test_an_unpacked_ebook_is_its_chapters(build, chapters):
    pages = {f"OEBPS/{n}.xhtml": BOOK["OEBPS/one.xhtml"] for n in range(chapters)}
    assert build({**BOOK, **pages}).docnos() == [f"OEBPS/{name}" for name in (*range(chapters), "one")]


@pytest.mark.parametrize("is_in_folder", [True, False])
def test_ebooks_are_their_chapters(tmp_path, is_in_folder):
    (tmp_path / "in").mkdir()
    for name in ("a", "b"):
        with zipfile.ZipFile(tmp_path / "in" / f"{name}.epub", "w") as book:
            for path, text in BOOK.items():
                book.writestr(path, text)
    source = tmp_path / "in" if is_in_folder else tmp_path / "in" / "a.epub"
    collection = ptf.Collection.build(source, tmp_path / "c", verbose=False)
    assert collection.docnos() == (["a/one", "b/one"] if is_in_folder else ["a/one"])


def test_nxml_is_article_xml_named_by_its_file(build):
    assert build({"PMC1.nxml": "<article><p>Fog.</p></article>"}).docnos() == ["PMC1"]


def test_a_folder_that_is_mostly_left_out_is_an_error(build):
    with pytest.raises(CollectionError, match=r"2 \.pdf, 1 \.docx.*ends in \.txt.*format='text' \(--from text\)"):
        build({"a.txt": "a", "b.pdf": "x", "c.pdf": "x", "d.docx": "x"})


@pytest.mark.parametrize("files", [("a.zimaa",), ("a.zimaa", "a.zimab", "b.txt")])
def test_pieces_of_a_zim_file_are_to_be_joined(build, files):
    with pytest.raises(CollectionError, match=r"\.zimaa.*join the pieces") as error:
        build({name: b"text" if name.endswith("txt") else b"ZIM\x04\0" for name in files})
    assert "pdftotext" not in str(error.value)


@pytest.mark.parametrize("rest", ["b.png", "b.css", "b.woff2", ".b", "a_files/b.bin"])
def test_what_comes_with_pages_does_not_count(build, rest):
    collection = build({"a.html": "<p>Fog.</p>", **{rest.replace("b", "b" * n): "x" for n in range(1, 5)}})
    assert (collection.meta["source_format"], len(collection)) == ("html", 1)


def test_a_format_that_is_chosen_may_leave_most_out(build):
    with pytest.warns(UserWarning, match="2 files"):
        assert len(build({"a.txt": "a", "b.pdf": "x", "c.pdf": "x"}, "text")) == 1


def test_blank_pages_are_neither_articles_nor_rejected(build):
    blank = "<page><title>B</title><ns>0</ns><id>9</id><revision><text> </text></revision></page>"
    collection = build({"d.xml": dump([1]).replace("</mediawiki>", f"{blank}</mediawiki>")})
    assert (len(collection), collection.meta["rejected"]) == (1, 0)
