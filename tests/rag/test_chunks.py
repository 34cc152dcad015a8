"""Chunks of splitters of every kind, against the offsets they were cut at."""

import re
import warnings
from importlib.resources import files
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_focused.frames.ids import parse_ids
from pyterrier_focused.rag.chunks import Chunks
from pyterrier_focused.retrieval.passages.selectors import Windows

TEXT = "A cat sat. It slept.\n\nA cat sat. It ate.\n\nThe end of it."
PARAGRAPHS = [(0, 20), (22, 40), (42, 56)]


def spans(chunks):
    return list(zip(chunks.start.tolist(), chunks.end.tolist(), strict=True))


def cut(splitter, text=TEXT):
    return spans(Chunks.from_splitter({"d": text}, splitter))


def paragraphs(text):
    return text.split("\n\n")


class LikeLangChain:
    """An object with split_text, and with documents that say where they start."""

    _add_start_index = False

    def split_text(self, text):
        return paragraphs(text)

    def create_documents(self, texts):
        return [
            SimpleNamespace(page_content=text[start:end], metadata={"start_index": start})
            for text in texts
            for start, end in PARAGRAPHS
        ]


def described(**names):
    """A splitter that returns the paragraphs as dicts with the given names for text, start and end."""

    def split(text):
        return [
            {name: {"text": text[s:e], "start": s, "end": e}[what] for what, name in names.items()}
            for s, e in PARAGRAPHS
        ]

    return split


@pytest.mark.parametrize(
    "splitter",
    [
        paragraphs,
        LikeLangChain(),
        lambda text: (text[s:e] for s, e in PARAGRAPHS),
        lambda text: PARAGRAPHS,
        lambda text: [(s, text[s:e]) for s, e in PARAGRAPHS],
        lambda text: [(text[s:e], s, e) for s, e in PARAGRAPHS],
        lambda text: [SimpleNamespace(text=text[s:e], start_char=s, end_char=e, start=0, end=3) for s, e in PARAGRAPHS],
        lambda text: [SimpleNamespace(text=text[s:e], start_index=s, end_index=e) for s, e in PARAGRAPHS],
        described(text="text"),
        described(text="page_content", start="start_index"),
        described(text="content", start="start", end="end"),
        described(start="start", end="end"),
        lambda text: [" ".join(piece.split()) for piece in paragraphs(text)],
        lambda text: [f"\t{piece} " for piece in paragraphs(text)],
    ],
)
def test_what_splitters_return(splitter):
    assert cut(splitter) == PARAGRAPHS


def test_offsets_that_a_splitter_gives_are_used():
    """Both sentences are the same text: only the offsets tell that the second is meant."""
    splitter = LikeLangChain()
    splitter._add_start_index = True
    assert cut(splitter) == PARAGRAPHS
    assert cut(lambda text: [(22, "A cat sat.")]) == [(22, 32)]
    assert cut(lambda text: [{"text": "A cat sat.", "start_index": 22}]) == [(22, 32)]
    assert cut(lambda text: [{"text": "A  cat\nsat.", "start_index": 22}]) == [(22, 32)]
    assert cut(lambda text: [{"text": "A cat sat.", "start_index": -1}, "It ate."]) == [(0, 10), (33, 40)]
    last = {"text": "It slept.", "start_index": 11}
    assert cut(lambda text: ["A cat sat.", last, "The end"]) == [(0, 10), (11, 20), (42, 49)]


def test_repeated_text_does_not_collapse_onto_its_first_place():
    sentences = [match.span() for match in re.finditer(r"\S[^.]*\.", TEXT)]
    assert cut(lambda text: re.findall(r"\S[^.]*\.", text)) == sentences
    assert sentences[2] == (22, 32)


CORPORA = {
    "a dict": lambda folder: {"d": TEXT},
    "records": lambda folder: [{"docno": "d", "text": TEXT}],
    "an iterator": lambda folder: iter([{"docno": "d", "text": TEXT}]),
    "a frame": lambda folder: pd.DataFrame({"docno": ["d"], "text": [TEXT]}),
    "a folder": lambda folder: folder,
    "a file": lambda folder: str(folder / "d.txt"),
}


@pytest.mark.parametrize("form", CORPORA)
def test_a_corpus_in_every_form(tmp_path, form):
    (tmp_path / "d.txt").write_text(TEXT)
    assert spans(Chunks.from_splitter(CORPORA[form](tmp_path), paragraphs)) == PARAGRAPHS


