"""`pt-focused kilt-eval` against what KILT's program printed and its rules, and the measures against both."""

import ast
import gzip
import json
import re

import ir_measures
import pytest
from kilt_rules import expected, random_files
from official_values import close, measure_files
from random_cases import seeds
from readings import lines, quietly, write

from pyterrier_focused import parse
from pyterrier_focused.cli import main

KEYS = (["wikipedia_id"], ["wikipedia_id", "section"], ["wikipedia_id", "start_paragraph_id", "end_paragraph_id"])


@pytest.fixture
def evaluate(tmp_path, capsys):
    def evaluate(gold, guess, *options):
        for name, content in (("gold.jsonl", gold), ("guess.jsonl", guess)):
            lines = content if isinstance(content, str) else "".join(json.dumps(item) + "\n" for item in content)
            (tmp_path / name).write_text(lines, errors="surrogateescape")
        code = main(["kilt-eval", *options, str(tmp_path / "guess.jsonl"), str(tmp_path / "gold.jsonl")])
        return code, *capsys.readouterr()

    return evaluate


PRINTED = [
    f"{files} {keys}"
    for files in ("gold1 guess1_1", "gold2 guess2_1", "gold2 guess2_2", "gold3 guess3_1")
    for keys in map("+".join, KEYS)
]


@pytest.fixture(scope="module")
def folder(shared_data):
    return shared_data / "campaigns" / "kilt"


@pytest.fixture(scope="module")
def printed(folder):
    """What KILT's program printed: {"gold guess keys": {name: value}}"""
    return json.loads((folder / "printed.json").read_text())


def test_every_case_that_was_printed_is_held(printed):
    assert sorted(printed) == PRINTED


@pytest.mark.parametrize("case", PRINTED)
def test_small_real_files_score_as_the_program_printed(case, folder, printed, evaluate):
    def load(name):
        return [json.loads(line) for line in gzip.open(folder / f"{name}.jsonl.gz", "rt").read().splitlines()]

    gold, guess, keys = case.split()
    golden = [{"input": "", **item} for item in load(gold)]
    code, out, _ = evaluate(golden, load(guess), "--rank-keys", keys.replace("+", ","), "--json")
    assert code == 0
    close({"all": json.loads(out)["all"]}, {"all": printed[case]}, 1e-12)


@pytest.mark.parametrize("keys", KEYS, ids="+".join)
@pytest.mark.parametrize("seed", seeds(100))
def test_random_files_score_by_the_rules_of_kilt_eval(seed, keys, evaluate):
    gold, guess = random_files(seed)
    code, out, err = evaluate(gold, guess, "--ks", "10,1,2,5", "--rank-keys", ",".join(keys), "--json")
    assert code == 0, err
    close(json.loads(out), expected(gold, guess, [1, 2, 5, 10], keys), 1e-12)


def test_output_is_the_official_programs_of_kilt_eval(evaluate):
    gold, guess = random_files(1)
    code, out, _ = evaluate(gold, guess, "--ks", "1,5")
    assert code == 0
    assert out.startswith("OrderedDict(")
    values = dict(ast.literal_eval(out.strip().removeprefix("OrderedDict(").removesuffix(")")))
    assert values == pytest.approx(expected(gold, guess, [1, 5], KEYS[0])["all"], abs=1e-12)


GOLD = '{"id": 1, "input": "?", "output": [{"provenance": [{"wikipedia_id": 5}]}]}\n'
GUESS = '{"id": "1", "output": [{"provenance": [{"wikipedia_id": "5"}]}]}\n'


@pytest.mark.parametrize(
    ("gold", "guess", "options", "message"),
    [
        (GOLD, GUESS[:30], [], "guess.jsonl:1: this is not JSON"),
        (GOLD, "\n" + GUESS + GUESS, [], "guess.jsonl:3: id '1' is already in line 2"),
        (GOLD, GUESS.replace('"1"', "2"), [], "guess.jsonl: no line guesses for id '1'"),
        (GOLD, '{"id": 1, "output": [{"answer": "x"}]}', [], "guess.jsonl:1: 0 outputs have provenance"),
        (GOLD.replace('"input": "?", ', ""), GUESS, [], "gold.jsonl:1: input is missing or no text"),
        (GOLD.replace("[{", "{").replace("}]", "}"), GUESS, [], "gold.jsonl:1: a line of KILT's is"),
        (GOLD, GUESS + "{\udcff}\n", [], "guess.jsonl:2: bytes that are not UTF-8"),
        (GOLD, "[1]\n", [], "guess.jsonl:1: a line of KILT's is"),
        (GOLD, GUESS, ["--ks", "1,0"], "--ks 1,0: give whole numbers from 1"),
    ],
)
def test_bad_input_is_an_error_that_names_the_line_of_kilt_eval(gold, guess, options, message, evaluate):
    code, out, err = evaluate(gold, guess, *options)
    assert code == 2
    assert out == ""
    assert re.search(message, err), err


