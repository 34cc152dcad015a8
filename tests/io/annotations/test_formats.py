"""Judgments in and out: Label Studio and our own JSON lines, by the examples of their documentation."""

import json
import random
import warnings

import pandas as pd
import pytest
from assess_pages import articles
from json_values import places, replaced, without
from readings import lines, quietly, write

from pyterrier_focused.errors import FormatError
from pyterrier_focused.frames.columns import flatten
from pyterrier_focused.io import read_qrels, write_qrels

TEXTS = {article.docno: article.text for article in articles()}


def spans_of(qrels):
    """{(qid, docno): [(start, end), ...]}"""
    spans = flatten(qrels["highlights"], "highlights", qrels)
    found = {(row.qid, row.docno): [] for row in qrels.itertuples()}
    keys = list(found)
    for row, start, end in zip(spans.row.tolist(), spans.start.tolist(), spans.end.tolist(), strict=True):
        found[keys[row]].append((start, end))
    return found


def random_judgments(seed):
    """Qrels over the hostile texts, with notes and best entry points."""
    rng = random.Random(seed)
    rows = []
    for qid in ("7", "8"):
        for docno, text in TEXTS.items():
            cuts = sorted(rng.sample(range(len(text)), 2 * rng.randrange(0, 5)))
            spans = [(a, b) for a, b in zip(cuts[::2], cuts[1::2], strict=True)]
            bep = rng.choice([spans[0][0], rng.randrange(len(text))]) if spans else -1
            rows.append(
                (qid, docno, int(bool(spans)), spans, bep, len(text), rng.choice(["", "a note"]) if spans else "")
            )
    frame = pd.DataFrame(rows, columns=["qid", "docno", "label", "highlights", "bep", "length", "note"])
    return frame.assign(assessor="anna", unsure=False, time="2026-01-02T03:04:05.000+00:00", seconds=2.5)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("format", "file"), [("label-studio", "a.json"), ("judgments", "b.jsonl.gz")])
@pytest.mark.parametrize("column", ["label", "bep", "length", "note"])
def test_what_is_written_is_read_again(tmp_path, format, file, seed, column):
    qrels = random_judgments(seed)
    options = {"collection": TEXTS} if format != "judgments" else {}
    write_qrels(qrels, tmp_path / file, format, **options)
    again = read_qrels(tmp_path / file, **options)  # the format is found out
    assert spans_of(again) == spans_of(qrels)
    keys = ["qid", "docno"]
    both = again.merge(qrels, on=keys, suffixes=("", "_before"))
    assert len(both) == len(qrels)
    assert (both[column] == both[f"{column}_before"]).all(), column


SAMPLE = "Nothing \U0001f62e here, then To have faith is to trust yourself to the water."
FAITH = SAMPLE.index("To have")


@pytest.fixture
def tasks():
    """The sample of labelstud.io/tags/labels and of the task format, with two annotators and a skipped annotation."""

    def region(first, last, quote):
        return {"id": "x", "from_name": "label", "to_name": "text", "type": "labels", "origin": "manual",
                "value": {"start": first, "end": last, "text": quote, "labels": ["Relevant"]}}  # fmt: skip

    return [{
        "id": 1,
        "annotations": [
            {"id": 1001, "completed_by": 10, "was_cancelled": False, "lead_time": 4.288,
             "created_at": "2021-03-09T22:16:08.728353Z", "result": [region(FAITH, FAITH + 13, "To have faith")]},
            {"id": 1002, "completed_by": {"id": 11, "email": "b@example.org"}, "created_at": "2021-03-10T22:16:08Z",
             "result": [region(FAITH + 1, FAITH + 14, "To have faith")]},  # counted in UTF-16, as old versions did
            {"id": 1003, "completed_by": 12, "was_cancelled": True, "result": [region(0, 7, "Nothing")]},
        ],
        "predictions": [{"result": [region(0, 7, "Nothing")]}],
        "data": {"text": SAMPLE, "docno": "a", "qid": "q"},
    }]  # fmt: skip


@pytest.mark.parametrize("assessor", ["10", "b@example.org"])
def test_label_studio_is_read_as_documented_whoever_annotated(tmp_path, tasks, assessor):
    qrels = read_qrels(write(tmp_path / "export.json", tasks), assessor=assessor)
    assert spans_of(qrels) == {("q", "a"): [(FAITH, FAITH + 13)]}


def test_the_first_of_several_annotators_is_taken_with_a_warning(tmp_path, tasks):
    with pytest.warns(UserWarning, match="judged by several assessors"):
        assert read_qrels(write(tmp_path / "export.json", tasks))["assessor"].tolist() == ["10"]


def test_skipped_annotations_are_no_judgments(tmp_path, tasks):
    with pytest.raises(ValueError, match="no judgments by '12'"):
        read_qrels(write(tmp_path / "export.json", tasks), assessor="12")


def test_an_annotation_that_is_not_the_text_at_its_offsets_is_refused(tmp_path, tasks):
    tasks[0]["annotations"][0]["result"][0]["value"]["text"] = "something else"
    with pytest.raises(FormatError, match="not the text at its offsets"):
        read_qrels(write(tmp_path / "export.json", tasks))


