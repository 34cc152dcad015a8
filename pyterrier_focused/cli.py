"""The command line, `pt-focused`: a table of commands, whose files are imported when they are used."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Protocol

from ._version import __version__
from .commands.output import notes, refuse_inputs_as_outputs, say
from .errors import ForeignIdsWarning

# What each command does, in the imperative
COMMANDS = {
    "demo": "build, index, search and evaluate a small collection, from start to end",
    "build": "build a collection of articles from a Wikipedia dump, HTML, XML or texts",
    "verify": "check whether files of a collection or an index are damaged or missing",
    "index": "index the elements or passages of a collection",
    "search": "search an index: topics to a run, or one query to a list of passages",
    "evaluate": "score runs against qrels with any measures, and print a table",
    "report": "compare runs on one HTML page: means, differences, plots, worst topics",
    "view": "show an article with what was highlighted and what a run retrieved",
    "retrieved": "score what RAG systems retrieved by how much evidence it contains",
    "citations": "judge answers by what they cite: is it there, and is it the evidence?",
    "chunks": "compare chunk sizes and text splitters by how much evidence their chunks contain",
    "measures": "list the measures, or explain some of them",
    "convert": "convert runs and qrels from one file format to another",
    "validate": "check whether a run follows the rules of an INEX task",
}


class CommandModule(Protocol):
    """What the module of a command holds."""

    EXAMPLE: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, arguments: argparse.Namespace) -> int: ...


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code: 0 success, 1 faults found, 2 bad input or usage, 130 Ctrl-C."""
    words = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    arguments = make_parser(words[:1]).parse_args(words)
    prefix = f"pt-focused {arguments.command}"
    try:
        with notes(prefix) as given:
            refuse_inputs_as_outputs(arguments)
            code: int = load_command(arguments.command).run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of our output went away, as `head` does.
        _discard_output()
        return 1
    except (ValueError, OSError, ImportError, MemoryError) as error:
        say(f"{prefix}: {str(error) or type(error).__name__}", file=sys.stderr)
        _discard_output()
        return 2
    except KeyboardInterrupt:
        print(f"{prefix}: interrupted", file=sys.stderr)
        return 130
    return 2 if ForeignIdsWarning in given else code


def make_parser(wanted: Sequence[str] = tuple(COMMANDS)) -> argparse.ArgumentParser:
    """Return a parser that knows all commands, and the arguments of those *wanted*."""
    parser = argparse.ArgumentParser(
        prog="pt-focused",
        description="Evaluate focused retrieval: systems that return passages, XML elements or chunks of articles.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        if name in wanted:
            command.formatter_class = argparse.RawDescriptionHelpFormatter
            load_command(name).add_arguments(command)
            notes_on_use = f"{command.epilog}\n\n" if command.epilog else ""
            command.epilog = f"{notes_on_use}example:\n  {load_command(name).EXAMPLE}"
    return parser


def load_command(name: str) -> CommandModule:
    return importlib.import_module(f".{name}", "pyterrier_focused.commands")


def _discard_output() -> None:
    """Send what is still to be written nowhere, so that Python does not fail on it when it ends."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
