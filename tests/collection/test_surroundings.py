"""What surrounds the text: revisions, addresses, categories, links, redirects, titles; against the source itself."""

import bz2
import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd
import pytest
from dumps import contents
from lxml import etree

import pyterrier_focused as ptf
from pyterrier_focused.cli import main
from pyterrier_focused.collection.sources import find as sources
from pyterrier_focused.collection.sources.page_addresses import address_base, page_address
from pyterrier_focused.errors import CollectionError
from pyterrier_focused.wikitext import as_title, plain_title

HEAD = """<mediawiki xml:lang="en"><siteinfo><base>https://en.example.org/wiki/Main_Page</base><namespaces>
<namespace key="0"/><namespace key="4">Wiki</namespace></namespaces></siteinfo>"""


def page(number, title, text, ns=0, redirect=""):
    return (
        f"<page><title>{title}</title><ns>{ns}</ns><id>{number}</id>{redirect}<revision><id>{number * 11}</id>"
        f"<parentid>3</parentid><timestamp>2024-02-0{number}T10:11:12Z</timestamp><contributor><id>8</id></contributor>"
        f"<text>{text}</text></revision></page>"
    )


PAGES = [
    page(1, "Black cat", "A [[cat]]s' [[black|''dark'' colour]] of [[felis_catus#Fur]], [[#Top|up]].\n\n"
         "[[Category:Cats|x]][[category:Black  things]]\n\n* [[Dog|&amp; dogs]] [http://x.org no link] "
         "[[:Category:Cats]]"),
    page(2, "Cat", "{{Infobox animal|legs=4|sound=''[[meow]]''}}\n\nSee [[Black cat]]."),
    page(3, "Felis catus", "#REDIRECT [[cat#Names]]", redirect='<redirect title="Cat" />'),
    page(4, "Kitty", "#redirect [[felis_catus]]"),
    page(5, "Loop one", "#REDIRECT [[Loop two]]"),
    page(6, "Loop two", "#REDIRECT [[Loop one]]"),
    page(7, "Gone", "#REDIRECT [[Nowhere]]"),
    page(8, "Wiki:Cat", "#REDIRECT [[Cat]]", ns=4),
]  # fmt: skip


@pytest.fixture
def dump(tmp_path):
    path = tmp_path / "dump.xml"
    path.write_text(HEAD + "".join(PAGES) + "</mediawiki>")
    return path


@pytest.fixture
def collection(dump, tmp_path):
    return ptf.Collection.build(dump, tmp_path / "c", infobox=True, verbose=False)


def test_an_article_tells_what_the_dump_knows_of_its_page(collection):
    found = collection.article("1")
    assert found.pop("text").startswith("Black cat\n\nA cats' dark colour of")
    assert found == {
        "docno": "1",
        "title": "Black cat",
        "url": "https://en.example.org/wiki/Black_cat",
        "revision": 11,
        "timestamp": "2024-02-01T10:11:12Z",
        "language": "en",
        "categories": ["Cats", "Black things"],
        "redirects": [],
        "infobox": {},
    }
    cat = collection.article("2")
    assert (cat["redirects"], cat["infobox"]) == (["Felis catus"], {"legs": "4", "sound": "meow"})
    with pytest.raises(ValueError, match="no article with docno '3'"):
        collection.article("3")


def test_links_are_spans_of_their_anchors(collection):
    links = collection.links("1")
    assert links[["target", "anchor"]].values.tolist() == [
        ["Cat", "cats"],
        ["Black", "dark colour"],
        ["Felis catus", "felis_catus#Fur"],
        ["Dog", "& dogs"],
    ]
    text = collection.text(["1"])[0]
    assert [text[a:b] for a, b in zip(links["start"], links["end"], strict=True)] == links["anchor"].tolist()
    assert links["start"].is_monotonic_increasing
    frame = pd.DataFrame({"qid": ["1"], "docno": ["1"]})
    frame["highlights"] = ptf.frames.span_column([0] * 4, 1, links["start"].to_numpy(), links["end"].to_numpy())
    assert ptf.cells(frame["highlights"])[0] == list(zip(links["start"], links["end"], strict=True))


