"""Real chunks, returned in ten other ways: each scores nearly what its offsets score, and never more."""

import html
import re
import unicodedata

import pytest

import pyterrier_focused as ptf
from pyterrier_focused.rag.chunkers import compare_chunkers
from pyterrier_focused.rag.score import evaluate_retrieved

pytestmark = pytest.mark.filterwarnings("ignore:.*left out, not being text or HTML")

METADATA = "file_path: /data/wikitexts.md\nfile_name: wikitexts.md\nfile_size: 118612\nlast_modified: 2024-07-01\n\n"

# What is around the places of texts counts as read; of text that is rendered, or cut off, less is read.
NEVER_ABOVE = ["CharP(overlap='once')@5", "CharIoU(overlap='once')@5"]


def render_markdown(text):
    parser = pytest.importorskip("markdown_it").MarkdownIt()
    return html.unescape(re.sub("<[^>]+>", "", parser.render(text)))


WAYS = {
    "title": lambda text: f"Wikitexts > A title of the page\n\n{text}",
    "ellipsis": lambda text: f"{text[:-12]}...",
    "metadata": lambda text: METADATA + text,
    "rendered": render_markdown,
    "NFKC": lambda text: unicodedata.normalize("NFKC", text),
    "NFD": lambda text: unicodedata.normalize("NFD", text),
    "soft hyphens": lambda text: re.sub(r"(\w{3})(?=\w)", "\\1\u00ad", text),
    "zero width": lambda text: re.sub(r"(\w{3})(?=\w)", "\\1\u200b", text),
    "ASCII": lambda text: unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode(),
    "hyphenated": lambda text: re.sub(r"\b(\w{4})(\w{4,})\b", "\\1-\n\\2", text),
}


@pytest.fixture(scope="module")
def retrieved(shared_data):
    splitters = pytest.importorskip("langchain_text_splitters")
    pytest.importorskip("pyterrier_pisa")
    folder = shared_data / "chunking"
    splitter = splitters.RecursiveCharacterTextSplitter(chunk_size=400, chunk_overlap=0)
    compared = compare_chunkers(
        folder, folder / "questions.csv", {"400": splitter}, measures=["SpanHit@5", *NEVER_ABOVE], k=10
    )
    texts = {chunk["docno"]: chunk["text"] for chunk in compared.chunks["400"]}
    parts = ptf.unpack(compared.runs["400"]).groupby("query")
    results = {question: [texts[docno] for docno in of["docno"]] for question, of in parts}
    return folder, results, compared.table.iloc[0]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.filterwarnings("ignore:.*retrieved texts cannot be placed")
def test_a_way_of_rewriting(retrieved, way):
    folder, results, with_offsets = retrieved
    rewritten = {question: [WAYS[way](text) for text in texts] for question, texts in results.items()}
    measures = ["SpanHit@5", *NEVER_ABOVE]
    result = evaluate_retrieved(folder / "questions.csv", rewritten, folder, measures, verbose=False)
    assert with_offsets["SpanHit@5"] - 0.02 <= result.table["SpanHit@5"][0] <= with_offsets["SpanHit@5"]
    if way not in ("rendered", "ellipsis"):
        assert [measure for measure in NEVER_ABOVE if result.table[measure][0] > with_offsets[measure] + 1e-12] == []
