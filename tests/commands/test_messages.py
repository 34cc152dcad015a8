"""Advice for Python users, as the command line gives it."""

import pytest

from pyterrier_focused.commands.messages import on_the_command_line


@pytest.mark.parametrize(
    ("python", "option", "here"),
    [
        ("i exists already; open it with PartIndex(path), or give overwrite=True", "overwrite",
         "i exists already; --overwrite replaces it"),
        ("i: no index of parts is here; make one with Collection.index(path)", "index",
         "i: no index of parts is here; make one with pt-focused index"),
        ("c holds a collection already; open it with Collection('c'), or build into another folder", "path",
         "c holds a collection already; build into another folder"),
        ("1 of 2 texts cannot be placed; result.located lists them", "located",
         "1 of 2 texts cannot be placed; --located FILE lists them"),
    ],
)  # fmt: skip
def test_advice_names_the_options_of_the_command(python, option, here):
    assert on_the_command_line(python, {option}) == here


def test_advice_about_an_option_that_the_command_lacks_goes():
    assert on_the_command_line("1 of 2 texts cannot be placed; result.located lists them", set()) == (
        "1 of 2 texts cannot be placed"
    )