def test_redirects_are_listed_and_followed(collection):
    assert collection.redirects.values.tolist() == [
        ["Felis catus", "Cat"], ["Kitty", "Felis catus"], ["Loop one", "Loop two"], ["Loop two", "Loop one"],
        ["Gone", "Nowhere"],
    ]  # fmt: skip
    found = {
        "Cat": "2", "cat": "2", "Black_cat": "1", " black  cat_": "1", "black Cat": None, "Felis catus": "2",
        "felis_catus": "2", "kitty": "2", "Loop one": None, "Gone": None, "Wiki:Cat": None, "": None, "2": None,
    }  # fmt: skip
    assert {title: collection.find(title) for title in found} == found
    assert [collection.find(target) for target in collection.links("1")["target"]] == ["2", None, "2", None]


def test_docnos_can_be_titles(tmp_path, dump):
    collection = ptf.Collection.build(dump, tmp_path / "t", docno="title", verbose=False)
    assert collection.docnos() == ["Black_cat", "Cat"]
    assert collection.find("kitty") == "Cat"
    assert collection.text(["Black_cat#0-5"]) == ["Black"]


@pytest.fixture
def twice(tmp_path):
    """A dump of two pages of one title and one of none."""
    path = tmp_path / "twice.xml"
    path.write_text(HEAD + PAGES[0] + PAGES[1] + page(9, "Cat", "Another one.") + page(7, "", "x") + "</mediawiki>")
    return path


def test_the_second_of_a_title_is_named(tmp_path, twice):
    assert main(["build", str(twice), str(tmp_path / "d"), "--docno", "title"]) == 1
    assert main(["build", str(twice), str(tmp_path / "d"), "--docno", "title", "--max-rejected", "1"]) == 0
    refused = [json.loads(line) for line in (tmp_path / "d" / "errors.jsonl").read_text().splitlines()]
    assert [(entry["id"], entry["reason"]) for entry in refused] == [
        ("", "it has no title"), ("Cat", "another article of this id came before it")
    ]  # fmt: skip
    again = ptf.Collection(tmp_path / "d")
    assert again.article("Cat")["revision"] == 22
    assert again.find("Cat") == "Cat"


@pytest.mark.parametrize(("docno", "message"), [("id", "docno was 'title' and is 'id'"), ("name", "docno='name'")])
def test_docnos_that_cannot_be_are_refused(tmp_path, dump, docno, message):
    ptf.Collection.build(dump, tmp_path / "d", docno="title", verbose=False)
    with pytest.raises((CollectionError, ValueError), match=message):
        ptf.Collection.build(dump, tmp_path / "d", docno=docno, verbose=False)


def test_article_xml_has_nothing_of_it(tmp_path):
    (tmp_path / "a.xml").write_text("<article><name id='7'>An_article</name><bdy>words</bdy></article>")
    collection = ptf.Collection.build(tmp_path / "a.xml", tmp_path / "c", verbose=False)
    found = collection.article("7")
    assert (found["url"], found["revision"], found["categories"], found["redirects"]) == ("", None, [], [])
    assert len(collection.links("7")) == len(collection.redirects) == 0
    assert list(collection.links("7").columns) == ["start", "end", "target", "anchor"]
    assert collection.find(found["title"]) == "7"
    with pytest.raises(ValueError, match="docno='title' is for MediaWiki dumps and HTML"):
        ptf.Collection.build(tmp_path / "a.xml", tmp_path / "d", docno="title", verbose=False)


def test_batches_and_workers_make_the_same_collection(dump, tmp_path, monkeypatch, collection):
    monkeypatch.setattr(sources, "GROUP_BYTES", 500)
    one = ptf.Collection.build(dump, tmp_path / "1", verbose=False)
    ptf.Collection.build(dump, tmp_path / "2", workers=2, verbose=False)
    assert contents(tmp_path / "1") == contents(tmp_path / "2")
    assert [one.find(title) for title in ("kitty", "Black cat")] == ["2", "1"]
    assert one.redirects.equals(collection.redirects)
    pd.testing.assert_frame_equal(one.links("1"), collection.links("1"))


def test_a_collection_of_another_version_is_refused(tmp_path, collection, monkeypatch):
    monkeypatch.setattr("pyterrier_focused.collection.store.VERSION", 7)
    with pytest.raises(CollectionError, match=r"of version 6, and this reads 7; build it again"):
        ptf.Collection(tmp_path / "c")


