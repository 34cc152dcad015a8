"""What can be handed to a reader: paths and open files, plain and compressed; what damage looks like."""

import bz2
import gzip
import io
import os
import re
from itertools import product
from pathlib import Path

import pandas as pd
import pytest

from pyterrier_focused.errors import FormatError
from pyterrier_focused.io import read_run, write_run
from pyterrier_focused.reading.files import open_binary, write_bytes, written_whole
from pyterrier_focused.report import ArticleView

RUN = b"".join(b"1 Q0 %d %d %d tag %d 5\n" % (i, i, 99 - i, i * 7) for i in range(1, 40))


@pytest.fixture
def expected():
    return read_run(io.BytesIO(RUN))


IN_BYTES, IN_TEXT = ["str", "path", "binary", "raw", "bytes"], ["text", "string"]  # compressed bytes are not text


@pytest.mark.parametrize(
    ("kind", "compress"), [*product(IN_BYTES, [bytes, gzip.compress, bz2.compress]), *product(IN_TEXT, [bytes])]
)
def test_a_run_is_read_from_whatever_holds_it(tmp_path, expected, compress, kind):
    file = tmp_path / "a.run"  # what it is shows in its bytes, not in its name
    file.write_bytes(compress(RUN))
    if kind in ("str", "path"):
        run = read_run({"str": str(file), "path": file}[kind])
    elif kind in ("binary", "raw", "text"):
        with file.open("r" if kind == "text" else "rb", buffering=0 if kind == "raw" else -1) as handle:
            run = read_run(handle)
            assert not handle.closed
    elif kind == "bytes":
        run = read_run(io.BytesIO(compress(RUN)))
    else:
        run = read_run(io.StringIO(RUN.decode()))
    pd.testing.assert_frame_equal(run, expected)


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress])
def test_files_of_several_compressed_members_are_read_whole(expected, compress):
    half = RUN.index(b"\n", len(RUN) // 2) + 1
    run = read_run(io.BytesIO(compress(RUN[:half]) + compress(RUN[half:])))
    pd.testing.assert_frame_equal(run, expected)


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2"])
def test_what_is_written_is_compressed_by_its_name_and_the_same_each_time(tmp_path, expected, suffix):
    file = tmp_path / f"a.run{suffix}"
    write_run(expected, file)
    data = file.read_bytes()
    plain = {"": bytes, ".gz": gzip.decompress, ".bz2": bz2.decompress}[suffix](data)
    assert plain.startswith(b"1 Q0 1 1 39 tag 7 5\n")
    write_run(expected, file)
    assert file.read_bytes() == data  # no time stamps
    pd.testing.assert_frame_equal(read_run(file), expected)


def read_or_refuse(file, data):
    """The run that these bytes are, or what the reader says against them."""
    file.write_bytes(data)
    try:
        return read_run(file)
    except FormatError as error:
        return str(error)


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress])
def test_every_truncation_is_named(tmp_path, compress):
    data, file = compress(RUN), tmp_path / "cut.run.gz"
    found = [read_or_refuse(file, data[:size]) for size in range(len(data))]
    assert [said for said in found if not isinstance(said, str) or "cut.run.gz" not in said] == []


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress])
def test_every_damaged_byte_is_named_or_harmless(tmp_path, expected, compress):
    """Harmless is that of a header's time stamp, say."""
    data, file = compress(RUN), tmp_path / "damaged.run"
    flipped = [data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :] for at in range(len(data))]
    found = [read_or_refuse(file, damaged) for damaged in flipped]
    assert [said for said in found if isinstance(said, str) and "damaged.run" not in said] == []
    assert [run for run in found if not isinstance(run, str) and not run.equals(expected)] == []


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        ("no/such/file", FileNotFoundError, "no/such/file"),
        (Path(__file__).parent, IsADirectoryError, Path(__file__).parent.name),
        (3, TypeError, "give a path or an open file, not int"),
    ],
    ids=["gone", "folder", "number"],
)
def test_what_is_no_file_is_refused(source, error, message):
    with pytest.raises(error, match=message):
        read_run(source)


def test_utf_16_is_refused_by_its_name():
    with pytest.raises(FormatError, match="UTF-16"):
        read_run(io.BytesIO(RUN.decode().encode("utf-16")), format="fol")


