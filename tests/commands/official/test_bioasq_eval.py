"""`pt-focused bioasq-eval` against the rules of BioASQ's program, and the measures against both."""

import json
import math
import re

import ir_measures
import pytest
from bioasq_rules import expected, of_snippets, random_files

from pyterrier_focused import io, parse
from pyterrier_focused.cli import main
from pyterrier_focused.commands.official.bioasq_eval import java_double
from pyterrier_focused.errors import FormatError

EDITIONS = (2, 3, 5, 8, 9)


@pytest.fixture
def evaluate(tmp_path, capsys):
    def evaluate(gold, submission, *options):
        for name, content in (("gold.json", gold), ("system.json", submission)):
            (tmp_path / name).write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
        files = [str(tmp_path / "gold.json"), str(tmp_path / "system.json")]
        code = main(["bioasq-eval", *options, *files])
        return code, *capsys.readouterr()

    return evaluate


@pytest.mark.parametrize("edition", [*EDITIONS, 4])
def test_random_files_score_by_the_rules_of_bioasq_eval(edition, evaluate):
    for seed in range(60):
        golden, submitted = random_files(seed)
        code, out, err = evaluate(golden, submitted, "-e", str(edition), "--json")
        assert code == 0, err
        ours, theirs = json.loads(out)["all"], expected(golden, submitted, edition)
        assert list(ours) == list(theirs)
        theirs = {name: value for name, value in theirs.items() if value is not None}
        assert {name: ours[name] for name in theirs} == pytest.approx(theirs, abs=1e-9), seed


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_question_has_the_values_that_it_has_alone(edition, evaluate):
    golden, submitted = random_files(3)
    every = json.loads(evaluate(golden, submitted, "-e", str(edition), "--json")[1])
    assert len(every) > 2
    for question in golden["questions"]:
        alone = json.loads(evaluate({"questions": [question]}, submitted, "-e", str(edition), "--json")[1])
        assert alone["all"] == every.get(question["id"], alone["all"])


@pytest.mark.parametrize("edition", EDITIONS)
def test_offsets_before_the_text_are_numbers_like_others(edition, evaluate):
    for seed in range(20):
        golden, submitted = random_files(seed)
        for found in (golden, submitted):
            for one in (snippet for question in found["questions"] for snippet in question["snippets"]):
                one["offsetInBeginSection"] -= 30
                one["offsetInEndSection"] -= 30
        ours = json.loads(evaluate(golden, submitted, "-e", str(edition), "--json")[1])["all"]
        theirs = {name: value for name, value in expected(golden, submitted, edition).items() if value is not None}
        assert {name: ours[name] for name in theirs} == pytest.approx(theirs, abs=1e-9), seed


def snippet(begin, end, document="http://a/1", section="abstract", end_section=None):
    return {
        "document": document, "text": "", "beginSection": section, "endSection": end_section or section,
        "offsetInBeginSection": begin, "offsetInEndSection": end,
    }  # fmt: skip


def question(*snippets, documents=(), name="q"):
    return {"questions": [{"id": name, "documents": list(documents), "snippets": list(snippets)}]}


@pytest.mark.parametrize(
    ("golden", "submitted", "precision", "value"),
    [
        # 0..9 and 9..19 share index 9: one snippet of 20; 20..29 is another
        ([snippet(0, 29)], [snippet(0, 9), snippet(20, 29), snippet(9, 19)], 1.0, 2.0),
        # relevant although nothing is shared: the rank after it counts with 10 of 20 characters
        ([snippet(0, 9)], [snippet(0, 9), snippet(50, 59)], 0.5, 1.5),
        # "0" is held against "abstract", not the other way round
        ([snippet(0, 9)], [snippet(0, 9, section="sections.0")], 1.0, 1.0),
        ([snippet(0, 9, section="0")], [snippet(0, 9)], 0.0, 0.0),
        # https is another document for AP alone
        ([snippet(0, 9)], [snippet(0, 9, document="https://a/1")], 1.0, 0.0),
        # from title 50 to abstract 19: 30 characters less than none, as the numbers say
        ([snippet(0, 9)], [snippet(50, 19, section="title", end_section="abstract"), snippet(0, 9)], 10 / -20, -0.5),
    ],
)
def test_snippets_by_hand(golden, submitted, precision, value, evaluate):
    values = json.loads(evaluate(question(*golden), question(*submitted), "-e", "8", "--json")[1])["q"]
    assert values["MPrec snippets"] == pytest.approx(precision)
    assert values["MAP snippets"] == pytest.approx(value)


def test_output_is_the_official_programs_of_bioasq_eval(evaluate):
    golden = question(snippet(0, 9), documents=["http://a/1", "http://a/2"])
    submitted = question(snippet(5, 14), documents=["http://a/3", "http://a/1"])
    code, out, _ = evaluate(golden, submitted, "-e", "5", "-verbose")
    assert code == 0
    numbers, *named = out.splitlines()
    documents = ["0.5", "0.5", "0.5", "0.05", "0.05001"]
    assert numbers.split()[:8] == ["0.0"] * 5 + documents[:3]
    assert float(numbers.split()[9]) == pytest.approx(0.05001)
    assert len(numbers.split()) == 20
    assert named[5:9] == [
        f"{name} documents: {value}" for name, value in zip(("MPrec", "MRec", "MF1", "MAP"), documents, strict=False)
    ]
    assert [line.split(":")[0] for line in named] == [
        f"{name} {kind}"
        for kind in ("concepts", "documents", "snippets", "triples")
        for name in ("MPrec", "MRec", "MF1", "MAP", "GMAP")
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0"), (1.0, "1.0"), (0.25, "0.25"), (0.001, "0.001"), (0.00099, "9.9E-4"), (1e-5, "1.0E-5"),
        (1e7, "1.0E7"), (1234567.5, "1234567.5"), (1 / 3, "0.3333333333333333"), (math.nan, "NaN"),
        (-math.inf, "-Infinity"),
    ],
)  # fmt: skip
def test_numbers_are_written_as_java_does(value, text):
    assert java_double(value) == text


