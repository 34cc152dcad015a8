"""HTML of MediaWiki reads as the same article's wikitext does; dumps and saved pages become collections."""

import gzip
import io
import json
import tarfile

import pytest
from parsing import parse_wikitext

import pyterrier_focused as ptf
from pyterrier_focused.wikitext import RejectedArticle
from pyterrier_focused.wikitext.html import MAX_DEPTH, HtmlReader

# wikitext, and what Parsoid makes of it
PAIRS = {
    "paragraphs and links": (
        "The '''[[cat]]''' is a [[Felidae|small]] animal.<ref>x</ref>\n\nIt [[purr]]s.",
        '<section data-mw-section-id="0" id="mwAQ"><p id="mwAg">The <b><a rel="mw:WikiLink" href="./Cat" title="Cat">cat'  # noqa: E501
        '</a></b> is a <a rel="mw:WikiLink" href="./Felidae" title="Felidae">small</a> animal.<sup about="#mwt2" '
        'class="mw-ref reference" typeof="mw:Extension/ref"><a href="#cite_note-1"><span>[1]</span></a></sup></p>\n'
        '<p>It <a rel="mw:WikiLink" href="./Purr" title="Purr">purrs</a>.</p></section>',
    ),
    "sections": (
        "Intro.\n== A ==\na\n=== B ===\nb\n== C ==\nc",
        '<section data-mw-section-id="0"><p>Intro.</p></section><section data-mw-section-id="1"><h2 id="A">A</h2><p>a</p>'  # noqa: E501
        '<section data-mw-section-id="2"><h3 id="B">B<span class="mw-editsection">[edit]</span></h3><p>b</p></section>'
        '</section><section data-mw-section-id="3"><div class="mw-heading mw-heading2"><h2 id="C">C</h2></div><p>c</p>'
        "</section>",
    ),
    "lists": (
        "* one\n** two\n* three\n\n; term : definition",
        "<ul><li>one\n<ul><li>two</li></ul></li>\n<li>three</li></ul>\n\n<dl><dt>term</dt><dd>definition</dd></dl>",
    ),
    "tables": (
        '{| class="wikitable"\n|+ Caption\n! A !! B\n|-\n| a || [[b]]\n|-\n| colspan=2 | c\n|}\n\nafter',
        '<table class="wikitable"><caption>Caption</caption><tbody><tr><th>A</th><th>B</th></tr>\n<tr><td>a</td>'
        '<td><a rel="mw:WikiLink" href="./B" title="B">b</a></td></tr><tr><td colspan="2">c</td></tr></tbody></table>\n'
        "<p>after</p>",
    ),
    "formulae and code": (
        "where <math>x^2</math> is, <code>d[[0]]</code>\n<syntaxhighlight lang='c'>\nint a;\n  b();\n</syntaxhighlight>",  # noqa: E501
        '<p>where <span class="mwe-math-element" typeof="mw:Extension/math"><span class="mwe-math-mathml-inline" '
        'style="display: none;"><math alttext="{\\displaystyle x^2}"><semantics><mrow><msup><mi>x</mi><mn>2</mn></msup>'
        '</mrow><annotation encoding="application/x-tex">{\\displaystyle x^2}</annotation></semantics></math></span>'
        '<img class="mwe-math-fallback-image-inline" alt="x"/></span> is, <code>d[[0]]</code></p>\n<div '
        'class="mw-highlight"><pre><span class="kt">int</span> a;\n  b();\n</pre></div>',
    ),
    "what is left out, and a caption": (
        "{{Infobox|a=b}}\n[[File:a.jpg|thumb|its caption]]\n{{Main|x}}\na{{citation needed}} b\n\n[[Category:D]]\n"
        "<references/>\n{{Navbox}}",
        '<table class="infobox" about="#mwt1"><tbody><tr><th>a</th><td>b</td></tr></tbody></table>\n<figure '
        'typeof="mw:File/Thumb"><a href="./File:a.jpg"><img src="x"/></a><figcaption>its caption</figcaption></figure>\n<div '  # noqa: E501
        'role="note" class="hatnote navigation-not-searchable">Main article: x</div><p>a<sup class="noprint '
        'Inline-Template">[citation needed]</sup> b</p><link rel="mw:PageProp/Category" href="./Category:D"/><div '
        'class="mw-references-wrap"><ol class="mw-references references"><li>note</li></ol></div><div role="navigation" '  # noqa: E501
        'class="navbox">n</div><style>x</style>',
    ),
    "a poem": ("<poem>\nfirst\nsecond\n</poem>", '<div class="poem"><p>first<br/>second</p></div>'),
    "a quotation": ("a<blockquote>b</blockquote>c", "<p>a</p><blockquote><p>b</p></blockquote><p>c</p>"),
    "a break and an entity": ("a<br/>b &lt;c&gt; so&shy;ft", "<p>a<br/>b &lt;c&gt; so&shy;ft</p>"),
    "addresses": (
        "[http://x.org words] [http://y.org] z",
        '<p><a rel="mw:ExtLink" href="http://x.org" class="external text">words</a> <a rel="mw:ExtLink" '
        'href="http://y.org" class="external autonumber"></a> z</p>',
    ),
}


def parse(html, **options):
    reader = HtmlReader(**options)
    return reader.read("1", "T", html.encode())


