"""A folder of files, and the collection that is built of it."""

import pytest

from pyterrier_focused import Collection


@pytest.fixture
def write(tmp_path):
    """Writes files by their paths, texts or bytes, into a folder, and returns it."""

    def write(files):
        for name, data in files.items():
            path = tmp_path / "in" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data.encode() if isinstance(data, str) else data)
        return tmp_path / "in"

    return write


@pytest.fixture
def build(write, tmp_path):
    """Builds a collection of such files."""

    def build(files, format="auto", **options):
        return Collection.build(write(files), tmp_path / "c", format, verbose=False, **options)

    return build