GOOD = json.dumps(question(snippet(0, 9)), indent=1)


@pytest.mark.parametrize(
    ("submission", "message"),
    [
        (GOOD[:40], r"system.json:\d+: this is not JSON"),
        ('{"answers": []}', 'no list called "questions"'),
        (GOOD.replace('"text"', '"score"'), r"system.json:9: a snippet has no key 'score'"),
        (GOOD.replace(": 9", ': "9"'), r"system.json:13: offsetInEndSection of a snippet is '9', not a whole number"),
        (GOOD.replace('"id"', '"name"'), r'system.json:3: a question has no "id"'),
        (GOOD.replace('"documents": []', '"documents": [1]'), "system.json:5: documents is not a list of texts"),
        (GOOD.replace('"documents": []', '"documents": "é'), r"system.json:\d+: this is not JSON"),
    ],
)
def test_bad_input_is_an_error_that_names_the_line_of_bioasq_eval(submission, message, evaluate):
    code, out, err = evaluate(GOOD, submission)
    assert code == 2
    assert out == ""
    assert re.search(message, err), err


@pytest.mark.filterwarnings("ignore::pyterrier_focused.errors.EvaluationWarning")
def test_measures_on_frames_are_the_programs_values_of_bioasq_eval(tmp_path):
    """For snippets that frames can hold: one address of a document, sections that do not differ in name alone."""
    import pyterrier as pt

    names = ["SnippetP", "SnippetR", "SnippetF", *(f"SnippetAP(edition={edition})" for edition in EDITIONS)]
    measures = parse(names)
    compared = 0
    for seed in range(60):
        golden, submitted = random_files(seed)
        for found in (golden, submitted):
            for one in found["questions"]:
                for part in one["snippets"]:
                    part["document"] = "http://a/" + part["document"].rpartition("/")[2]
                    part["endSection"] = part["beginSection"]
        (tmp_path / "gold.json").write_text(json.dumps(golden))
        (tmp_path / "run.json").write_text(json.dumps(submitted))
        if not any(one["snippets"] for one in golden["questions"]) or not any(
            one["snippets"] for one in submitted["questions"]
        ):
            continue
        with (
            pytest.warns(UserWarning, match="no snippets: not judged")
            if not all(one["snippets"] for one in golden["questions"])
            else _nothing()
        ):
            qrels = io.read_qrels(tmp_path / "gold.json")
        frame = io.read_run(tmp_path / "run.json")
        answers = {one["id"]: one for one in reversed(submitted["questions"])}
        values = {}
        for one in golden["questions"]:
            for measure in measures:
                edition = measure["edition"] if measure.NAME == "SnippetAP" else 8
                given = answers[one["id"]]["snippets"] if one["id"] in answers else []
                scores = of_snippets(one["snippets"], given, edition)
                at = ("SnippetP", "SnippetR", "SnippetF", "SnippetAP").index(measure.NAME)
                values[one["id"], measure] = scores[at]
        for metric in ir_measures.iter_calc(measures, pt.model.to_ir_measures(qrels), pt.model.to_ir_measures(frame)):
            assert metric.value == pytest.approx(values[metric.query_id, metric.measure], abs=1e-9), (seed, metric)
            compared += 1
    assert compared > 500


def test_gmap_is_a_geometric_mean_and_ignores_what_divides_0_by_0(tmp_path):
    import pandas as pd

    from pyterrier_focused.measures import SnippetAP

    qrels = pd.DataFrame({"query_id": ["1", "2"], "doc_id": ["a/b", "a/b"], "highlights": [[(0, 10)], [(0, 10)]]})
    run = pd.DataFrame({"query_id": ["1"], "doc_id": ["a/b"], "score": [1.0], "passages": [[(0, 10)]]})
    value = SnippetAP(aggregate="gmap").calc_aggregate(qrels, run)
    assert value == pytest.approx(math.sqrt(1.00001 * 0.00001))
    assert SnippetAP.calc_aggregate(qrels, run) == pytest.approx(1 / 2)
    empty = pd.DataFrame({"query_id": ["1"], "doc_id": ["a/b"], "highlights": [[]]})
    assert SnippetAP(aggregate="gmap", edition=2).calc_aggregate(empty, run) == 0.0
    assert SnippetAP(aggregate="gmap", edition=5).calc_aggregate(empty, run) == pytest.approx(0.00001)
    assert SnippetAP(edition=2).calc_aggregate(empty, run) == 0.0
    for measure in (SnippetAP, SnippetAP(aggregate="gmap")):
        assert math.isnan(measure.aggregator().result())  # of no topics, as in ir_measures


def _nothing():
    import contextlib

    return contextlib.nullcontext()


def test_phase_a_may_be_named(evaluate):
    golden, submitted = question(snippet(0, 9)), question(snippet(5, 9))
    assert evaluate(golden, submitted, "-phaseA") == evaluate(golden, submitted)


def test_a_golden_question_that_stands_twice_is_told(evaluate, tmp_path):
    golden = {"questions": 2 * question(snippet(0, 9))["questions"]}
    code, _, err = evaluate(golden, question(snippet(5, 9)))
    assert code == 0
    assert "1 question ids occur more than once (first: 'q')" in err
    path = tmp_path / "golden.json"
    path.write_text(json.dumps(golden))
    with pytest.raises(FormatError, match="question 'q' occurs twice"):
        io.read_qrels(path)
