"""Texts of articles and passages for re-rankers: with titles and headings, and spaces where blocks of XML end."""

import pandas as pd
import pytest

import pyterrier_focused as ptf

ARTICLE = (
    "<article><header><title>Lamps</title><id>1</id></header><bdy><p>One.</p><p>Two.</p><sec><st>Glass</st>"
    "<p>A <b>b</b>ig lens</p><ss1><st>Rings</st><p>thin</p></ss1></sec></bdy></article>"
)


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = tmp_path_factory.mktemp("loader")
    (folder / "1.xml").write_text(ARTICLE)
    return ptf.Collection.build(folder / "1.xml", folder / "c", verbose=False)


def load(collection, docno, **options):
    return collection.text_loader(**options)(pd.DataFrame({"docno": [docno]}))["text"].tolist()[0]


def find_id(collection, path):
    """The passage id of an element."""
    start, end = collection.resolve("1", path)
    return f"1#{start[0]}-{end[0]}"


def test_blocks_of_loaded_text_end_with_a_space(collection):
    assert collection.text("1") == ["Lamps1One.Two.GlassA big lensRingsthin"]
    assert load(collection, "1") == "Lamps 1 One. Two. Glass A big lens Rings thin"


def test_a_passage_has_the_spaces_inside_it(collection):
    assert load(collection, find_id(collection, "/article/bdy")) == "One. Two. Glass A big lens Rings thin"


def test_offsets_and_texts_of_the_collection_stay(collection):
    assert collection.text(find_id(collection, "/article/bdy/sec")) == ["GlassA big lensRingsthin"]


def test_titles_come_first(collection):
    assert load(collection, find_id(collection, "//article/bdy/p[2]".lstrip("/")), titles=True) == "Lamps\nTwo."


def test_headings_of_the_sections_around_come_before_the_text(collection):
    inner = find_id(collection, "/article/bdy/sec/ss1/p")
    assert load(collection, inner, headings="add") == "Glass\nRings\nthin"
    assert load(collection, inner, titles=True, headings="add") == "Lamps\nGlass\nRings\nthin"


def test_a_section_keeps_its_own_heading(collection):
    assert load(collection, find_id(collection, "/article/bdy/sec/ss1"), headings="add") == "Glass\nRings thin"


def test_what_is_no_way_with_headings_is_refused(collection):
    with pytest.raises(ValueError, match="headings='drop'"):
        collection.text_loader(headings="drop")


def test_loaders_with_other_options_differ(collection):
    assert collection.text_loader(titles=True) != collection.text_loader()
    assert repr(collection.text_loader(titles=True)).endswith("('text',), titles=True)")
