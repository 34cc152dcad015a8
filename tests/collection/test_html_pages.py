"""Pages of HTML: what MediaWiki's classes mean on its pages and on others, words that a reader sees, and titles."""

import pytest

from pyterrier_focused.wikitext import HtmlReader

CLASSES = "reference references infobox hatnote mbox metadata stub portal gallery sidebar noprint toc".split()
MARKS = [*(f"class='{name}'" for name in CLASSES), "role='note'"]
# What tells that MediaWiki made a page.
WIKI = [
    "<html><head><meta name='generator' content='MediaWiki 1.43.0'></head><body>{}",
    "<html><body class='skin-vector mw-page'>{}",
    "<html prefix='dc: http://purl.org/dc/terms/ mw: http://mediawiki.org/rdf/'><body>{}",
    "<html><body><section data-mw-section-id='0'>{}</section>",
    "<html><body><div id='mw-content-text'>{}</div>",
]
NO_WIKI = ["<html><body>{}", "<html><head><meta name='generator' content='Docutils'></head><body class='amw-x'>{}"]


def read(page):
    return HtmlReader().read("1", "T", page.encode(), is_wiki=None)


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("page", [*NO_WIKI, *WIKI])
def test_classes_of_mediawiki_leave_out_on_its_pages_only(page, mark):
    block = f"<p>One.</p><div {mark}>two</div><p>a <span {mark}>three</span>.</p>"
    shown = {word for word in ("two", "three") if word in read(page.format(block)).text}
    assert shown == ({"two", "three"} if page in NO_WIKI else set())


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>java.lang.<wbr>String of <wbr/>words</p>", "java.lang.String of words"),
        ("<div>a<wbr>b<ul><li>c</li></ul>d</div>", "ab c d"),
        ("<h2>Fog<a class='headerlink' href='#fog' title='Link'>\u00b6</a></h2>", "Fog"),
        ("<h2>Fog<a class='hash-link' href='#fog'>#</a></h2>", "Fog"),
        ("<p>a <a class='reference internal' href='b.html'><span>b</span></a></p>", "a b"),
        ("<nav>x</nav><p>a<button>x</button> b</p><p hidden>x</p><style>x</style><footer>x</footer>", "a b"),
        ("<div role='navigation'>x</div><p>a</p>", "a"),
        ("<figure><pre>a\n b</pre><figcaption>One <b>c</b></figcaption></figure>", "a b One c"),
        ("<ul>a<p>b</p><li>c</li></ul>", "a b c"),
        ("<pre>a<br>b <span>c<br></span><div>d</div><div>e</div></pre>", "a b c d e"),
        ("<table><tbody hidden><tr><td>x</table><dialog>x</dialog><p>a", "a"),
        ("<p>a <math><mi>x</mi><mo>=</mo><mn>2</mn></math></p>", "a x=2"),
        ("<dl><div><dt>a</dt><dd>b</dd></div></dl>", "a b"),
    ],
)
def test_a_page_of_no_wiki_has_the_words_that_a_reader_sees(html, text):
    assert read(f"<html><body>{html}</body></html>").text.split() == ["T", *text.split()]


def test_figures_of_other_pages_are_elements():
    article = read("<html><body><figure>a<figcaption>b</figcaption></figure></body></html>")
    spans = zip(article.tag, article.start, article.end, strict=True)
    assert [(tag, article.text[start:end]) for tag, start, end in spans][2:] == [
        ("figure", "a\n\nb"),
        ("p", "a"),
        ("caption", "b"),
    ]


@pytest.mark.parametrize(
    ("titles", "shown"),
    [
        (["Lens (Optics 2)", "Ray &amp; beam (Optics 2)"], ["Lens", "Ray & beam"]),
        (["Lens \u2014 Optics - Docs", "Search - Optics - Docs"], ["Lens", "Search"]),
        (["Lens - Optics", "Optics"], ["Lens - Optics", "Optics"]),
        (["Lens - Optics", "Ray - Physics"], ["Lens - Optics", "Ray - Physics"]),
        (["Lens-maker", "Ray-maker"], ["Lens-maker", "Ray-maker"]),
        (["Lens - Optics"], ["Lens - Optics"]),
    ],
)
def test_the_name_of_a_site_is_left_out_if_all_titles_have_it(build, titles, shown):
    page = "<html><head><title>{}</title></head><body><p>Words.</p></body></html>"
    collection = build({f"{number}.html": page.format(title) for number, title in enumerate(titles)})
    assert [article["title"] for article in collection.articles()] == shown
