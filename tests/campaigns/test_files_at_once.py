"""BioASQ files that are read at once are what they are question by question, and fields what they are by line."""

import io
import json
import random

import pytest
from bioasq_rules import random_files
from random_cases import seeds
from readings import as_lists

from pyterrier_focused.campaigns.bioasq.files import _read_by_question, _read_whole_file
from pyterrier_focused.campaigns.genomics import files
from pyterrier_focused.errors import FormatError
from pyterrier_focused.io.reading.lines import Faults


def without_lines(columns):
    """The columns as lists, but for the lines of the file that they come from."""
    return {name: column for name, column in as_lists(columns).items() if name != "line"}


def some_lines(columns):
    return [columns.line(snippet) for snippet in range(0, len(columns.begin), 3)]


def plain(found):
    """Leave the fields that every edition has."""
    for question in found["questions"]:
        for key in ("ideal_answer", "concepts", "triples"):
            question.pop(key, None)
    return found


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("seed", seeds(60))
def test_bioasq_files_are_read_at_once(seed, indent):
    files = [json.dumps(plain(found), indent=indent).encode() for found in random_files(seed)]
    theirs = [_read_by_question(data, "file") for data in files]
    columns = [_read_whole_file(data) for data in files]
    assert None not in columns
    assert list(map(without_lines, columns)) == list(map(without_lines, theirs))
    assert list(map(some_lines, columns)) == list(map(some_lines, theirs))


ODD = [
    "null", "true", "1", "1.0", "1e2", "-0", "-7", "2147483648", "-2147483649", str(2**70), "NaN", '""', '"é"',
    '"\\u00e9"', '"\\ud800"', '"2014-01-01"', '"sections.abstract"', "[]", "{}", "[null]", '[""]',
    "[" * 200 + "]" * 200,
]  # fmt: skip


def odd_file(seed):
    """A file in which one value is replaced, taken away or given twice."""
    rng = random.Random(seed)
    text = json.dumps(plain(random_files(seed % 60)[1]))
    at = rng.choice([at for at in range(len(text)) if text.startswith('": ', at)])
    value, end = json.JSONDecoder().raw_decode(text, at + 3)
    key = text[text.rindex('"', 0, at) : at + 1]
    odd = rng.choice(ODD)
    text = text[: at + 3] + rng.choice([odd, f"{odd}, {key}: {json.dumps(value)}", f'0, "x": {odd}']) + text[end:]
    return text.encode()


def test_what_is_odd_in_bioasq_files_is_not_taken_for_something_else():
    """Read at once or not, the file says the same or is an error."""
    read = {data: _read_whole_file(data) for data in map(odd_file, range(600))}
    taken = {data: without_lines(columns) for data, columns in read.items() if columns is not None}
    assert len(taken) > 10
    assert taken == {data: without_lines(_read_by_question(data, "file")) for data in taken}


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"questions": null}', b'{"questions": [null]}', b'"\xff"'])
def test_what_is_no_bioasq_file_is_not_read_at_once(data):
    assert _read_whole_file(data) is None
    with pytest.raises(FormatError):
        _read_by_question(data, "file")


@pytest.mark.parametrize("data", [b'{"questions": [], "x": ' + b"[" * 10**5, b'{"questions": ' + b'[{"id": ' * 10**5])
def test_bioasq_files_that_are_nested_deeply_are_left_to_python(data):
    assert _read_whole_file(data) is None


def test_lines_of_very_many_fields_are_read():
    read, line = files.parse_genomics_run, "7 9 1 3 4 tag"
    narrow, wide = (read(io.BytesIO(f"{line}{' x' * n}\n".encode()), Faults("file", "raise")) for n in (1, 20_000))
    assert without_lines(wide) == without_lines(narrow)
