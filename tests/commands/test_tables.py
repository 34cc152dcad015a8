"""Tables as commands print them."""

import argparse

import pytest

from pyterrier_focused.commands.options import TABLE_FORMATS
from pyterrier_focused.commands.tables import FORMATS, write_table

HEADER = ["run", "AiP", "n"]
ROWS = [["a.run", 1 / 3, 7], ["longer name", 0.5, 10]]


def printed(capsys, format="table", places=None, output=None):
    write_table(HEADER, ROWS, argparse.Namespace(format=format, places=places, output=output))
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("format", "places", "expected"),
    [
        ("table", None, "run             AiP   n\na.run        0.3333   7\nlonger name  0.5000  10\n"),
        ("markdown", 2, "| run | AiP | n |\n| --- | --- | --- |\n| a.run | 0.33 | 7 |\n| longer name | 0.50 | 10 |\n"),
        ("tsv", None, "run\tAiP\tn\na.run\t0.3333333333333333\t7\nlonger name\t0.5\t10\n"),
        ("csv", 2, "run,AiP,n\na.run,0.33,7\nlonger name,0.50,10\n"),
        ("jsonl", 3, '{"run":"a.run","AiP":0.333,"n":7}\n{"run":"longer name","AiP":0.5,"n":10}\n'),
    ],
)
def test_a_table_is_written_in_every_format(capsys, format, places, expected):
    assert printed(capsys, format, places) == expected


def test_the_options_name_every_format():
    assert tuple(FORMATS) == TABLE_FORMATS


@pytest.mark.parametrize(("name", "format"), [("t.tsv", "tsv"), ("T.MD", "markdown"), ("t", "table")])
def test_the_ending_of_the_output_is_the_format_if_none_is_given(capsys, tmp_path, name, format):
    printed(capsys, format=None, output=tmp_path / name)
    assert (tmp_path / name).read_text() == printed(capsys, format)