def test_titles_and_addresses_are_mediawiki_s():
    assert as_title(" felis__catus ") == "Felis catus"
    assert [as_title(word) for word in ("éa", "ßa", "საქართველო", "")] == ["Éa", "ßa", "საქართველო", ""]
    assert plain_title("e\u0301_a") == "\u00e9 a"
    base = address_base("https://fr.wikipedia.org/wiki/Wikip%C3%A9dia:Accueil_principal")
    assert page_address(base, "AC/DC (groupe): l'\u00e9t\u00e9?") == (  # as MediaWiki's own links to such pages read
        "https://fr.wikipedia.org/wiki/AC/DC_(groupe):_l%27%C3%A9t%C3%A9%3F"
    )
    assert page_address(address_base(""), "A") == ""
    assert address_base("http://x.org/w/index.php?title=Main") == "http://x.org/w/index.php?title="


_ELSEWHERE = re.compile(
    r"[{}<>]|^[|!:;*# ]|\.(jpe?g|png|svg|gif|tiff?|webm|ogv)\b", re.IGNORECASE
)  # links not in the text


class DumpPage(NamedTuple):
    title: str
    ns: str
    number: str
    redirect: str | None
    revision: str
    timestamp: str
    wikitext: str


def pages_of(path):
    """The pages of a dump, by lxml."""
    root = etree.fromstring(bz2.decompress(path.read_bytes()), etree.XMLParser(huge_tree=True))
    for found in root.iter("{*}page"):
        told = found.find("{*}redirect")
        yield DumpPage(
            found.findtext("{*}title"),
            found.findtext("{*}ns"),
            found.findtext("{*}id"),
            None if told is None else told.get("title"),
            *(found.findtext(f"{{*}}revision/{{*}}{name}") for name in ("id", "timestamp", "text")),
        )


@dataclass
class RealDump:
    """A collection of a real dump, the pages of the dump by lxml, and those of them that are its articles."""

    collection: ptf.Collection
    pages: list[DumpPage]
    taken: list[DumpPage]


def build_real(path, folder):
    collection = ptf.Collection.build(path, folder, max_rejected=1, verbose=False)
    docnos, pages = set(collection.docnos()), [*pages_of(path)]
    return RealDump(collection, pages, [page for page in pages if page.redirect is None and page.number in docnos])


@pytest.fixture(scope="module")
def real(shared_data, tmp_path_factory):
    """{name: dump}"""
    paths = [shared_data / "enwiki-sample.xml.bz2", *sorted((shared_data / "wikipedia-languages").glob("*.bz2"))]
    return {path.name: build_real(path, tmp_path_factory.mktemp("real") / "c") for path in paths}


def count_plain_links(wikitext):
    """Links with words of their own, without markup, in lines of words alone."""
    lines = [line for line in wikitext.split("\n") if not _ELSEWHERE.search(line)]
    return Counter(
        (as_title(target), " ".join(words.split()))
        for line in lines
        for target, words in re.findall(r"\[\[([^\[\]|#:]+)\|([^\[\]|#:'&]+)\]\](?!\w)", line)
    )


def count_our_links(links):
    return Counter(zip(links["target"], (" ".join(anchor.split()) for anchor in links["anchor"]), strict=True))


@pytest.mark.long
def test_real_articles_tell_what_their_pages_do(real):
    found = [dump.collection.article(page.number) for dump in real.values() for page in dump.taken]
    told = [(article["title"], article["revision"], article["timestamp"]) for article in found]
    assert told == [(page.title, int(page.revision), page.timestamp) for dump in real.values() for page in dump.taken]
    assert sum(len(article["categories"]) for article in found) > 1_000


@pytest.mark.long
def test_real_titles_lead_to_the_first_article_of_a_title(real):
    # a sample has pages of one title
    first = {(name, page.title): page.number for name, dump in real.items() for page in reversed(dump.taken)}
    assert {(name, title): real[name].collection.find(title) for name, title in first} == first


@pytest.mark.long
def test_real_links_are_spans_of_their_anchors_in_order(real):
    articles = [(dump.collection, page.number) for dump in real.values() for page in dump.taken]
    links = [(collection.links(docno), collection.text([docno])[0], docno) for collection, docno in articles]
    assert [docno for of, _, docno in links if not of["start"].is_monotonic_increasing] == []
    assert [docno for of, _, docno in links if not (of["end"] > of["start"]).all()] == []
    spans = [(docno, text[row.start : row.end], row.anchor) for of, text, docno in links for row in of.itertuples()]
    assert [span for span in spans if span[1] != span[2]] == []
    assert len(spans) > 30_000


