"""The command line, `pt-focused`: one command per file in `commands/`, imported when it is used."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Sequence
from typing import Any

from ._version import __version__
from .commands.messages import notes, on_the_command_line

COMMANDS = {
    "demo": "build, index, search and evaluate a small collection, from start to end",
    "evaluate": "score runs against qrels with any measures, and print a table",
    "inex-eval": "score runs as the official INEX evaluation tool does, option for option",
    "bioasq-eval": "score documents and snippets as the official program of BioASQ (task B, phase A) does",
    "genomics-eval": "score a run as the official program of the TREC Genomics track does",
    "hyperlinking-eval": "score a run of video segments as sh_eval, the program of MediaEval and TRECVID, does",
    "kilt-eval": "score retrieved Wikipedia pages, sections or paragraphs as the official program of KILT does",
    "measures": "list the measures, or explain some of them",
    "validate": "check whether runs follow the rules of an INEX task",
    "convert": "convert runs and qrels from one file format to another",
    "build": "build a collection of articles from a Wikipedia dump, from HTML or from XML",
    "verify": "check whether files of a collection or an index are damaged or missing",
    "report": "write an HTML page that compares runs",
    "view": "show one article with its highlighted text and the passages that a run retrieved",
    "assess": "highlight the relevant text of pooled articles in a browser",
    "retrieved": "score what RAG systems retrieved by how much evidence it contains",
    "chunks": "compare chunk sizes and text splitters by how much evidence their chunks contain",
}
MODULES = {
    "demo": "demo",
    "evaluate": "score.evaluate",
    "inex-eval": "official.inex_eval",
    "bioasq-eval": "official.bioasq_eval",
    "genomics-eval": "official.genomics_eval",
    "hyperlinking-eval": "official.hyperlinking_eval",
    "kilt-eval": "official.kilt_eval",
    "measures": "score.measures",
    "validate": "files.validate",
    "convert": "files.convert",
    "build": "collection.build",
    "verify": "collection.verify",
    "report": "score.report",
    "view": "collection.view",
    "assess": "judge.assess",
    "retrieved": "rag.retrieved",
    "chunks": "rag.chunks",
}  # the file of each command, in `commands/`


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code: 0 success, 1 faults found, 2 bad input or usage, 130 Ctrl-C."""
    _make_streams_safe()
    argv = list(sys.argv[1:] if argv is None else argv)
    command, options = "", set[str]()
    try:
        arguments, module = _parse(argv)
        command, options = f" {arguments.command}", set(vars(arguments))
        with notes(f"pt-focused{command}", options):
            code: int = module.run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output went away, as `head` does
        _discard_output()
        return 1
    except (ValueError, OSError, ImportError, MemoryError) as error:
        message = str(error) or type(error).__name__
        print(f"pt-focused{command}: {on_the_command_line(message, options)}", file=sys.stderr)
        _discard_output()
        return 2
    except KeyboardInterrupt:
        print(f"pt-focused{command}: interrupted", file=sys.stderr)
        return 130
    return code


def _parse(argv: Sequence[str]) -> tuple[argparse.Namespace, Any]:
    parser = argparse.ArgumentParser(
        prog="pt-focused",
        description="Evaluate focused retrieval: systems that return passages, XML elements or chunks of articles.",
        epilog="Run pt-focused COMMAND --help to see the options of a command.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    module = None
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".")
        if argv and argv[0] == name:
            module = importlib.import_module(f"pyterrier_focused.commands.{MODULES[name]}")
            module.add_arguments(command)
    try:
        return parser.parse_args(argv), module
    except SystemExit:
        sys.stdout.flush()  # of the help: a reader that went away is seen here, not when Python ends
        raise


def _make_streams_safe() -> None:
    """Give the process standard streams that exist and that take any text."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller
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
