"""`pt-focused measures`: what each measure is, from its own documentation."""

from __future__ import annotations

import argparse
import inspect

from ...measures import MEASURES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="*", help="measures to explain in full (default: list all measures)")


def run(arguments: argparse.Namespace) -> int:
    by_name = {name: measure for measure in MEASURES for name in measure.names()}
    unknown = [name for name in arguments.name if name not in by_name]
    if unknown:
        raise ValueError(f"no measure called {', '.join(unknown)}; there are {', '.join(by_name)}")
    if not arguments.name:
        width = max(map(len, by_name))
        for measure in MEASURES:
            aliases = f" (also {', '.join(measure.ALIASES)})" if measure.ALIASES else ""
            print(f"{measure.NAME:{width}}  {measure.SHORT_DESC}{aliases}")
        print("\npt-focused measures NAME explains one in full.")
        return 0
    for at, name in enumerate(arguments.name):
        measure = by_name[name]
        print(("\n" if at else "") + f"{', '.join(measure.names())}: {measure.PRETTY_NAME}\n")
        print(inspect.getdoc(type(measure)))
    return 0
