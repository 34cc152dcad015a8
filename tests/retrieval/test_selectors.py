import itertools
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from part_frames import slide_plainly

from pyterrier_focused.collection import Collection
from pyterrier_focused.rag.chunks import Chunks
from pyterrier_focused.retrieval import Leaves, Windows
from pyterrier_focused.retrieval.passages.selectors import NO_ELEMENTS, Elements, path_regex, selectors
from pyterrier_focused.retrieval.passages.sentences import sentence_spans


def texts(collection, *elements, **options):
    """The indexed texts of the parts, white space evened out."""
    chosen = elements if len(elements) > 1 else elements[0]
    return [" ".join(part["text"].split()) for part in collection.parts(chosen, **options)]


def paths_of(collection, pattern):
    """The paths of the elements of article 1 whose spans a pattern selects."""
    table = collection.elements("1")
    spans = {part["docno"] for part in collection.parts(pattern) if part["docno"].startswith("1#")}
    ids = [f"1#{start}-{end}" for start, end in zip(table["start"], table["end"], strict=True)]
    return {path for path, name in zip(table["path"], ids, strict=True) if name in spans}


class TestPatterns:
    def test_a_tag(self, collection):
        assert paths_of(collection, "ss1") == {"/article[1]/bdy[1]/sec[1]/ss1[1]"}
        assert len(paths_of(collection, "p")) == 5

    def test_children_and_descendants(self, collection):
        assert len(paths_of(collection, "//sec/p")) == 3
        assert len(paths_of(collection, "//sec//p")) == 4
        with pytest.raises(ValueError, match="nothing in the collection fits '/article/p'"):
            paths_of(collection, "/article/p")
        assert paths_of(collection, "/article/bdy/p") == {"/article[1]/bdy[1]/p[1]"}

    def test_numbers(self, collection):
        assert paths_of(collection, "//sec[2]") == {"/article[1]/bdy[1]/sec[2]"}
        assert paths_of(collection, "//sec[1]/p[2]") == {"/article[1]/bdy[1]/sec[1]/p[2]"}

    def test_article_is_the_whole_article_whatever_its_root_is_called(self):
        start, end, number = np.array([0, 0, 5]), np.array([9, 4, 9]), np.array([1, 1, 2])
        elements = Elements(["TEI", "p", "p"], start, end, np.array([-1, 0, 0]), number)
        ((selector,),) = (selectors("article"),)
        assert [column.tolist() for column in selector.spans("x" * 9, elements)] == [[0], [9]]

    def test_any_tag(self, collection):
        assert paths_of(collection, "//sec[2]/*") == {f"/article[1]/bdy[1]/sec[2]/{t}[1]" for t in ("st", "p", "yr")}
        assert len(paths_of(collection, "*")) == len(collection.elements("1"))

    def test_the_first_may_go_without_its_number(self):
        assert path_regex("/article/sec[1]").fullmatch("/article/sec")
        assert not path_regex("/article/sec[2]").fullmatch("/article/sec")

    @pytest.mark.parametrize("pattern", ["", "//", "sec p", "/article/", "sec[", "sec[x]", "//sec[0x1]"])
    def test_what_is_no_pattern(self, pattern):
        with pytest.raises(ValueError, match="is not a tag or pattern"):
            selectors(pattern)

    def test_what_is_no_selector(self):
        with pytest.raises(ValueError, match="7 is not a tag"):
            selectors(("sec", 7))
        with pytest.raises(ValueError, match="name at least one"):
            selectors(())


