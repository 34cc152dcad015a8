"""Genomics, BioASQ and KILT files as frames: what is in them, and that they are told apart."""

import gzip
import io
import json
from importlib.resources import files

import pytest

import pyterrier_focused as ptf
from pyterrier_focused.errors import FormatError
from pyterrier_focused.io import read_qrels, read_run

FOLDER = files("pyterrier_focused") / "data" / "campaigns"
RUNS = {
    "genomics": "genomics-run.txt", "bioasq": "bioasq-submission.json",
    "kilt": "kilt-guess.jsonl",
}  # fmt: skip
QRELS = {
    "genomics": "genomics-gold.tsv", "bioasq": "bioasq-golden.json",
    "kilt": "kilt-gold.jsonl",
}  # fmt: skip


def rows(frame, *columns):
    spans = {"passages", "highlights"}
    return list(zip(*(ptf.cells(frame[c]) if c in spans else frame[c].tolist() for c in columns), strict=True))


@pytest.mark.parametrize("format", RUNS)
@pytest.mark.parametrize(
    ("reader", "names", "check"), [(read_run, RUNS, ptf.check_run), (read_qrels, QRELS, ptf.check_qrels)]
)
def test_formats_are_recognised_and_frames_are_good(format, tmp_path, reader, names, check):
    path = str(FOLDER / names[format])
    frame = reader(path)
    assert frame.equals(reader(path, format=format))
    check(frame)
    packed = tmp_path / (names[format] + ".gz")
    packed.write_bytes(gzip.compress((FOLDER / names[format]).read_bytes()))
    assert reader(packed).equals(frame)
    assert reader(io.BytesIO((FOLDER / names[format]).read_bytes()), format=format).equals(frame)


@pytest.mark.parametrize("name", RUNS.values(), ids=RUNS)
def test_open_files_are_recognised_too(name):
    assert read_run(io.BytesIO((FOLDER / name).read_bytes())).equals(read_run(str(FOLDER / name)))


def test_genomics_of_campaign_readers():
    text = b"7 9 2 0.5 10 5 t\n7 10 1 0.1 0 3 t\n7 9 1 0.2 3 4 t\n08 9 1 3 0 4 t\n"
    run = read_run(io.BytesIO(text))
    # by rank, then the PMID as text: 10 before 9
    assert rows(run, "qid", "docno", "score", "passages") == [
        ("7", "10", 3.0, [(0, 3, 3.0)]), ("7", "9", 2.0, [(3, 7, 2.0), (10, 15, 1.0)]), ("8", "9", 1.0, [(0, 4, 1.0)]),
    ]  # fmt: skip
    six = b"7 9 2 10 5 t\n7 10 1 0 3 t\n7 9 1 3 4 t\n08 9 1 0 4 t\n"
    assert read_run(io.BytesIO(six)).equals(run)
    gold = b"7\t9\t20\t5\tB | A|\n7\t10\t0\t3\t\n7\t9\t0\t5\tA\n"
    qrels = read_qrels(io.BytesIO(gold))
    assert rows(qrels, "qid", "docno", "label", "highlights", "bep", "length") == [
        ("7", "9", 1, [(20, 25), (0, 5)], 0, -1), ("7", "10", 1, [(0, 3)], 0, -1),
    ]  # fmt: skip
    assert [[list(names) for names in cell] for cell in qrels["aspects"].tolist()] == [[["B", "A", ""], ["A"]], [[""]]]


def test_a_gold_standard_in_latin_1_is_read():
    gold = "7\t9\t0\t5\tTNF-β|Sjögren\n".replace("β", "b").encode("latin-1")
    qrels = read_qrels(io.BytesIO(gold), format="genomics")
    assert [list(names) for names in qrels["aspects"].tolist()[0]] == [["TNF-b", "Sjögren"]]


