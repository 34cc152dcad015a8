"""What an opened collection answers."""

import pytest
from dumps import dump

import pyterrier_focused as ptf


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = tmp_path_factory.mktemp("store")
    (folder / "dump.xml").write_text(dump(range(1, 13)))
    return ptf.Collection.build(folder / "dump.xml", folder / "c", verbose=False)


def test_the_text_of_a_single_docno_is_that_article(collection):
    (text,) = collection.text("12")
    assert text.startswith("Page 12\n")


def test_the_length_of_a_single_docno_is_that_of_the_article(collection):
    assert collection.lengths("12")["docno"].tolist() == ["12"]


def test_a_single_docno_names_one_article(collection):
    assert [article["docno"] for article in collection.articles("12")] == ["12"]


def test_a_single_docno_and_path_are_resolved_as_a_pair(collection):
    start, end = collection.resolve("12", "/article[1]/title[1]")
    assert (start.tolist(), end.tolist()) == ([0], [len("Page 12")])


def test_docnos_and_paths_of_different_numbers_are_refused(collection):
    with pytest.raises(ValueError, match="1 docnos and 2 paths"):
        collection.resolve("12", ["/article", "/article"])
