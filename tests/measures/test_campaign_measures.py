"""The campaigns' measures on random frames, against their definitions over sets of characters and seconds.

Without strict=True the rules are those of the official programs (tests/campaigns), with it those of the docstrings.
"""

import bioasq_rules
import brute_force
import genomics_rules
import hyperlinking_rules
import ir_measures
import kilt_rules
import pytest
from every_measure import define_values, values
from hypothesis import given
from random_topics import column, qrels_frame, qrels_topics, run_frame, run_topics

from pyterrier_focused import parse
from pyterrier_focused.measures import MEASURES

pytestmark = pytest.mark.filterwarnings("ignore::pyterrier_focused.errors.EvaluationWarning")
CASES = (run_topics(overlap=True), qrels_topics(min_topics=1))
SECTIONS = {"9": "1/0", "10": "1/abstract", "a": "1/title", "ab": "2/abstract", "é": "2/0", "z#1-2": "3"}


def aspects(highlights):
    return [[str(start % 3), f"x{end % 2}"][: 1 + start % 2] for start, end in highlights]


def alternatives(highlights):
    return [end % 2 for _, end in highlights]


def not_relevant(bep, length):
    return [(bep, bep + 1 + length % 9)] if bep >= 0 else []


def frames(run, qrels):
    judged = qrels_frame(qrels)
    judged["aspects"] = column([aspects(cell) for cell in judged["highlights"]])
    judged["alternatives"] = column([alternatives(cell) for cell in judged["highlights"]])
    cells = zip(judged["bep"], judged["length"], strict=True)
    judged["not_relevant"] = column([not_relevant(*cell) for cell in cells])
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


def segments(run):
    return [(docno, start, start + length, 0) for _, docno, start, length in passages(run)]


def judged(qrels):
    relevant = [(docno, start, start + length) for docno, start, length, _ in golden(qrels)]
    return relevant, [(docno, *span) for docno, _, _, *rest in qrels for span in not_relevant(*rest)]


def official(name):
    """A value of sh_eval's; a topic without results has none there and scores 0."""

    def value(run, qrels):
        relevant, others = judged(qrels)
        lines = [(*part, 1) for part in relevant] + [(*part, 0) for part in others]
        return hyperlinking_rules.per_query(segments(run), lines)[name] if segments(run) else 0

    return value


def marked(marks, suffix):
    def value(name):
        def of(run, qrels):
            relevant, others = judged(qrels)
            states = marks(segments(run), hyperlinking_rules.merge(relevant), hyperlinking_rules.merge(others))
            return hyperlinking_rules.measures(states, len(hyperlinking_rules.merge(relevant)), "")[name]

        return of

    return {
        f"SegmentAP({suffix}strict=True)": value("map"),
        f"SegmentP({suffix}strict=True)@5": value("P_5"),
        f"SegmentJudged({suffix}strict=True)@10": value("Judged_10"),
    }


def once(run, relevant, others):
    """A segment counts where it shares a second with a relevant one that none before it did."""
    marks, waiting = [], list(relevant)
    for video, start, end, _ in run:
        met = [[part for part in parts if part[0] == video and set(range(*part[1:])) & set(range(start, end))]
               for parts in (waiting, relevant, others)]  # fmt: skip
        marks.append("1" if met[0] else "0" if met[1] or met[2] else "-")
        waiting = [part for part in waiting if part not in met[0]]
    return marks


def tolerant_once(run, relevant, others, tolerance=15):
    """As sh_eval's, where a segment counts if it leads to a relevant one that none before it led to."""
    plain, marks, found = hyperlinking_rules.tolerant, [], set()
    kept = []
    for part in run:
        video, start = part[:2]
        mark = plain([*kept, part], relevant, others)[-1]
        window = set(range(start, start + tolerance))
        hits = {one for one in relevant if one[0] == video and set(range(*one[1:])) & window}
        if mark == "1" and not hits - found:
            mark = "s"
        if mark == "1":
            found |= hits
            kept.append(part)
        marks.append(mark)
    return marks


def maisp(run, qrels):
    """Second by second: what is watched, and the best precision from each of 101 levels of recall on."""
    relevant = hyperlinking_rules.merge(judged(qrels)[0])
    unseen = {(video, at) for video, start, end in relevant for at in range(start, end)}
    total, watched, curve = len(unseen), 0, []
    for video, start, end, _ in segments(run):
        until = end
        for name, first, last in relevant:
            left = [at for at in range(first, last) if name == video and (video, at) in unseen]
            if set(left) & set(range(start, end)):
                until = max(until, left[-1] + 1)
        for at in range(start, until):
            watched += 1
            if (video, at) in unseen:
                unseen.remove((video, at))
                curve.append((total - len(unseen), watched))
    best = [max((n / m for n, m in curve if 100 * n >= level * total), default=0) for level in range(101)]
    return sum(best) / 101


