"""Runs and assessments against a Collection on disk, as against XPath in memory."""

import io
import warnings

import pandas as pd
import pytest
from xml_articles import ARTICLES, XmlArticles

from pyterrier_focused import cells
from pyterrier_focused.io import read_qrels, read_run, write_run

IN_MEMORY = XmlArticles(ARTICLES)


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    pytest.importorskip("pyarrow", reason="collections need the extra [retrieval]")
    from pyterrier_focused.collection import Collection

    folder = tmp_path_factory.mktemp("articles")
    for docno, text in ARTICLES.items():
        (folder / f"{docno}.xml").write_text(text, encoding="utf-8")
    stored = tmp_path_factory.mktemp("stored") / "collection"
    return Collection.build(folder, stored, id_from="file", spaces="source", verbose=False)


SUBMISSION = {"participant-id": "4", "task": "Focused", "query": "automatic"}


@pytest.mark.parametrize("docno", ARTICLES)
def test_a_collection_has_the_elements_that_xpath_finds(collection, docno):
    expected = IN_MEMORY.elements(docno)
    pd.testing.assert_frame_equal(collection.elements(docno)[expected.columns], expected, check_dtype=False)


@pytest.mark.parametrize("docno", ARTICLES)
def test_every_path_and_point_leads_back_to_its_offsets(collection, docno):
    """Each element's path, and the points of each span of the text, lead back to the offsets."""
    elements = IN_MEMORY.elements(docno)
    lines = [f"1 Q0 {docno} 1 1 t {path}\n" for path in elements["path"][elements["start"] < elements["end"]]]
    run = read_run(io.StringIO("".join(lines)), collection=collection)
    pd.testing.assert_frame_equal(run, read_run(io.StringIO("".join(lines)), collection=IN_MEMORY))
    size = len(IN_MEMORY.text([docno])[0])
    spans = [(start, end) for start in range(size) for end in range(start + 1, size + 1)]
    lines = [f"1 Q0 {docno} 1 1 t {start} {end - start}\n" for start, end in spans]
    run = read_run(io.StringIO("".join(lines)), collection=collection)
    written = io.StringIO()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        write_run(run, written, "inex-xml", collection=collection, submission=SUBMISSION)
    pd.testing.assert_frame_equal(read_run(io.StringIO(written.getvalue()), collection=collection), run)
    pd.testing.assert_frame_equal(read_run(io.StringIO(written.getvalue()), collection=IN_MEMORY), run)


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        ("99 1 1 t /article[1]", "an article that is not in the collection; topic '1', article '99'"),
        ("7 1 1 t /article[1]/nope[1]", "a path that the article does not have; topic '1', article '7'"),
        ("7 1 1 t /article[1]/bdy[1]/text()[1].99", "a path that the article does not have; topic '1', article '7'"),
    ],
)
def test_unknown_articles_and_paths_are_refused(collection, part, reason):
    with pytest.raises(ValueError, match=f"<stream>:1: {reason}"):
        read_run(io.StringIO(f"1 Q0 {part}\n"), collection=collection)


def test_offsets_in_bytes_become_characters_with_a_stored_collection(collection):
    size = len(IN_MEMORY.text(["12"])[0].encode())
    with pytest.warns(UserWarning, match="offsets count bytes"):
        qrels = read_qrels(io.StringIO(f"1 Q0 12 7 {size} 9 9:7\n"), collection=collection)
    assert cells(qrels["highlights"]) == [[(8, 14)]]
    assert qrels["length"].tolist() == [len(IN_MEMORY.text(["12"])[0])]
