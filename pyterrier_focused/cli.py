"""The command line, `pt-focused`: one verb a file in `commands/`, imported when it is used."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

COMMANDS = {
    "demo": "build, index, retrieve and evaluate a small collection, end to end",
    "evaluate": "score runs against qrels with any measures",
    "inex-eval": "score runs as the official INEX evaluation tool does, option for option",
    "measures": "explain the measures",
    "validate": "check a run as the INEX submission system did",
    "convert": "convert runs and qrels between formats",
    "build": "build a collection from Wikipedia XML",
    "report": "write a self-contained HTML report of runs",
    "assess": "highlight the relevant text of pooled articles in a browser",
    "chunks": "compare chunk sizes by the evidence they return",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code: 0 fine, 1 the command found faults, 2 bad input or usage."""
    argv = list(sys.argv[1:] if argv is None else argv)
    parser = argparse.ArgumentParser(prog="pt-focused", description="Focused retrieval: parts of articles, measured.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".")
        if argv and argv[0] == name:
            module = importlib.import_module(f"pyterrier_focused.commands.{name.replace('-', '_')}")
            module.add_arguments(command)
    arguments = parser.parse_args(argv)
    try:
        code: int = module.run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output went away, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (ValueError, OSError, ImportError) as error:
        print(f"pt-focused {arguments.command}: {error}", file=sys.stderr)
        return 2
    return code


if __name__ == "__main__":
    sys.exit(main())
