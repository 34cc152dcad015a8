"""The campaigns' measures on random frames, against their definitions over sets of characters.

Without strict=True the rules are those of the official programs (tests/campaigns), with it those of the docstrings.
"""

import bioasq_rules
import brute_force
import genomics_rules
import ir_measures
import kilt_rules
import pytest
from every_measure import define_values, values
from hypothesis import given
from random_topics import column, qrels_frame, qrels_topics, run_frame, run_topics

from pyterrier_focused import parse
from pyterrier_focused.evaluation.measure_registry import list_measures

pytestmark = pytest.mark.filterwarnings("ignore::pyterrier_focused.errors.EvaluationWarning")
CASES = (run_topics(overlap=True), qrels_topics(min_topics=1))
SECTIONS = {"9": "1/0", "10": "1/abstract", "a": "1/title", "ab": "2/abstract", "é": "2/0", "z#1-2": "3"}


def aspects(highlights):
    return [[str(start % 3), f"x{end % 2}"][: 1 + start % 2] for start, end in highlights]


def alternatives(highlights):
    return [end % 2 for _, end in highlights]


def frames(run, qrels):
    judged = qrels_frame(qrels)
    judged["aspects"] = column([aspects(cell) for cell in judged["highlights"]])
    judged["alternatives"] = column([alternatives(cell) for cell in judged["highlights"]])
    return judged, run_frame(run)


def with_sections(topics):
    return {qid: [(SECTIONS[docno], *row) for docno, *row in rows] for qid, rows in topics.items()}


def compare(expected, run, qrels):
    judged, retrieved = frames(run, qrels)
    measures = {parse(name)[0]: function for name, function in expected.items()}
    assert values(measures, retrieved, judged) == pytest.approx(define_values(measures, run, qrels), abs=1e-9)


def passages(run):
    return [(rank, docno, start, end - start) for rank, (docno, start, end) in enumerate(brute_force.passages(run))]


def golden(qrels):
    return [
        (docno, start, end - start, names)
        for docno, _, highlights, *_ in qrels
        for (start, end), names in zip(highlights, aspects(highlights), strict=True)
    ]


def genomics(rule):
    return lambda run, qrels: rule(passages(run), golden(qrels)) if golden(qrels) else 0


def evidence_spans(qrels):
    """Highlights that share a character are one: sets of characters."""
    spans = []
    for docno, start, length, _ in golden(qrels):
        here = {(docno, at) for at in range(start, start + length)}
        spans = [span for span in spans if not span & here] + [here.union(*(span for span in spans if span & here))]
    return spans


def passage_ap(run, qrels):
    spans, relevant = evidence_spans(qrels), brute_force.highlighted(qrels)
    read, found, total, seen, waiting = 0, 0, 0.0, set(), spans
    for _, docno, start, length in passages(run):
        here = {(docno, at) for at in range(start, start + length)}
        read, found, seen = read + len(here - seen), found + len((here - seen) & relevant), seen | here
        total += sum(found / read for span in waiting if span & here)
        waiting = [span for span in waiting if not span & here]
    return total / len(spans) if spans else 0


def aspect_ap(run, qrels):
    seen, hits, counted, total, gold = set(), 0, 0, 0.0, golden(qrels)
    for _, docno, start, length in passages(run):
        here = set(range(start, start + length))
        near = [names for name, at, size, names in gold if name == docno and here & set(range(at, at + size))]
        new = {name for names in near for name in names} - seen
        if new or not near:
            counted += 1
        if new:
            hits += 1
            total += len(new) * hits / counted
            seen |= new
    known = {name for *_, names in gold for name in names}
    return total / len(known) if known else 0


@given(*CASES)
def test_measures_of_genomics_are_those_of_its_rules(run, qrels):
    expected = {
        "PassageAP": genomics(genomics_rules.passage), "AspectAP": genomics(genomics_rules.aspect),
        "PassageAP(strict=True)": passage_ap, "AspectAP(strict=True)": aspect_ap,
    }  # fmt: skip
    compare(expected, run, qrels)


def test_strict_genomics_by_hand():
    """Two highlights that touch; the first passage has the first alone, the second touches the second's end.

    A passage that holds both brings the aspects of both with strict=True, those of the first highlight without.
    """
    judged = qrels_frame({"1": [("a", 1, [(0, 5), (5, 10)], 0, 60)]}).assign(aspects=column([[["A"], ["B"]]]))

    def values(names, *passages):
        metrics = ir_measures.iter_calc(parse(names), judged, run_frame({"1": [("a", 1.0, list(passages))]}))
        return {str(metric.measure): metric.value for metric in metrics}

    assert values("PassageAP(strict=True)", (0, 5), (10, 20)) == {"PassageAP(strict=True)": 1 / 2}
    assert values("AspectAP AspectAP(strict=True)", (0, 10)) == {"AspectAP": 1 / 2, "AspectAP(strict=True)": 1}


def snippet(docno, start, length):
    document, _, section = docno.partition("/")
    return {"document": document, "beginSection": section, "endSection": section, "offsetInBeginSection": start,
            "offsetInEndSection": start + length - 1}  # fmt: skip