class TestTexts:
    def test_leaves_hold_no_element(self, collection):
        leaves = {part["docno"] for part in collection.parts(Leaves())}
        table = collection.elements("2")
        holders = set(table["parent"])
        expected = {
            f"2#{row.start}-{row.end}" for row in table.itertuples() if row.Index not in holders and row.end > row.start
        }
        assert {name for name in leaves if name.startswith("2#")} == expected

    def test_a_span_comes_once_and_outer_before_inner(self, collection):
        ids = [part["docno"] for part in collection.parts(("p", "sec", "p", "article"))]
        assert len(ids) == len(set(ids))
        spans = [tuple(map(int, name.split("#")[1].split("-"))) for name in ids if name.startswith("1#")]
        assert spans == sorted(spans, key=lambda span: (span[0], -span[1]))

    def test_spans_are_those_of_the_text(self, collection):
        parts = list(collection.parts(("p", "sec")))
        expected = collection.text([part["docno"] for part in parts])
        assert ["".join(part["text"].split()) for part in parts] == ["".join(text.split()) for text in expected]

    def test_headings_stay_go_or_come_before(self, collection):
        kept, dropped, added = (texts(collection, "ss1", headings=how) for how in ("keep", "drop", "add"))
        assert kept == ["Lenses Fresnel made a lens of glass rings. The lens throws the light far."]
        assert dropped == ["Fresnel made a lens of glass rings. The lens throws the light far."]
        assert added == ["Lamps Lenses Fresnel made a lens of glass rings. The lens throws the light far."]
        ids = [[p["docno"] for p in collection.parts("ss1", headings=how)] for how in ("keep", "drop", "add")]
        assert ids[0] == ids[1] == ids[2]

    def test_headings_have_the_tags_that_the_collection_names(self, tmp_path):
        (tmp_path / "tei.xml").write_text(
            "<TEI><text><body><div><head>Fog</head><p>Lamps shine.</p></div><div><head>References</head><p>Old.</p>"
            "</div></body></text></TEI>"
        )
        tei = Collection.build(tmp_path / "tei.xml", tmp_path / "c", format="inex", profile="tei", verbose=False)
        assert texts(tei, "div", headings="drop") == ["Lamps shine.", "Old."]
        assert texts(tei, "p", headings="add") == ["Fog Lamps shine.", "References Old."]
        assert texts(tei, "p", exclude="boilerplate") == ["Lamps shine."]
        assert [part["headings"].strip() for part in tei.parts("div", fields=True)] == ["Fog", "References"]

    def test_titles_come_before(self, collection):
        found = texts(collection, "//ss1/p", headings="add", titles=True)
        assert found == ["Lighthouses Lamps Lenses Fresnel made a lens of glass rings. The lens throws the light far."]

    def test_elements_without_space_between_them_stay_apart(self, collection):
        """`<p>A bridge crosses water.</p><sec><st>Stone</st><p>Stone arches ...`"""
        assert "A bridge crosses water. Stone Stone arches carry the road." in texts(collection, "bdy")

    def test_short_parts_are_left_out(self, collection):
        assert min(map(len, texts(collection, "p", min_length=40))) >= 40
        assert len(texts(collection, "p", min_length=40)) < len(texts(collection, "p"))

    @pytest.mark.parametrize("options", [{"headings": "hide"}, {"min_length": 0}, {"min_length": 2.5}])
    def test_settings_of_selectors_are_checked(self, collection, options):
        with pytest.raises(ValueError, match=next(iter(options))):
            list(collection.parts("p", **options))


def list_sections(pieces):
    """The spans of those pieces of a text that are sections, of (whether it is one, its text)."""
    ends = list(itertools.accumulate(len(piece) for _, piece in pieces))
    return [(end - len(piece), end) for (is_section, piece), end in zip(pieces, ends, strict=True) if is_section]


class TestWindows:
    @given(st.text("ab \n", min_size=1, max_size=60), st.integers(1, 12), st.one_of(st.none(), st.integers(1, 12)))
    def test_windows_of_characters_by_definition(self, text, size, stride):
        start, end = Windows(size, stride).spans(text, NO_ELEMENTS)
        assert list(zip(start, end, strict=True)) == slide_plainly(len(text), size, stride or size)

    @given(st.text("ab \n", max_size=60), st.integers(1, 5), st.one_of(st.none(), st.integers(1, 7)))
    def test_words_in_windows_by_definition(self, text, size, stride):
        start, end = Windows(size, stride, unit="words").spans(text, NO_ELEMENTS)
        words = text.split()
        expected = [words[first:last] for first, last in slide_plainly(len(words), size, stride or size)]
        assert [text[a:b].split() for a, b in zip(start, end, strict=True)] == expected

    def test_windows_of_sentences(self, collection):
        found = texts(collection, Windows(2, 1, unit="sentences"))
        assert "The lamp burned whale oil. Oil was dear." in found

    @pytest.mark.parametrize(
        "make", [lambda: Windows(0), lambda: Windows(5, 0), lambda: Windows(2.5), lambda: Windows(True)]
    )
    def test_sizes_are_checked(self, make):
        with pytest.raises(ValueError, match="give a whole number of at least 1"):
            make()

    @given(
        st.lists(st.tuples(st.booleans(), st.text("ab \n", min_size=1, max_size=15)), min_size=1, max_size=5),
        st.integers(1, 5),
        st.integers(1, 5),
        st.sampled_from(["chars", "words"]),
    )
    def test_windows_within_sections_are_those_of_each_text_between_borders(self, pieces, size, stride, unit):
        text = "".join(piece for _, piece in pieces)
        sections = list_sections(pieces)
        starts, ends = zip((0, len(text)), *sections, strict=True)
        tags = ["article", *["section"] * len(sections)]
        elements = Elements(tags, np.array(starts), np.array(ends), *np.zeros((2, len(tags)), np.int64))
        start, end = Windows(size, stride, unit, within="section").spans(text, elements)
        borders = sorted({0, len(text), *(border for section in sections for border in section)})
        expected = [
            (first + a, first + b)
            for first, last in itertools.pairwise(borders)
            for a, b in zip(*Windows(size, stride, unit).spans(text[first:last], NO_ELEMENTS), strict=True)
        ]
        assert list(zip(start, end, strict=True)) == expected

    def test_windows_within_sections_of_articles(self, collection):
        found = texts(collection, Windows(10, unit="words", within="sec"))
        assert "Harbours 2 A harbour shelters ships from the storm." in found
        assert "Piers A pier of stone breaks the waves." in found
        assert not any("storm" in text and "Piers" in text for text in found)
        assert any("storm" in text and "Piers" in text for text in texts(collection, Windows(10, unit="words")))

    def test_within_is_checked(self, collection):
        with pytest.raises(ValueError, match="within='/sec'; give the tag of elements"):
            Windows(5, within="/sec")
        with pytest.raises(ValueError, match="the collection has no such element; its tags are article"):
            texts(collection, Windows(5, within="section"))
        with pytest.raises(ValueError, match="texts to be split have no elements"):
            Chunks.from_splitter({"a": "Some text."}, Windows(5, within="section"))

    def test_units_are_checked(self):
        with pytest.raises(ValueError, match="choose one of 'chars', 'words', 'sentences'"):
            Windows(5, unit="tokens")


