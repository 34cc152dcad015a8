"""The command line, `pt-focused`: a table of commands in groups; the file of a command is imported when it is used."""

from __future__ import annotations

import argparse
import difflib
import importlib
import io
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ._version import __version__
from .commands.messages import notes, say, show_paths
from .commands.mistypes import Parser, check_options, explain_error, parse_words
from .commands.options import ready_paths
from .errors import ForeignIdsWarning, advise_command


@dataclass(frozen=True, eq=False, repr=False)
class Command:
    """A command: its module, relative to `commands/` if it begins with a dot, and what it does, in the imperative."""

    name: str
    module: str
    summary: str


class CommandModule(Protocol):
    """The functions of a command's module."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, arguments: argparse.Namespace) -> int: ...


GROUPS = {
    "Start here": (
        Command("demo", ".demo", "build, index, search and evaluate a small collection, from start to end"),
    ),
    "Collections": (
        Command(
            "build",
            ".collection.build",
            "build a collection of articles from a Wikipedia dump, HTML, XML or a folder of text or code",
        ),
        Command("index", ".collection.index", "index the elements or passages of a collection"),
        Command("search", ".collection.search", "search an index: topics to a run, or one query to a list of passages"),
        Command(
            "verify", ".collection.verify", "check whether files of a collection or an index are damaged or missing"
        ),
        Command(
            "view", ".collection.view", "show one article with its highlights and the passages that a run retrieved"
        ),
    ),
    "Scores": (
        Command("evaluate", ".score.evaluate", "score runs against qrels with any measures, and print a table"),
        Command("report", ".score.report", "write an HTML page that compares runs"),
        Command("measures", ".score.measures", "list the measures, or explain some of them"),
    ),
    "RAG": (
        Command("retrieved", ".rag.retrieved", "score what RAG systems retrieved by how much evidence it contains"),
        Command("citations", ".rag.citations", "judge answers by what they cite: is it there, and is it the evidence?"),
        Command(
            "chunks", ".rag.chunks", "compare chunk sizes and text splitters by how much evidence their chunks contain"
        ),
    ),
    "Files": (
        Command("convert", ".files.convert", "convert runs and qrels from one file format to another"),
        Command("move", ".files.move", "carry qrels over to another version of the texts that they were made on"),
        Command("validate", ".files.validate", "check whether runs follow the rules of an INEX task"),
    ),
    "Official programs": (
        Command("inex-eval", ".official.inex_eval", "score runs as the INEX evaluation tool does, option for option"),
    ),
}
# Of each command, an example that runs in the folder of `pt-focused demo --keep`.
EXAMPLES = {
    "demo": "demo --keep my-demo",
    "build": "build articles new-collection",
    "index": "index collection new-index --elements sec p",
    "search": "search index --query 'lighthouse lenses'",
    "verify": "verify collection",
    "view": "view collection --qrels qrels.txt --run sections-focused.run --topic 2026001 -o view.html --no-browser",
    "evaluate": "evaluate qrels.txt sections-focused.run -m 'focused AP'",
    "report": "report qrels.txt sections-focused.run paragraphs-focused.run --collection collection",
    "measures": "measures AgP",
    "retrieved": "retrieved sections.jsonl --corpus texts --evidence evidence.jsonl",
    "citations": "citations answers.jsonl --corpus texts --evidence evidence.jsonl",
    "chunks": "chunks --corpus texts --evidence evidence.jsonl --sizes 400,800",
    "convert": "convert sections-focused.run sections.xml",
    "move": "move evidence.jsonl texts collection -o moved.jsonl",
    "validate": "validate sections-focused.run --task focused --collection collection",
    "inex-eval": "inex-eval -f qrels.txt sections-focused.run",
}
COMMANDS = {command.name: command for commands in GROUPS.values() for command in commands}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code: 0 success, 1 faults found, 2 bad input or usage, 130 Ctrl-C."""
    _make_streams_safe()
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] in (["help"], ["-h"], ["--help"]):
        words = [*words[1:2], "--help"]
    prefix = "pt-focused"
    shown: dict[str, str] = {}
    arguments: argparse.Namespace | None = None
    try:
        command = COMMANDS.get(words[0]) if words else None
        if command is None:
            with notes(prefix):
                return _answer_without_command(words)
        prefix = f"pt-focused {words[0]}"
        module = load_command(command)
        parser = make_parser(command, module)
        check_options(parser, words[1:], list_options)
        arguments = _parse_arguments(parser, words[1:])
        with advise_command(vars(arguments)), ready_paths(arguments) as shown, notes(prefix, shown) as given:
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
        if arguments is not None:
            message = explain_error(parser, arguments, error)
        say(f"{prefix}: {show_paths(message, shown)}", file=sys.stderr)
        _discard_output()
        return 2
    except KeyboardInterrupt:
        print(f"{prefix}: interrupted", file=sys.stderr)
        return 130
    return code


def list_options() -> dict[str, list[str]]:
    parsers = {name: make_parser(command, load_command(command)) for name, command in COMMANDS.items()}
    return {name: sorted(parser._option_string_actions) for name, parser in parsers.items()}


def load_command(command: Command) -> CommandModule:
    return importlib.import_module(command.module, "pyterrier_focused.commands")


def make_parser(command: Command, module: CommandModule) -> Parser:
    parser = Parser(
        prog=f"pt-focused {command.name}",
        description=command.summary[0].upper() + command.summary[1:] + ".",
        allow_abbrev=False,
    )
    module.add_arguments(parser)
    parser.example = EXAMPLES.get(command.name, "")
    return parser


def _parse_arguments(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace:
    try:
        return parse_words(parser, words)
    except SystemExit:
        # A reader of the help that went away is seen here, not when Python ends.
        sys.stdout.flush()
        raise


def _answer_without_command(words: Sequence[str]) -> int:
    """Print the help or the version, or say that there is no such command."""
    if words == ["--help"]:
        print(_describe_commands())
    elif words == ["--version"]:
        print(f"pt-focused {__version__}")
    elif not words:
        print(_describe_commands(), file=sys.stderr)
        return 2
    else:
        close = difflib.get_close_matches(words[0], COMMANDS, n=1)
        hint = f"did you mean {close[0]}? " if close else _name_by_summary(words[0])
        named = next((word for word in words[1:] if word in COMMANDS), None)
        if named is not None:
            hint = f"the command comes first, pt-focused {named} ...; "
        print(f"pt-focused: there is no command {words[0]!r}; {hint}pt-focused --help lists them", file=sys.stderr)
        return 2
    sys.stdout.flush()
    return 0


def _name_by_summary(word: str) -> str:
    """Name the commands whose summaries have a verb, such as those that score."""
    named = [
        name for name, command in COMMANDS.items() if re.search(rf"(^|, (or|and) ){re.escape(word)}\b", command.summary)
    ]
    return f"to {word}, there is {', '.join(named)}; " if named else ""


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
    """Make sure that the standard streams exist and accept any text."""
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