@pytest.mark.long
def test_real_links_of_plain_words_are_found(real):
    pairs = [
        (count_plain_links(page.wikitext), count_our_links(dump.collection.links(page.number)))
        for dump in real.values()
        for page in dump.taken
    ]
    plain = sum(theirs.total() for theirs, _ in pairs)
    assert plain > 2_000
    assert sum((theirs & ours).total() for theirs, ours in pairs) >= 0.99 * plain


@pytest.mark.long
def test_real_redirects_are_listed_and_followed(real):
    aliases = {
        name: [[page.title, page.redirect] for page in dump.pages if page.redirect is not None and page.ns == "0"]
        for name, dump in real.items()
    }
    assert {name: dump.collection.redirects.values.tolist() for name, dump in real.items()} == aliases
    pairs = [(real[name].collection, alias, target) for name, of in aliases.items() for alias, target in of]
    found = [collection.find(alias) for collection, alias, _ in pairs]
    assert found == [collection.find(target) for collection, _, target in pairs]
    assert sum(docno is not None for docno in found) > 10


def test_an_enterprise_dump_tells_it_in_its_fields(tmp_path):
    page = {
        "name": "Cat",
        "identifier": 5,
        "url": "https://en.wikipedia.org/wiki/Cat",
        "date_modified": "2024-03-01T00:00:00Z",
        "version": {"identifier": 1234},
        "in_language": {"identifier": "en"},
        "article_body": {
            "html": "<p>See <a rel='mw:WikiLink' href='./Dog_(animal)#Fur' title='Dog (animal)'>dogs</a>.</p>"
        },
        "categories": [{"name": "Category:Cats"}],
        "redirects": [{"name": "Felis catus", "url": "x"}, {"name": "Kitty"}],
    }
    odd = {"name": "Dog", "identifier": 6, "article_body": {"html": "<p>Woof</p>"}}
    odd["article_body"] = {"html": "<p>Woof \ud800</p>"}
    odd |= {"version": 3, "redirects": [None, {"name": 7}], "in_language": "x", "url": None, "categories": 5}
    (tmp_path / "d.ndjson").write_text("".join(json.dumps(entry) + "\n" for entry in (page, odd)))
    collection = ptf.Collection.build(tmp_path / "d.ndjson", tmp_path / "c", verbose=False)
    assert collection.article("5") == {
        "docno": "5",
        "title": "Cat",
        "text": "Cat\n\nSee dogs.",
        "url": "https://en.wikipedia.org/wiki/Cat",
        "revision": 1234,
        "timestamp": "2024-03-01T00:00:00Z",
        "language": "en",
        "categories": ["Cats"],
        "redirects": ["Felis catus", "Kitty"],
        "infobox": {},
    }
    assert collection.links("5").values.tolist() == [[9, 13, "Dog (animal)", "dogs"]]
    assert collection.find("felis_catus") == "5"
    broken = [{**odd, "identifier": 7, "article_body": {"html": None}}, {**odd, "identifier": 8, "namespace": "x"}]
    (tmp_path / "b.ndjson").write_text("".join(json.dumps(entry) + "\n" for entry in broken))
    rest = ptf.Collection.build(tmp_path / "b.ndjson", tmp_path / "b", max_rejected=1, verbose=False)
    assert (rest.docnos(), rest.meta["rejected"]) == (["8"], 1)
    dog = collection.article("6")
    assert (dog["revision"], dog["redirects"], dog["language"], dog["categories"]) == (None, [], "", [])
    titles = ptf.Collection.build(tmp_path / "d.ndjson", tmp_path / "t", docno="title", verbose=False)
    assert titles.docnos() == ["Cat", "Dog"]


@pytest.mark.parametrize(("docno", "expected"), [("id", "5"), ("title", "A_cat")])
def test_a_saved_page_tells_it_in_its_head(build, docno, expected):
    page = (
        '<html about="https://en.wikipedia.org/wiki/Special:Redirect/revision/99">'
        '<head><meta property="mw:pageId" content="5"/>'
        '<meta property="dc:modified" content="2023-05-01T01:02:03.000Z"/>'
        '<link rel="dc:isVersionOf" href="//en.wikipedia.org/wiki/A_cat"/><title>A cat</title></head>'
        '<body lang="en"><p>Purr</p></body></html>'
    )
    found = build({"x.html": page}, docno=docno).article(expected)
    assert (found["url"], found["revision"]) == ("https://en.wikipedia.org/wiki/A_cat", 99)
    assert (found["timestamp"], found["language"]) == ("2023-05-01T01:02:03.000Z", "en")
