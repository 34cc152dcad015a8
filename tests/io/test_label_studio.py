"""Label Studio, by the example of its documentation: what is written is read again, and what is wrong is told."""

import json
import random
from pathlib import Path

import export_label_studio as drawn
import pandas as pd
import pytest
from json_values import places, replaced, without
from readings import quietly, write

from pyterrier_focused.cli import main
from pyterrier_focused.collection import Collection
from pyterrier_focused.errors import FormatError
from pyterrier_focused.frames.columns import cells
from pyterrier_focused.io import read_qrels, write_qrels, write_tasks

TEXTS = {"a": "Cats\n sleep. 👩‍👩‍👧 eat fish.", "b": "e\u0301 or \u202bكتاب\u202c,  twice", "c": "Nothing."}


def random_judgments(seed):
    rng = random.Random(seed)
    rows = []
    for qid in ("7", "8"):
        for docno, text in TEXTS.items():
            cuts = sorted(rng.sample(range(len(text)), 2 * rng.randrange(3)))
            spans = list(zip(cuts[::2], cuts[1::2], strict=True))
            bep = rng.choice([spans[0][0], rng.randrange(len(text))]) if spans else -1
            rows.append([qid, docno, int(bool(spans)), spans, bep, len(text), "anna"])
    return pd.DataFrame(rows, columns=["qid", "docno", "label", "highlights", "bep", "length", "assessor"])


@pytest.mark.parametrize("seed", range(5))
def test_what_is_written_is_read_again(tmp_path, seed):
    qrels = random_judgments(seed)
    write_qrels(qrels, tmp_path / "a.json", "label-studio", collection=TEXTS)
    again = read_qrels(tmp_path / "a.json", collection=TEXTS)  # the format is found out
    assert cells(again["highlights"]) == cells(qrels["highlights"])
    columns = ["qid", "docno", "label", "bep", "length", "assessor"]
    assert again[columns].values.tolist() == qrels[columns].values.tolist()


def test_a_pool_becomes_tasks(tmp_path):
    pool = pd.DataFrame({"qid": ["1", "1"], "docno": ["c", "a"]})
    write_tasks(pool, pd.DataFrame({"qid": ["1"], "query": ["cats"]}), tmp_path / "t.json", TEXTS)
    tasks = json.loads((tmp_path / "t.json").read_text())
    assert [task["data"]["text"] for task in tasks] == [TEXTS["c"], TEXTS["a"]]
    with pytest.raises(ValueError, match="'z' is not in the collection"):
        write_tasks(pool.assign(docno="z"), pd.DataFrame({"qid": ["1"], "query": ["cats"]}), tmp_path / "t.json", TEXTS)


SAMPLE = "Nothing \U0001f62e here, then To have faith is to trust yourself to the water."
FAITH = SAMPLE.index("To have")


def region(first, last, quote):
    value = {"start": first, "end": last, "text": quote, "labels": ["Relevant"]}
    return {"id": "x", "from_name": "label", "to_name": "text", "type": "labels", "origin": "manual", "value": value}


@pytest.fixture
def tasks():
    """The sample of labelstud.io/tags/labels and of the task format, with two annotators and a skipped annotation."""
    return [{
        "id": 1,
        "annotations": [
            {"id": 1001, "completed_by": 10, "was_cancelled": False, "lead_time": 4.288,
             "result": [region(FAITH, FAITH + 13, "To have faith")]},
            {"id": 1002, "completed_by": {"id": 11, "email": "b@example.org"}, "result": []},
            {"id": 1003, "completed_by": 12, "was_cancelled": True, "result": [region(0, 7, "Nothing")]},
        ],
        "predictions": [{"result": [region(0, 7, "Nothing")]}],
        "data": {"text": SAMPLE, "docno": "a", "qid": "q"},
    }]  # fmt: skip


@pytest.mark.parametrize(("assessor", "spans"), [("10", [(FAITH, FAITH + 13)]), ("b@example.org", [])])
def test_label_studio_is_read_as_documented_whoever_annotated(tmp_path, tasks, assessor, spans):
    qrels = read_qrels(write(tmp_path / "export.json", tasks), assessor=assessor)
    assert cells(qrels["highlights"]) == [spans]


