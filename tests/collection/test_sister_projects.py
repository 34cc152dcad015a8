"""Wikis that are no Wikipedias: tables of Wikipedia's templates are for them, too; Fandom's own markup is read."""

import pytest
from dumps import page

HEAD = """<mediawiki xml:lang="en"><siteinfo><dbname>{name}</dbname><base>{base}</base><namespaces><namespace key="0"/>
<namespace key="10">Template</namespace></namespaces></siteinfo>"""
SITES = {
    "wikipedia": ("enwiki", "https://en.wikipedia.org/wiki/Main_Page"),
    "wikipedia by name": ("enwiki", ""),
    "nothing told": ("", ""),
    "wiktionary": ("enwiktionary", "https://en.wiktionary.org/wiki/Wiktionary:Main_Page"),
    "wiktionary by name": ("enwiktionary", ""),
    "fandom": ("muppetwiki", "https://muppet.fandom.com/wiki/Muppet_Wiki"),
}


def read(build, name, base, wikitext, more="", **options):
    text = wikitext.replace("&", "&amp;").replace("<", "&lt;")
    pages = page(1).replace("Opening of 1.", text) + more
    collection = build({"d.xml": HEAD.format(name=name, base=base) + pages + "</mediawiki>"}, **options)
    return collection.article("1")["text"].partition("\n\nPart one")[0].removeprefix("Page 1\n\n")


@pytest.mark.parametrize(("name", "base"), SITES.values(), ids=SITES)
def test_tables_are_for_every_wiki(build, name, base):
    text = read(build, name, base, "It has {{convert|5|km}} and {{FRA}}, {{formatnum:1234}}.")
    assert text == "It has 5 km and France, 1,234."


def test_infoboxes_and_tabs_on_a_page(build):
    name, base = SITES["fandom"]
    wikitext = (
        "<infobox><title>A</title></infobox>\nHe.\n<tabber>\nOld = ''One'' [[day]].\n|-|\nNew = Two.\n</tabber>\nEnd."
    )
    assert read(build, name, base, wikitext) == "He.\n\nOld\n\nOne day.\n\nNew\n\nTwo.\n\nEnd."
