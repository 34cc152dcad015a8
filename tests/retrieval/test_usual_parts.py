"""What is indexed if nobody says: by the share of the text that elements hold, without metadata."""

import pytest

import pyterrier_focused as ptf
from pyterrier_focused.cli import main
from pyterrier_focused.retrieval.passages.usual_parts import choose_usual_parts

SPEECH = "".join(f"<l>The {number}th verse of what is said upon the stage.</l>" for number in range(6))
PLAY = f"""<TEI><teiHeader><fileDesc><title>A play</title><p>{"Printed by somebody. " * 9}</p></fileDesc></teiHeader>
<text><front><castList><p>{"A king, a queen, and more. " * 4}</p></castList></front><body><div><head>Act 1</head>
{"".join(f"<sp><speaker>KING</speaker>{SPEECH}</sp><stage>Exit.</stage>" for _ in range(8))}
</div></body></text></TEI>"""
# 5 of para, 4 of screen and 3 of programlisting, of 120 characters each; titles hold little.
BOOK = f"""<book><bookinfo><para>{"Copyright. " * 30}</para></bookinfo><chapter><title>One</title>{
    f"<para>{'word ' * 24}</para>" * 5
}{f"<screen>{'echo ' * 24}</screen>" * 4}{f"<programlisting>{'call ' * 24}</programlisting>" * 3}</chapter></book>"""
ARTICLE = f"""<article><front><journal><p>Light</p></journal><abstract><p>{"Lenses. " * 20}</p></abstract></front>
<body><sec><title>Fog</title><p>{"A horn. " * 40}</p></sec></body><back><ref-list><p>Fresnel 1822</p></ref-list></back>
</article>"""


@pytest.fixture
def build(tmp_path):
    def build(document):
        (tmp_path / "one.xml").write_text(document, encoding="utf-8")
        return ptf.Collection.build(tmp_path / "one.xml", tmp_path / "c", "inex", verbose=False)

    return build


def test_speeches_of_a_play(build):
    usual = choose_usual_parts(build(PLAY))
    assert usual.names == ("sp",)
    # what is not in sp: the heading and the stage directions, without white space
    inside = 8 * len(("KING" + SPEECH.replace("<l>", "").replace("</l>", "")).replace(" ", ""))
    assert usual.share == pytest.approx(inside / (inside + len("Act1") + 8 * len("Exit.")))


def test_elements_of_documentation_come_by_their_gain(build):
    assert choose_usual_parts(build(BOOK)).names == ("para", "screen", "programlisting")


def test_sections_and_paragraphs_if_they_hold_the_text(build):
    assert choose_usual_parts(build(ARTICLE)).names == ("sec", "p")


def test_metadata_are_not_indexed_but_the_abstract(build):
    texts = [part["text"].split()[0] for part in build(ARTICLE).parts()]
    assert texts == ["Lenses.", "Fog", "A"]


@pytest.mark.parametrize("document", [PLAY, BOOK])
def test_no_part_is_of_metadata(build, document):
    assert not [part for part in build(document).parts() if "Printed" in part["text"] or "Copy" in part["text"]]


@pytest.mark.parametrize("tag", ["p", "body"])
def test_windows_over_a_text_without_pieces(build, tag):
    collection = build(f"<a><teiHeader>About</teiHeader><{tag}>{'wave ' * 1900}</{tag}></a>")
    assert choose_usual_parts(collection).names == ("windows of 1,000 characters",)
    parts = [part["docno"] for part in collection.parts()]
    assert parts == [f"one#{start}-{min(start + 1000, 9506)}" for start in range(5, 9505, 1000)]


def test_the_command_says_what_is_indexed(build, tmp_path, capsys):
    build(BOOK)
    assert main(["index", str(tmp_path / "c"), str(tmp_path / "i"), "--engine", "bm25s"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == (
        "they are para, screen, programlisting, with 99.7% of the text; --elements or --windows takes others"
    )