@pytest.fixture
def chunks_of_two():
    return Chunks.from_splitter({"d": TEXT, "e#1-2": "One.\n\nTwo."}, paragraphs)


IDS = ["d#0-20", "d#22-40", "d#42-56", "e#1-2#0-4", "e#1-2#6-10"]


def test_chunks_are_records_that_can_be_read_again(chunks_of_two):
    assert len(chunks_of_two) == 5
    assert repr(chunks_of_two) == "<Chunks: 5 of 2 articles, 12 characters on average>"
    rows = list(chunks_of_two)
    assert rows == list(chunks_of_two)
    assert [row["docno"] for row in rows] == IDS
    assert rows[4]["text"] == "Two."


def test_chunks_are_a_frame(chunks_of_two):
    frame = chunks_of_two.frame()
    assert frame.columns.tolist() == ["docno", "text", "article", "start", "end"]
    assert frame.iloc[4].tolist() == ["e#1-2#6-10", "Two.", "e#1-2", 6, 10]


def test_ids_of_chunks_tell_their_articles_and_spans(chunks_of_two):
    assert list(chunks_of_two.docnos()) == IDS
    columns = [chunks_of_two.article, chunks_of_two.start, chunks_of_two.end]
    assert [column.tolist() for column in parse_ids(chunks_of_two.docnos())] == [list(column) for column in columns]


@pytest.mark.parametrize(
    ("windows", "expected"),
    [
        (Windows(4), [(0, 4), (4, 8), (8, 10)]),
        (Windows(4, 2), [(0, 4), (2, 6), (4, 8), (6, 10)]),
        (Windows(2, unit="words"), [(0, 5), (6, 10)]),
    ],
)
def test_windows_of_chunks(windows, expected):
    assert cut(windows, "ab cd ef g") == expected if windows.unit == "words" else True
    assert cut(windows, "abcdefghij") == expected if windows.unit == "chars" else True


def test_chunks_of_white_space_are_left_out_and_counted():
    with pytest.warns(UserWarning, match="3 chunks hold nothing but white space"):
        assert cut(lambda text: [*paragraphs(text), "", " ", "\n\n"]) == PARAGRAPHS
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cut(paragraphs) == PARAGRAPHS


def test_two_chunks_of_one_span_are_one():
    assert cut(lambda text: ["The end of it.", "The end of it."]) == [(42, 56)]


def test_an_empty_article_has_no_chunks():
    assert spans(Chunks.from_splitter({"a": "", "d": "x"}, lambda text: [text] if text else [])) == [(0, 1)]
    with pytest.raises(ValueError, match="no chunk for any of 1 articles"):
        Chunks.from_splitter({"a": ""}, lambda text: [])


@pytest.mark.parametrize(
    ("splitter", "message"),
    [
        (lambda text: [text[:20], text[22:40].upper()], r"article 'd', chunk 2 of 2 cannot be located: 'A CAT SAT"),
        (lambda text: ["Title: " + text[:20]], r"chunk 1 of 1 cannot be located: 'Title: A cat"),
        (lambda text: [text[:20] + " And."], r"at \[0, 23\); there the article goes on ' cat .* the chunk 'nd\.'"),
        (lambda text: ["x", "y"], r"\(and 1 more\)"),
        (lambda text: ["The end", "A cat sat."], r"occurs 2 times in the article, at \[0, 10\), \[22, 32\)"),
        (lambda text: [(3, "A dog")], "chunk 1 of 1 cannot be located: 'A dog'"),
        (lambda text: [(0, 57, "A cat")], r"\[0, 57\) is not a span of its 56 characters"),
        (lambda text: [(0, 57)], r"\[0, 57\) is not a span of its 56 characters"),
        (lambda text: [(3, 3)], r"\[3, 3\) is not a span"),
        (lambda text: [(3.5, "A cat")], "is not a chunk"),
        (lambda text: text, "returns a list of chunks, not 'A cat"),
        (lambda text: None, "returns a list of chunks, not None"),
        (lambda text: [3], "3 is not a chunk"),
        (lambda text: [None], "None is not a chunk"),
        (lambda text: [("a", "b")], "is not a chunk"),
        (LikeLangChain, "LikeLangChain is a class"),
        (7, "7 is not a splitter"),
    ],
)
def test_what_cannot_be_used_is_shown(splitter, message):
    with pytest.raises(ValueError, match=message):
        cut(splitter)


