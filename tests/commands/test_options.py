"""What the commands have in common: help, and mistakes in their arguments."""

import pytest

from pyterrier_focused.cli import COMMANDS, main


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_help_shows_the_usage_of_a_command(command, capsys):
    with pytest.raises(SystemExit) as end:
        main([command, "--help"])
    assert end.value.code == 0
    assert f"usage: pt-focused {command} " in capsys.readouterr().out


def test_help_lists_the_commands(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    out = capsys.readouterr().out
    assert [command for command in COMMANDS if f"\n    {command}" not in out] == []


@pytest.mark.parametrize(
    "words", [["evalute"], [], ["evaluate", "qrels"], ["evaluate", "qrels", "run", "--format", "odd"]], ids=" ".join
)
def test_a_mistake_in_the_arguments_ends_with_2(words, capsys):
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 2
    assert "usage: pt-focused" in capsys.readouterr().err
