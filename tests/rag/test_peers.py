"""Scores of peers, from their published definitions, on overlapping chunks that are retrieved by chance."""

import random

import pytest

from pyterrier_focused.rag.score import evaluate_retrieved

CORPUS = {"a": "abcdefghij" * 30, "b": "klmnopqrst" * 30}
MEASURES = "CharP(overlap='repeat') CharR(overlap='repeat')"


def draw_spans(rng, count):
    found = []
    for _ in range(count):
        start = rng.randrange(250)
        found.append((rng.choice("ab"), start, start + rng.randrange(1, 50)))
    return found


def score_as_legalbench_rag(retrieved, references):
    """Precision and recall: shared characters of each snippet with each reference, however often they come."""
    shared = sum(
        max(0, min(end, last) - max(start, first))
        for docno, start, end in retrieved
        for other, first, last in references
        if docno == other
    )
    read = sum(end - start for _, start, end in retrieved)
    return shared / read, shared / sum(end - start for _, start, end in references)


@pytest.mark.parametrize("seed", range(20))
def test_legalbench_rag(seed):
    rng = random.Random(seed)
    references = [("a", 10, 40), ("a", 60, 90), ("b", 100, 180)]
    retrieved = draw_spans(rng, 12)
    rows = [{"qid": "1", "query": "q", "docno": docno, "start": start, "end": end} for docno, start, end in references]
    result = evaluate_retrieved(rows, {"1": retrieved}, CORPUS, MEASURES, verbose=False)
    precision, recall = score_as_legalbench_rag(retrieved, references)
    assert result.table["CharP(overlap='repeat')"][0] == pytest.approx(precision, abs=1e-12)
    assert result.table["CharR(overlap='repeat')"][0] == pytest.approx(recall, abs=1e-12)