def test_the_first_of_several_annotators_is_taken_with_a_warning(tmp_path, tasks):
    with pytest.warns(UserWarning, match="1 judgments of other assessors are left out"):
        assert read_qrels(write(tmp_path / "export.json", tasks))["assessor"].tolist() == ["10"]


def test_skipped_annotations_are_no_judgments(tmp_path, tasks):
    with pytest.raises(ValueError, match="no judgments by '12'"):
        read_qrels(write(tmp_path / "export.json", tasks), assessor="12")


def test_what_is_not_the_text_is_refused(tmp_path, tasks):
    path = write(tmp_path / "export.json", tasks)
    for texts, message in (({"a": "Other"}, "has another text"), ({"b": SAMPLE}, "is not in the collection")):
        with pytest.raises(FormatError, match=message):
            read_qrels(path, collection=texts, assessor="10")
    tasks[0]["annotations"][0]["result"][0]["value"]["text"] = "something else"
    with pytest.raises(FormatError, match=r"topic 'q', article 'a': .* not 'something else'"):
        read_qrels(write(tmp_path / "export.json", tasks))


EXPORT = Path(__file__).parents[1] / "support" / "good" / "label_studio_export.json"


@pytest.mark.parametrize("assessor", drawn.ASSESSORS)
def test_an_export_of_label_studio_holds_what_was_drawn(assessor):
    """Version 1.23.2, made by tests/support/export_label_studio.py."""
    qrels = read_qrels(EXPORT, collection=drawn.TEXTS, assessor=str(drawn.ASSESSORS.index(assessor) + 1))
    found = {docno: [drawn.TEXTS[docno][a:b] for a, b in spans] for docno, spans in zip(
        qrels["docno"], cells(qrels["highlights"]), strict=True)}  # fmt: skip
    expected = {docno: [] for docno in drawn.TEXTS if (assessor, docno) not in drawn.SKIPPED}
    for docno, label, quote in drawn.MARKS[assessor]:
        if label == "Relevant":
            expected[docno].append(quote)
    assert found == expected
    assert qrels["bep"].tolist() == drawn.ENTRIES[assessor]


def test_the_fixture_is_of_the_version_that_the_docstring_names():
    tasks = json.loads(EXPORT.read_text(encoding="utf-8"))
    assert {task["meta"]["label_studio"] for task in tasks} == {"1.23.2"}


def test_damaged_files_are_read_or_refused_with_a_reason(tmp_path):
    rng, path = random.Random(7), tmp_path / "file.json"
    write_qrels(random_judgments(1), path, "label-studio", collection=TEXTS)
    rows, told = json.loads(path.read_text()), []
    for _ in range(80):
        place = rng.choice([place for place in places(rows) if len(place) > 1])
        damaged = without(rows, place) if rng.random() < 0.3 else replaced(rows, place, rng.choice([None, -1, "x", {}]))
        try:
            quietly(read_qrels, write(path, damaged), "label-studio")
        except FormatError as error:
            told.append(str(error))
    assert len(told) > 20
    assert [message for message in told if str(path) not in message] == []


def test_the_command_turns_an_export_into_qrels(tmp_path):
    documents = [{"docno": docno, "text": text} for docno, text in drawn.TEXTS.items()]
    Collection.from_iter(documents, tmp_path / "c")
    assert main(["convert", str(EXPORT), str(tmp_path / "qrels.txt"), "--collection", str(tmp_path / "c")]) == 0
    told = {line.split()[2]: line.split()[6:] for line in (tmp_path / "qrels.txt").read_text().splitlines()}
    marks = [(docno, quote) for docno, label, quote in drawn.MARKS[drawn.ASSESSORS[0]] if label == "Relevant"]
    expected = {docno: [] for docno in told}
    for docno, quote in marks:
        expected[docno].append(f"{drawn.TEXTS[docno].index(quote)}:{len(quote)}")
    assert {docno: sorted(spans) for docno, spans in told.items()} == {d: sorted(s) for d, s in expected.items()}
