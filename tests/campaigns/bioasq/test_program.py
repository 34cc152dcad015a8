"""`pt-focused bioasq-eval` against the rules of BioASQ's program, and the measures against both."""

import json
import math
import re

import pandas as pd
import pytest
from bioasq_rules import expected, of_snippets, random_files
from official_values import measure_files
from random_cases import seeds
from readings import quietly, write

from pyterrier_focused import io
from pyterrier_focused.campaigns.bioasq import SnippetAP
from pyterrier_focused.cli import main
from pyterrier_focused.commands.official.java_numbers import java_double
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


def told(values):
    """Values without those that the rules leave open."""
    return {name: value for name, value in values.items() if value is not None}


@pytest.mark.parametrize("edition", [*EDITIONS, 4])
@pytest.mark.parametrize("seed", seeds(20))
def test_random_files_score_by_the_rules_of_bioasq_eval(seed, edition, evaluate):
    golden, submitted = random_files(seed)
    code, out, err = evaluate(golden, submitted, "-e", str(edition), "--json")
    assert code == 0, err
    ours, theirs = json.loads(out)["all"], expected(golden, submitted, edition)
    assert list(ours) == list(theirs)
    assert {name: ours[name] for name in told(theirs)} == pytest.approx(told(theirs), abs=1e-9)


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_question_has_the_values_that_it_has_alone(edition, evaluate):
    def values(golden):
        return json.loads(evaluate(golden, submitted, "-e", str(edition), "--json")[1])

    golden, submitted = random_files(3)
    every = values(golden)
    assert len(every) > 2
    questions = [question for question in golden["questions"] if question["id"] in every]
    alone = {question["id"]: values({"questions": [question]})["all"] for question in questions}
    assert alone == {qid: every[qid] for qid in alone}


def shift_snippets(found, characters):
    for snippet in (snippet for question in found["questions"] for snippet in question["snippets"]):
        snippet["offsetInBeginSection"] += characters
        snippet["offsetInEndSection"] += characters


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("seed", seeds(20))
def test_offsets_before_the_text_are_numbers_like_others(seed, edition, evaluate):
    golden, submitted = random_files(seed)
    shift_snippets(golden, -30)
    shift_snippets(submitted, -30)
    ours = json.loads(evaluate(golden, submitted, "-e", str(edition), "--json")[1])["all"]
    theirs = told(expected(golden, submitted, edition))
    assert {name: ours[name] for name in theirs} == pytest.approx(theirs, abs=1e-9)


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
def test_snippets_score_as_by_hand(golden, submitted, precision, value, evaluate):
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


MEASURES = {  # which of the rules' values, in which edition
    "SnippetP": (0, 8), "SnippetR": (1, 8), "SnippetF": (2, 8),
    **{f"SnippetAP(edition={edition})": (3, edition) for edition in EDITIONS},
}  # fmt: skip


def fit_frames(found):
    """Files as frames can hold them: one address of a document, sections that do not differ in name alone."""
    for snippet in (snippet for question in found["questions"] for snippet in question["snippets"]):
        snippet["document"] = "http://a/" + snippet["document"].rpartition("/")[2]
        snippet["endSection"] = snippet["beginSection"]
    return found


def values_of_both(folder):
    """What the measures and the rules say of random files, by seed, question and measure."""
    ours, theirs = {}, {}
    for seed in range(60):
        golden, submitted = map(fit_frames, random_files(seed))
        relevant = {question["id"]: question["snippets"] for question in golden["questions"]}
        returned = {question["id"]: question["snippets"] for question in reversed(submitted["questions"])}
        if any(relevant.values()) and any(question["snippets"] for question in submitted["questions"]):
            files = write(folder / "gold.json", golden), write(folder / "run.json", submitted)
            found = quietly(measure_files, MEASURES, *files)
            ours |= {(seed, *key): value for key, value in found.items()}
            for qid, name in found:
                place, edition = MEASURES[name]
                theirs[seed, qid, name] = of_snippets(relevant[qid], returned.get(qid, []), edition)[place]
    return ours, theirs


def test_measures_on_frames_are_the_programs_values_of_bioasq_eval(tmp_path):
    ours, theirs = values_of_both(tmp_path)
    assert len(theirs) > 500
    assert ours == pytest.approx(theirs, abs=1e-9)


def test_golden_questions_without_snippets_are_not_judged(tmp_path):
    golden = question(snippet(0, 9))
    golden["questions"].append({"id": "r", "snippets": []})
    with pytest.warns(UserWarning, match="1 of 2 questions have no snippets: not judged"):
        assert io.read_qrels(write(tmp_path / "gold.json", golden))["qid"].tolist() == ["q"]


def snippet_qrels(highlights):
    qids = [str(number) for number in range(1, len(highlights) + 1)]
    return pd.DataFrame({"query_id": qids, "doc_id": "a/b", "highlights": highlights})


ONE_PASSAGE = pd.DataFrame({"query_id": ["1"], "doc_id": ["a/b"], "score": [1.0], "passages": [[(0, 10)]]})


@pytest.mark.parametrize(
    ("measure", "value"), [(SnippetAP(aggregate="gmap"), math.sqrt(1.00001 * 0.00001)), (SnippetAP, 1 / 2)], ids=str
)
def test_gmap_is_a_geometric_mean(measure, value):
    qrels = snippet_qrels([[(0, 10)], [(0, 10)]])
    assert measure.calc_aggregate(qrels, ONE_PASSAGE) == pytest.approx(value)


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (SnippetAP(aggregate="gmap", edition=2), 0.0),
        (SnippetAP(aggregate="gmap", edition=5), 0.00001),
        (SnippetAP(edition=2), 0.0),
    ],
    ids=str,
)
def test_gmap_ignores_what_divides_0_by_0(measure, value):
    assert measure.calc_aggregate(snippet_qrels([[]]), ONE_PASSAGE) == pytest.approx(value)


@pytest.mark.parametrize("measure", [SnippetAP, SnippetAP(aggregate="gmap")], ids=str)
def test_of_no_topics_there_is_no_mean(measure):
    assert math.isnan(measure.aggregator().result())


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
