"""Advice in errors: worded for Python, for a command that has the option, and for one that lacks it."""

import pytest

from pyterrier_focused.errors import LOCATED, Advice, advise_command
from pyterrier_focused.retrieval import PartIndex

OVERWRITE = Advice("overwrite", "open it with PartIndex(path), or give overwrite=True", "--overwrite replaces it")


@pytest.mark.parametrize(
    ("options", "python", "located"),
    [
        (["overwrite", "located"], "it exists; --overwrite replaces it", "; --located FILE lists them"),
        ([], "it exists", ""),
    ],
)
def test_a_command_is_told_of_its_own_options(options, python, located):
    with advise_command(options):
        assert f"it exists{OVERWRITE.after('; ')}" == python
        assert LOCATED.after("; ", " lists them") == located


def test_python_is_told_of_arguments():
    assert f"it exists; {OVERWRITE}" == "it exists; open it with PartIndex(path), or give overwrite=True"
    assert LOCATED.after("; ", " lists them") == "; result.located lists them"


def test_errors_word_their_advice_for_who_asks(tmp_path):
    with pytest.raises(ValueError, match=r"make one with Collection.index\(path\)"):
        PartIndex(tmp_path / "none")
    with advise_command(["index"]), pytest.raises(ValueError, match="make one with pt-focused index"):
        PartIndex(tmp_path / "none")
