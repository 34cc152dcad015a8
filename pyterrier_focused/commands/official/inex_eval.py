"""`pt-focused inex-eval`: the official INEX evaluation tool (inex_eval), option for option and line for line.

Release 1.0 is here, release 3.1 in `inex_release_3`.

Every line that the official tool takes is taken. Where the values differ on purpose, pt_docs/inex_eval.md says why.
"""

from __future__ import annotations

import argparse
import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from ...errors import ForeignIdsWarning, FormatError
from ...frames.spans import Floats, Ints, coverage, sum_by, union
from ...io.inex.official_files import InexQrelsColumns, RunRejected, read_official_qrels, read_official_run
from ...io.inex.offset_units import MISSING_START
from ...io.reading.fields import first_codes
from ...io.reading.run_columns import FolColumns
from ...measures.focused import interpolated
from ...measures.ranking import Passages
from ..options import InputPath
from .inex_release_3 import evaluate
from .inex_run_lines import CUTOFFS, LEVELS, Options, Qrels, average_in_order
from .java_numbers import java_double

# Offsets may be negative, and the arithmetic of spans begins at 0.
SHIFT = 2**31
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
        help="file with a run in INEX's FOL format, one passage per line",
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
        arguments.release,
    )  # fmt: skip
    if arguments.release == "3.1":
        qrels = Qrels(arguments.qrels)
        evaluations = [
            _is_rejected(path, lambda path: evaluate(path, qrels, options, java_double)) for path in arguments.runs
        ]
        return 2 if any(evaluations) else 0
    judgments = OfficialJudgments.of(read_official_qrels(arguments.qrels))
    rejected = [
        _is_rejected(path, lambda path: _evaluate_run(path, judgments, arguments, options)) for path in arguments.runs
    ]
    return 2 if any(rejected) else 0


def _is_rejected(path: InputPath, evaluate: Callable[[InputPath], Iterable[str]]) -> bool:
    """Print the evaluation of a run, or why there is none."""
    try:
        for line in evaluate(path):
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


def _evaluate_run(
    path: InputPath, judgments: OfficialJudgments, arguments: argparse.Namespace, options: Options
) -> Iterable[str]:
    """Return the lines of release 1.0 for a run.

    If a topic's lines are not together, and cannot be taken together, they are read as the official tool does.
    """
    try:
        columns = read_official_run(path, set(judgments.topics), arguments.task)
    except RunRejected as rejected:
        if not rejected.divided:
            raise
        warnings.warn(
            f"{path}: the lines of a topic are not together; as in the official tool, they go on with the ranks "
            "and the articles of the topic before",
            stacklevel=2,
        )
        return evaluate(path, Qrels(arguments.qrels), options, java_double)
    ranking = OfficialRanking.of(columns, judgments)
    if not (ranking.judged >= 0).any():
        warnings.warn(
            f"{path}: no article of the run is in the qrels for its topic; do both use the same ids?",
            ForeignIdsWarning,
            stacklevel=2,
        )
    lines = _score_focused(ranking) if arguments.task == "f" else _score_in_context(ranking, arguments)
    return _write_lines(lines, ranking, arguments, f'<eval run-id="{columns.tag}" file="{path.shown}">')


def _parse_whole_number(value: str) -> int:
    if not re.fullmatch("[+-]?[0-9]{1,18}", value) or not -(2**31) <= int(value) < 2**31:
        raise argparse.ArgumentTypeError(f"{value!r} is not a whole number of 32 bits")
    return int(value)


def _parse_number(value: str) -> float:
    if not _JAVA_DOUBLE.fullmatch(value.strip()):
        raise argparse.ArgumentTypeError(f"{value!r} is not a number")
    return float(value.strip().rstrip("fFdD"))


