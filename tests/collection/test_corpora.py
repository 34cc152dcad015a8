"""A corpus that is a path: read as a collection of it is built, whatever it is."""

import json
import zipfile
from functools import partial

import pandas as pd
import pytest
from dumps import dump

from pyterrier_focused import cells, view
from pyterrier_focused.collection import Collection, articles, read_corpus, read_source
from pyterrier_focused.collection.corpora import as_collection
from pyterrier_focused.collection.sources.find import detect, find_sources
from pyterrier_focused.errors import CollectionError, FormatError
from pyterrier_focused.rag import read_spans

PAGE = "<html><head><title>Lamps</title></head><body><h2>Oil</h2><ul><li>Wick</li><li>Glass</li></ul></body></html>"
OUTPUT = {"name": "Lamps", "identifier": 7, "article_body": {"html": PAGE}}
FILES = {
    "text": {"a.txt": "Oil first.\r\nGas then.", "sub/b.md": "# Lamps\n\nOil."},
    "code": {"a.py": "def f():\n    return 1\n", "__init__.py": "", "pom.xml": "<project/>", "app.js": "let x\n"},
    "pages": {"a/index.html": PAGE, "b/index.html": PAGE.replace("Oil", "Gas"), "b/style.css": "p {}"},
    "text and pages": {"a.txt": "Oil.", "b.html": PAGE},
    "XML": {"a.xml": "<article><title>Lamps</title><p>Oil.</p></article>"},
    "TEI": {"a.xml": "<TEI><teiHeader>x</teiHeader><text><p>Oil\n   first.</p></text></TEI>"},
    "a dump": {"d.xml": dump([1])},
    "an Enterprise dump": {"d.ndjson": json.dumps(OUTPUT)},
    "records": {"a.jsonl": '{"_id": "7", "title": "Lamps", "text": "Oil first.\\n"}\n'},
}


def pack(folder):
    with zipfile.ZipFile(folder.with_suffix(".zip"), "w") as archive:
        for file in sorted(file for file in folder.rglob("*") if file.is_file()):
            archive.write(file, file.relative_to(folder).as_posix())
    return folder.with_suffix(".zip")


@pytest.mark.filterwarnings("ignore:.*left out")
@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("form", [lambda folder: folder, pack], ids=["folder", "archive"])
def test_texts_are_those_of_a_collection(write, tmp_path, kind, form):
    source = form(write(FILES[kind]))
    collection = Collection.build(source, tmp_path / "c", verbose=False)
    built = {article["docno"]: article["text"] for article in collection.articles()}
    assert {article.docno: article.text for article in articles(source)} == built


@pytest.mark.filterwarnings("ignore:.*left out")
def test_a_collection_that_was_built_is_a_corpus(build):
    collection = build(FILES["pages"])
    assert read_corpus(collection.place)["docno"].tolist() == collection.docnos()


@pytest.mark.parametrize("name", ["a/index", "a/index.html", "in/a/index.html"])
@pytest.mark.parametrize("is_built", [False, True])
def test_evidence_is_found_in_the_words_of_a_page(write, build, name, is_built):
    files = {"a/index.html": PAGE, "b/index.html": PAGE}
    source = build(files).place if is_built else write(files)
    found = read_spans([{"question": "q", "source": name, "quote": "Wick\nGlass"}], source)
    text = next(article.text for article in articles(source) if article.docno == "a/index")
    assert cells(found["highlights"]) == [[(text.index("Wick"), text.index("Glass") + 5)]]


@pytest.mark.parametrize("name", ["hamlet", "hamlet.xml", "in/hamlet.xml", "h1"])
def test_evidence_may_name_the_file_of_an_article_that_has_an_id(write, name):
    play = "<article><header><id>h1</id></header><p>To be or not.</p></article>"
    source = write({"hamlet.xml": play, "lear.xml": play.replace("h1", "l1")})
    found = read_spans([{"question": "q", "source": name, "quote": "not"}], source)
    assert found["docno"].tolist() == ["h1"]


@pytest.mark.filterwarnings("ignore:.*left out")
def test_code_keeps_the_endings_of_its_files(build):
    assert {a["docno"]: a["text"] for a in build(FILES["code"]).articles()} == {
        "a.py": "def f():\n    return 1\n",
        "app.js": "let x\n",
    }


@pytest.mark.parametrize(
    ("files", "format"),
    [
        (["a.xml", "b.txt"], "inex"),
        (["pom.xml", "a.java", "b.java"], "text"),
        (["a.html", "CNAME"], "html"),
        (["a.html", "a.css", "b.css", "c.js"], "html"),
        (["a.html", "b.txt"], "text"),
        (["a.html", "evidence.jsonl"], "html"),
        (["a.md", "evidence.jsonl"], "text"),
        (["evidence.jsonl"], "records"),
    ],
)
def test_the_kind_of_most_files_is_read(write, files, format):
    assert detect(find_sources(write(dict.fromkeys(files, "<a/>")))) == format


@pytest.mark.parametrize("name", ["a.pdf", "a.docx", "a.odt"])
@pytest.mark.parametrize(
    "read", [lambda path: list(articles(path)), partial(Collection.build, path="c", verbose=False)]
)
def test_documents_of_office_programs_are_refused_with_the_way(tmp_path, name, read):
    (tmp_path / name).write_bytes(b"PK\3\4")
    with pytest.raises(CollectionError, match="convert PDF, DOCX and OpenDocument to text or HTML first"):
        read(tmp_path / name)


@pytest.mark.parametrize(("whole", "error"), [(1, FormatError), (200, None)])
def test_articles_that_cannot_be_read_are_told(write, whole, error):
    source = write({**{f"{number}.txt": "Oil." for number in range(whole)}, "x.txt": b"caf\xe9"})
    told = (
        pytest.raises(error, match=r"x\.txt: byte 3") if error else pytest.warns(UserWarning, match="1 articles cannot")
    )
    with told:
        assert len(list(articles(source))) == whole


@pytest.mark.parametrize("corpus", [{"a": "Oil first.\n\nGas then."}, "a.txt"])
def test_any_corpus_can_be_viewed(write, monkeypatch, corpus):
    monkeypatch.chdir(write({"a.txt": "Oil first.\n\nGas then."}))
    assert "Gas then." in view(corpus, docno="a").html
    assert as_collection(corpus).elements("a")["tag"].tolist() == ["article", "p", "p"]


def test_one_ending_may_be_a_text_and_one_that_no_file_has_is_told(write):
    folder = str(write(dict.fromkeys(("a.py", "b.y", "c.p"), "x = 1")))
    assert [article.docno for article in read_source(folder, suffixes=".py")] == ["a.py"]
    with pytest.raises(CollectionError, match=r"nothing here is.*\(no file ends in \.zz\)"):
        list(read_source(folder, suffixes=[".zz"]))


def test_a_corpus_that_cannot_be_taken_is_told_by_its_own_name_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(CollectionError, match=r"^the corpus: no article was found"):
        as_collection({"a": " "})
    with pytest.raises(ValueError, match="a docno is text without white space"):
        as_collection({"a b": "x"})
    assert list(tmp_path.iterdir()) == []


def test_a_frame_with_a_column_of_articles_is_a_corpus():
    frame = pd.DataFrame({"docno": ["a"], "text": ["Oil."], "articles": [3]})
    assert [article["text"] for article in as_collection(frame).articles()] == ["Oil."]