def test_label_studio_is_read_in_its_short_form(tmp_path):
    path = tmp_path / "min.json"
    path.write_text(json.dumps([
        {"text": "Good bye", "id": 4, "annotator": 2, "lead_time": 3.5, "updated_at": "2021-03-09T22:16:08Z",
         "label": [{"start": 0, "end": 4, "text": "Good", "labels": ["topic-1"]},
                   {"start": 5, "end": 8, "text": "bye", "labels": ["topic-2"]}]}
    ]))  # fmt: skip
    assert spans_of(read_qrels(path)) == {("topic-1", "4"): [(0, 4)], ("topic-2", "4"): [(5, 8)]}


def test_another_text_than_the_collections_is_told(tmp_path):
    label = {"start": 0, "end": 2, "labels": ["x"]}
    task = {"docno": "a", "qid": "1", "text": "EU rejects", "label": [label]}
    path = write(tmp_path / "all.json", [task])
    with pytest.raises(FormatError, match="'a' differs from character 2 on"):
        read_qrels(path, collection={"a": "EU-rejects"})
    with pytest.raises(FormatError, match="not a docno of it"):
        read_qrels(path, collection={"b": "EU rejects"})
    with pytest.warns(UserWarning, match="1 skipped"):
        assert read_qrels(path, collection={"b": "EU rejects"}, errors="skip").empty


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ('{"qid": "1", "docno": "a", "highlights": [[5, 3]]}', "not a span"),
        ('{"qid": "1", "docno": "a", "highlights": [[0, 9]], "length": 5}', "beyond the article"),
        ('{"qid": "1", "docno": "a", "highlights": "x"}', "wrong kind"),
        ('{"qid": "1", "docno": "a", "highlights": [], "status": "maybe"}', "unknown status"),
        ('{"qid": "1", "docno": "a", "highlights": [], "bep": "7"}', "not a whole number"),
        ('{"docno": "a", "highlights": []}', "no qid"),
        ('{"qid": "1", "docno": "a", "highl', "no JSON"),
        ('{"qid": "0", "docno": "z", "highlights": []}', "judged twice"),
    ],
)
def test_a_bad_line_of_judgments_is_named(tmp_path, line, word):
    path = tmp_path / "j.jsonl"
    path.write_text('{"qid": "0", "docno": "z", "highlights": []}\n' + line + "\n")
    with pytest.raises(FormatError, match=word) as caught:
        read_qrels(path, "judgments")
    assert caught.value.line == 2
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert len(read_qrels(path, "judgments", errors="skip")) == 1
    assert "1 skipped" in str(told[0].message)


@pytest.mark.parametrize("character", "\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e")
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_only_line_feeds_end_a_line_of_judgments(tmp_path, character, end):
    record = {"qid": "1", "docno": "a", "highlights": [[0, 2]], "length": 9, "note": f"one{character}two"}
    lines = [json.dumps(record | {"docno": docno}, ensure_ascii=False) for docno in "ab"]
    (tmp_path / "j.jsonl").write_bytes("".join(f"{line}{end}" for line in lines).encode())
    assert read_qrels(tmp_path / "j.jsonl", "judgments")["note"].tolist() == [f"one{character}two"] * 2


def test_other_formats_have_no_assessors(tmp_path):
    (tmp_path / "qrels.txt").write_text("1 Q0 a 100 1000 50 50:100\n")
    with pytest.raises(ValueError, match="does not say who judged"):
        read_qrels(tmp_path / "qrels.txt", assessor="anna")


JUNK = [None, 0, -1, 1.5, "x", "", [], {}, True, 10**30, [[]], {"a": 1}]


def damage(rows, random):
    """Rows in which one value is missing or is of another kind."""
    path = random.choice([place for place in places(rows) if len(place) > 1])
    return without(rows, path) if random.random() < 0.3 else replaced(rows, path, random.choice(JUNK))


def refusal(path, text, format, errors):
    """What the reader says against a file; nothing if it reads it."""
    path.write_text(text)
    try:
        quietly(read_qrels, path, format, errors=errors)
    except ValueError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("format", ["label-studio", "judgments"])
def test_damaged_files_are_read_or_refused_with_a_reason(tmp_path, format):
    rng, path = random.Random(7), tmp_path / "file"
    short = {docno: text[:80] for docno, text in TEXTS.items()}
    qrels = random_judgments(1)[:4].assign(length=80, label=[1, 0, 1, 1], bep=[3, -1, 0, 5])
    qrels["highlights"] = [[(3, 9), (20, 30)], [], [(0, 80)], [(5, 6)]]
    write_qrels(qrels, path, format, **({} if format == "judgments" else {"collection": short}))
    whole = path.read_text()
    rows = json.loads(whole) if format == "label-studio" else [json.loads(line) for line in whole.splitlines()]
    damaged = [damage(rows, rng) for _ in range(80)]
    texts = [json.dumps(rows) if format == "label-studio" else lines(*rows) for rows in damaged]
    cut = [text[: rng.randrange(len(text))] if rng.random() < 0.2 else text for text in texts]
    told = list(filter(None, (refusal(path, text, format, errors) for text in cut for errors in ("raise", "skip"))))
    assert len(told) > 20
    assert [message for message in told if str(path) not in message] == []
