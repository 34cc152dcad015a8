"""`pt-focused measures`: what each measure is, from its own documentation."""

from __future__ import annotations

import argparse
import difflib
import inspect
import re

import ir_measures

from ...measures import MEASURES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name", nargs="*", help="measures to explain in full, such as AgP or iP@0.01 (default: list all measures)"
    )


def run(arguments: argparse.Namespace) -> int:
    if not arguments.name:
        _print_list()
    for number, name in enumerate(arguments.name):
        measure = _find_measure(name)
        names = measure.names() if hasattr(measure, "names") else [str(measure.NAME)]
        title = getattr(measure, "PRETTY_NAME", None) or measure.NAME
        print(("\n" if number else "") + f"{', '.join(names)}: {title}\n")
        print(inspect.getdoc(type(measure)))
    return 0


def _print_list() -> None:
    width = max(len(name) for measure in MEASURES for name in measure.names())
    for measure in MEASURES:
        aliases = f" (also {', '.join(measure.ALIASES)})" if measure.ALIASES else ""
        print(f"{measure.NAME:{width}}  {measure.SHORT_DESC}{aliases}")
    print("\npt-focused measures NAME explains one in full. The measures of ir_measures, such as AP, work as well.")


def _find_measure(text: str) -> ir_measures.Measure:
    """Return the measure that *text* names, with or without parameters and in any case."""
    name = re.sub(r"[(@\[].*", "", text.strip(), flags=re.DOTALL)
    measures: dict[str, ir_measures.Measure] = {**ir_measures.measures.registry}
    measures |= {own_name: measure for measure in MEASURES for own_name in measure.names()}
    for candidate in (name, *(other for other in measures if other.lower() == name.lower())):
        if candidate in measures:
            return measures[candidate]
    close = difflib.get_close_matches(name, measures, n=3)
    hint = f"did you mean {' or '.join(close)}? " if close else ""
    raise ValueError(f"no measure is called {text!r}; {hint}pt-focused measures lists them")
