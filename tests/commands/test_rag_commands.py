"""`pt-focused chunks`."""

import csv
import io
import json
from pathlib import Path

import pytest

from pyterrier_focused.cli import main


@pytest.fixture
def arguments(tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("Cats sleep all day. Cats eat fish at noon. Dogs run in the park. " * 3)
    (tmp_path / "e.csv").write_text("question,document,start,end\nwhat do cats eat,a.txt,25,41\nwho runs,a.txt,43,64\n")
    return ["chunks", "--corpus", str(tmp_path / "texts"), "--evidence", str(tmp_path / "e.csv")]


def test_a_row_for_each_size_and_overlap(arguments, capsys):
    pytest.importorskip("pyterrier_pisa")
    more = ["--sizes", "30,60", "--chunk-overlaps", "0,40", "--format", "csv"]
    assert main([*arguments, *more]) == 0
    out, err = capsys.readouterr()
    rows = list(csv.DictReader(io.StringIO(out)))
    names = ["30 chars", "60 chars", "60 chars, 40 shared"]
    assert [row["name"] for row in rows] == names
    assert "SpanHit@5" in rows[0]
    assert "1 articles, 195 characters; 2 questions, 2 evidence spans" in err
    assert "SpanHit@5: " in err


def test_chunks_are_cut_in_the_unit_that_is_asked_for(arguments, capsys):
    pytest.importorskip("pyterrier_pisa")
    more = ["--splitters", "sentences:2", "-m", "SpanHit@1 CharR@1", "-k", "3", "--format", "markdown"]
    assert main([*arguments, *more]) == 0
    out, _ = capsys.readouterr()
    assert out.startswith("| name | chunks | length | SpanHit@1 | CharR@1 |")
    assert "| sentences:2 |" in out


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--sizes", "20,x"], "--sizes 20,x: 'x' is not a whole number from 1 to 2,147,483,647"),
        (["--sizes", "0"], "'0' is not a whole number from 1 to 2,147,483,647"),
        (["--sizes", "20", "--chunk-overlaps", "20"], "none is smaller than a size"),
        (["-m", "Nothing"], "no measure is called 'Nothing'"),
        (["--corpus", "nowhere"], "nowhere"),
    ],
)
def test_arguments_of_chunks_out_of_their_range_are_refused(arguments, capsys, more, message):
    assert main([*arguments, *more]) == 2
    assert message in capsys.readouterr().err


def test_chunks_end_with_intervals(arguments, capsys):
    pytest.importorskip("pyterrier_pisa")
    assert main([*arguments, "--sizes", "10,200", "-m", "SpanHit@1"]) == 0
    out = capsys.readouterr().out.replace("\n  ", " ")
    # Two hits of two, and none: Clopper and Pearson's bounds are .025 ** .5 and the rest of it.
    assert "95% intervals  SpanHit@1\n10 chars       [0.0000, 0.8419]\n200 chars      [0.1581, 1.0000]\n" in out


def test_evidence_that_is_found_twice_needs_an_option(arguments, capsys, tmp_path):
    pytest.importorskip("pyterrier_pisa")
    (tmp_path / "e.csv").write_text("question,document,quote\nwhat do cats eat,a,Cats eat fish\n")
    assert main(arguments) == 2
    assert "found more than once, at [20, 33), [85, 98), [150, 163)" in capsys.readouterr().err
    assert main([*arguments, "--repeated", "all", "--sizes", "60"]) == 0


def test_splitters_are_taken_by_their_names(arguments, capsys):
    pytest.importorskip("langchain_text_splitters")
    pytest.importorskip("semantic_text_splitter")
    names = "langchain-recursive:40:10, semantic-text-splitter:40,chars:30,sentences:1"
    assert main([*arguments, "--splitters", names, "--format", "csv", "-m", "SpanHit@1"]) == 0
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert [row[0] for row in rows[1:]] == [name.strip() for name in names.split(",")]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("langchain:400", "no splitter is called 'langchain'; known are chars"),
        ("words", "'words': write words:400"),
        ("words:a", "'words:a': write words:400"),
        ("words:5:5", "what neighbours share below it"),
        ("words:0", "the size must be above 0"),
    ],
)
def test_splitters_that_do_not_exist_are_refused(names, message, arguments, capsys):
    assert main([*arguments, "--splitters", names]) == 2
    assert message in capsys.readouterr().err


@pytest.fixture
def gate(tmp_path, capsys):
    """Call `retrieved` with the hits of ten questions; returns the exit code."""
    (tmp_path / "a.txt").write_text("".join(f"Sentence number {i} stands here. " for i in range(10)))
    rows = [f"q {i},a,Sentence number {i} stands here.,{i % 2}" for i in range(10)]
    (tmp_path / "e.csv").write_text("\n".join(["question,document,quote,team", *rows]) + "\n")

    def call(hits, *options):
        texts = [f"Sentence number {i} stands here." if hit else "Nothing." for i, hit in enumerate(hits)]
        rows = [f"q {i},{text}" for i, text in enumerate(texts)]
        (tmp_path / "r.csv").write_text("\n".join(["question,text", *rows]) + "\n")
        arguments = ["--corpus", str(tmp_path / "a.txt"), "--evidence", str(tmp_path / "e.csv"), "-m", "SpanHit@5"]
        return main(["retrieved", str(tmp_path / "r.csv"), *arguments, *options])

    return call