def snippets(at, edition=8):
    def value(run, qrels):
        gold = [snippet(*part[:3]) for part in golden(qrels)]
        given = [snippet(*part[1:]) for part in passages(run) if part[3]]  # not entry points, of no characters
        scores = bioasq_rules.of_snippets(gold, given, edition)
        return 0 if scores[at] != scores[at] else scores[at]

    return value


def strict_snippet_ap(run, qrels):
    gold = bioasq_rules.merged([snippet(*part[:3]) for part in golden(qrels)])
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


def evidence(level, value):
    def name(docno, start, length):
        page = docno.partition("/")[0]
        return {"page": page, "section": docno, "paragraph": (page, start, start + length)}[level]

    def of(run, qrels):
        ids = kilt_rules.distinct([name(*part[1:]) for part in passages(run)])
        sets = {}
        for docno, _, highlights, *_ in qrels:
            for (start, end), number in zip(highlights, alternatives(highlights), strict=True):
                sets.setdefault(number, set()).add(name(docno, start, end - start))
        numbered = [sets[number] for number in sorted(sets)]
        return value(ids, numbered) if numbered else 0

    return of


def r_precision(ids, sets):
    return max(sum(name in one for name in ids[: len(one)]) / len(one) for one in sets)


def completed(k):
    return lambda ids, sets: kilt_rules.rank_list(ids, kilt_rules.distinct(sets))[:k].count(True)


def at_cutoff(level, k):
    found = completed(k)
    return {
        f"EvidenceP(level='{level}')@{k}": evidence(level, lambda ids, sets: found(ids, sets) / k),
        f"EvidenceR(level='{level}')@{k}": evidence(
            level, lambda ids, sets: found(ids, sets) / len(kilt_rules.distinct(sets))
        ),
        f"EvidenceSuccess(level='{level}')@{k}": evidence(level, lambda ids, sets: found(ids, sets) > 0),
    }


@pytest.mark.parametrize("level", ["page", "section", "paragraph"])
@given(*CASES)
def test_measures_of_kilt_are_those_of_its_rules(level, run, qrels):
    rprec = {f"EvidenceRprec(level='{level}')": evidence(level, r_precision)}
    compare(rprec | at_cutoff(level, 1) | at_cutoff(level, 3), with_sections(run), with_sections(qrels))


STRICT = [name for measure in list_measures() if "strict" in measure.SUPPORTED_PARAMS for name in (
    [measure.NAME] if "cutoff" not in measure.SUPPORTED_PARAMS else [])]  # fmt: skip


@given(*CASES)
def test_strict_values_lie_between_0_and_1(run, qrels):
    measures = [parse(f"{name}(strict=True)")[0] for name in STRICT if name != "SnippetAP"]
    assert len(measures) == 2
    metrics = ir_measures.iter_calc(measures, *frames(run, qrels))
    assert [metric for metric in metrics if not 0 <= metric.value <= 1 + 1e-12] == []


def test_a_column_that_the_qrels_lack_is_named():
    judged, retrieved = frames({"1": [("a", 1.0, [(0, 9)])]}, {"1": [("a", 1, [(0, 9)], 0, 20)]})
    with pytest.raises(ValueError, match="the qrels have no column 'aspects'"):
        list(ir_measures.iter_calc(parse("AspectAP"), judged.drop(columns="aspects"), retrieved))


def test_a_column_beside_the_highlights_has_their_length():
    judged, retrieved = frames({"1": [("a", 1.0, [(0, 9)])]}, {"1": [("a", 1, [(0, 9), (10, 12)], 0, 20)]})
    judged["aspects"] = column([[["A"]]])
    with pytest.raises(ValueError, match=r"column 'aspects', topic '1', article 'a': 1 entries beside 2 highlights"):
        list(ir_measures.iter_calc(parse("AspectAP"), judged, retrieved))


@given(*CASES)
def test_nothing_around_is_as_no_column(run, qrels):
    measures = parse("PassageAP PassageAP(strict=True)")
    zeros = [[0] * len(parts) if parts else parts for topic in run.values() for _, _, parts in topic]
    frame, judged = run_frame(run), qrels_frame(qrels)
    assert values(measures, frame.assign(around=column(zeros)), judged) == values(measures, frame, judged)


def test_the_passages_of_genomics_are_as_long_as_what_is_read_of_them():
    """[0, 10) with 10 characters around it, 5 of [5, 15) in it."""
    run = run_frame({"1": [("a", 1.0, [(0, 10)])]}).assign(around=column([[10]]))
    (measure,) = parse("PassageAP")
    assert values([measure], run, qrels_frame({"1": [("a", 1, [(5, 15)], 5, 60)]}))[measure, "1"] == 5 / 20


@pytest.mark.parametrize(
    "name", ["PassageAP", "AspectAP", "SnippetAP", "SnippetP", "SnippetR", "SnippetF", "EvidenceRprec", "EvidenceP@1"]
)
def test_items_of_several_passages_are_refused(name):
    judged, retrieved = frames({"1": [("a", 1.0, [(0, 4), (6, 9)])]}, {"1": [("a", 1, [(0, 9)], 0, 20)]})
    with pytest.raises(ValueError, match=r"items of several passages .* campaigns' measures"):
        list(ir_measures.iter_calc(parse(name), judged, retrieved.assign(items=column([[1, 1]]))))
