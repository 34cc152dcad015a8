"""`pt-focused inex-eval`: the official INEX evaluation tool (inex_eval), option for option and line for line.

Every line that the official tool takes is taken. Where the values differ on purpose, pt_docs/inex_eval.md says why.
"""

from __future__ import annotations

import argparse
import os
import re
import warnings
from collections.abc import Iterator
from dataclasses import replace

from ...errors import ForeignIdsWarning, FormatError
from ...frames.spans import Ints
from ..messages import warn_if_foreign
from ..options import InputPath
from .inex_files import FIELDS, NUMBERS, OfficialQrels, RunLines, RunRejected, read_official_qrels, read_run_lines
from .inex_report import find_impossible_levels, report_lines, score_articles, score_passages
from .inex_run import OfficialRun, Options, find_divided, find_fault, group_lines, rank_articles

_JAVA_DOUBLE = re.compile(
    r"""
    [+-]?
    (?: NaN | Infinity
      | (?: [0-9]+ (?: \. [0-9]* )? | \. [0-9]+ )
        (?: [eE] [+-]? [0-9]+ )?
        [fFdD]?
    )
    """,
    re.VERBOSE,
)
_TASKS = {
    "f": "the focused task",
    "t": "the thorough task (3.1)",
    "r": "relevant in context",
    "b": "best in context",
    "i": "relevant in context by tolerance to irrelevance, T2I (3.1)",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    for letter, task in _TASKS.items():
        parser.add_argument(f"-{letter}", dest="task", action="store_const", const=letter, help=f"evaluate {task}")
    parser.add_argument(
        "-c",
        dest="complete",
        action="store_true",
        help="average over all topics of the qrels, not only those of the run",
    )
    parser.add_argument("-q", dest="detail", action="store_true", help="print the scores of each topic as well")
    parser.add_argument(
        "-n",
        type=_parse_whole_number,
        default=500,
        help="best in context: the distance in characters from the best entry point at which the score is 0 "
        "(default: 500)",
    )
    parser.add_argument(
        "-beta",
        type=_parse_number,
        default=0.25,
        help="relevant in context: weight of recall in the F measure (default: 0.25)",
    )
    parser.add_argument(
        "-irr",
        type=_parse_whole_number,
        default=300,
        help="T2I: the number of irrelevant characters after which the reader gives up (default: 300)",
    )
    parser.add_argument(
        "--release",
        choices=("1.0", "3.1"),
        default="1.0",
        help="the release of the official tool: 1.0, or 3.1 of November 2010 (default: 1.0)",
    )
    parser.add_argument("qrels", type=InputPath, help="file with INEX qrels")
    parser.add_argument(
        "runs",
        nargs="+",
        metavar="run",
        type=InputPath,
        help="file with a run in INEX's FOL format (FOL: file, offset, length), one passage per line",
    )
    parser.epilog = (
        "Exit code: 0 all runs were evaluated; 2 a file could not be read, a run was rejected, or no article of "
        "a run is judged (of release 3.1: no topic)."
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the evaluation of each run; 2 if a run was rejected."""
    if arguments.task is None:
        raise ValueError("no task given: -f (focused), -r (relevant in context) or -b (best in context)")
    if arguments.release == "1.0" and arguments.task in "ti":
        raise ValueError(f"-{arguments.task}: this task came with release 3.1; add --release 3.1")
    options = Options(
        arguments.task, arguments.complete, arguments.detail, arguments.n, arguments.beta, arguments.irr,
        arguments.release, mended=arguments.release == "1.0",
    )  # fmt: skip
    qrels = read_official_qrels(arguments.qrels, mended=options.mended)
    rejected = [_is_rejected(path, arguments.qrels, qrels, options) for path in arguments.runs]
    return 2 if any(rejected) else 0


def _is_rejected(path: InputPath, qrels_path: InputPath, qrels: OfficialQrels, options: Options) -> bool:
    """Print the evaluation of a run, or why there is none."""
    try:
        for line in _evaluate_run(path, qrels_path, qrels, options):
            print(line)
    except RunRejected as error:
        print(error)
    except FormatError as error:
        print(f"ERROR *** ({path.shown}) {error}")
    except OSError as error:
        print(f"IOException error: {path.shown} ({os.strerror(error.errno) if error.errno else error})")
    else:
        return False
    return True


def _evaluate_run(path: InputPath, qrels_path: InputPath, qrels: OfficialQrels, options: Options) -> Iterator[str]:
    """Yield the lines for a run.

    If a topic's lines are not together, and cannot be taken together, they are read as the official tool does.
    """
    lines = read_run_lines(path, qrels.topics, mended=options.mended)
    groups = group_lines(lines, options.mended)
    divided = find_divided(lines)
    fault = find_fault(lines, groups, qrels, options, path)
    if fault is not None and options.mended:
        line, error = fault
        is_unreadable = error is lines.fault and lines.step in (FIELDS, NUMBERS)
        if is_unreadable or not (divided <= line).any():
            raise error
        warnings.warn(
            f"{path}: the lines of a topic are not together; as in the official tool, they go on with the ranks "
            "and the articles of the topic before",
            stacklevel=2,
        )
        official = read_official_qrels(qrels_path, mended=False)
        yield from _evaluate_run(path, qrels_path, official, replace(options, mended=False))
        return
    if fault is not None:
        # The tool complains of impossible levels before it rejects a run.
        lines = lines.cut(fault[0])
        groups = group_lines(lines, options.mended)
    run = OfficialRun.of(lines, groups, qrels, options.task)
    if options.task in "tf":
        level, impossible = find_impossible_levels(run)
        yield from (f"Impossible recall point: {value}" for value in impossible)
        values = score_passages(run, level, options)
    else:
        values = score_articles(run, rank_articles(run, options, path, is_cut=fault is not None), options)
    if fault is not None:
        raise fault[1]
    if options.mended:
        _warn_of_divided_topics(lines, divided, qrels, path)
        if not (run.judged >= 0).any():
            message = f"{path}: no article of the run is in the qrels for its topic; do both use the same ids?"
            warnings.warn(message, ForeignIdsWarning, stacklevel=2)
    else:
        warn_if_foreign(len(lines.topic) > 0, path)
    yield f'<eval run-id="{lines.tag}" file="{path.shown}">'
    yield from report_lines(values, run, options)
    yield "</eval>"


def _warn_of_divided_topics(lines: RunLines, divided: Ints, qrels: OfficialQrels, path: str) -> None:
    if len(divided):
        topic = qrels.topics[lines.topic[divided[0]]]
        warnings.warn(
            f"{path}: the lines of {len(divided)} topics are not together (first: topic {topic!r}, line "
            f"{lines.line[divided[0]]}); they are taken together; the official tool goes on with the ranks of the "
            "topic before",
            stacklevel=3,
        )


def _parse_whole_number(value: str) -> int:
    if not re.fullmatch("[+-]?[0-9]{1,18}", value) or not -(2**31) <= int(value) < 2**31:
        raise argparse.ArgumentTypeError(f"{value!r} is not a whole number of 32 bits")
    return int(value)


def _parse_number(value: str) -> float:
    if not _JAVA_DOUBLE.fullmatch(value.strip()):
        raise argparse.ArgumentTypeError(f"{value!r} is not a number")
    return float(value.strip().rstrip("fFdD"))
