"""Options of what becomes text reach every process of a build: language, templates, tables, boxes; and the report."""

import pytest

import pyterrier_focused as ptf
from pyterrier_focused.cli import main
from pyterrier_focused.errors import CollectionError

PAGE = (
    "<page><title>T{number}</title><ns>0</ns><id>{number}</id><revision><text xml:space='preserve'>{text}</text>"
    "</revision></page>"
)
TEXT = """{{Infobox town|name=T}}
A {{mine|a|b}} and {{yours|c}}, {{formatnum:3797}} m, {{unknown thing}} too.

{|
|+ Caption
| cell
|}
where &lt;math&gt;x^2&lt;/math&gt; is"""


@pytest.fixture
def dump(tmp_path):
    pages = "".join(PAGE.format(number=number, text=TEXT) for number in range(1, 4))
    info = "<siteinfo><dbname>frwiki</dbname></siteinfo>"
    (tmp_path / "d.xml").write_text(f'<mediawiki xml:lang="fr">{info}{pages}</mediawiki>')
    return tmp_path / "d.xml"


def build(dump, path, **options):
    return ptf.Collection.build(dump, path, verbose=False, **options)


def test_the_language_is_the_dumps_unless_another_is_given(dump, tmp_path):
    assert "3 797 m" in build(dump, tmp_path / "a").text(["1"])[0]
    assert "3,797 m" in build(dump, tmp_path / "b", language="en").text("1")[0]  # as English writes numbers


def test_options_of_text(dump, tmp_path):
    plain = build(dump, tmp_path / "a")
    assert set(plain.elements("1")["tag"]) == {"article", "title", "p", "table", "caption", "row", "cell", "math"}
    other = build(
        dump,
        tmp_path / "b",
        templates={"mine": "{1}-{2}", "Yours": "{1}!"},
        drop=("table", "math"),
        infobox=True,
    )
    assert other.text(["1"]) == ["T1\n\nname\tT\n\nA a-b and c!, 3 797 m, too.\n\nwhere is"]
    assert set(other.elements("1")["tag"]) == {"article", "title", "p", "infobox", "row", "cell"}
    with pytest.raises(CollectionError, match="text was"):
        build(dump, tmp_path / "b")


def test_the_report_counts_what_is_left_out_by_kind_and_template(dump, tmp_path, capsys):
    report = build(dump, tmp_path / "a").report()
    assert list(zip(report["kind"], report["template"], report["count"], strict=True)) == [
        ("infobox", "infobox town", 3),
        ("unknown", "mine", 3),
        ("unknown", "unknown thing", 3),
        ("unknown", "yours", 3),
    ]
    status = main(
        ["build", str(dump), str(tmp_path / "b"), "--report", "--templates", "mine={2}", "--drop", "table", "--infobox"]
    )
    assert status == 0
    assert "unknown\tunknown thing\t3\nunknown\tyours\t3\n" in capsys.readouterr().out
    assert "A b and" in ptf.Collection(tmp_path / "b").text(["1"])[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"drop": ("row",)}, "'table', 'caption', 'figure', 'math'"),
        ({"templates": {"x": "[{1}"}}, "the pattern"),
        ({"templates": "tables"}, "templates='tables'"),
    ],
)
def test_text_options_that_are_none_are_refused(dump, tmp_path, options, message):
    with pytest.raises(ValueError, match=message):
        build(dump, tmp_path / "a", **options)


def test_options_of_text_are_not_for_article_xml(tmp_path):
    (tmp_path / "a.xml").write_text("<article><p>x</p></article>")
    with pytest.raises(ValueError, match="MediaWiki"):
        build(tmp_path / "a.xml", tmp_path / "c", infobox=True)
