"""Sources as they are downloaded: however a file is packed, and in whatever archive, its articles are the same."""

import bz2
import gzip
import lzma
import sys
import zipfile

import pytest
from dumps import dump

import pyterrier_focused as ptf
from pyterrier_focused.errors import CollectionError

zstd = pytest.importorskip("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")

DUMP = dump(range(1, 30)).encode()
ARTICLES = {f"deep/{n}.xml": f"<article><name id='{n}'>N</name><p>words {n}</p></article>".encode() for n in range(9)}
LINES = b"".join(
    b'{"name":"P%d","identifier":%d,"article_body":{"html":"<p>Words</p>"}}\n' % (n, n) for n in range(1, 5)
)
PACK = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstd.compress}


def write_zip(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)


def read(source, folder, **options):
    """Return the texts of the articles of a source by their docnos."""
    collection = ptf.Collection.build(source, folder / "collection", verbose=False, **options)
    return {article["docno"]: article["text"] for article in collection.articles()}


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The texts of the dump as it is."""
    folder = tmp_path_factory.mktemp("plain")
    (folder / "d.xml").write_bytes(DUMP)
    return read(folder / "d.xml", folder)


@pytest.mark.parametrize("packing", PACK)
def test_packed_dumps(tmp_path, expected, packing):
    (tmp_path / f"d.xml{packing}").write_bytes(PACK[packing](DUMP))
    assert read(tmp_path / f"d.xml{packing}", tmp_path) == expected


@pytest.mark.parametrize("inside", ["d.xml", "d.xml.bz2", "d.xml.zst"])
def test_dumps_in_archives(tmp_path, expected, inside):
    write_zip(tmp_path / "d.xml.zip", {inside: PACK[inside.removeprefix("d.xml")](DUMP)})
    assert read(tmp_path / "d.xml.zip", tmp_path) == expected


def test_a_folder_of_several_archives(tmp_path, expected):
    (tmp_path / "dumps").mkdir()
    (tmp_path / "dumps/a.xml.gz").write_bytes(gzip.compress(dump(range(1, 12)).encode()))
    write_zip(tmp_path / "dumps/b.zip", {"b.xml": dump(range(12, 20)).encode()})
    (tmp_path / "dumps/c.xml.xz").write_bytes(lzma.compress(dump(range(20, 30)).encode()))
    assert read(tmp_path / "dumps", tmp_path) == expected


def test_articles_in_archives(tmp_path):
    write_zip(tmp_path / "a.zip", ARTICLES)
    assert sorted(read(tmp_path / "a.zip", tmp_path)) == [str(n) for n in range(9)]


@pytest.mark.parametrize("packing", PACK)
def test_packed_lines_of_html(tmp_path, packing):
    (tmp_path / f"l.ndjson{packing}").write_bytes(PACK[packing](LINES))
    assert sorted(read(tmp_path / f"l.ndjson{packing}", tmp_path)) == ["1", "2", "3", "4"]


BINARY = bytes(range(128, 256)) * 40


@pytest.mark.parametrize("name", ["d.zip", "d.xml.xz", "d.xml.zst", "d.xml", "d.bin"])
@pytest.mark.parametrize("head", [b"", b"PK\x03\x04", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"])
def test_what_cannot_be_read_is_an_error_without_binary(tmp_path, name, head):
    (tmp_path / name).write_bytes(head + BINARY)
    with pytest.raises(CollectionError) as raised:
        read(tmp_path / name, tmp_path)
    assert str(raised.value).isprintable()
    assert name in str(raised.value)
    assert "\\x" not in str(raised.value)
    assert "�" not in str(raised.value)


def test_archives_that_are_cut_short_are_an_error(tmp_path):
    write_zip(tmp_path / "d.xml.zip", {"d.xml": DUMP})
    data = (tmp_path / "d.xml.zip").read_bytes()
    (tmp_path / "d.xml.zip").write_bytes(data[: len(data) // 2])
    with pytest.raises(CollectionError, match=r"d\.xml\.zip: it cannot be read"):
        read(tmp_path / "d.xml.zip", tmp_path)