class OfficialJudgments(NamedTuple):
    """The judged articles as columns, a row each; topics are in the order of their names, as they are averaged.

    The row of a topic and article is found by `pairs`, topic * len(docnos) + docno, ascending, next to `row`. A
    relevant size of 0 and below is not relevant. `highlights` are rows, starts and ends, merged and sorted, with SHIFT
    added.
    """

    topics: list[str]
    docnos: dict[str, int]
    pairs: Ints
    row: Ints
    topic: Ints
    relevant_size: Ints
    bep: Ints
    highlights: tuple[Ints, Ints, Ints]

    @classmethod
    def of(cls, qrels: InexQrelsColumns) -> OfficialJudgments:
        """Take qrels as the official tool does: relevant is what has a relevant_size, and that size is the total."""
        # As Java sorts.
        order = sorted(range(len(qrels.topics)), key=lambda topic: qrels.topics[topic].encode("utf-16-be"))
        code = np.empty(len(order), dtype=np.int64)
        code[order] = np.arange(len(order))
        docnos = {docno: number for number, docno in enumerate(qrels.articles)}
        pair = code[qrels.topic] * len(docnos) + qrels.article
        row = np.argsort(pair)
        relevant = (qrels.relevant_size > 0)[qrels.row]
        highlights = union(qrels.row[relevant], qrels.start[relevant] + SHIFT, qrels.end[relevant] + SHIFT)
        topics = [qrels.topics[topic] for topic in order]
        size = np.maximum(qrels.relevant_size, 0)
        return cls(topics, docnos, pair[row], row, code[qrels.topic], size, qrels.bep, highlights)

    def find(self, topic: Ints, docnos: list[str], docno: Ints) -> Ints:
        """Find the row of each *topic* and article, *docno* being its position in *docnos*; -1 if there is none."""
        if not len(self.pairs):
            return np.full(len(topic), -1)
        code = np.array([self.docnos.get(name, -1) for name in docnos], dtype=np.int64)[docno]
        pair = topic * len(self.docnos) + code
        place = np.minimum(np.searchsorted(self.pairs, pair), len(self.pairs) - 1)
        return np.where((code >= 0) & (self.pairs[place] == pair), self.row[place], -1)

    def sum(self, values: Ints) -> Ints:
        """Sum a column over each topic."""
        return sum_by(self.topic, values, len(self.topics))


class OfficialRanking(NamedTuple):
    """The passages of a run in the order of its lines, topic by topic, and its articles likewise.

    `line` is a position in the run's lines, `article` in the columns of articles below, `found` counts relevant
    characters, `judged` is a row of the judgments, -1 if the article is not judged.
    """

    judgments: OfficialJudgments
    line: Ints
    topic: Ints
    article: Ints
    start: Ints
    size: Ints
    found: Ints
    article_topic: Ints
    judged: Ints

    @classmethod
    def of(cls, run: FolColumns, judgments: OfficialJudgments) -> OfficialRanking:
        codes = {name: code for code, name in enumerate(judgments.topics)}
        topic = np.array([codes.get(name, -1) for name in run.topics], dtype=np.int64)[run.topic]
        line = np.argsort(topic, kind="stable")
        pair = (topic * max(len(run.articles), 1) + run.article)[line]
        article, place = first_codes(pair)
        # The first line of each article.
        head = line[place]
        judged = judgments.find(topic[head], run.articles, run.article[head])
        start = run.start[line]
        end = run.end[line]
        found = np.zeros(len(line), dtype=np.int64)
        inside = np.flatnonzero((judged[article] >= 0) & (start < end))
        found[inside] = coverage(
            judged[article][inside], start[inside] + SHIFT, end[inside] + SHIFT, *judgments.highlights
        )
        return cls(judgments, line, topic[line], article, start, end - start, found, topic[head], judged)

    def relevant_size(self) -> Ints:
        """Return the relevant_size of each article, 0 if it is not judged."""
        return _look_up(self.judgments.relevant_size, self.judged, 0)

    def per_topic(self, values: Ints) -> Ints:
        """Sum a column of articles over each topic."""
        return sum_by(self.article_topic, values, len(self.judgments.topics))


