"""BioASQ files as frames: what is in them, and that other files are not taken for them."""

import gzip
import io
import json
from importlib.resources import files

import pytest

import pyterrier_focused as ptf
from pyterrier_focused.errors import FormatError
from pyterrier_focused.io import read_qrels, read_run

FOLDER = files("pyterrier_focused") / "data" / "campaigns"
RUN = FOLDER / "bioasq-submission.json"
QRELS = FOLDER / "bioasq-golden.json"


def rows(frame, *columns):
    spans = {"passages", "highlights"}
    return list(zip(*(ptf.cells(frame[c]) if c in spans else frame[c].tolist() for c in columns), strict=True))


@pytest.mark.parametrize(
    ("reader", "path", "check"), [(read_run, RUN, ptf.check_run), (read_qrels, QRELS, ptf.check_qrels)]
)
def test_files_are_recognised_and_frames_are_good(tmp_path, reader, path, check):
    frame = reader(str(path))
    assert frame.equals(reader(str(path), format="bioasq"))
    check(frame)
    packed = tmp_path / f"{path.name}.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert reader(packed).equals(frame)
    assert reader(io.BytesIO(path.read_bytes())).equals(frame)


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


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"file_fields": True}, "file_fields= and missing= are for INEX's runs"),
        ({"collection": object()}, "collection= is for formats whose spans lie in the texts"),
    ],
    ids=["file_fields", "collection"],
)
def test_options_of_other_formats_are_refused(option, message):
    with pytest.raises(ValueError, match=message):
        read_run(str(RUN), **option)


@pytest.mark.parametrize(
    ("read", "line", "options"),
    [
        (read_run, b"1 0 123 1 9 tag\n", {"lengths": {"123": 5}}),
        (read_run, b"1 Q0 123 1 9 tag 5 5\n", {}),
        (read_qrels, b"1 Q0 123 5 60 0 0:5\n", {}),
        (read_qrels, b"1\t0\t123\t5\t60\t0\t0:5\n", {}),
    ],
)
def test_runs_and_qrels_of_a_single_line_are_read(read, line, options):
    assert read(io.BytesIO(line), **options)["docno"].tolist() == ["123"]


@pytest.mark.parametrize("reader", [read_run, read_qrels])
def test_a_file_without_questions_is_an_empty_frame(reader):
    assert len(reader(io.BytesIO(b'{"questions": []}'), format="bioasq")) == 0


def test_an_empty_file_is_no_bioasq_file():
    with pytest.raises(FormatError, match="this is not JSON"):
        read_run(io.BytesIO(b""), format="bioasq")
