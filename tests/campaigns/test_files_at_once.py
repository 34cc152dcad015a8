"""Fields that are read at once are what they are by line."""

import io

from pyterrier_focused.campaigns.genomics import files
from readings import as_lists

from pyterrier_focused.reading.lines import Faults


def without_lines(columns):
    """The columns as lists, but for the lines of the file that they come from."""
    return {name: column for name, column in as_lists(columns).items() if name != "line"}


def test_lines_of_very_many_fields_are_read():
    read, line = files.parse_genomics_run, "7 9 1 3 4 tag"
    narrow, wide = (read(io.BytesIO(f"{line}{' x' * n}\n".encode()), Faults("file", "raise")) for n in (1, 20_000))
    assert without_lines(wide) == without_lines(narrow)
