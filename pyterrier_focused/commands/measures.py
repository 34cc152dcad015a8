"""`pt-focused measures`: what each measure is, from its own documentation."""

from __future__ import annotations

import argparse
import inspect

from ..evaluation import parse
from ..measures import MEASURES
from .output import say

EXAMPLE = "pt-focused measures AgP iP@0.01"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="*", help="measures to explain, such as AgP or iP@0.01 (default: list all)")


def run(arguments: argparse.Namespace) -> int:
    for measure in parse(" ".join(arguments.name)) if arguments.name else ():
        title = getattr(measure, "PRETTY_NAME", None) or measure.NAME
        print(f"{measure.NAME}: {title}\n\n{inspect.getdoc(type(measure))}\n")
    if not arguments.name:
        rows = [(measure.NAME, " ".join(measure.ALIASES), measure.SHORT_DESC) for measure in MEASURES]
        width = max(len(row[0]) + len(row[1]) for row in rows) + 1
        say("\n".join(f"{f'{name} {aliases}'.strip():{width}}  {what}" for name, aliases, what in rows))
        print("\nThe measures of ir_measures, such as AP and nDCG@10, work as well.")
    return 0