class TestSentences:
    @pytest.mark.parametrize(
        "sentences",
        [
            ["One is here.", "Two is there!", "Is three?"],
            ["Dr. Smith met Mr. J. R. Jones.", "They spoke."],
            ['He said "no."', "She left."],
            ["It costs 3.50 in the U.S. today.", "(It was less.)", "Really."],
            ["See e.g. the first one.", "And No. 5 too."],
        ],
    )
    def test_where_they_end(self, sentences):
        text = "  ".join(sentences)
        assert [text[a:b] for a, b in zip(*sentence_spans(text), strict=True)] == sentences

    @given(st.text('aB. !?\n"', max_size=80))
    def test_they_hold_all_that_is_no_white_space(self, text):
        start, end = sentence_spans(text)
        assert np.all(start < end)
        assert np.all(end[:-1] <= start[1:])
        covered = set().union(*(range(a, b) for a, b in zip(start, end, strict=True)))
        assert {match.start() for match in re.finditer(r"\S", text)} <= covered


@pytest.fixture(scope="module")
def with_references(tmp_path_factory):
    folder = tmp_path_factory.mktemp("references")
    (folder / "1.xml").write_text(
        "<article><name>Piers</name><p>A pier.</p><sec><st>Building</st><p>Of wood.</p>"
        "<ss1><st>See also</st><p>Harbour.</p></ss1><p>Of stone.</p></sec>"
        "<sec><st>References</st><p>A book.</p><ss1><st>Sources</st><p>A map.</p></ss1></sec></article>"
    )
    return Collection.build(folder, tmp_path_factory.mktemp("built") / "collection", verbose=False)


def list_boilerplate(collection, docno):
    """The ids of an article's elements below a section of boilerplate, by their paths."""
    table = collection.elements(docno)
    titles = dict(zip(table["path"], table["title"], strict=True))
    for row in table.itertuples():
        steps = row.path.split("/")
        above = {titles["/".join(steps[:depth])] for depth in range(3, len(steps))}
        if above & {"References", "See also", "External links", "Further reading", "Notes"}:
            yield f"{docno}#{row.start}-{row.end}"


class TestBoilerplate:
    def test_parts_in_boilerplate_are_left_out(self, with_references, tmp_path):
        assert texts(with_references, "p") == ["A pier.", "Of wood.", "Harbour.", "Of stone.", "A book.", "A map."]
        assert texts(with_references, "p", exclude="boilerplate") == ["A pier.", "Of wood.", "Of stone."]
        sections = texts(with_references, ("sec", "ss1"), exclude="boilerplate")
        assert sections == ["Building Of wood. See also Harbour. Of stone."]
        index = with_references.index(tmp_path / "index", elements="p", exclude="boilerplate")
        assert (len(index), index.meta["exclude"]) == (3, "boilerplate")
        with pytest.raises(ValueError, match="exclude='references'; choose one of None, 'boilerplate'"):
            texts(with_references, "p", exclude="references")

    def test_windows_within_sections_leave_no_boilerplate(self, with_references):
        windows = Windows(50, unit="words", within="sec")
        assert texts(with_references, windows, exclude="boilerplate") == [
            "Piers A pier.", "Building Of wood. See also Harbour. Of stone.",
        ]  # fmt: skip

    @pytest.mark.long
    def test_the_real_sample_against_its_tree(self, shared_data, tmp_path):
        dump = shared_data / "enwiki-sample.xml.bz2"
        collection = Collection.build(dump, tmp_path / "sample", verbose=False)
        kept = {part["docno"] for part in collection.parts("*", exclude="boilerplate")}
        left = {part["docno"] for part in collection.parts("*")} - kept
        under = {name for docno in collection.docnos() for name in list_boilerplate(collection, docno)}
        assert len(under & left) > 50
        assert not under & kept
