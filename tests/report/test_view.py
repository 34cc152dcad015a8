"""The view of one article: every character shown once in its state, nothing unescaped, counts by sets."""

import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html

from pyterrier_focused import view
from pyterrier_focused.report.view import STATES

TEXT = "Title\n\nFirst <b>bold</b> & so on, in one line.\nHeading 👩‍👩‍👧\nmore of it.   \n\nThe end."
N = len(TEXT)
SPANS = st.lists(st.tuples(st.integers(0, N - 1), st.integers(1, 40)).map(lambda s: (s[0], min(sum(s), N))), max_size=3)


def shown(highlights, passages, text=TEXT, bep=-1):
    qrels = pd.DataFrame({"qid": ["1"], "docno": "7", "label": 1, "highlights": [highlights], "bep": bep})
    run = pd.DataFrame({"qid": ["1"], "docno": "7", "score": 2.5, "passages": [passages]})
    return view({"7": text}, qrels, run, "1", "7")


@given(SPANS, SPANS)
def test_every_character_is_shown_once_in_its_state(highlights, passages):
    made = shown(highlights, passages)
    marked, found = ({i for a, b in spans for i in range(a, b)} for spans in (highlights, passages))
    parts = re.findall(r'<mark class="(\w+)" title="\w+">(.*?)</mark>|([^<]+)', made._mark_text(), re.DOTALL)
    characters = [
        (c, state) for state, text, plain in parts
        for c in lxml_html.fragment_fromstring(f"<p>{(text or plain).replace('◆', '').replace('▸', '')}</p>").text or ""
    ]  # fmt: skip
    assert characters == [(c, STATES[2 * (i in marked) + (i in found)]) for i, c in enumerate(TEXT)]
    assert [made.counts[name] for name in ("retrieved", "highlighted", "found")] == [
        len(found), len(marked), len(found & marked)
    ]  # fmt: skip


def test_entries_are_marked_and_a_page_loads_nothing(tmp_path):
    made = shown([(10, 30)], [(40, 50, 1.0), (20, 35, 2.0)], bep=12)
    assert f"◆{TEXT[12:14]}" in lxml_html.fromstring(made.html).text_content()
    assert f"▸{TEXT[20:22]}" in lxml_html.fromstring(made.html).text_content()
    made.save(tmp_path / "view.html")
    page = (tmp_path / "view.html").read_text(encoding="utf-8")
    assert made._repr_html_() in page
    assert not re.search(r"<script|src=|href=", page)


def test_what_is_missing_is_named():
    qrels = pd.DataFrame({"qid": ["1"], "docno": "7", "label": 1, "highlights": [[(0, 3)]]})
    with pytest.raises(ValueError, match="docno is missing"):
        view({"7": TEXT}, qrels, qid="1")
    with pytest.raises(ValueError, match="qid=None: give one of the topics, 1"):
        view({"7": TEXT}, qrels, docno="7")
    assert view({"7": TEXT, "8": TEXT}, qrels, None, "1", "8").counts["highlighted"] == 0
    assert repr(view({"7": TEXT}, docno="7")) == ("<ArticleView of '7': 0 characters highlighted, 0 retrieved, 0 both>")
