"""Lines, pages and documents as evidence and as results."""

import warnings
from types import SimpleNamespace

import pandas as pd
import pytest

import pyterrier_focused as ptf
from pyterrier_focused.collection.corpora import PageName, articles, read_corpus
from pyterrier_focused.errors import EvidenceError
from pyterrier_focused.rag import read_spans
from pyterrier_focused.rag.items import Parts
from pyterrier_focused.rag.place import find_parts
from pyterrier_focused.rag.score import evaluate_retrieved

CODE = "def f():\n    return 1\r\n\nclass A:\x0b\x1c\u2028    x = 2\rlast\n"
PDF = "  Title page\n\f\nCats sleep.\n\fDogs run.\nDogs bark."
CORPUS = {"a.py": CODE, "b.pdf": PDF}


def spans_of(qrels):
    return [tuple(span) for cell in ptf.cells(qrels["highlights"]) for span in cell]


def read(row, corpus=CORPUS, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_spans([{"question": "q", **row}], corpus, **options)


@pytest.mark.parametrize(
    ("first", "last", "text"),
    [(1, 1, "def f():\n"), (2, 3, "    return 1\r\n\n"), (4, 4, CODE[CODE.index("class") :]), (1, 4, CODE)],
)
def test_a_line_ends_with_a_line_feed_and_nothing_else(first, last, text):
    (span,) = spans_of(read({"docno": "a.py", "start_line": first, "end_line": last}))
    assert CODE[slice(*span)] == text


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"page": 1}, ["Title page"]),
        ({"page": 3}, ["Dogs run.\nDogs bark."]),
        ({"pages": [1, 3]}, ["Title page", "Dogs run.\nDogs bark."]),
        ({"pages": [1, 2]}, ["Title page\n\f\nCats sleep."]),
        ({"page": "1-2"}, ["Title page\n\f\nCats sleep."]),
        ({"page_number": 2, "page": 7}, ["Cats sleep."]),
        ({"page_label": "3", "page": 2, "total_pages": 3}, ["Dogs run.\nDogs bark."]),
        ({"page": 0}, ["Title page"]),
        ({"page": 1, "total_pages": 3}, ["Cats sleep."]),
        ({}, [PDF.strip()]),
    ],
)
def test_evidence_by_page_or_document(row, expected):
    qrels = read({"docno": "b.pdf", **row})
    assert [PDF[slice(*span)] for span in spans_of(qrels)] == expected
    assert [list(cell) for cell in qrels["cover"]] == [[0.0] * len(expected)]


def test_pages_from_settles_what_a_page_counts_from():
    (span,) = spans_of(read({"docno": "b.pdf", "page": 1}, pages_from=0))
    assert PDF[slice(*span)] == "Cats sleep."


def test_what_a_page_counts_from_is_said_once():
    rows = [{"question": str(page), "docno": "b.pdf", "page": page} for page in (0, 1)]
    with pytest.warns(UserWarning, match="'page' is taken to count from 0; pages_from= settles it") as caught:
        read_spans(rows, CORPUS)
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"docno": "a.py", "start_line": 4, "end_line": 9}, "'a.py'.*lines 4 to 9 go beyond its 4 lines"),
        ({"docno": "b.pdf", "page": 4}, "'b.pdf'.*it has 3 pages, and no page 4"),
    ],
)
def test_evidence_beyond_the_document_names_both(row, problem):
    with pytest.raises(EvidenceError, match=problem):
        read(row)


def test_a_quote_is_looked_for_in_its_page_first():
    corpus = {"d": "Cats sleep.\fDogs bark. Cats sleep.\fCats sleep."}
    qrels = read({"docno": "d", "page": 2, "quote": "Cats sleep."}, corpus)
    assert spans_of(qrels) == [(23, 34)]
    assert "cover" not in qrels


def locate(item, corpus=CORPUS, **options):
    evidence = [{"question": "q", "docno": "b.pdf" if "b.pdf" in corpus else next(iter(corpus)), "start": 2, "end": 5}]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = evaluate_retrieved(evidence, {"q": [item]}, corpus, "SpanHit@1", verbose=False, **options)
    return result.located.iloc[0]


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"docno": "a.py", "start_line": 2, "end_line": 3}, ["    return 1\r\n\n"]),
        ({"docno": "a.py", "start_line": 3, "end_line": 99}, [CODE[CODE.index("\n\n") + 1 :]]),
        ({"docno": "b.pdf", "pages": [1, 3]}, ["  Title page\n\f", "Dogs run.\nDogs bark."]),
        ({"docno": "b.pdf"}, [PDF]),
        (SimpleNamespace(page_content="Dogs", metadata={"source": "b.pdf", "page": 2}), []),
    ],
)
def test_results_by_lines_and_pages(item, expected):
    found = locate(item)
    spans = found["spans"] if found["runs"] else []
    assert [CORPUS[docno][slice(*span)] for docno, span in spans] == expected


