"""The output of the official INEX tool for a run, in the lines of release 1.0 or of 3.1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...frames.columns import MISSING_START
from ...frames.spans import Floats, Ints, Span
from .inex_files import SHIFT
from .inex_run import Entries, OfficialRun, Options
from .java_numbers import java_double

# As the tool writes the levels of recall, in percent.
LEVELS = (0, 1, 5, 10)
CUTOFFS = (1, 2, 3, 5, 10, 25, 50)
# Where a passage that does not exist begins, for release 3.1.
_MISSING = -10000


class ReportLine(NamedTuple):
    """A measure's output: its name for a topic and over all topics ("": not printed), its value per topic."""

    of_topic: str
    of_all: str
    values: Floats


def divide(numerator: ArrayLike, denominator: ArrayLike) -> Floats:
    with np.errstate(all="ignore"):
        return np.divide(numerator, denominator, dtype=np.float64)


def round_down(values: Floats) -> Ints:
    """Round down to numbers of 32 bits as Java does; NaN is 0."""
    bounded = np.clip(np.where(np.isnan(values), 0.0, values), -(2.0**31), 2.0**31 - 1)
    rounded: Ints = np.floor(bounded).astype(np.int64)
    return rounded


def find_impossible_levels(run: OfficialRun) -> tuple[Ints, list[int]]:
    """Return the level of recall, in percent, that each line reaches, and those that the tool calls impossible."""
    found = run.add_up(run.found)
    level = round_down(100 * divide(found, run.qrels.total_size[run.lines.topic]))
    return level, level[(level < 0) | (level > 100)].tolist()


