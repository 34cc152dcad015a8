"""What a mistyped command line is likely to mean: options of other names or commands, and paths in another order."""

from __future__ import annotations

import argparse
import difflib
import os
from collections.abc import Callable, Mapping, Sequence

from .. import evaluation
from .options import InputPath, OutputPath

_OptionsOfCommands = Callable[[], Mapping[str, Sequence[str]]]


def check_options(parser: argparse.ArgumentParser, words: Sequence[str], list_options: _OptionsOfCommands) -> None:
    """End with a message of the parser if a word is an option that the command has not."""
    known = parser._option_string_actions
    for word in words:
        if word == "--":
            return
        if len(word) < 2 or word[0] != "-" or " " in word or word[1].isdigit() or word[1] == ".":
            continue
        name = word.partition("=")[0]
        is_short = not name.startswith("--") and f"-{name}" not in known
        # -p2 is -p, and -qm is -q with -m
        if name not in known and not (is_short and name.startswith(tuple(known))):
            parser.error(f"there is no option {name}{_suggest_option(name, list(known), list_options())}")


def _suggest_option(name: str, known: Sequence[str], of_commands: Mapping[str, Sequence[str]]) -> str:
    """Return, after a semicolon, the option of this command that is meant, or the commands that have the option."""
    if f"-{name}" in known:
        return f"; did you mean -{name}?"
    others = [command for command, options in of_commands.items() if name in options]
    if others:
        return f"; it is an option of pt-focused {', '.join(others)}"
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]}?" if close else ""


def explain_missing_path(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> str:
    """Return what to do if a path that the command reads is not there, and it can be told why; else ""."""
    values = [value if isinstance(value, list) else [value] for value in vars(arguments).values()]
    paths = [path for several in values for path in several if isinstance(path, InputPath | OutputPath)]
    missing = [path for path in paths if isinstance(path, InputPath) and _is_missing(path)]
    if not missing:
        return ""
    wanted = getattr(arguments, "measures", None)
    measures = [path for path in missing if _is_measure(path)]
    if wanted and measures:
        return f"{measures[0]} is a measure; several are one word in quotes: -m '{' '.join([wanted, *measures])}'"
    made = [path for path in paths if isinstance(path, OutputPath) and os.path.exists(path)]
    if made:
        order = " ".join(action.dest for action in parser._actions if not action.option_strings)
        return f"{missing[0]} is not there, and {made[0]} is; the order is {parser.prog} {order}"
    return ""


def _is_missing(path: str) -> bool:
    return path != "-" and "://" not in path and not os.path.exists(path)


def _is_measure(word: str) -> bool:
    try:
        evaluation.parse(word)
    except ValueError:
        return False
    return True