def test_text_with_lone_surrogates_is_refused():
    with pytest.raises(FormatError, match=r"<stream>:1: bytes that are not UTF-8"):
        read_run(io.StringIO("1 Q0 a\udc80 1 1 t 0 5\n"))


@pytest.fixture
def old(tmp_path):
    """A file that something is to be written over."""
    path = tmp_path / "run.txt"
    path.write_text("old")
    return path


def write_half(path):
    with written_whole(path) as file:
        file.write(b"half of the new")
        file.flush()
        raise ValueError("the other half cannot be made")


def test_what_fails_half_way_leaves_the_file_that_was_there(old):
    with pytest.raises(ValueError, match="other half"):
        write_half(old)
    assert {file.name: file.read_text() for file in old.parent.iterdir()} == {"run.txt": "old"}


def test_what_has_no_space_leaves_the_file_that_was_there(old, monkeypatch):
    def no_space(*arguments):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", no_space)
        with pytest.raises(OSError, match="No space left"):
            write_bytes(old, b"new")
    assert {file.name: file.read_text() for file in old.parent.iterdir()} == {"run.txt": "old"}


def test_a_link_and_the_mode_of_its_file_stay(old):
    old.chmod(0o640)
    link = old.parent / "link"
    link.symlink_to(old.name)
    write_bytes(link, b"new")
    assert link.is_symlink()
    assert old.read_bytes() == b"new"
    assert old.stat().st_mode & 0o777 == 0o640


def test_a_pipe_is_written_through(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_bytes(tmp_path / "pipe", b"through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)


def test_a_device_stays_a_device():
    write_bytes("/dev/null", b"nothing")
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize(("name", "error"), [("", IsADirectoryError), ("nowhere/run", FileNotFoundError)])
def test_where_no_file_can_be_is_an_error(tmp_path, name, error):
    with pytest.raises(error, match=re.escape(str(tmp_path / name))):
        write_bytes(tmp_path / name, b"x")


def test_a_name_may_be_as_long_as_the_system_allows(tmp_path):
    write_bytes(tmp_path / ("n" * 255), b"x")
    assert (tmp_path / ("n" * 255)).read_bytes() == b"x"


def test_a_new_file_has_the_mode_that_the_user_gives_files(tmp_path):
    umask = os.umask(0o027)
    write_bytes(tmp_path / "fresh", b"x")
    os.umask(umask)
    assert (tmp_path / "fresh").stat().st_mode & 0o777 == 0o640


QRELS = pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1], "highlights": [[(0, 5)]], "length": [10]})
PASSAGES = pd.DataFrame({"qid": ["1"], "docno": ["a"], "score": [1.0], "passages": [[(0, 5)]]})
WRITERS = {
    "view": lambda path: ArticleView("t", "text").save(path),
    "run": lambda path: write_run(PASSAGES, path),
}


@pytest.mark.parametrize("what", WRITERS)
def test_a_failing_writer_leaves_what_was_there(tmp_path, monkeypatch, what):
    def fail(path, data):
        raise OSError(28, "No space left on device")

    path = tmp_path / "report.html"
    path.write_text("old")
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fail)
        with pytest.raises(OSError, match="No space left"):
            WRITERS[what](path)
    assert path.read_text() == "old"
    WRITERS[what](path)
    assert path.read_text() != "old"


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
@pytest.mark.parametrize("opened", [False, True])
def test_a_small_file_that_unpacks_to_a_huge_one_is_refused(tmp_path, pack, opened):
    path = tmp_path / "run.gz"
    path.write_bytes(pack(b"\n" * (80 << 20)))
    with pytest.raises(FormatError, match="the compressed file unpacks to more than 200 times its size"):
        read_run(io.BytesIO(path.read_bytes()) if opened else path, format="fol")


def test_a_compressed_file_is_read_in_pieces_of_any_size(tmp_path):
    data = bytes(range(256)) * 3000
    (tmp_path / "data.gz").write_bytes(gzip.compress(data))
    with open_binary(tmp_path / "data.gz") as stream:
        assert stream.peek(10)[:10] == data[:10]
        assert b"".join(iter(lambda: stream.read(777), b"")) == data
    with open_binary(tmp_path / "data.gz") as stream:
        assert stream.read() == data
