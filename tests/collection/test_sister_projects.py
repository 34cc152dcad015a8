"""Wikis that are no Wikipedias: tables of Wikipedia's templates are not for them; Fandom's own markup is read."""

import pytest
from dumps import page

HEAD = """<mediawiki xml:lang="en"><siteinfo><dbname>{name}</dbname><base>{base}</base><namespaces><namespace key="0"/>
<namespace key="10">Template</namespace></namespaces></siteinfo>"""
SITES = {
    "wikipedia": ("enwiki", "https://en.wikipedia.org/wiki/Main_Page", True),
    "wikipedia by name": ("enwiki", "", True),
    "nothing told": ("", "", True),
    "wiktionary": ("enwiktionary", "https://en.wiktionary.org/wiki/Wiktionary:Main_Page", False),
    "wiktionary by name": ("enwiktionary", "", False),
    "fandom": ("muppetwiki", "https://muppet.fandom.com/wiki/Muppet_Wiki", False),
}


def read(build, name, base, wikitext, more="", **options):
    text = wikitext.replace("&", "&amp;").replace("<", "&lt;")
    pages = page(1).replace("Opening of 1.", text) + more
    collection = build({"d.xml": HEAD.format(name=name, base=base) + pages + "</mediawiki>"}, **options)
    return collection.article("1")["text"].partition("\n\nPart one")[0].removeprefix("Page 1\n\n")


@pytest.mark.parametrize(("name", "base", "is_read"), SITES.values(), ids=SITES)
def test_tables_are_for_wikipedias(build, name, base, is_read):
    text = read(build, name, base, "It has {{convert|5|km}} and {{FRA}}, {{formatnum:1234}}.")
    assert text == ("It has 5 km and France, 1,234." if is_read else "It has and, 1,234.")


def test_tables_are_read_if_asked_for(build):
    name, base, _ = SITES["fandom"]
    assert read(build, name, base, "It has {{convert|5|km}}.", templates="tables") == "It has 5 km."


def test_infoboxes_and_tabs_on_a_page(build):
    name, base, _ = SITES["fandom"]
    wikitext = (
        "<infobox><title>A</title></infobox>\nHe.\n<tabber>\nOld = ''One'' [[day]].\n|-|\nNew = Two.\n</tabber>\nEnd."
    )
    assert read(build, name, base, wikitext) == "He.\n\nOld\n\nOne day.\n\nNew\n\nTwo.\n\nEnd."