def score_passages(run: OfficialRun, level: Ints, options: Options) -> list[ReportLine]:
    """Return interpolated precision, after precision, recall and F1 in release 3.1."""
    topic = run.lines.topic
    found = run.add_up(run.found)
    possible = (level >= 0) & (level <= 100)
    if options.mended:
        total = run.qrels.total_size[topic]
        level = np.where(total > 0, np.minimum(100 * found // np.maximum(total, 1), 100), level)
    precision = np.nan_to_num(divide(found, run.add_up(run.size)))
    values = np.zeros((len(run.qrels.topics), 101))
    np.maximum.at(values, (topic[possible], level[possible]), precision[possible])
    values = np.maximum.accumulate(values[:, ::-1], axis=1)[:, ::-1]
    lines = [] if options.release == "1.0" else _rate_passages(run)
    for level_of_line in LEVELS:
        name = f"iP[{level_of_line / 100:.2f}]\t"
        lines.append(ReportLine(name, name, values[:, level_of_line]))
    lines.append(ReportLine("AiP\t\t", "MAiP\t\t", np.cumsum(values, axis=1)[:, -1] / 101))
    return lines + [ReportLine("", f"ircl_prn.{place / 100:.2f}\t", values[:, place]) for place in range(101)]


def _rate_passages(run: OfficialRun) -> list[ReportLine]:
    n_found = run.sum_topics(run.groups.is_new & (run.relevant_size > 0))
    found = run.sum_topics(run.found)
    counts = {
        "art": (n_found, run.sum_topics(run.groups.is_new), run.qrels.n_relevant),
        "char": (found, run.sum_topics(run.size), run.qrels.total_size),
    }
    lines = []
    for name, (hits, retrieved, relevant) in counts.items():
        precision = np.where(retrieved > 0, divide(hits, retrieved), 0.0)
        recall = divide(hits, relevant)
        f1 = np.where(precision > 0, divide(2 * precision * recall, precision + recall), 0.0)
        tabs = "\t\t" if name == "art" else "\t"
        for label, values in ((f"{name}_prec\t", precision), (f"{name}_rec{tabs}", recall), (f"{name}_f1\t\t", f1)):
            lines.append(ReportLine(label, label, values))
    return lines


def score_articles(run: OfficialRun, entries: Entries, options: Options) -> list[ReportLine]:
    """Return generalised precision and recall; beyond the last rank they keep its values."""
    scores = _score_entries(run, entries, options)
    relevant = run.relevant_size[entries.first] > 0
    n_relevant = run.qrels.n_relevant
    n = len(n_relevant)
    precision = np.zeros((n, len(CUTOFFS)))
    recall = np.zeros((n, len(CUTOFFS)))
    mean = divide(np.zeros(n), n_relevant)
    curve = np.zeros((n, 11))
    bounds = np.searchsorted(entries.topic, np.arange(n + 1)).tolist()
    for topic in np.unique(entries.topic).tolist():
        part = slice(bounds[topic], bounds[topic + 1])
        gp = np.cumsum(scores[part]) / np.arange(1, part.stop - part.start + 1)
        n_found = run.n_found[entries.first[part]]
        gr = divide(n_found, n_relevant[topic])
        cutoffs = np.minimum(CUTOFFS, len(gp)) - 1
        precision[topic] = gp[cutoffs]
        recall[topic] = gr[cutoffs]
        mean[topic] = divide(np.cumsum(np.append(0.0, gp[relevant[part]]))[-1], n_relevant[topic])
        level = round_down(10 * gr)
        if options.mended and n_relevant[topic]:
            level = 10 * n_found // n_relevant[topic]
        inside = level <= 10
        np.fmax.at(curve[topic], level[inside], gp[inside])
        curve[topic] = np.maximum.accumulate(curve[topic, ::-1])[::-1]
    lines = [ReportLine("AgP\t\t", "MAgP\t\t", mean)]
    for position, rank in enumerate(CUTOFFS):
        lines.append(ReportLine(f"gP[{rank}]\t\t", f"gP[{rank}]\t\t", precision[:, position]))
        lines.append(ReportLine(f"gR[{rank}]\t\t", f"gR[{rank}]\t\t", recall[:, position]))
    return lines + [ReportLine("", f"ircl_prn.{level / 10:.2f}\t", curve[:, level]) for level in range(11)]


def _score_entries(run: OfficialRun, entries: Entries, options: Options) -> Floats:
    if options.task == "b":
        return _score_distances(run, entries.first, options)
    if options.task == "i":
        return _score_tolerance(run, entries.last, options.irr)
    scores = np.zeros(len(entries.topic))
    hit = entries.found > 0
    precision = divide(entries.found[hit], entries.size[hit])
    recall = divide(entries.found[hit], run.relevant_size[entries.first[hit]])
    square = options.beta * options.beta
    with np.errstate(all="ignore"):
        scores[hit] = divide((1 + square) * precision * recall, square * precision + recall)
    return scores


def _score_distances(run: OfficialRun, lines: Ints, options: Options) -> Floats:
    """Score how far the passages of lines begin from the best entry points of their articles."""
    judged = run.judged[lines]
    bep = np.full(len(lines), -1, dtype=np.int64)
    bep[judged >= 0] = run.qrels.bep[judged[judged >= 0]]
    start = run.lines.start[lines]
    missing = start >= MISSING_START
    distance = np.abs(bep - np.where(missing, _MISSING, start))
    scored = (run.relevant_size[lines] > 0) & (bep >= 0) & (distance <= options.n)
    if options.mended:
        # No best entry point is near a passage that does not exist.
        scored &= ~missing
    return np.where(scored, divide(float(options.n) - distance, options.n), 0.0)


def _score_tolerance(run: OfficialRun, lines: Ints, irr: int) -> Floats:
    article = run.groups.article
    by_start = np.lexsort((run.lines.start, article))
    by_start = by_start[run.lines.start[by_start] < MISSING_START]
    highlights = run.qrels.highlights
    scores = np.zeros(len(lines))
    for entry, line in enumerate(lines.tolist()):
        row = int(run.judged[line])
        marks = slice(*np.searchsorted(highlights.group, (row, row + 1)).tolist())
        if row < 0 or marks.start == marks.stop:
            continue
        rows = by_start[slice(*np.searchsorted(article[by_start], (article[line], article[line] + 1)).tolist())]
        passages = _pair_up(run.lines.start[rows], run.lines.end[rows])
        relevant = _pair_up(highlights.start[marks] - SHIFT, highlights.end[marks] - SHIFT)
        scores[entry] = tolerance_to_irrelevance(passages, relevant, int(run.qrels.length[row]), irr)
    return scores


def _pair_up(start: Ints, end: Ints) -> list[Span]:
    return list(zip(start.tolist(), end.tolist(), strict=True))


def tolerance_to_irrelevance(passages: list[Span], highlights: list[Span], length: int, irr: int) -> float:
    """Return relevant characters read / characters read, by a reader who gives up after *irr* irrelevant ones.

    The reader reads the passages that were returned, in the order of the text, then the rest of the article from its
    beginning. No more than *irr* irrelevant characters count as read.
    """
    relevant = 0
    irrelevant = 0
    placed = False
    for start, end in _order_for_reading(passages, length):
        for begin, stop in highlights:
            if start > begin and start >= stop:
                # The highlight lies before.
                placed = False
                continue
            if start <= begin:
                irrelevant += min(begin, end) - start
                placed = end <= begin or irrelevant >= irr
                if placed:
                    break
                start = begin
            relevant += min(end, stop) - start
            placed = end <= stop
            if placed:
                break
            start = stop
        if not placed:
            irrelevant += end - start
            placed = True
        if irrelevant >= irr:
            irrelevant = irr
            break
    return relevant / (relevant + irrelevant) if relevant + irrelevant else 0.0


def _order_for_reading(passages: list[Span], length: int) -> list[Span]:
    """Return the article's passages, then the gaps between them, and what comes after the last one."""
    gaps = []
    reached = 0
    for start, end in passages:
        if start > reached:
            gaps.append((reached, start))
        reached = end
    return [*passages, *gaps, *([(reached, length)] if reached < length else [])]


def report_lines(lines: list[ReportLine], run: OfficialRun, options: Options) -> Iterator[str]:
    """Yield the lines to print: of each topic if *detail* is asked for, then over all."""
    topics = run.qrels.topics
    has_lines = run.sum_topics(np.ones(len(run.lines.topic), dtype=np.int64)) > 0
    scored = np.flatnonzero(has_lines | options.complete)
    counts = _count_topics(run, options.task)
    if options.detail:
        of_topic = [line for line in lines if line.of_topic]
        # AgP comes last.
        of_topic = of_topic if options.task in "tf" else [*of_topic[1:], of_topic[0]]
        for topic in scored.tolist():
            yield from (f"{name}{topics[topic]}\t{values[topic]}" for name, values in counts.items())
            yield from (f"{line.of_topic}{topics[topic]}\t{java_double(line.values[topic])}" for line in of_topic)
    yield f"num_q\t\tall\t{len(scored)}"
    # Release 3.1 counts what is relevant in the topics that it scores.
    counted = scored if options.task in "tf" and options.release == "3.1" else slice(None)
    yield from (f"{name}all\t{values[counted].sum()}" for name, values in counts.items())
    for line in lines:
        # One by one, as the tool adds up.
        total = np.cumsum(np.append(0.0, line.values[scored]))[-1]
        yield f"{line.of_all}all\t{java_double(float(divide(total, len(scored))))}"


def _count_topics(run: OfficialRun, task: str) -> dict[str, Ints]:
    groups = run.groups
    retrieved = run.sum_topics(groups.is_new)
    if task not in "tf":
        # The rank that the topic has reached, which may be another topic's.
        opening = np.flatnonzero(groups.opens)
        retrieved[run.lines.topic[opening]] = groups.rank[opening]
    nothing = np.zeros_like(retrieved)
    return {
        "num_ret\t\t": retrieved,
        "num_rel\t\t": run.qrels.n_relevant,
        "num_rel_ret\t": run.sum_topics(groups.is_new & (run.relevant_size > 0)),
        "ret_size\t": nothing if task == "b" else run.sum_topics(run.size),
        "rel_size\t": run.qrels.total_size,
        "rel_ret_size\t": nothing if task == "b" else run.sum_topics(run.found),
    }
