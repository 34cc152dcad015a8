"""Collections from folders of plain text, Markdown and HTML."""

import gzip

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused.collection.corpora import read_corpus
from pyterrier_focused.collection.sources.raw import RawArticle
from pyterrier_focused.collection.sources.text_files import parse_text
from pyterrier_focused.retrieval import Snippets

MARKDOWN = """\
# Lamps

Oil first.
Then gas.

## Electric

An arc.

```
# no heading
```

# End
"""


def parts_of(collection, docno):
    text = collection.article(docno)["text"]
    frame = collection.elements(docno)
    return [
        (path, text[start:end]) for path, start, end in zip(frame["path"], frame["start"], frame["end"], strict=True)
    ]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"a.txt": "a", "d.md": "d", "e.md": "e", "b.pdf": "x", "sub/B.PDF": "x", "c.docx": "x"},
            r"3 files are left out, .*\(2 \.pdf, 1 \.docx\)",
        ),
        ({"a.html": "<p>a</p>", "b.txt": "b", "c.pdf": "x"}, r"1 file is left out, .*\(1 \.pdf\)"),
        ({"a.html": "<p>a</p>", "b.css": "x"}, r"1 file is left out, .*html.* \(1 \.css\)"),
        ({"a.xml": "<article>a</article>", "b.txt": "b"}, r"1 file is left out, .*inex.* \(1 \.txt\)"),
    ],
)
def test_files_of_a_folder_that_are_not_read_are_counted(build, files, message):
    with pytest.warns(UserWarning, match=message):
        build(files, max_rejected=1)


@pytest.mark.parametrize(
    "files",
    [
        {"a.txt": "a", ".hidden": "x", ".git/config.ini": "x"},
        {"a.xml": "<article>a</article>", "b.xml.gz": gzip.compress(b"<article>b</article>")},
    ],
)
def test_hidden_and_packed_files_are_not_said_to_be_left_out(build, files, recwarn):
    build(files)
    assert not [warning for warning in recwarn if "left out" in str(warning.message)]


def test_markdown_has_sections_titles_and_paragraphs(build):
    collection = build({"lamps.md": MARKDOWN})
    assert collection.article("lamps")["title"] == "Lamps"
    assert collection.article("lamps")["text"] == MARKDOWN
    assert parts_of(collection, "lamps") == [
        ("/article[1]", MARKDOWN),
        ("/article[1]/section[1]", MARKDOWN[: MARKDOWN.index("# End")]),
        ("/article[1]/section[1]/title[1]", "Lamps"),
        ("/article[1]/section[1]/p[1]", "Oil first.\nThen gas."),
        ("/article[1]/section[1]/section[1]", MARKDOWN[MARKDOWN.index("## Electric") : MARKDOWN.index("# End")]),
        ("/article[1]/section[1]/section[1]/title[1]", "Electric"),
        ("/article[1]/section[1]/section[1]/p[1]", "An arc."),
        ("/article[1]/section[1]/section[1]/p[2]", "```\n# no heading\n```"),
        ("/article[1]/section[2]", "# End\n"),
        ("/article[1]/section[2]/title[1]", "End"),
    ]


FRONT = "---\nlayout: post\ntitle: {}\ntags:\n- lamps\n---\n"


@pytest.mark.parametrize(
    ("top", "title", "length"),
    [
        (FRONT.format("Lamps"), "Lamps", None),
        (FRONT.format('"Lamps: \\"oil\\""  # c'), 'Lamps: "oil"', None),
        (FRONT.format("'Lamp''s'"), "Lamp's", None),
        (FRONT.format(">-\n  Lamps\n  of old"), "Lamps of old", None),
        (FRONT.format("Lamps in C#  # c"), "Lamps in C#", None),
        ("---\n# c\n\nid: 1\n---\n", "Head", None),
        ("---\n\"@lamps/oil\": patch\n'@lamps/gas': minor\n---\n", "Head", None),
        ("---\n---\n", "Head", 0),
        ("---\n\nWords.\n\n---\n", "Head", 0),
        ("---\nNote: it\n\nis text.\n---\n", "Head", 0),
        ("\n---\ntitle: Lamps\n---\n", "Head", 0),
        ("---\ntitle: Lamps\n", "Head", 0),
    ],
)
def test_front_matter_of_markdown_is_an_element_of_its_own(build, top, title, length):
    text = f"{top}\n# Head\n\nOil first.\n"
    collection = build({"a.md": text})
    assert collection.article("a")["text"] == text
    assert collection.article("a")["title"] == title
    found = [part for path, part in parts_of(collection, "a") if "frontmatter" in path]
    assert found == ([top[:-1]] if length is None else [])
    if found:
        assert [part["text"] for part in collection.parts()] == ["# Head\n\nOil first.\n", "Oil first."]