COMPARE = ["--main", "main.zip", "--no-worse-than", "SpanHit@5"]


@pytest.mark.filterwarnings("ignore:.*retrieved texts cannot be placed")
def test_gates_that_hold_end_with_0(gate, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert gate([1] * 10, "--save", "main.zip") == 0
    assert gate([1] * 10, *COMPARE, "--require", "placed >= 1") == 0


@pytest.mark.filterwarnings("ignore:.*retrieved texts cannot be placed")
def test_a_gate_on_placed_texts_fails_if_a_store_lost_them(gate, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gate([1] * 10)
    rows = [json.dumps({"question": f"q {i}", "docno": "a", "text": None}) for i in range(10)]
    (tmp_path / "r.jsonl").write_text("\n".join(rows))
    arguments = ["retrieved", "r.jsonl", "--corpus", "a.txt", "--evidence", "e.csv", "-m", "SpanHit@5"]
    assert main([*arguments, "--require", "placed >= 0.99"]) == 1


@pytest.mark.parametrize(("pages_from", "hit"), [("0", 0.0), ("1", 1.0)])
def test_pages_count_from_what_is_said(tmp_path, capsys, pages_from, hit):
    (tmp_path / "a.txt").write_text("The first page.\fThe second page.\f")
    (tmp_path / "e.csv").write_text("question,document,page\nwhere?,a,1\n")
    (tmp_path / "r.csv").write_text("question,text\nwhere?,The first page.\n")
    arguments = ["--corpus", str(tmp_path / "a.txt"), "--evidence", str(tmp_path / "e.csv"), "-m", "SpanHit"]
    options = ["--pages-from", pages_from, "--format", "csv"]
    assert main(["retrieved", str(tmp_path / "r.csv"), *arguments, *options]) == 0
    row = next(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert float(row["SpanHit"]) == hit


@pytest.fixture
def failed(gate, tmp_path, monkeypatch, capsys):
    """What is said of two gates of which none holds; their report is g.json."""
    monkeypatch.chdir(tmp_path)
    outputs = ["--json", "g.json"]
    assert gate([1] * 10, "--save", "main.zip") == 0
    assert gate([0] * 9 + [1], *COMPARE, "--margin", "0.1", "--require", "SpanHit@5 >= 0.9", *outputs) == 1
    return capsys.readouterr().err


@pytest.mark.filterwarnings("ignore:.*retrieved texts cannot be placed")
def test_a_gate_that_fails_is_named(failed):
    assert "fails 'SpanHit@5 no worse than main by more than 0.1'" in failed


@pytest.mark.filterwarnings("ignore:.*retrieved texts cannot be placed")
def test_gates_are_rows_in_json(failed):
    rows = json.loads(Path("g.json").read_text())
    assert [row["verdict"] for row in rows] == ["fails", "fails"]
    assert rows[1]["difference"] == -0.9


@pytest.fixture
def unknown(gate, tmp_path, monkeypatch, capsys):
    """What is said of a strict gate over too few questions."""
    monkeypatch.chdir(tmp_path)
    outputs = ["--json", "g.json"]
    assert gate([1] * 10, "--save", "main.zip") == 0
    assert gate([1] * 10, *COMPARE, "--margin", "0.05", "--strict", *outputs) == 3
    return capsys.readouterr().err


def test_a_gate_that_cannot_be_told_says_what_would_do(unknown):
    assert "cannot tell 'SpanHit@5 no worse than main by more than 0.05, strictly'" in unknown
    assert "about 72 questions would do" in unknown


@pytest.mark.parametrize(
    "options",
    [["--require", "SpanHat@5 >= 0.8"], ["--require", "x"], ["--main", "e.csv", "--no-worse-than", "SpanHat@5"]],
)
def test_gates_that_are_none_are_found_before_anything_is_read(tmp_path, capsys, options):
    (tmp_path / "e.csv").write_text("not read")
    path = str(tmp_path / "e.csv")
    assert main(["retrieved", path, "--corpus", path, "--evidence", path, *options]) == 2
    assert "no measure is called 'SpanHat'" in (err := capsys.readouterr().err) or "'x' is not a requirement" in err


@pytest.mark.filterwarnings("ignore:.*retrieved texts cannot be placed")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--main", "x.zip"], "--main FILE and --no-worse-than MEASURE go together"),
        (["--no-worse-than", "SpanHit@5"], "--main FILE and --no-worse-than MEASURE go together"),
        (["--main", "missing.zip", "--no-worse-than", "SpanHit@5"], "missing.zip"),
        (["--require", "SpanHit@5 >= 80"], "SpanHit@5 is a share, at most 1"),
    ],
)
def test_gates_that_lack_an_option_or_a_file_are_refused(gate, capsys, options, message):
    assert gate([1] * 10, *options) == 2
    assert message in capsys.readouterr().err