@given(*CASES)
def test_measures_of_hyperlinking_are_those_of_its_rules(run, qrels):
    bins = {"SegmentAP(relevance='bin',strict=True)": "map_bin", "SegmentP(relevance='bin')@5": "P_5_bin"}
    names = {
        "SegmentAP": "map", "SegmentP@5": "P_5", "SegmentJudged@10": "Judged_10",
        "SegmentAP(relevance='bin')": "map_bin",
        "SegmentJudged(relevance='bin')@10": "Judged_10_bin", "SegmentAP(relevance='tolerance')": "map_tol",
        "SegmentP(relevance='tolerance')@5": "P_5_tol", "SegmentJudged(relevance='tolerance')@10": "Judged_10_tol",
        "MAiSP": "maisp", **bins,
    }  # fmt: skip
    expected = {name: official(value) for name, value in names.items()}
    expected |= marked(once, "") | marked(tolerant_once, "relevance='tolerance',") | {"MAiSP(strict=True)": maisp}
    compare(expected, run, qrels)


@given(*CASES)
def test_sizes_of_bins_and_tolerance(run, qrels):
    def bins(run, qrels):
        marks, count = hyperlinking_rules.binned(segments(run), *judged(qrels))
        return hyperlinking_rules.measures(marks, count, "")["map"]

    def tolerant(run, qrels):
        relevant, others = map(hyperlinking_rules.merge, judged(qrels))
        marks = hyperlinking_rules.tolerant(segments(run), relevant, others, 3)
        return hyperlinking_rules.measures(marks, len(relevant), "")["map"]

    original = hyperlinking_rules.bins
    try:
        hyperlinking_rules.bins = lambda video, start, end: original(video, start, end, 7)
        compare({"SegmentAP(relevance='bin',bin=7)": bins}, run, qrels)
    finally:
        hyperlinking_rules.bins = original
    compare({"SegmentAP(relevance='tolerance',tolerance=3)": tolerant}, run, qrels)


@pytest.mark.parametrize(
    ("passages", "expected"), [([(10, 12, 2.0), (6, 8, 1.0)], [1, 2]), ([(10, 12, 1.0), (6, 8, 2.0)], [1, 1])]
)
def test_what_a_user_was_led_to_counts_once_only_with_strict(passages, expected):
    """Both starts lead to [20, 30); where [6, 8) comes second, it ends before what was watched, [10, 30), begins."""
    name = "SegmentAP(relevance='tolerance'%s)"
    values = [marked(tolerant_once, "relevance='tolerance',")[name % ",strict=True"], official("map_tol")]
    run, qrels = {"1": [("a", 1.0, passages)]}, {"1": [("a", 1, [(20, 30)], -1, 60)]}
    assert [value(run["1"], qrels["1"]) for value in values] == expected
    compare({name % ",strict=True": values[0], name % "": values[1]}, run, qrels)


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


STRICT = [name for measure in MEASURES if "strict" in measure.SUPPORTED_PARAMS for name in (
    [measure.NAME] if "cutoff" not in measure.SUPPORTED_PARAMS else [])]  # fmt: skip


@given(*CASES)
def test_strict_values_lie_between_0_and_1(run, qrels):
    measures = [parse(f"{name}(strict=True)")[0] for name in STRICT if name != "SnippetAP"]
    measures.append(parse("SegmentAP(relevance='tolerance',strict=True)")[0])
    assert len(measures) == 5
    metrics = ir_measures.iter_calc(measures, *frames(run, qrels))
    assert [metric for metric in metrics if not 0 <= metric.value <= 1 + 1e-12] == []


@pytest.mark.parametrize("missing", ["aspects", "not_relevant"])
def test_a_column_that_the_qrels_lack_is_named(missing):
    judged, retrieved = frames({"1": [("a", 1.0, [(0, 9)])]}, {"1": [("a", 1, [(0, 9)], 0, 20)]})
    measure = parse("AspectAP" if missing == "aspects" else "SegmentJudged@5")
    with pytest.raises(ValueError, match=f"the qrels have no column '{missing}'"):
        list(ir_measures.iter_calc(measure, judged.drop(columns=missing), retrieved))


def test_a_column_beside_the_highlights_has_their_length():
    judged, retrieved = frames({"1": [("a", 1.0, [(0, 9)])]}, {"1": [("a", 1, [(0, 9), (10, 12)], 0, 20)]})
    judged["aspects"] = column([[["A"]]])
    with pytest.raises(ValueError, match=r"column 'aspects', topic '1', article 'a': 1 entries beside 2 highlights"):
        list(ir_measures.iter_calc(parse("AspectAP"), judged, retrieved))
