"""Archives as their packers write them, whole, damaged and hostile: all files are read, or it is said."""

import bz2
import gzip
import io
import tarfile
import zipfile

import pytest

from pyterrier_focused import Collection
from pyterrier_focused.collection.sources import find as sources
from pyterrier_focused.errors import BuildError

ARTICLE = "<article><name id='{n}'>Name</name><p>{words}</p></article>"


def archive(numbers, words=30, format=tarfile.PAX_FORMAT, folder="deep"):
    """The bytes of a tar archive of articles."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=format) as tar:
        for n in numbers:
            data = ARTICLE.format(n=n, words=f"w{n} " * words).encode()
            member = tarfile.TarInfo(f"{folder}/{n}.xml")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def in_members(data, pack, size):
    """Pack bytes as pigz and pbzip2 do: pieces one after the other."""
    return b"".join(pack(data[at : at + size]) for at in range(0, len(data), size))


def read(path):
    """The names of the articles, and the faults."""
    raws = [raw for batch in sources.read(sources.find_sources(path), "inex") for raw in batch.raws]
    return [raw.name for raw in raws if not raw.error], [raw for raw in raws if raw.error]


NAMES = [str(n) for n in range(300)]


@pytest.mark.parametrize("name", ["a.tar", "a.tgz", "a.tar.bz2"])  # told by the bytes
@pytest.mark.parametrize(
    ("pack", "size"),
    [(bytes, 10**9), *((pack, size) for pack in (gzip.compress, bz2.compress) for size in (100, 7000, 10**9))],
)
def test_all_members_of_packed_archives_are_read(tmp_path, monkeypatch, name, pack, size):
    monkeypatch.setattr(sources, "GROUP_BYTES", 20_000)
    (tmp_path / name).write_bytes(in_members(archive(NAMES), pack, size))
    assert read(tmp_path / name) == (NAMES, [])


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
def test_archives_that_follow_each_other_are_all_read(tmp_path, pack):
    (tmp_path / "a.tar").write_bytes(b"".join(pack(archive(NAMES[at : at + 100])) for at in (0, 100, 200)))
    assert read(tmp_path / "a.tar") == (NAMES, [])


@pytest.mark.parametrize("format", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
@pytest.mark.parametrize("step", [1, 3000, 10**9])
def test_long_names_stay_with_their_files_wherever_the_cuts_lie(tmp_path, monkeypatch, format, step):
    monkeypatch.setattr(sources, "GROUP_BYTES", step)
    folder = "/".join(["long" * 10] * 5) if format != tarfile.USTAR_FORMAT else "short"
    (tmp_path / "a.tar").write_bytes(archive(NAMES[:50], format=format, folder=folder))
    assert read(tmp_path / "a.tar") == (NAMES[:50], [])


def with_size(data, number, field):
    """The archive with another size field in the header of its member *number*, and the checksum that goes with it."""
    damaged, at = bytearray(data), 0
    for _ in range(number):
        at += 512 + -(-int(data[at + 124 : at + 135], 8) // 512) * 512
    damaged[at + 124 : at + 136] = field
    damaged[at + 148 : at + 156] = b" " * 8
    damaged[at + 148 : at + 156] = b"%06o\0 " % sum(damaged[at : at + 512])
    return bytes(damaged)


SIZES = {
    "-512": b"\xff" * 10 + b"\xfe\x00",
    "-1": b"\xff" * 12,
    "2**70": b"\x80\x00\x00\x40" + b"\x00" * 8,
    "8 GB": b"77777777777\0",
    "a word": b"many bytes!\0",
}


@pytest.mark.parametrize("size", [-512, -(10**6)])
def test_a_size_of_a_pax_header_goes_no_way_back(tmp_path, size):
    members, buffer = [tarfile.TarInfo(f"{n}.xml") for n in range(5)], io.BytesIO()
    members[3].pax_headers = {"size": str(size)}
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        tar.fileobj.write(b"".join(member.tobuf(tarfile.PAX_FORMAT) for member in members))
    (tmp_path / "a.tar").write_bytes(buffer.getvalue())
    names, faults = read(tmp_path / "a.tar")
    assert names[:3] == NAMES[:3]
    assert faults[-1].is_cut


@pytest.mark.parametrize("content", [b"0 mtime=a\n", b"99999999999 mtime=a\n", b"-5 mtime=a\n", b"garbage", b""])
@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_SPARSE])
def test_a_header_about_the_next_one_that_is_damaged_ends_the_archive(tmp_path, content, kind):
    about = tarfile.TarInfo("about")
    about.type, about.size = kind, len(content)
    header = about.tobuf(tarfile.USTAR_FORMAT) + content.ljust(-(-len(content) // 512) * 512, b"\0")
    good = archive(NAMES[:3], format=tarfile.USTAR_FORMAT)[: 3 * 1024]
    (tmp_path / "a.tar").write_bytes(good + header + archive(NAMES[3:6], format=tarfile.USTAR_FORMAT))
    names, faults = read(tmp_path / "a.tar")
    assert names[:3] == NAMES[:3]
    assert len(names) >= 5 or faults[-1].is_cut  # a name of one file may be lost, but no file without a word


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.999, 1])
def test_an_archive_that_is_cut_short_says_so(tmp_path, pack, share):
    data = pack(archive(NAMES)[:-10240])
    (tmp_path / "a.tar").write_bytes(data[: int(len(data) * share)])
    names, faults = read(tmp_path / "a.tar")
    assert names == NAMES[: len(names)]
    assert faults[-1].is_cut


def test_a_damaged_header_is_no_end(tmp_path):
    data = bytearray(archive(NAMES, format=tarfile.USTAR_FORMAT))
    data[10 * 1024 + 20] ^= 1
    (tmp_path / "a.tar").write_bytes(data)
    names, faults = read(tmp_path / "a.tar")
    assert names == NAMES[:10]
    assert faults[-1].is_cut
    assert "bad checksum" in faults[-1].error


PAGE = "<html><head><title>T</title></head><body><h1>Lamp</h1><p>A lamp.</p></body></html>"


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.tgz"])
@pytest.mark.parametrize(
    "files",
    [{"d/a.md": "# A\n\nwords", "b.txt": "plain"}, {"d/a.html": PAGE}, {"a.jsonl": '{"id": "1", "text": "x"}'}],
    ids=["texts", "HTML", "records"],
)  # fmt: skip
def test_an_archive_without_xml_is_read_as_a_zip_is(tmp_path, name, files):
    with tarfile.open(tmp_path / name, "w" if name == "a.tar" else "w:gz") as archive:
        for path, text in files.items():
            member = tarfile.TarInfo(path)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    texts = []
    for source in (name, "a.zip"):
        built = Collection.build(tmp_path / source, tmp_path / f"of {source}", verbose=False)
        texts.append({article["docno"].removeprefix(source): article["text"] for article in built.articles()})
    assert texts[0] == texts[1]
    assert len(texts[0]) == len(files)


def test_members_of_one_name_in_a_zip_are_each_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as pack:
        pack.writestr("same.xml", ARTICLE.format(n=1, words="words"))
        with pytest.warns(UserWarning, match="Duplicate name"):
            pack.writestr("same.xml", ARTICLE.format(n=2, words="words"))
    assert Collection.build(tmp_path / "a.zip", tmp_path / "c", verbose=False).docnos() == ["1", "2"]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("format", ["auto", "inex"])
def test_an_archive_that_is_cut_gives_what_comes_before_if_asked(tmp_path, pack, format):
    with tarfile.open(tmp_path / "whole.tar", "w") as tar:
        for number in range(300):
            name = "0.pdf" if number == 0 else f"{number}.xml"
            (tmp_path / name).write_text(ARTICLE.format(n=number, words="words " * 100))
            tar.add(tmp_path / name, name)
    data = pack((tmp_path / "whole.tar").read_bytes())
    (tmp_path / "a.tar").write_bytes(data[: len(data) * 2 // 3])
    with pytest.raises(BuildError, match="broken or cut short"):
        Collection.build(tmp_path / "a.tar", tmp_path / "c", format, verbose=False)
    some = Collection.build(tmp_path / "a.tar", tmp_path / "d", format, verbose=False, max_rejected=1).docnos()
    assert len(some) > 150
    assert some == [str(number) for number in range(1, len(some) + 1)]


def test_a_cut_archive_of_pages_is_an_error_of_the_source(tmp_path):
    with tarfile.open(tmp_path / "whole.tar", "w") as tar:
        for number in range(50):
            (tmp_path / f"{number}.html").write_text(f"<title>Page {number} - Site</title><p>Words of {number}.</p>")
            tar.add(tmp_path / f"{number}.html", f"{number}.html")
    data = gzip.compress((tmp_path / "whole.tar").read_bytes())
    (tmp_path / "a.tar").write_bytes(data[: len(data) // 2])
    with pytest.raises(BuildError, match="broken or cut short"):
        Collection.build(tmp_path / "a.tar", tmp_path / "c", "html", verbose=False)
