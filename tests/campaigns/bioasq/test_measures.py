"""The campaigns' measures on random frames, against their definitions over sets of characters.

Without strict=True the rules are those of the official programs (tests/campaigns), with it those of the docstrings.
"""

import bioasq_rules
import brute_force
import ir_measures
import pytest
from every_measure import define_values, values
from hypothesis import given
from random_topics import column, qrels_frame, qrels_topics, run_frame, run_topics

from pyterrier_focused import parse

pytestmark = pytest.mark.filterwarnings("ignore::pyterrier_focused.errors.EvaluationWarning")
CASES = (run_topics(overlap=True), qrels_topics(min_topics=1))
SECTIONS = {"9": "1/0", "10": "1/abstract", "a": "1/title", "ab": "2/abstract", "é": "2/0", "z#1-2": "3"}


def with_sections(topics):
    return {qid: [(SECTIONS[docno], *row) for docno, *row in rows] for qid, rows in topics.items()}


def compare(expected, run, qrels):
    judged, retrieved = qrels_frame(qrels), run_frame(run)
    measures = {parse(name)[0]: function for name, function in expected.items()}
    assert values(measures, retrieved, judged) == pytest.approx(define_values(measures, run, qrels), abs=1e-9)


def passages(run):
    return [(rank, docno, start, end - start) for rank, (docno, start, end) in enumerate(brute_force.passages(run))]


def golden(qrels):
    return [(docno, start, end - start) for docno, _, highlights, *_ in qrels for start, end in highlights]


def snippet(docno, start, length):
    document, _, section = docno.partition("/")
    return {"document": document, "beginSection": section, "endSection": section, "offsetInBeginSection": start,
            "offsetInEndSection": start + length - 1}  # fmt: skip


def snippets(at, edition=8):
    def value(run, qrels):
        gold = [snippet(*part) for part in golden(qrels)]
        given = [snippet(*part[1:]) for part in passages(run) if part[3]]  # not entry points, of no characters
        scores = bioasq_rules.of_snippets(gold, given, edition)
        return 0 if scores[at] != scores[at] else scores[at]

    return value


def strict_snippet_ap(run, qrels):
    gold = bioasq_rules.merged([snippet(*part) for part in golden(qrels)])
    given = bioasq_rules.merged([snippet(*part[1:]) for part in passages(run) if part[3]])
    total, found, read = 0.0, 0, 0
    for document, section, _, indices in given:
        shared = sum(len(indices & g[3]) for g in gold if g[0] == document and g[1] == section)
        found, read = found + shared, read + len(indices)
        total += found / read if shared else 0
    return total / min(10, len(gold)) if gold else 0


def test_one_shared_character_makes_a_snippet_relevant():
    run, qrels = {"1": [("a", 1.0, [(4, 10)])]}, {"1": [("a", 1, [(0, 5)], -1, 60)]}
    assert strict_snippet_ap(run["1"], qrels["1"]) == 1 / 6
    compare({"SnippetAP(strict=True)": strict_snippet_ap}, run, qrels)


@given(*CASES)
def test_measures_of_bioasq_are_those_of_its_rules(run, qrels):
    expected = {"SnippetP": snippets(0), "SnippetR": snippets(1), "SnippetF": snippets(2)}
    expected |= {f"SnippetAP(edition={edition})": snippets(3, edition) for edition in (2, 3, 5, 8, 9)}
    compare({**expected, "SnippetAP(strict=True)": strict_snippet_ap}, with_sections(run), with_sections(qrels))


@pytest.mark.parametrize("name", ["SnippetAP", "SnippetP", "SnippetR", "SnippetF"])
def test_items_of_several_passages_are_refused(name):
    judged = qrels_frame({"1": [("a", 1, [(0, 9)], 0, 20)]})
    retrieved = run_frame({"1": [("a", 1.0, [(0, 4), (6, 9)])]})
    with pytest.raises(ValueError, match=r"items of several passages .* campaigns' measures"):
        list(ir_measures.iter_calc(parse(name), judged, retrieved.assign(items=column([[1, 1]]))))
