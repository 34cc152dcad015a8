"""What can be handed to a reader: paths and open files, plain and compressed; what damage looks like."""

import bz2
import gzip
import io
from itertools import product
from pathlib import Path

import pandas as pd
import pytest

from pyterrier_focused import FormatError
from pyterrier_focused.io import read_run, write_run

RUN = b"".join(b"1 Q0 %d %d %d tag %d 5\n" % (i, i, 99 - i, i * 7) for i in range(1, 40))


@pytest.fixture
def expected():
    return read_run(io.BytesIO(RUN))


IN_BYTES, IN_TEXT = ["str", "path", "binary", "raw", "bytes"], ["text", "string"]  # compressed bytes are no text


@pytest.mark.parametrize(
    ("kind", "compress"),
    [*product(IN_BYTES, [bytes, gzip.compress, bz2.compress]), *product(IN_TEXT, [bytes])],
)
def test_sources(tmp_path, expected, compress, kind):
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


def test_several_gzip_members(expected):
    half = RUN.index(b"\n", len(RUN) // 2) + 1
    for compress in (gzip.compress, bz2.compress):
        run = read_run(io.BytesIO(compress(RUN[:half]) + compress(RUN[half:])))
        pd.testing.assert_frame_equal(run, expected)


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2"])
def test_writing(tmp_path, expected, suffix):
    file = tmp_path / f"a.run{suffix}"
    write_run(expected, file)
    data = file.read_bytes()
    plain = {"": bytes, ".gz": gzip.decompress, ".bz2": bz2.decompress}[suffix](data)
    assert plain.startswith(b"1 Q0 1 1 39 tag 7 5\n")
    write_run(expected, file)
    assert file.read_bytes() == data  # no time stamps
    pd.testing.assert_frame_equal(read_run(file), expected)


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress])
def test_every_truncation_is_named(tmp_path, compress):
    data = compress(RUN)
    for size in range(len(data)):
        file = tmp_path / "cut.run.gz"
        file.write_bytes(data[:size])
        with pytest.raises(FormatError, match=r"cut\.run\.gz"):
            read_run(file)


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress])
def test_every_damaged_byte_is_named_or_harmless(tmp_path, expected, compress):
    data = bytearray(compress(RUN))
    file = tmp_path / "damaged.run"
    for at in range(0, len(data)):
        data[at] ^= 0xFF
        file.write_bytes(data)
        try:
            run, message = read_run(file), ""
        except FormatError as error:
            run, message = expected, str(error)
        pd.testing.assert_frame_equal(run, expected)  # a header's time stamp, say
        assert not message or "damaged.run" in message
        data[at] ^= 0xFF


def test_no_file():
    with pytest.raises(FileNotFoundError):
        read_run("no/such/file")
    with pytest.raises(IsADirectoryError):
        read_run(Path(__file__).parent)
    with pytest.raises(TypeError, match="give a path or an open file, not int"):
        read_run(3)


def test_utf_16():
    with pytest.raises(FormatError, match="UTF-16"):
        read_run(io.BytesIO(RUN.decode().encode("utf-16")), format="fol")


def test_text_with_lone_surrogates():
    with pytest.raises(FormatError, match=r"<stream>:1: bytes that are no UTF-8"):
        read_run(io.StringIO("1 Q0 a\udc80 1 1 t 0 5\n"))
