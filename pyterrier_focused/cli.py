"""The command line, `pt-focused`: a table of commands in groups; the file of a command is imported when it is used."""

from __future__ import annotations

import argparse
import difflib
import importlib
import io
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ._version import __version__
from .commands.messages import notes, on_the_command_line
from .commands.options import ready_paths
from .errors import ForeignIdsWarning


@dataclass(frozen=True, eq=False, repr=False)
class Command:
    """A command: its module in `commands/`, and what it does, in the imperative."""

    name: str
    module: str
    summary: str


class CommandModule(Protocol):
    """What the module of a command has."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, arguments: argparse.Namespace) -> int: ...


GROUPS = {
    "Start here": (
        Command("demo", "demo", "build, index, search and evaluate a small collection, from start to end"),
        Command("completion", "completion", "print a script that completes commands and options in a shell"),
    ),
    "Collections": (
        Command(
            "build",
            "collection.build",
            "build a collection of articles from a Wikipedia dump, HTML, XML or a folder of texts",
        ),
        Command("index", "collection.index", "index the elements or passages of a collection"),
        Command("search", "collection.search", "search an index: topics to a run, or one query to a list of passages"),
        Command(
            "verify", "collection.verify", "check whether files of a collection or an index are damaged or missing"
        ),
        Command(
            "view", "collection.view", "show one article with its highlights and the passages that a run retrieved"
        ),
    ),
    "Scores": (
        Command("evaluate", "score.evaluate", "score runs against qrels with any measures, and print a table"),
        Command("report", "score.report", "write an HTML page that compares runs"),
        Command("measures", "score.measures", "list the measures, or explain some of them"),
    ),
    "RAG": (
        Command("retrieved", "rag.retrieved", "score what RAG systems retrieved by how much evidence it contains"),
        Command(
            "chunks", "rag.chunks", "compare chunk sizes and text splitters by how much evidence their chunks contain"
        ),
    ),
    "Judging": (Command("assess", "judge.assess", "highlight the relevant text of articles in a browser"),),
    "Files": (
        Command("convert", "files.convert", "convert runs and qrels from one file format to another"),
        Command("validate", "files.validate", "check whether runs follow the rules of an INEX task"),
    ),
    "Official programs": (
        Command("inex-eval", "official.inex_eval", "score runs as the INEX evaluation tool does, option for option"),
        Command(
            "bioasq-eval", "official.bioasq_eval", "score documents and snippets as BioASQ's program (task B, phase A)"
        ),
        Command(
            "genomics-eval", "official.genomics_eval", "score a run as the program of the TREC Genomics track does"
        ),
        Command(
            "kilt-eval", "official.kilt_eval", "score retrieved pages, sections or paragraphs as KILT's program does"
        ),
    ),
}
COMMANDS = {command.name: command for commands in GROUPS.values() for command in commands}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code: 0 success, 1 faults found, 2 bad input or usage, 130 Ctrl-C."""
    _make_streams_safe()
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == ["help"]:
        words = [*words[1:2], "--help"]
    prefix = "pt-focused"
    options = set[str]()
    shown: dict[str, str] = {}
    try:
        if not words or words[0].startswith("-") or words[0] not in COMMANDS:
            return _answer_without_command(words)
        prefix = f"pt-focused {words[0]}"
        module = load_command(COMMANDS[words[0]])
        arguments = _parse_arguments(make_parser(COMMANDS[words[0]], module), words[1:])
        options = set(vars(arguments))
        if words[0] == "completion":
            arguments.options_of_commands = list_options()
        with ready_paths(arguments) as shown, notes(prefix, options, shown) as given:
            code = module.run(arguments)
        if ForeignIdsWarning in given:
            code = 2
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of our output went away, as `head` does.
        _discard_output()
        return 1
    except (ValueError, OSError, ImportError, MemoryError) as error:
        message = str(error) or type(error).__name__
        print(f"{prefix}: {on_the_command_line(message, options, shown)}", file=sys.stderr)
        _discard_output()
        return 2
    except KeyboardInterrupt:
        print(f"{prefix}: interrupted", file=sys.stderr)
        return 130
    return code


def list_options() -> dict[str, list[str]]:
    """Return the options of every command, by its name."""
    parsers = {name: make_parser(command, load_command(command)) for name, command in COMMANDS.items()}
    return {name: sorted(parser._option_string_actions) for name, parser in parsers.items()}


def load_command(command: Command) -> CommandModule:
    """Import the file of a command."""
    return importlib.import_module(f"pyterrier_focused.commands.{command.module}")


def make_parser(command: Command, module: CommandModule) -> argparse.ArgumentParser:
    """Return the parser of a command's arguments."""
    parser = argparse.ArgumentParser(
        prog=f"pt-focused {command.name}",
        description=command.summary[0].upper() + command.summary[1:] + ".",
        allow_abbrev=False,
    )
    module.add_arguments(parser)
    return parser


def _parse_arguments(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace:
    try:
        return parser.parse_args(words)
    except SystemExit:
        # A reader of the help that went away is seen here, not when Python ends.
        sys.stdout.flush()
        raise


def _answer_without_command(words: Sequence[str]) -> int:
    """Print the help or the version, or say that there is no such command."""
    if words in (["-h"], ["--help"]):
        print(_describe_commands())
    elif words == ["--version"]:
        print(f"pt-focused {__version__}")
    elif not words:
        print(_describe_commands(), file=sys.stderr)
        return 2
    else:
        close = difflib.get_close_matches(words[0], COMMANDS, n=1)
        hint = f"did you mean {close[0]}? " if close else ""
        print(f"pt-focused: there is no command {words[0]!r}; {hint}pt-focused --help lists them", file=sys.stderr)
        return 2
    sys.stdout.flush()
    return 0


def _describe_commands() -> str:
    lines = [
        "usage: pt-focused COMMAND ...",
        "",
        "Evaluate focused retrieval: systems that return passages, XML elements or chunks of articles.",
    ]
    width = max(map(len, COMMANDS))
    for group, commands in GROUPS.items():
        lines += ["", f"{group}:", *(f"  {command.name:{width}}  {command.summary}" for command in commands)]
    return "\n".join([*lines, "", "pt-focused help COMMAND shows the options of a command."])


def _make_streams_safe() -> None:
    """Give the process standard streams that exist and that take any text."""
    for name in ("stdout", "stderr"):
        # The caller has closed it.
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _discard_output() -> None:
    """Send what is still to be written nowhere, so that Python does not fail on it when it ends."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
