"""Beside Chroma's chunking evaluation and PASSAGE2 of TREC Genomics 2007, written from their published definitions."""

import ir_measures
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused.measures import CharIoU, CharMAP, CharP, CharR

SPANS = st.tuples(st.integers(0, 40), st.integers(1, 20)).map(lambda span: (span[0], span[0] + span[1]))
CHUNKS = st.lists(SPANS, min_size=1, max_size=6)


def disjoint(spans):
    kept = []
    for start, end in spans:
        if all(end <= other or start >= stop for other, stop in kept):
            kept.append((start, end))
    return kept


def chroma(chunks, references):
    """Recall, precision and IoU: chunk lengths are summed, not merged; what was found is merged."""
    found = set()
    for start, end in chunks:
        for first, last in references:
            found |= set(range(max(start, first), min(end, last)))
    n = len(found)
    length = sum(end - start for start, end in chunks)
    uncovered = {offset for span in references for offset in range(*span)} - found
    return n / sum(end - start for start, end in references), n / length, n / (length + len(uncovered))


def passage2(chunks, references):
    """Average precision with each character as an item; a relevant one that was seen before is not an item."""
    relevant = {offset for span in references for offset in range(*span)}
    left = set(relevant)
    hits = items = 0
    precision = 0.0
    for chunk in chunks:
        for offset in range(*chunk):
            if offset in relevant and offset not in left:
                continue
            items += 1
            if offset in left:
                left.remove(offset)
                hits += 1
                precision += hits / items
    return precision / len(relevant)


def ours(measures, chunks, references):
    qrels = pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "relevance": [1], "highlights": [references]})
    passages = [(start, end, float(-rank)) for rank, (start, end) in enumerate(chunks)]
    run = pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "score": [1.0], "passages": [passages]})
    values = ir_measures.calc_aggregate(measures, qrels, run)
    return [values[measure] for measure in measures]


@given(CHUNKS.map(disjoint), CHUNKS.map(disjoint), st.integers(1, 6))
def test_chunks_without_overlap_score_the_same(chunks, references, k):
    found = ours([CharR @ k, CharP @ k, CharIoU @ k], chunks, references)
    assert found == pytest.approx(chroma(chunks[:k], references), abs=1e-12)


@given(CHUNKS, CHUNKS.map(disjoint))
def test_chunks_that_overlap_score_higher_where_each_character_counts_once(chunks, references):
    recall, precision, iou = chroma(chunks, references)
    found = ours([CharR(overlap="once"), CharP(overlap="once"), CharIoU(overlap="once")], chunks, references)
    assert found[0] == pytest.approx(recall, abs=1e-12)
    assert found[1] >= precision - 1e-12
    assert found[2] >= iou - 1e-12
    read = len({offset for chunk in chunks for offset in range(*chunk)})
    if read == sum(end - start for start, end in chunks):
        assert found == pytest.approx([recall, precision, iou], abs=1e-12)


@given(CHUNKS, CHUNKS.map(disjoint), st.integers(1, 6))
def test_chunks_that_overlap_score_the_same_where_text_read_again_is_noise(chunks, references, k):
    ranked = list(dict.fromkeys(chunks))
    found = ours([measure(overlap="noise") @ k for measure in (CharR, CharP, CharIoU)], ranked, references)
    assert found == pytest.approx(chroma(ranked[:k], references), abs=1e-12)


@given(CHUNKS, CHUNKS)
def test_char_map_is_passage2(chunks, references):
    ranked = list(dict.fromkeys(chunks))
    assert ours([CharMAP], ranked, references) == pytest.approx([passage2(ranked, references)], abs=1e-12)
