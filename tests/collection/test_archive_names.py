"""Archives that would read or write elsewhere on this machine: only files that lie within them are taken."""

import io
import stat
import tarfile
import zipfile

import pytest

from pyterrier_focused.collection import Collection
from pyterrier_focused.errors import CollectionError

SECRET = "<article><name id='9'>Secret</name><p>of this machine</p></article>"
OURS = b"<article><name id='1'>Ours</name><p>words</p></article>"


def write_zip(path, members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data, kind in members:
            info = zipfile.ZipInfo(name)
            info.create_system = 3
            info.external_attr = (kind | 0o644) << 16
            archive.writestr(info, data)


TYPES = {stat.S_IFREG: tarfile.REGTYPE, stat.S_IFLNK: tarfile.SYMTYPE, stat.S_IFCHR: tarfile.CHRTYPE}


def write_tar(path, members):
    with tarfile.open(path, "w") as archive:
        for name, data, kind in members:
            member = tarfile.TarInfo(name)
            member.type = TYPES[kind]
            if kind == stat.S_IFREG:
                member.size = len(data)
            else:
                member.linkname = data.decode()
            archive.addfile(member, io.BytesIO(data))


WRITE = {".zip": write_zip, ".tar": write_tar}


def read_texts(path, folder):
    """The texts of the articles of an archive, "" if it is refused."""
    try:
        collection = Collection.build(path, folder / "collection", verbose=False, max_rejected=1)
    except CollectionError as error:
        return str(error)
    return " ".join(article["text"] for article in collection.articles())


@pytest.fixture
def secret(tmp_path):
    """A file of this machine."""
    (tmp_path / "secret.xml").write_text(SECRET)
    return tmp_path / "secret.xml"


@pytest.mark.parametrize("ending", WRITE)
@pytest.mark.parametrize(
    "name", ["{}", "../secret.xml", "a/../../secret.xml", "/{}", "C:\\secret.xml", "..\\secret.xml"]
)
def test_a_name_that_leads_out_reads_nothing_of_this_machine(tmp_path, secret, ending, name):
    (tmp_path / "in").mkdir()
    file = tmp_path / "in" / f"a{ending}"
    WRITE[ending](file, [("1.xml", OURS, stat.S_IFREG), (name.format(secret), OURS, stat.S_IFREG)])
    found = read_texts(file, tmp_path)
    assert "of this machine" not in found
    assert "lie elsewhere on this machine" in found or "words" in found
    assert secret.read_text() == SECRET


@pytest.mark.parametrize("ending", WRITE)
@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR])
def test_links_and_devices_are_no_files(tmp_path, secret, ending, kind):
    (tmp_path / "in").mkdir()
    file = tmp_path / "in" / f"a{ending}"
    members = [
        ("1.xml", OURS, stat.S_IFREG),
        ("2.xml", str(secret).encode(), kind),
        ("d", str(tmp_path).encode(), kind),
    ]
    WRITE[ending](file, members)
    assert "words" in (found := read_texts(file, tmp_path))
    assert "secret" not in found
    assert "of this machine" not in found


def test_files_of_one_name_in_a_tar_archive_are_all_read(tmp_path):
    other = OURS.replace(b"'1'", b"'2'").replace(b"words", b"others")
    write_tar(tmp_path / "a.tar", [("1.xml", OURS, stat.S_IFREG), ("1.xml", other, stat.S_IFREG)])
    found = read_texts(tmp_path / "a.tar", tmp_path)
    assert "words" in found or "others" in found


def flip_byte(path, target, place):
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    target.write_bytes(bytes(data))
