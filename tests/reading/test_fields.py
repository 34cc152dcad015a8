"""Fields of lines that are read at once."""

import pytest

from pyterrier_focused.reading import fields


@pytest.mark.parametrize("n", [100, 101])
def test_no_more_than_100_fields_are_read_at_once(n):
    data = " ".join(["x"] * n).encode()
    assert (fields.read_fields(data, list(map(str, range(n)))) is not None) is (n == 100)


def test_columns_with_dictionaries_hold_what_the_others_hold():
    data = b"a 1 x\nb 20 x\na 1 y\n"
    coded, texts = fields.read_fields(data, ["n", "k", "t"], ["n", "k"]), fields.read_fields(data, ["n", "k", "t"])
    codes, names = fields.name_codes(coded["n"])
    assert [names[code] for code in codes] == texts["n"].to_pylist() == ["a", "b", "a"]
    assert fields.whole_numbers(texts["k"]).tolist() == [1, 20, 1]
    assert fields.read_fields(b"a 1 x\nb  x\n", ["n", "k", "t"], ["n", "k"]) is None