MEASURES = {  # the level's keys, and the program's name
    f"{measure}(level='{level}'){k and f'@{k}'}": (keys, official + (k and f"@{k}"))
    for level, keys in zip(("page", "section", "paragraph"), KEYS, strict=True)
    for measure, official, k in (
        ("EvidenceRprec", "Rprec", ""),
        *(("EvidenceP", "precision", k) for k in "25"),
        *(("EvidenceR", "recall", k) for k in "25"),
        *(("EvidenceSuccess", "success_rate", k) for k in "25"),
    )
}


def with_provenance(items):
    """Items as frames can hold them: an empty set and an output without provenance have no place in a frame."""
    kept = [{**item, "output": [output for output in item["output"] if output.get("provenance")]} for item in items]
    return [item for item in kept if item["output"]]


def values_of_both(folder):
    """What the measures and the rules say of random files whose provenances have all keys."""
    ours, theirs = {}, {}
    for seed in range(80):
        gold, guess = map(with_provenance, random_files(seed, whole=True))
        answered = {str(item["id"]).strip() for item in guess}
        common = [item for item in gold if str(item["id"]).strip() in answered]
        if common:
            files = write(folder / "gold.jsonl", lines(*gold)), write(folder / "guess.jsonl", lines(*guess))
            found = quietly(measure_files, MEASURES, *files)
            rules = {"+".join(keys): expected(common, guess, [1, 2, 5], keys) for keys in KEYS}
            judged = {(qid, name) for qid, name in found if qid in rules["wikipedia_id"]}
            ours |= {(seed, *key): found[key] for key in judged}
            theirs |= {
                (seed, qid, name): rules["+".join(MEASURES[name][0])][qid][MEASURES[name][1]] for qid, name in judged
            }
    return ours, theirs


def test_measures_on_frames_are_the_programs_values_of_kilt_eval(tmp_path):
    ours, theirs = values_of_both(tmp_path)
    assert len(theirs) > 1000
    assert ours == pytest.approx(theirs, abs=1e-12)


def test_without_alternatives_a_topics_evidence_is_one_set():
    import pandas as pd

    qrels = pd.DataFrame({"query_id": ["1", "1"], "doc_id": ["a", "b"], "highlights": [[(0, 9)], [(0, 9)]]})
    run = pd.DataFrame(
        {"query_id": ["1"] * 3, "doc_id": ["a", "x", "b"], "score": [3.0, 2.0, 1.0], "passages": [[(0, 5)]] * 3}
    )
    values = ir_measures.calc_aggregate(parse("EvidenceRprec EvidenceP@2 EvidenceR@1 EvidenceR@2"), qrels, run)
    # a waits for b: the miss moves up to the first place, the set is complete in the second
    assert [values[measure] for measure in parse("EvidenceRprec EvidenceP@2 EvidenceR@1 EvidenceR@2")] == [
        0.5,
        0.5,
        0,
        1,
    ]


GOLD = {"id": "1", "input": "who?", "output": [{"answer": "Ada", "provenance": [{"wikipedia_id": "5"}]}]}
GUESS = {"id": "1", "input": "who?", "output": [{"provenance": [{"wikipedia_id": "5", "text": "Ada"}]}]}


@pytest.mark.parametrize("gold", [GOLD, {**GOLD, "output": [*GOLD["output"], {"answer": "Ada Lovelace"}]}])
def test_swapped_files_are_refused_with_the_right_order(evaluate, gold):
    code, _, err = evaluate([GUESS], [gold])
    assert code == 2
    assert re.search("the guesses come first: pt-focused kilt-eval .*gold.jsonl .*guess.jsonl", err)
    assert evaluate([gold], [GUESS])[0] == 0
