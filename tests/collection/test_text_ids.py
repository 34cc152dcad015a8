"""What was made on the text of one collection is refused with another of the same articles."""

import re

import pytest
from dumps import page

import pyterrier_focused as ptf
from pyterrier_focused.collection import heading_topics
from pyterrier_focused.errors import CollectionError
from pyterrier_focused.frames.text_ids import check_text

TABLE = "Words.\n\n{|\n|+ A caption\n| a cell\n|}\n\n"


@pytest.fixture(scope="module")
def collections(tmp_path_factory):
    """A collection, one of the same text in two blocks of another file, and one without its tables."""
    folder = tmp_path_factory.mktemp("texts")
    pages = [page(n, 80).replace("Opening of", f"{TABLE}Opening of") for n in range(1, 9)]
    (folder / "d.xml").write_text("<mediawiki>" + "".join(pages) + "</mediawiki>")
    (folder / "again.xml").write_text("<mediawiki>" + "".join(pages) + "</mediawiki>")
    return [
        ptf.Collection.build(folder / file, folder / str(number), verbose=False, **options)
        for number, (file, options) in enumerate([("d.xml", {}), ("again.xml", {}), ("d.xml", {"drop": ["table"]})])
    ]


def view_qrels(first, second, folder):
    qrels = heading_topics(first)[1]
    ptf.view(second, qrels, qid=qrels["qid"][0], docno=qrels["docno"][0])


def load_texts(first, second, folder):
    first.index(folder / "i", "bm25s").text_loader(collection=second)


@pytest.mark.filterwarnings("ignore:.*nothing but elements p")
def test_texts_that_differ_by_spaces_say_what_to_do(tmp_path):
    (tmp_path / "in.xml").write_text("<law><p>One</p><p>two</p></law>")
    old, new = (
        ptf.Collection.build(tmp_path / "in.xml", tmp_path / str(number), verbose=False, **options)
        for number, options in enumerate([{"spaces": "source"}, {}])
    )
    with pytest.raises(CollectionError, match=r"spaces='source' \(--spaces source\), .* pt-focused move, or make"):
        check_text(old.text_id, "qrels", new)


USES = [view_qrels, load_texts]


@pytest.mark.parametrize("use", USES)
def test_another_text_is_refused_and_both_are_named(collections, tmp_path, use):
    usual, _, other = collections
    with pytest.raises(CollectionError, match=re.escape(f"({usual.text_id})")) as raised:
        use(usual, other, tmp_path)
    assert other.text_id in str(raised.value)
    assert "drop=['table']" in other.text_id


@pytest.mark.parametrize("use", USES)
def test_the_same_text_is_taken(collections, tmp_path, use):
    use(*collections[:2], tmp_path)


def test_what_tells_no_text_is_taken(collections, tmp_path):
    check_text("", "qrels", collections[0])
    check_text(collections[0].text_id, "qrels", {"a": "a folder of texts has no id"})