@pytest.mark.parametrize("is_loaded", [True, False])
def test_snippets_do_not_show_front_matter(build, is_loaded):
    collection = build({"a.md": FRONT.format("Oil") + "\nLamps burn oil.\n"})
    rows = pd.DataFrame({"qid": ["1"], "query": ["oil"], "docno": ["a"], "score": [1.0], "rank": [0]})
    snippets = Snippets(None if is_loaded else collection)
    shown = snippets(collection.text_loader()(rows) if is_loaded else rows)
    assert shown["snippet"].tolist() == ["Lamps burn **oil**."]


def test_plain_text_has_paragraphs_only(build):
    collection = build({"a.txt": "# One\ntwo\n\n \nthree"})
    assert [text for _, text in parts_of(collection, "a")] == ["# One\ntwo\n\n \nthree", "# One\ntwo", "three"]
    assert collection.article("a")["title"] == "a"


def test_docnos_and_texts_are_those_of_other_readers(build, tmp_path):
    """Evidence and judgments that were made on the folder hold for the collection."""
    collection = build(
        {"a.txt": "One.\r\nTwo.\rThree.", "sub/my_notes.md": b"\xef\xbb\xbf# T\n\nx\n", "b.text": "\u2028é 🙂"}
    )
    corpus = read_corpus(tmp_path / "in")
    texts = {article["docno"]: article["text"] for article in collection.articles()}
    assert texts == dict(zip(corpus["docno"], corpus["text"], strict=True))


def test_html_beside_text_is_read_too(build):
    page = "<html><head><title>Page</title></head><body><h2>Head</h2><p>Words here.</p></body></html>"
    collection = build({"a.txt": "Text.", "page.html": page})
    assert sorted(collection.docnos()) == ["a", "page"]
    assert "Words here." in collection.article("page")["text"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"caf\xe9", "byte 3 is not UTF-8"), (b"\xff\xfea\0", "byte 0 is not UTF-8")],
)
def test_what_cannot_be_taken_is_rejected_with_the_reason(build, tmp_path, data, reason):
    collection = build({"a.txt": "Text.", "b.txt": data}, max_rejected=1)
    assert collection.docnos() == ["a"]
    assert reason in (tmp_path / "c" / "errors.jsonl").read_text()


@pytest.mark.filterwarnings("ignore:.*left out")
def test_xml_with_a_readme_is_still_xml(build):
    collection = build({"README.txt": "About.", "x.xml": "<article><p>One.</p></article>"})
    assert collection.docnos() == ["x"]


@given(st.lists(st.sampled_from(["# A", "## B", "###### C", "word", "", " ", "```", "#no", "\u2028x"]), max_size=12))
def test_elements_nest_and_are_in_document_order(lines):
    text = "\n".join([*lines, "end"])
    article = next(parse_text(RawArticle("a.md", 0, "a", text.encode())))
    spans = list(zip(article.start, article.end, strict=True))
    parents = article.parent
    assert spans[0] == (0, len(text))
    assert [span for span in spans if not span[0] < span[1]] == []
    assert [row for row, parent in enumerate(parents) if not parent < row] == []
    within = [(spans[parent], span) for parent, span in list(zip(parents, spans, strict=True))[1:]]
    assert [pair for pair in within if not pair[0][0] <= pair[1][0] < pair[1][1] <= pair[0][1]] == []
    assert [start for start, _ in spans] == sorted(start for start, _ in spans)


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("# Cats", "Cats"),
        ("#\tCats ##", "Cats"),
        ("## C# #", "C"),
        ("# a # b", "a # b"),
        pytest.param(f"# {' ' * 100_000}Cats", "Cats", id="blanks"),
    ],
)
def test_titles_are_the_words_of_headings(line, title):
    """CommonMark's rule, except that signs at the end need no space; many blanks are read in one go."""
    assert next(parse_text(RawArticle("a.md", 0, "a", f"{line}\n\nend".encode()))).title == title