class ReportLine(NamedTuple):
    """What is printed of a measure: its name for a topic and over all topics ("": not printed), its value per topic."""

    of_topic: str
    of_all: str
    values: Floats


def _look_up(values: Ints, rows: Ints, otherwise: int) -> Ints:
    return np.where(rows >= 0, values[rows], otherwise) if len(values) else np.full(len(rows), otherwise)


def _count_topics(ranking: OfficialRanking, task: str) -> dict[str, Ints]:
    judgments = ranking.judgments
    n = len(ranking.judgments.topics)
    retrieved: Ints = np.zeros(n, dtype=np.int64)
    found: Ints = np.zeros(n, dtype=np.int64)
    if task != "b":
        retrieved = sum_by(ranking.topic, ranking.size, n)
        found = sum_by(ranking.topic, ranking.found, n)
    return {
        "num_ret\t\t": np.bincount(ranking.article_topic, minlength=n),
        "num_rel\t\t": judgments.sum((judgments.relevant_size > 0).astype(np.int64)),
        "num_rel_ret\t": ranking.per_topic((ranking.relevant_size() > 0).astype(np.int64)),
        "ret_size\t": retrieved,
        "rel_size\t": judgments.sum(judgments.relevant_size),
        "rel_ret_size\t": found,
    }


def _score_focused(ranking: OfficialRanking) -> list[ReportLine]:
    """Return interpolated precision, and print the recall points that the official tool calls impossible."""
    total = ranking.judgments.sum(ranking.judgments.relevant_size)
    bounds = np.searchsorted(ranking.topic, np.arange(len(total) + 1))
    found_to = np.concatenate(([0], np.cumsum(ranking.found)))
    found = found_to[1:] - found_to[bounds[ranking.topic]]
    with np.errstate(invalid="ignore", divide="ignore"):
        level = np.floor(100 * (found / total[ranking.topic]))
    # If more was found than there is, by relevant_size, the official tool says so and leaves the rank out.
    beyond = level > 100
    for passage in sorted(np.flatnonzero(beyond).tolist(), key=ranking.line.__getitem__):
        print(f"Impossible recall point: {int(min(level[passage], 2**31 - 1))}")
    possible = Passages(bounds, np.where(beyond, 0, ranking.size), np.where(beyond, 0, ranking.found))
    values = interpolated(possible, total, list(range(101)), 100)
    names = {level: f"iP[{level / 100:.2f}]\t" for level in LEVELS}
    lines = [ReportLine(name, name, values[:, level]) for level, name in names.items()]
    lines.append(ReportLine("AiP\t\t", "MAiP\t\t", np.cumsum(values, axis=1)[:, -1] / 101))
    return lines + [ReportLine("", f"ircl_prn.{level / 100:.2f}\t", values[:, level]) for level in range(101)]