@pytest.mark.parametrize(
    ("wikitext", "html", "text"),
    [
        ("a <br/> b<br>\n<br>c", "<p>a <br/> b<br/>\n<br/>c</p>", "a\nb\nc"),
        ("* a<br>b\n* c", "<ul><li>a<br/>b</li><li>c</li></ul>", "a\nb\nc"),
        ("== a<br>b ==\nc", "<h2>a<br/>b</h2><p>c</p>", "a b\nc"),
        ("{|\n| a<br>b || c\n|}", "<table><tr><td>a<br/>b</td><td>c</td></tr></table>", "a b\tc"),
        ("{|\n|+ a<br>b\n| c\n|}", "<table><caption>a<br/>b</caption><tr><td>c</td></tr></table>", "a b\nc"),
    ],
    ids=["paragraph", "item", "heading", "cell", "caption"],
)
def test_a_line_break_ends_a_line_but_not_of_headings_and_cells(wikitext, html, text):
    assert [parse_wikitext("1", "T", wikitext).text, parse(html).text] == [f"T\n\n{text}"] * 2


def elements(article):
    return [(tag, article.text[a:b]) for tag, a, b in zip(article.tag, article.start, article.end, strict=True)]


@pytest.mark.parametrize("what", PAIRS)
def test_html_reads_as_the_same_article_in_wikitext(what):
    wikitext, html = PAIRS[what]
    one, other = parse_wikitext("1", "T", wikitext, language="en"), parse(f"<html><body>{html}</body></html>")
    assert other.text == one.text
    assert elements(other) == elements(one)
    assert other.parent == one.parent
    assert other.links == one.links
    assert other.categories == one.categories


def test_an_infobox_is_rows_of_label_and_value_if_asked_for():
    wikitext, html = "{{Infobox|born=1950}}\n\na", "<table class='infobox'><tr><th>born</th><td>1950</td></tr></table>a"
    one, other = parse_wikitext("1", "T", wikitext, infobox=True), parse(html, infobox=True)
    assert elements(one) == elements(other)
    assert ("infobox", "born\t1950") in elements(other)


def test_tables_captions_and_formulae_are_left_out_if_asked_for():
    html = PAIRS["tables"][1]
    assert parse(html, drop=("table",)).text == "T\n\nafter"
    assert parse(html, drop=("caption",)).text == "T\n\nA\tB\na\tb\nc\n\nafter"
    assert "x^2" not in parse(PAIRS["formulae and code"][1], drop=("math",)).text


def enterprise(number, html, name="Title", **more):
    page = {"name": name, "identifier": number, "article_body": {"html": html}, "namespace": {"identifier": 0}}
    return json.dumps({**page, "categories": [{"name": "Category:Cats"}], **more}).encode() + b"\n"


PAGE = "<p>Words of page {}.</p>"


def make_tar(lines):
    """A packed archive of two files."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for number, half in enumerate((lines[:10], lines[10:])):
            member = tarfile.TarInfo(f"enwiki_{number}.ndjson")
            member.size = len(b"".join(half))
            archive.addfile(member, io.BytesIO(b"".join(half)))
    return packed.getvalue()


PACKINGS = {"ndjson": b"".join, "ndjson.gz": lambda lines: gzip.compress(b"".join(lines)), "json.tar.gz": make_tar}


@pytest.mark.parametrize("packed", PACKINGS)
def test_enterprise_dumps_plain_and_packed(packed, tmp_path):
    lines = [enterprise(number, PAGE.format(number), f"Page {number}") for number in range(1, 30)]
    lines.append(enterprise(99, "<p>talk</p>", namespace={"identifier": 1}))
    path = tmp_path / f"enwiki.{packed}"
    path.write_bytes(PACKINGS[packed](lines))
    collection = ptf.Collection.build(path, tmp_path / "c", verbose=False)
    assert collection.docnos() == [str(number) for number in range(1, 30)]
    assert collection.text(["7"]) == ["Page 7\n\nWords of page 7."]


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ("<b>" * (MAX_DEPTH + 5) + "x", "limit"),
        ("<table><tr><td>" * 200 + "x", "tables nested over 20 deep"),
        ("<ul><li>" * 200 + "x", "lists nested over 50 deep"),
    ],
)
def test_html_nested_too_deep_is_rejected(html, reason):
    with pytest.raises(RejectedArticle, match=reason):
        parse(html)


def test_faulty_html_is_read():
    article = parse("<p>a <b>b <i>c</b> d</i><table><tr><td>e<td>f</table><li>g</p></div>\x01&#2; h")
    assert article.text.split() == "T a b c d e f g h".split()
    assert HtmlReader.title_of(HtmlReader().tree(b"<h1>\x01 </h1><title>x\n y</title>")) == "x y"
    with pytest.raises(RejectedArticle, match="empty"):
        HtmlReader().tree(b"")


@pytest.mark.parametrize("sign", [*"/=0@", *map(chr, (1, 8, 14, 31, 0x1F60, 0x4E2D, 0x1F600))])
@pytest.mark.parametrize("reference", ["&#x{:x};", "&#X{:X};", "&#x000{:x};", "&#{};", "&#0{};"])
def test_references_are_read_by_their_numbers_and_those_to_controls_are_left_out(sign, reference):
    shown = sign if ord(sign) >= 32 else ""
    assert parse(f"<p>a{reference.format(ord(sign))}F b</p>").text == f"T\n\na{shown}F b"
