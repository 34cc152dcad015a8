"""Tables as commands print them."""

import argparse

import pandas as pd
import pytest

from pyterrier_focused.commands.options import TABLE_FORMATS
from pyterrier_focused.commands.tables import FORMATS, write_table

HEADER = ["run", "AiP", "n"]
ROWS = [["a.run", 1 / 3, 7], ["longer name", 0.5, 10]]


def printed(capsys, header, rows, format="table", places=None, output=None):
    write_table(header, rows, argparse.Namespace(format=format, places=places, output=output))
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("format", "places", "expected"),
    [
        ("table", None, "run             AiP   n\na.run        0.3333   7\nlonger name  0.5000  10\n"),
        ("table", 1, "run          AiP   n\na.run        0.3   7\nlonger name  0.5  10\n"),
        ("markdown", None, "| run | AiP | n |\n| --- | ---: | ---: |\n| a.run | 0.3333 | 7 |\n"
                           "| longer name | 0.5000 | 10 |\n"),
        ("tsv", None, "run\tAiP\tn\na.run\t0.3333333333333333\t7\nlonger name\t0.5\t10\n"),
        ("csv", 2, "run,AiP,n\na.run,0.33,7\nlonger name,0.5,10\n"),
        ("jsonl", None, '{"run": "a.run", "AiP": 0.3333333333333333, "n": 7}\n'
                        '{"run": "longer name", "AiP": 0.5, "n": 10}\n'),
    ],
)  # fmt: skip
def test_a_table_is_written_in_every_format(capsys, format, places, expected):
    assert printed(capsys, HEADER, ROWS, format, places) == expected


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA], ids=repr)
@pytest.mark.parametrize(
    ("format", "expected"),
    [("table", "run  AiP\na\n"), ("tsv", "run\tAiP\na\t\n"), ("jsonl", '{"run": "a", "AiP": null}\n')],
)
def test_what_is_missing_is_left_empty_in_every_format(capsys, format, expected, missing):
    assert printed(capsys, ["run", "AiP"], [["a", missing]], format) == expected


def test_the_options_name_every_format():
    assert tuple(FORMATS) == TABLE_FORMATS


@pytest.mark.parametrize("places", [-1, 18])
def test_decimal_places_out_of_range_are_refused(capsys, places):
    with pytest.raises(ValueError, match="from 0 to 17"):
        printed(capsys, HEADER, ROWS, places=places)


def test_a_table_goes_into_a_file(capsys, tmp_path):
    assert printed(capsys, HEADER, ROWS, "csv", output=tmp_path / "t.csv") == ""
    assert (tmp_path / "t.csv").read_text() == printed(capsys, HEADER, ROWS, "csv")


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("t.tsv", "tsv"),
        ("t.csv", "csv"),
        ("t.jsonl", "jsonl"),
        ("t.ndjson", "jsonl"),
        ("t.md", "markdown"),
        ("T.MD", "markdown"),
        ("t.markdown", "markdown"),
        ("t.tex", "latex"),
        ("t.txt", "table"),
        ("t", "table"),
    ],
)
def test_the_ending_of_the_output_is_the_format_if_none_is_given(capsys, tmp_path, name, format):
    printed(capsys, HEADER, ROWS, format=None, output=tmp_path / name)
    assert (tmp_path / name).read_text() == printed(capsys, HEADER, ROWS, format)


def test_an_unknown_ending_is_refused_with_those_that_are_known(capsys, tmp_path):
    with pytest.raises(ValueError, match=r"t\.xlsx: \.xlsx tells no format; .*\.tsv, \.csv, .*\.tex$"):
        printed(capsys, HEADER, ROWS, format=None, output=tmp_path / "t.xlsx")


def test_latex_holds_numbers_beside_names(capsys):
    assert "  longer name & \\textbf{0.50} & \\textbf{10.00} \\\\\n" in printed(capsys, HEADER, ROWS, "latex", 2)
    with pytest.raises(ValueError, match="beside each name, and qid holds texts"):
        printed(capsys, ["run", "qid"], [["a", "7"]], "latex")


def test_a_given_format_goes_before_the_ending(capsys, tmp_path):
    printed(capsys, HEADER, ROWS, "table", output=tmp_path / "t.md")
    assert (tmp_path / "t.md").read_text() == printed(capsys, HEADER, ROWS, "table")


def test_standard_output_gets_a_table_if_no_format_is_given(capsys):
    assert printed(capsys, HEADER, ROWS, format=None) == printed(capsys, HEADER, ROWS, "table")


def test_a_wide_table_of_few_rows_is_turned(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    header = ["system", *(f"Measure{n}" for n in range(9))]
    lines = printed(capsys, header, [["one", *[0.5] * 9], ["two", *[0.25] * 9]]).splitlines()
    assert lines[:2] == ["system       one     two", "Measure0  0.5000  0.2500"]
    assert len(lines) == 10


def test_a_wide_table_of_many_rows_is_cut_into_blocks(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    measures = [f"Measure{n}" for n in range(9)]
    out = printed(capsys, ["run", "qid", *measures], [["one", str(qid), *[0.5] * 9] for qid in range(20)])
    assert max(map(len, out.splitlines())) <= 40
    assert {name: out.count(name) for name in measures} == dict.fromkeys(measures, 1)
    assert out.count("one  19") == 3  # the keys stand in front of each block of three measures


def test_line_breaks_do_not_break_the_table(capsys):
    assert printed(capsys, ["run"], [["a\nb"]]) == "run\na b\n"