def _score_in_context(ranking: OfficialRanking, arguments: argparse.Namespace) -> list[ReportLine]:
    """Generalised precision and recall; beyond the last rank they keep its values."""
    judgments = ranking.judgments
    relevant = ranking.relevant_size() > 0
    scores = _score_entries(ranking, arguments.n) if arguments.task == "b" else _score_by_f(ranking, arguments.beta)
    n = len(judgments.topics)
    n_relevant = judgments.sum((judgments.relevant_size > 0).astype(np.int64))
    precision = np.zeros((n, len(CUTOFFS)))
    recall = np.zeros((n, len(CUTOFFS)))
    mean = np.where(n_relevant > 0, 0.0, np.nan)
    curve = np.zeros((n, 11))
    bounds = np.searchsorted(ranking.article_topic, np.arange(n + 1)).tolist()
    for topic in np.unique(ranking.article_topic).tolist():
        part = slice(bounds[topic], bounds[topic + 1])
        last = part.stop - part.start
        gp = np.cumsum(scores[part]) / np.arange(1, last + 1)
        with np.errstate(invalid="ignore"):
            gr = np.cumsum(relevant[part]) / n_relevant[topic]
        cutoffs = np.minimum(CUTOFFS, last) - 1
        precision[topic] = gp[cutoffs]
        recall[topic] = gr[cutoffs]
        if n_relevant[topic]:
            mean[topic] = np.cumsum(np.append(0.0, gp[relevant[part]]))[-1] / n_relevant[topic]
            curve[topic] = _interpolate_curve(gp, np.cumsum(relevant[part]), int(n_relevant[topic]))
    lines = [ReportLine("AgP\t\t", "MAgP\t\t", mean)]
    for position, rank in enumerate(CUTOFFS):
        lines.append(ReportLine(f"gP[{rank}]\t\t", f"gP[{rank}]\t\t", precision[:, position]))
        lines.append(ReportLine(f"gR[{rank}]\t\t", f"gR[{rank}]\t\t", recall[:, position]))
    return lines + [ReportLine("", f"ircl_prn.{level / 10:.2f}\t", curve[:, level]) for level in range(11)]


def _interpolate_curve(gp: Floats, found: Ints, n_relevant: int) -> Floats:
    """Return the highest gP at any rank whose gR is at least 0.0, 0.1, ... 1.0."""
    best = np.maximum.accumulate(np.where(np.isnan(gp), 0.0, gp)[::-1])[::-1]
    rank = np.searchsorted(10 * found, np.arange(11) * n_relevant)
    return np.append(best, 0.0)[np.minimum(rank, len(best))]


def _score_by_f(ranking: OfficialRanking, beta: float) -> Floats:
    """Return F of each article: of the precision and recall of its passages; 0 if they hold nothing relevant."""
    n = len(ranking.judged)
    size = sum_by(ranking.article, ranking.size, n)
    found = sum_by(ranking.article, ranking.found, n)
    scores = np.zeros(n)
    relevant = found > 0
    precision = found[relevant] / size[relevant]
    recall = found[relevant] / ranking.relevant_size()[relevant]
    with np.errstate(invalid="ignore", over="ignore"):
        scores[relevant] = (1 + beta * beta) * precision * recall / (beta * beta * precision + recall)
    return scores


def _score_entries(ranking: OfficialRanking, n: int) -> Floats:
    """Return the score of each article's one passage by the distance of its start from the best entry point."""
    bep = _look_up(ranking.judgments.bep, ranking.judged, -1)
    distance = np.abs(bep - ranking.start)
    scored = (ranking.relevant_size() > 0) & (bep >= 0) & (distance <= n) & (ranking.start < MISSING_START)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(scored, (float(n) - distance) / np.float64(n), 0.0)


def _write_lines(
    lines: list[ReportLine], ranking: OfficialRanking, arguments: argparse.Namespace, head: str
) -> Iterator[str]:
    topics = ranking.judgments.topics
    counts = _count_topics(ranking, arguments.task)
    scored = [topic for topic in range(len(topics)) if arguments.complete or counts["num_ret\t\t"][topic]]
    yield head
    if arguments.detail:
        per_topic = [line for line in lines if line.of_topic]
        # AgP comes last.
        per_topic = per_topic if arguments.task == "f" else [*per_topic[1:], per_topic[0]]
        for topic in scored:
            yield from (f"{name}{topics[topic]}\t{values[topic]}" for name, values in counts.items())
            yield from (f"{line.of_topic}{topics[topic]}\t{java_double(line.values[topic])}" for line in per_topic)
    yield f"num_q\t\tall\t{len(scored)}"
    yield from (f"{name}all\t{values.sum()}" for name, values in counts.items())
    for line in lines:
        yield f"{line.of_all}all\t{java_double(average_in_order(line.values[scored].tolist()))}"
    yield "</eval>"