def test_bioasq_of_campaign_readers(tmp_path):
    def snippet(address, begin, end, section, end_section=None):
        return {"document": address, "text": "", "beginSection": section, "endSection": end_section or section,
                "offsetInBeginSection": begin, "offsetInEndSection": end}  # fmt: skip

    found = [
        snippet("http://x/pubmed/12", 0, 9, "sections.0"), snippet("https://x/pubmed/12", 5, 5, "abstract"),
        snippet("http://x/pubmed/12", 3, 8, "title", "abstract"), snippet("http://x/pubmed/12", 20, 29, "0"),
    ]  # fmt: skip
    questions = [{"id": "a", "snippets": found}, {"id": "b"}, {"id": "a", "snippets": found[:1]}]
    (tmp_path / "run.json").write_text(json.dumps({"questions": questions}))
    run = read_run(tmp_path / "run.json")
    assert rows(run, "qid", "docno", "passages") == [
        ("a", "12/0", [(0, 10, 4.0), (20, 30, 1.0)]), ("a", "12/abstract", [(5, 6, 3.0)]),
        ("a", "12/title-abstract", [(3, 9, 2.0)]),
    ]  # fmt: skip
    found.append(snippet("http://x/pubmed/12", 50, 9, "title", "abstract"))
    (tmp_path / "run.json").write_text(json.dumps({"questions": questions}, indent=1))
    with pytest.raises(FormatError, match=r"run.json:\d+: a snippet that ends before it begins"):
        read_run(tmp_path / "run.json")
    with pytest.warns(UserWarning, match="1 skipped: 1 x a snippet that ends before it begins"):
        assert read_run(tmp_path / "run.json", errors="skip").equals(run)


def test_kilt_of_campaign_readers(tmp_path):
    output = [
        {"answer": "x", "provenance": [{"wikipedia_id": 0}, {"wikipedia_id": "5", "section": "Life/Work 1"}]},
        {"provenance": [{"wikipedia_id": 0, "start_paragraph_id": "3", "end_paragraph_id": 4}]},
    ]
    (tmp_path / "gold.jsonl").write_text(json.dumps({"id": 1, "input": "why?", "output": output}) + "\n")
    qrels = read_qrels(tmp_path / "gold.jsonl")
    assert rows(qrels, "qid", "docno", "highlights", "query") == [
        ("1", "0", [(0, 1), (3, 5)], "why?"), ("1", "5/Life%2FWork%201", [(0, 1)], "why?"),
    ]  # fmt: skip
    assert [list(numbers) for numbers in qrels["alternatives"].tolist()] == [[0, 1], [0]]
    (tmp_path / "bad.jsonl").write_text('\n{"id": 1, "output": [{"provenance": [{"title": "x"}]}]}\n')
    with pytest.raises(FormatError, match=r"bad.jsonl:2: a provenance without wikipedia_id"):
        read_run(tmp_path / "bad.jsonl")


@pytest.mark.parametrize("format", RUNS)
@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"file_fields": True}, "file_fields= and missing= are for INEX's runs"),
        ({"collection": object()}, "collection= is for formats whose spans lie in the texts"),
    ],
    ids=["file_fields", "collection"],
)
def test_options_of_other_formats_are_refused(format, option, message):
    with pytest.raises(ValueError, match=message):
        read_run(str(FOLDER / RUNS[format]), **option)


@pytest.mark.parametrize(
    ("read", "line", "options"),
    [
        (read_run, b"1 0 123 1 9 tag\n", {"lengths": {"123": 5}}),
        (read_run, b"1 Q0 123 1 9 tag 5 5\n", {}),
        (read_qrels, b"1 Q0 123 5 60 0 0:5\n", {}),
        (read_qrels, b"1\t0\t123\t5\t60\t0\t0:5\n", {}),
    ],
)
def test_runs_and_qrels_of_inex_and_trec_are_not_taken_for_others(read, line, options):
    assert read(io.BytesIO(line), **options)["docno"].tolist() == ["123"]


@pytest.mark.parametrize("reader", [read_run, read_qrels])
@pytest.mark.parametrize(("format", "empty"), [("genomics", b""), ("kilt", b""), ("bioasq", b'{"questions": []}')])
def test_empty_files_of_a_named_format_are_empty_frames(format, empty, reader):
    assert len(reader(io.BytesIO(empty), format=format)) == 0


def test_an_empty_file_is_no_bioasq_file():
    with pytest.raises(FormatError, match="this is not JSON"):
        read_run(io.BytesIO(b""), format="bioasq")
