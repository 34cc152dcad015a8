"""Which format a source is told to have: by the roots of its XML, and by the endings of its files."""

import pytest
from dumps import dump

from pyterrier_focused.errors import CollectionError

LAW = "<law><title>On fog</title><page>1</page><p>Words.</p><page>2</page></law>"
REVISION = "<revision><text>Words.</text></revision>"
EXPORT = "http://www.mediawiki.org/xml/export-0.11/"

pytestmark = pytest.mark.filterwarnings("ignore:.*left out, not being files that end in")


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


def test_nxml_is_article_xml_named_by_its_file(build):
    assert build({"PMC1.nxml": "<article><p>Fog.</p></article>"}).docnos() == ["PMC1"]


def test_a_folder_that_is_mostly_left_out_is_an_error(build):
    with pytest.raises(CollectionError, match=r"2 \.pdf, 1 \.docx.*format='text' \(--from text\).*convert PDF"):
        build({"a.txt": "a", "b.pdf": "x", "c.pdf": "x", "d.docx": "x"})


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
