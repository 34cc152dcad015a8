"""Templates that a dump holds itself: gathered first, kept with the collection, the same for all workers."""

import re

import pytest
from dumps import contents, page

import pyterrier_focused as ptf
from pyterrier_focused.cli import main
from pyterrier_focused.collection.sources import find as sources

SITEINFO = """<mediawiki xml:lang="ltg"><siteinfo><namespaces><namespace key="0"/><namespace key="6">Fails</namespace>
<namespace key="10">Taiss</namespace><namespace key="14">Kategoreja</namespace></namespaces></siteinfo>"""


def template(number, title, wikitext, redirect=""):
    text = wikitext.replace("&", "&amp;").replace("<", "&lt;")
    return (
        f"<page><title>Taiss:{title}</title><ns>10</ns><id>{number}</id>"
        + (f'<redirect title="{redirect}"/>' if redirect else "")
        + f"<revision><text>{text}</text></revision></page>\n"
    )


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A dump whose templates come after the pages that call them, in several blocks."""
    monkeypatch.setattr(sources, "GROUP_BYTES", 4_000)
    pages = [page(n).replace(f"Opening of {n}.", f"{{{{Born|{n}}}}} {{{{b|x}}}} [[Fails:A.jpg]]") for n in range(1, 60)]
    pages.append(template(100, "Born", "was born in {{{1}}}[[Kategoreja:People]]<noinclude>no</noinclude>"))
    pages.append(template(101, "B", "", "Taiss:Bold"))
    pages.append(template(102, "Bold", "'''bold {{{1}}}'''"))
    (tmp_path / "dump.xml").write_text(SITEINFO + "".join(pages) + "</mediawiki>")
    return tmp_path / "dump.xml"


def test_pages_read_with_the_templates_of_their_dump(tmp_path, source):
    collection = ptf.Collection.build(source, tmp_path / "c", verbose=False)
    assert collection.article("7")["text"].startswith("Page 7\n\nwas born in 7 bold x\n\nPart one")
    assert collection.article("7")["categories"] == ["People"]
    collection.verify()


@pytest.mark.long
def test_two_workers_expand_templates_to_the_same_bytes_as_one(tmp_path, source):
    ptf.Collection.build(source, tmp_path / "one", verbose=False)
    ptf.Collection.build(source, tmp_path / "two", workers=2, verbose=False)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_only_the_tables_are_used_if_asked_for(tmp_path, source):
    collection = ptf.Collection.build(source, tmp_path / "c", templates="tables", verbose=False)
    assert "born" not in collection.article("7")["text"]


def test_the_user_s_own_come_before_those_of_the_dump(tmp_path, source):
    collection = ptf.Collection.build(source, tmp_path / "c", templates={"b": "<{1}>"}, verbose=False)
    assert collection.article("7")["text"].startswith("Page 7\n\nwas born in 7 <x>")


def test_the_command_takes_the_tables_only(tmp_path, source, capsys):
    assert main(["build", str(source), str(tmp_path / "c"), "--templates", "tables"]) == 0
    assert "born" not in ptf.Collection(tmp_path / "c").article("7")["text"]


def test_templates_of_another_name_are_refused(tmp_path, source):
    with pytest.raises(ValueError, match="templates='lua'"):
        ptf.Collection.build(source, tmp_path / "c", templates="lua", verbose=False)


def test_categories_and_files_are_told_apart_by_the_dump_s_own_names(build):
    wikitext = "Words [[Fails:A.jpg|thumb|a caption]] end [[Kategoreja:One]] [[Category:Two]] [[Kategoreja:Three|x]]"
    pages = page(1).replace("Opening of 1.", wikitext)
    collection = build({"dump.xml": SITEINFO + pages + "</mediawiki>"})
    assert collection.article("1")["categories"] == ["One", "Two", "Three"]


@pytest.mark.parametrize("head", [SITEINFO, "<mediawiki>"])
@pytest.mark.parametrize("name", ["Taiss", "Template"])
def test_dumps_without_namespaces_of_pages_tell_templates_by_their_titles(build, head, name):
    """As dumps of before 2012 are; names that the dump does not tell are MediaWiki's own."""
    pages = page(1).replace("Opening of 1.", "{{Born|x}}") + template(9, "Born", "born in {{{1}}}")
    pages = re.sub("<ns>.*?</ns>", "", pages).replace("Taiss:", f"{name}:")
    collection = build({"dump.xml": f"{head}{pages}</mediawiki>"})
    is_known = head == SITEINFO or name == "Template"
    assert list(collection) == (["1"] if is_known else ["1", "9"])
    assert collection.article("1")["text"].startswith("Page 1\n\nborn in x") == is_known


@pytest.mark.parametrize(("calls", "is_said"), [(1, False), (2, True)])
def test_a_build_says_if_many_templates_need_lua(tmp_path, capsys, calls, is_said):
    wikitext = "{{Lua}} " * calls + "{{Big|a}} " * 5
    pages = (
        page(1).replace("Opening of 1.", wikitext)
        + template(9, "Lua", "{{#invoke:a|b}}")
        + template(8, "Big", "{{{1}}}")
    )
    (tmp_path / "dump.xml").write_text(SITEINFO + pages + "</mediawiki>")
    collection = ptf.Collection.build(tmp_path / "dump.xml", tmp_path / "c")
    assert collection.meta["template_calls"] == {"known": calls + 5, "unread": calls}
    assert ("need Lua" in capsys.readouterr().out) is is_said


def test_templates_that_differ_in_their_first_letter_are_kept_apart(build):
    """As in a Wiktionary, whose titles begin with small letters."""
    pages = page(1).replace("Opening of 1.", "{{m|a}} {{M|a}} {{n}}")
    pages += template(8, "m", "small {{{1}}}") + template(9, "M", "capital {{{1}}}") + template(10, "n", "", "Taiss:m")
    collection = build({"dump.xml": SITEINFO + pages + "</mediawiki>"})
    assert collection.article("1")["text"].startswith("Page 1\n\nsmall a capital a small")


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.long)])
def test_a_page_that_others_show_is_gathered_wherever_it_is(build, tmp_path, monkeypatch, workers):
    monkeypatch.setattr(sources, "GROUP_BYTES", 500)
    calls = {
        1: "{{:Page 3}}",
        2: "{{Born|x}}",
        3: "of &lt;noinclude>no &lt;/noinclude>three",
        4: "{{:Page 9}} {{:page 5|y}}",
    }
    calls[5] = "a {{{1}}}"
    pages = "".join(page(n).replace(f"Opening of {n}.", words) for n, words in calls.items())
    pages += template(9, "Born", "born {{:Page_3}}")
    collection = build({"dump.xml": SITEINFO + pages + "</mediawiki>"}, workers=workers)
    assert collection.article("1")["text"].split("\n")[2].startswith("of three")
    assert collection.article("2")["text"].split("\n")[2].startswith("born of three")
    assert collection.article("4")["text"].split("\n")[2].startswith("a y")
    assert collection.report().values.tolist() == [["page", ":page 9", 1]]
    collection.verify()
    assert not list((tmp_path / "c").glob("*.pages.jsonl"))
