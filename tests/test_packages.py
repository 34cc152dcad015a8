"""Checksums of packed artifacts: what reads other files than the package's is refused."""

import pytest

from pyterrier_focused.collection.files.checksums import CHECKSUMS, verify_checksums
from pyterrier_focused.errors import CollectionError


@pytest.mark.parametrize("name", ["/dev/zero", "../secret", "a/../../secret"])
def test_checksums_of_files_elsewhere_are_damage(tmp_path, name):
    (tmp_path / CHECKSUMS).write_text(f"{'0' * 64}  {name}\n")
    with pytest.raises(CollectionError, match="it is not a file of this folder"):
        verify_checksums(tmp_path)
