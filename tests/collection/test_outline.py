"""What a notebook shows of collections, articles, indexes, datasets and measures."""

import pickle

import pytest

import pyterrier_focused as ptf
from pyterrier_focused.measures import MEASURES


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = tmp_path_factory.mktemp("outline")
    (folder / "a.md").write_text("# A <b>title</b>\n\nWords.\n\n## Second\n\nMore words.\n")
    return ptf.Collection.build(folder / "a.md", folder / "c", verbose=False)


def test_an_article_is_a_dict_with_an_outline(collection):
    article = collection["a"]
    assert isinstance(article, dict)
    assert article == collection.article("a")
    assert article["text"].startswith("# A")
    html = article._repr_html_()
    assert "A &lt;b&gt;title&lt;/b&gt;" in html
    assert "<b>title" not in html
    assert "a#26-49" in html or "Second" in html
    assert dict(pickle.loads(pickle.dumps(article))) == dict(article)


def test_a_collection_is_iterated_by_docno(collection):
    assert list(collection) == ["a"]
    assert "a" in collection
    with pytest.raises(ValueError, match=r"no article with docno 'A' .*docnos look like 'a'; titles are not docnos"):
        collection["A"]


def test_a_collection_shows_what_it_holds(collection):
    html = collection._repr_html_()
    assert "articles" in html
    assert "collection[&#x27;a&#x27;]" in html


def test_an_index_searches(collection, tmp_path):
    pytest.importorskip("bm25s")
    index = collection.index(tmp_path / "index", "bm25s", elements=("section",))
    found = index.search("second", num_results=1)
    assert found["title"].tolist() == ["A <b>title</b>"]
    assert found["text"].iloc[0].startswith("## Second")


def test_a_dataset_shows_its_counts():
    import pyterrier as pt

    assert "<td" in pt.get_dataset("focused:demo")._repr_html_()


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_a_measure_shows_formula_range_and_source(measure):
    html = measure._repr_html_()
    assert "Range:" in html
    assert "Source:" in html