@pytest.mark.parametrize(
    ("chunks", "expected", "distrusted"),
    [
        ([(3, "A cat")], [(0, 5)], 1),
        ([{"text": "It slept.", "start": 0, "end": 9}], [(11, 20)], 1),
        # the second "A cat sat." is said to start where the first does: another place is meant
        ([(0, "A cat sat."), (11, "It slept."), (0, "A cat sat."), (33, "It ate.")],
         [(0, 10), (11, 20), (22, 32), (33, 40)], 1),
        ([(11, "It slept."), (22, "A cat sat."), (-1, "It ate."), (0, "A cat sat. It slept.")][:3],
         [(11, 20), (22, 32), (33, 40)], 0),
        ([(0.0, "A cat sat."), (np.int64(11), "It slept."), (np.float32(22), "A cat sat.")],
         [(0, 10), (11, 20), (22, 32)], 0),
        ([(np.int32(0), np.float64(10)), (11.0, 20.0)], [(0, 10), (11, 20)], 0),
        # in another order than that of the text, each stands exactly where it is said to
        ([(33, "It ate."), (22, "A cat sat."), (0, "A cat sat."), (11, "It slept.")],
         [(33, 40), (22, 32), (0, 10), (11, 20)], 0),
    ],
)  # fmt: skip
def test_offsets_are_used_if_they_are_plausible(chunks, expected, distrusted):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert cut(lambda text: chunks) == expected
    assert [str(w.message).split(" come")[0] for w in told] == ([f"{distrusted} chunks"] if distrusted else [])


ITEMS = "Item. A red one. Price.\n\nItem. A blue one. Price.\n\nItem. A new one. Price."
PARENTS = [(0, 23), (25, 49), (51, 74)]
CHILDREN = [[(0, 5), (6, 16), (17, 23)], [(25, 30), (31, 42), (43, 49)], [(51, 56), (57, 67), (68, 74)]]


@pytest.mark.parametrize("kind", ["texts", "starts", "first places"])
@pytest.mark.parametrize("order", ["each behind its parent", "level by level"])
def test_children_are_placed_with_their_parents(order, kind):
    """Each item begins and ends with the same words: only the parents tell the children apart."""
    if order == "level by level":
        spans = [*PARENTS, *(child for children in CHILDREN for child in children)]
    else:
        spans = [span for parent, children in zip(PARENTS, CHILDREN, strict=True) for span in (parent, *children)]
    texts = [ITEMS[start:end] for start, end in spans]
    returned = {
        "texts": texts,
        "starts": [(start, text) for (start, _), text in zip(spans, texts, strict=True)],
        "first places": [(ITEMS.find(text), text) for text in texts],
    }[kind]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert cut(lambda text: returned, ITEMS) == spans
    assert len(told) == (kind == "first places")


