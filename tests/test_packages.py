"""Packed artifacts from local files: what is refused before it fills the disk, or reads what is not the package's."""

import io
import tarfile

import pyterrier as pt
import pytest

from pyterrier_focused import pyterrier_plugin
from pyterrier_focused.collection.files.checksums import CHECKSUMS, verify_checksums
from pyterrier_focused.collection.files.storage import StoragePath
from pyterrier_focused.errors import CollectionError

lz4 = pytest.importorskip("lz4.frame")


def test_a_file_of_another_computer_is_refused():
    with pytest.raises(ValueError, match="files of another computer cannot be opened"):
        pt.Artifact.from_url("file://example.org/tmp/index.tar.lz4")


def test_a_package_that_unpacks_to_far_more_than_its_size_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(pyterrier_plugin, "_UNPACKED", 1 << 20)
    monkeypatch.setenv("PYTERRIER_HOME", str(tmp_path / "home"))
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as files:
        member = tarfile.TarInfo("zeros")
        member.size = 4 << 20
        files.addfile(member, io.BytesIO(bytes(member.size)))
    package = tmp_path / "packed.tar.lz4"
    package.write_bytes(lz4.compress(archive.getvalue()))
    with pytest.raises(ValueError, match=r"packed.tar.lz4 is not a package .* more than 50 times its size"):
        pt.Artifact.from_url(package.as_uri())


@pytest.mark.parametrize("name", ["/dev/zero", "../secret", "a/../../secret"])
def test_checksums_of_files_elsewhere_are_damage(tmp_path, name):
    (tmp_path / CHECKSUMS).write_text(f"{'0' * 64}  {name}\n")
    with pytest.raises(CollectionError, match="it is not a file of this folder"):
        verify_checksums(StoragePath(str(tmp_path)))
