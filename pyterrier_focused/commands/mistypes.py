"""The likely meaning of a mistyped command line, and what to type in its place."""

from __future__ import annotations

import argparse
import difflib
import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn

from .. import evaluation
from ..errors import KindError
from .messages import escape_controls
from .options import InputPath, OutputPath

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

_OS_ERRORS = {FileNotFoundError: "no such file or folder", IsADirectoryError: "this is a folder, not a file"}
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
            parser.error(f"there is no option {name}{_suggest_option(name, parser, list_options())}")


def _suggest_option(name: str, parser: argparse.ArgumentParser, of_commands: Mapping[str, Sequence[str]]) -> str:
    """Return, after a semicolon, the option of this command that is meant, or the commands that have the option."""
    known = list(parser._option_string_actions)
    if f"-{name}" in known:
        return f"; did you mean -{name}?"
    words = [action.dest for action in parser._actions if not action.option_strings]
    if any(word.startswith(name.lstrip("-")) for word in words):
        return f", only a word: type {write_synopsis(parser)}"
    others = [command for command, options in of_commands.items() if name in options]
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.8 if others else 0.6)
    if close:
        return f"; did you mean {close[0]}?"
    advice = f"; pt-focused help {parser.prog.split()[-1]} lists the options"
    return f"; it is an option of pt-focused {', '.join(others)}{advice}" if others else advice


def write_synopsis(parser: argparse.ArgumentParser) -> str:
    """Write a command with its words and the options that it must have: `cut --size N file`."""
    groups = [group for group in parser._mutually_exclusive_groups if group.required]
    either = [action for group in groups for action in group._group_actions]
    actions = [action for action in parser._actions if action.required or not action.option_strings or action in either]
    formatter = argparse.HelpFormatter(parser.prog, width=1000)
    formatter.add_usage(None, actions, groups, prefix="")
    return formatter.format_help().strip()


class Parser(argparse.ArgumentParser):
    """A parser whose messages say what to type, without control characters that were typed."""

    example = ""

    def format_help(self) -> str:
        """Return the help, with an example that runs in the folder of the demo."""
        example = f"\nexample, in the folder of pt-focused demo --keep:\n  pt-focused {self.example}\n"
        return super().format_help() + (example if self.example else "")

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        super()._print_message(escape_controls(message), file)

    def error(self, message: str) -> NoReturn:
        if match := re.fullmatch(r"argument (?P<names>(?P<name>[^/]+?)(/.+)?): expected .*argument", message):
            action = self._option_string_actions.get(match["name"])
            value = action and (action.metavar or action.dest.upper())
            message = f"{match['names']} needs a value: {match['name']} {value}"
        elif "required" in message:
            message += f"; type {write_synopsis(self)}"
        message = message.removeprefix("argument ").replace("invalid int value:", "not a whole number:")
        self.exit(2, f"{self.prog}: {message}\n")


def parse_words(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace:
    """Parse the words of a command; words that have no place end with a message that says where they belong."""
    arguments, excess = parser.parse_known_args(words)
    if excess:
        parser.error(_explain_excess(parser, words, excess))
    return arguments


def _explain_excess(parser: argparse.ArgumentParser, words: Sequence[str], excess: Sequence[str]) -> str:
    first = excess[0]
    place = words.index(first)
    option = words[place - 2] if place > 1 else ""
    if option in parser._option_string_actions and not os.path.exists(first):
        return f"{option} takes one value; quote several words: {option} {shlex.quote(f'{words[place - 1]} {first}')}"
    if any(action.nargs == "+" for action in parser._actions if not action.option_strings):
        return f"{first} stands apart from the other words; put options after all of them: {write_synopsis(parser)}"
    options = [
        f"{action.option_strings[-1]} {action.metavar or action.dest.upper()}"
        for action in parser._actions
        if action.option_strings and action.nargs != 0
    ]
    return f"{first} is one word too many for {write_synopsis(parser)}; others follow options: {', '.join(options)}"


def explain_error(parser: argparse.ArgumentParser, arguments: argparse.Namespace, error: Exception) -> str:
    """Word an error for the command line, with what to type if that can be told."""
    message = str(error) or type(error).__name__
    if isinstance(error, OSError) and error.filename and error.strerror:
        message = f"{error.filename}: {_OS_ERRORS.get(type(error), error.strerror)}"
    if isinstance(error, KindError):
        return f"{message}; type {write_synopsis(parser)}"
    missing = [path for path in _list_paths(arguments, InputPath) if _is_missing(path) and path in message]
    if not missing:
        return message
    wanted = getattr(arguments, "measures", None)
    measures = [path for path in missing if _is_measure(path)]
    if wanted and measures:
        return f"{measures[0]} is a measure; several are one word in quotes: -m '{' '.join([wanted, *measures])}'"
    words = [action.dest for action in parser._actions if not action.option_strings and action.type is OutputPath]
    made = [path for path in (getattr(arguments, name) for name in words) if os.path.exists(path)]
    if made:
        return f"{missing[0]} is not there, and {made[0]} is; the order is {write_synopsis(parser)}"
    folder, name = os.path.split(missing[0].rstrip("/"))
    try:
        close = difflib.get_close_matches(name, os.listdir(folder or "."), n=1)
    except OSError:
        close = []
    return f"{message}; did you mean {os.path.join(folder, close[0])}?" if close else message


def _list_paths(arguments: argparse.Namespace, kind: type[str]) -> Iterator[str]:
    for value in vars(arguments).values():
        yield from (path for path in (value if isinstance(value, list) else [value]) if isinstance(path, kind))


def _is_missing(path: str) -> bool:
    return path != "-" and "://" not in path and not os.path.exists(path)


def _is_measure(word: str) -> bool:
    try:
        evaluation.parse(word)
    except ValueError:
        return False
    return True