def test_lines_that_were_cut_are_noted():
    assert locate({"docno": "a.py", "start_line": 3, "end_line": 99})["detail"] == "lines 3 to 99 go beyond its 4 lines"
    lost = locate({"docno": "a.py", "start_line": 90, "end_line": 99})
    assert (lost["status"], lost["detail"]) == ("outside", "lines 90 to 99 go beyond its 4 lines")


def test_a_text_in_several_places_is_in_the_lines_that_it_names():
    corpus = {"d": "x = 1\ny = 2\nx = 1\n"}
    found = locate({"docno": "d", "text": "x = 1", "start_line": 3, "end_line": 3}, corpus)
    assert (found["start"], found["end"]) == (12, 17)


PAGES = ["One page.", "Another page.", "The last page."]


def langchain(page, text):
    metadata = {"source": "m.pdf", "page": page, "page_label": f"p{page}", "total_pages": 3}
    return SimpleNamespace(page_content=text, metadata=metadata)


def haystack(page, text):
    return SimpleNamespace(content=text, meta={"file_path": "m.pdf", "page_number": page})


@pytest.mark.parametrize(
    ("corpus", "docno"),
    [
        ({"m": PAGES}, "m"),
        ([{"docno": "m", "page": i, "text": text} for i, text in enumerate(PAGES, 1)], "m"),
        (pd.DataFrame({"docno": ["m"] * 3, "page": [0, 1, 2], "text": PAGES}), "m"),
        ([langchain(i, text) for i, text in enumerate(PAGES)], "m.pdf"),
        ([haystack(i, text) for i, text in enumerate(PAGES, 1)], "m.pdf"),
    ],
)
def test_pages_that_are_given_one_by_one(corpus, docno):
    (article,) = articles(corpus)
    (span,) = find_parts(article, Parts(pages=(PageName(number=2),)), 1).spans
    assert (article.docno, article.text[slice(*span)].strip()) == (docno, PAGES[1])


def test_lines_of_a_notebook_are_refused_by_name():
    evidence = {"docno": "a.ipynb", "start_line": 1, "end_line": 2}
    with pytest.raises(EvidenceError, match=r"the text of a\.ipynb is not its file's"):
        read(evidence, {"a.ipynb": CODE})


def test_elements_of_a_page_are_one_page():
    elements = [
        SimpleNamespace(
            text=text, category="Text", metadata=SimpleNamespace(filename="m.pdf", page_number=page, category="Text")
        )
        for page, text in ((1, "One."), (1, "Two."), (4, "Three."))
    ]
    (article,) = articles(elements)
    assert [(page.start, page.number) for page in article.pages] == [(0, 1), (12, 4)]


def test_a_page_by_its_label():
    (article,) = articles([langchain(i, text) for i, text in enumerate(PAGES)])
    (span,) = find_parts(article, Parts(pages=(PageName(label="p1"),)), 1).spans
    assert article.text[slice(*span)].strip() == PAGES[1]


def test_any_character_of_a_page_is_a_hit_and_recall_counts_pages():
    evidence = [{"question": "q", "docno": "m", "page": 2}]
    result = evaluate_retrieved(
        evidence, {"q": ["Another"]}, {"m": PAGES}, "SpanHit@1 CharR", "pages", pages_from=1, verbose=False
    )
    assert result.table[["SpanHit@1", "CharR"]].values.tolist() == [[1, 1]]


def test_a_folder_of_code(tmp_path):
    for name, data in {
        "a.py": b"x = 1\r\ny\rz",
        "b.java": b"class B {}",
        "c.bin": b"\0\1",
        "d.csv": b"q,r\n",
        ".hidden": b"x",
    }.items():
        (tmp_path / name).write_bytes(data)
    with pytest.warns(UserWarning, match=r"2 files are left out.*\(1 .bin, 1 .csv\)"):
        corpus = read_corpus(tmp_path)
    assert corpus[["docno", "text"]].values.tolist() == [["a.py", "x = 1\ny\rz"], ["b.java", "class B {}"]]
    assert read_corpus(tmp_path, suffixes=[".csv"])["docno"].tolist() == ["d.csv"]