@pytest.mark.parametrize("lengths", [[30] * 7 + [9], [31, 17, 31, 25, 31, 12, 31, 31, 8]])
def test_chunks_of_a_text_that_repeats_itself_are_no_children(lengths):
    """Each chunk is part of the first, or a chunk before it: they lie side by side all the same."""
    text = "Again. " * (sum(lengths) // 7 + 1)
    ends = np.cumsum(lengths).tolist()
    expected = list(zip([0, *ends[:-1]], ends, strict=True))
    assert cut(lambda text: [text[start:end] for start, end in expected], text[: ends[-1]]) == expected


def test_chunks_that_are_indexed_as_other_texts():
    chunks = Chunks.from_splitter({"d": TEXT}, lambda text: [(0, 20, "On cats: A cat sat."), (22, 40, text[22:40])])
    assert [row["text"] for row in chunks] == ["On cats: A cat sat.", "A cat sat. It ate."]
    assert spans(chunks) == [(0, 20), (22, 40)]
    assert chunks.frame()["text"].tolist() == [row["text"] for row in chunks]
    rows = pd.DataFrame({"qid": ["1"], "docno": ["d#0-20"]})
    assert chunks.text_loader()(rows)["text"].tolist() == ["On cats: A cat sat."]
    titled = Chunks.from_splitter({"d": TEXT}, paragraphs, prefix=lambda docno, text: f"{docno}, {len(text)}: ")
    assert spans(titled) == PARAGRAPHS
    assert next(iter(titled))["text"] == "d, 20: A cat sat. It slept."


def test_an_error_of_the_splitter_is_its_own():
    with pytest.raises(ZeroDivisionError):
        cut(lambda text: 1 / 0)


def test_text_loader():
    chunks = Chunks.from_splitter({"d": TEXT}, paragraphs)
    rows = pd.DataFrame({"qid": ["1", "1"], "docno": ["d#42-56", "d#0-20"]})
    assert chunks.text_loader()(rows)["text"].tolist() == ["The end of it.", "A cat sat. It slept."]
    assert pt.text.get_text(chunks)(rows)["text"].tolist() == ["The end of it.", "A cat sat. It slept."]
    with pytest.raises(ValueError, match="'d#0-1' is not one of these chunks"):
        chunks.text_loader()(rows.assign(docno="d#0-1"))


def read_pages():
    """The documentation, as a long text that somebody wrote."""
    pages = sorted((files("pyterrier_focused") / "pt_docs").glob("measures*.md"))
    return "\n\n".join(page.read_text(encoding="utf-8") for page in pages)[:40_000]


@pytest.mark.parametrize("text", ["real", "periodic"])
@pytest.mark.parametrize("overlap", [0, 100])
@pytest.mark.parametrize("keep", [True, False])
def test_langchain_splitters_are_placed_as_they_say(text, overlap, keep):
    splitters = pytest.importorskip("langchain_text_splitters")
    article = "The same sentence. " * 60 + "\n\n" + "Another one, again. " * 40
    if text == "real":
        article = read_pages()
    options = {"chunk_size": 300, "chunk_overlap": overlap, "keep_separator": keep}
    telling = splitters.RecursiveCharacterTextSplitter(**options, add_start_index=True)
    told = [(d.metadata["start_index"], d.page_content) for d in telling.create_documents([article])]
    expected = [(start, start + len(piece)) for start, piece in told]
    assert cut(splitters.RecursiveCharacterTextSplitter(**options), article) == expected
    assert cut(telling, article) == expected


def test_langchain_s_splitter_of_headings_is_placed():
    splitters = pytest.importorskip("langchain_text_splitters")
    markdown = splitters.MarkdownHeaderTextSplitter([("#", "title")])
    assert cut(markdown, "# One\nSame.\n# Two\nSame.\n") == [(6, 11), (18, 23)]


MARKDOWN = (
    "# Tïtle 😀\n\nOne **bold** line.\n\n## Next\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nSame line.\n\nSame line.\n" * 3
)


def make_splitter(module, name, **options):
    return getattr(pytest.importorskip(module), name)(**options)


@pytest.mark.parametrize(
    ("module", "name", "options"),
    [
        ("semantic_text_splitter", "TextSplitter", {"capacity": 40}),
        ("semantic_text_splitter", "MarkdownSplitter", {"capacity": 40}),
        ("llama_index.core.node_parser", "MarkdownNodeParser", {}),
        ("llama_index.core.node_parser", "SentenceSplitter", {"chunk_size": 20, "chunk_overlap": 0}),
        ("chonkie", "RecursiveChunker", {"chunk_size": 40}),
        ("chonkie", "SentenceChunker", {"chunk_size": 40}),
        ("haystack.components.preprocessors", "DocumentSplitter", {"split_by": "passage", "split_length": 1}),
        ("haystack.components.preprocessors", "RecursiveDocumentSplitter", {"split_length": 40, "split_unit": "char"}),
        ("haystack.components.preprocessors", "MarkdownHeaderSplitter", {}),
    ],
)
@pytest.mark.filterwarnings("ignore:.*hold nothing but white space")
def test_splitters_of_other_packages_are_taken_as_they_are(module, name, options):
    """Their chunks, in order, cover the text, but for white space and the marks of headings."""
    splitter = make_splitter(module, name, **options)
    if hasattr(splitter, "warm_up"):
        splitter.warm_up()
    chunks = Chunks.from_splitter({"d": MARKDOWN}, splitter)
    covered = {offset for start, end in zip(chunks.start, chunks.end, strict=True) for offset in range(start, end)}
    missing = "".join(character for offset, character in enumerate(MARKDOWN) if offset not in covered)
    assert not missing.strip(" \n#")
    assert chunks.start.tolist() == sorted(chunks.start.tolist())


def test_rust_and_token_splitters():
    semantic = pytest.importorskip("semantic_text_splitter")
    text = read_pages()
    splitter = semantic.TextSplitter(300, 100)
    expected = [(start, start + len(piece)) for start, piece in splitter.chunk_indices(text)]
    assert cut(splitter.chunks, text) == expected
    assert cut(splitter.chunk_indices, text) == expected
