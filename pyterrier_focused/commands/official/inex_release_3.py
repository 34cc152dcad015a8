"""What release 3.1 of the official INEX tool (November 2010) makes of a run: values and the lines it prints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from ...frames.spans import Span
from ..messages import warn_if_foreign
from ..options import InputPath
from .inex_run_lines import (
    CUTOFFS,
    LEVELS,
    Article,
    Judged,
    Options,
    Qrels,
    Ranked,
    Topic,
    average_in_order,
    divide,
    read_run_lines,
    round_down,
)


def evaluate(path: InputPath, qrels: Qrels, options: Options, format_number: Callable[[float], str]) -> Iterator[str]:
    """Yield what the tool prints for a run. Raises RunRejected with its message, FormatError if it stops."""
    topics = qrels.new_topics()
    tag = yield from read_run_lines(path, qrels, topics, options)
    warn_if_foreign(any(topic.rank for topic in topics.values()), path)
    yield f'<eval run-id="{tag}" file="{path.shown}">'
    if options.task in "tf":
        yield from _report_passages(topics, options, format_number)
    else:
        yield from _report_articles(topics, options, format_number)
    yield "</eval>"


def _interpolate_values(values: list[float], points: int) -> list[float]:
    """Return the highest value at each of the first points or after it."""
    return list(accumulate(reversed(values[:points]), max))[::-1]


def _average_harmonically(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision > 0 else 0.0


def _keep_scored(topics: dict[str, Topic], options: Options) -> dict[str, Topic]:
    return {name: topic for name, topic in topics.items() if options.complete or topic.rank > 0}


def _count_topics(topics: dict[str, Topic], n_retrieved: Callable[[Topic], int]) -> dict[str, list[int]]:
    """Return the counts of each topic by the names under which they are printed."""
    return {
        "num_ret\t\t": [n_retrieved(topic) for topic in topics.values()],
        "num_rel\t\t": [topic.n_relevant for topic in topics.values()],
        "num_rel_ret\t": [topic.n_found for topic in topics.values()],
        "ret_size\t": [topic.size for topic in topics.values()],
        "rel_size\t": [topic.relevant_size for topic in topics.values()],
        "rel_ret_size\t": [topic.found for topic in topics.values()],
    }


def _report_passages(topics: dict[str, Topic], options: Options, show: Callable[[float], str]) -> Iterator[str]:
    """Yield the lines of the thorough and the focused task."""
    scored = _keep_scored(topics, options)
    values = {name: _rate_passages(topic, options) for name, topic in scored.items()}
    curves = {name: _interpolate_values(topic.precision, 101) for name, topic in scored.items()}
    counted = topics if options.release == "1.0" else scored
    counts = _count_topics(counted, lambda topic: topic.n_retrieved)
    if options.detail:
        row = {name: number for number, name in enumerate(counted)}
        for name in scored:
            yield from (f"{label}{name}\t{column[row[name]]}" for label, column in counts.items())
            yield from (f"{label}{name}\t{show(value)}" for label, value in values[name].items())
            yield from (f"iP[{level / 100:.2f}]\t{name}\t{show(curves[name][level])}" for level in LEVELS)
            yield f"AiP\t\t{name}\t{show(average_in_order(curves[name]))}"
    yield f"num_q\t\tall\t{len(scored)}"
    yield from (f"{label}all\t{sum(column)}" for label, column in counts.items())
    for label in _rate_passages(Topic(), options):
        yield f"{label}all\t{show(average_in_order([value[label] for value in values.values()]))}"
    curve = [average_in_order([of_topic[level] for of_topic in curves.values()]) for level in range(101)]
    yield from (f"iP[{level / 100:.2f}]\tall\t{show(curve[level])}" for level in LEVELS)
    yield f"MAiP\t\tall\t{show(average_in_order(list(map(average_in_order, curves.values()))))}"
    yield from (f"ircl_prn.{level / 100:.2f}\tall\t{show(value)}" for level, value in enumerate(curve))


def _rate_passages(topic: Topic, options: Options) -> dict[str, float]:
    """Return a topic's precision, recall and F1 of articles and characters, by their names; none for release 1.0."""
    if options.release == "1.0":
        return {}
    article_precision = topic.n_found / topic.n_retrieved if topic.n_retrieved > 0 else 0.0
    article_recall = divide(topic.n_found, topic.n_relevant)
    precision = topic.found / topic.size if topic.size > 0 else 0.0
    recall = divide(topic.found, topic.relevant_size)
    return {
        "art_prec\t": article_precision,
        "art_rec\t\t": article_recall,
        "art_f1\t\t": _average_harmonically(article_precision, article_recall),
        "char_prec\t": precision,
        "char_rec\t": recall,
        "char_f1\t\t": _average_harmonically(precision, recall),
    }


@dataclass(frozen=True)
class Generalised:
    """Generalised precision and recall of a topic's ranking of articles."""

    precision: list[float]
    recall: list[float]
    mean: float
    curve: list[float]

    def cut(self, cutoff: int) -> tuple[float, float]:
        """Return precision and recall at a cutoff; beyond the last article they keep its values."""
        if not self.precision:
            return 0.0, 0.0
        place = min(cutoff, len(self.precision)) - 1
        return self.precision[place], self.recall[place]


def _generalise_precision(topic: Topic, options: Options) -> Generalised:
    curve = [0.0] * 101
    total = 0.0
    points = 0.0
    precision: list[float] = []
    recall: list[float] = []
    for rank, ranked in enumerate(topic.ranking[: topic.rank], start=1):
        total += _score_article(ranked, options)
        precision.append(total / rank)
        recall.append(divide(ranked.n_found, topic.n_relevant))
        if ranked.relevant_size > 0:
            points += total / rank
        level = round_down(10 * recall[-1])
        if curve[level] < precision[-1]:
            curve[level] = precision[-1]
    return Generalised(precision, recall, divide(points, topic.n_relevant), _interpolate_values(curve, 11))


def _score_article(ranked: Ranked, options: Options) -> float:
    """Return what an article is worth in the task."""
    if options.task == "b":
        return _score_entry(ranked, options.n)
    if options.task == "i":
        return 0.0 if ranked.judged is None else tolerance_to_irrelevance(ranked.article, ranked.judged, options.irr)
    if ranked.found <= 0:
        return 0.0
    precision = divide(ranked.found, ranked.size)
    recall = divide(ranked.found, ranked.relevant_size)
    square = options.beta * options.beta
    return divide((1 + square) * precision * recall, square * precision + recall)


def _score_entry(ranked: Ranked, n: int) -> float:
    if ranked.judged is None or ranked.relevant_size <= 0 or ranked.judged.bep <= -1:
        return 0.0
    distance = abs(ranked.judged.bep - ranked.start)
    return 0.0 if distance > n else divide(float(n) - distance, n)


def tolerance_to_irrelevance(article: Article, judged: Judged, irr: int) -> float:
    """Return relevant characters read / characters read, by a reader who gives up after *irr* irrelevant ones.

    The reader reads the passages that were returned, in the order of the text, then the rest of the article from its
    beginning. No more than *irr* irrelevant characters count as read.
    """
    relevant = 0
    irrelevant = 0
    placed = False
    for start, end in _order_for_reading(article, judged.length):
        for begin, stop in judged.highlights:
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
    return divide(relevant, relevant + irrelevant) if relevant + irrelevant else 0.0


def _order_for_reading(article: Article, length: int) -> list[Span]:
    """Return the article's passages, then the gaps between them, and what comes after the last one."""
    gaps = []
    reached = 0
    for start, end in article.passages:
        if start > reached:
            gaps.append((reached, start))
        reached = end
    return [*article.passages, *gaps, *([(reached, length)] if reached < length else [])]


def _report_articles(topics: dict[str, Topic], options: Options, show: Callable[[float], str]) -> Iterator[str]:
    """Yield the lines of the in-context tasks, whose counts are over all topics."""
    scored = _keep_scored(topics, options)
    values = {name: _generalise_precision(topic, options) for name, topic in scored.items()}
    counts = _count_topics(topics, lambda topic: topic.rank)
    if options.detail:
        row = {name: number for number, name in enumerate(topics)}
        for name, value in values.items():
            yield from (f"{label}{name}\t{column[row[name]]}" for label, column in counts.items())
            for cutoff in CUTOFFS:
                yield from _report_cutoff(cutoff, name, *value.cut(cutoff), show)
            yield f"AgP\t\t{name}\t{show(value.mean)}"
    yield f"num_q\t\tall\t{len(scored)}"
    yield from (f"{label}all\t{sum(column)}" for label, column in counts.items())
    yield f"MAgP\t\tall\t{show(average_in_order([value.mean for value in values.values()]))}"
    for cutoff in CUTOFFS:
        pairs = [value.cut(cutoff) for value in values.values()]
        precision = average_in_order([pair[0] for pair in pairs])
        recall = average_in_order([pair[1] for pair in pairs])
        yield from _report_cutoff(cutoff, "all", precision, recall, show)
    for level in range(11):
        mean = average_in_order([value.curve[level] for value in values.values()])
        yield f"ircl_prn.{level / 10:.2f}\tall\t{show(mean)}"


def _report_cutoff(
    cutoff: int, name: str, precision: float, recall: float, show: Callable[[float], str]
) -> Iterator[str]:
    yield f"gP[{cutoff}]\t\t{name}\t{show(precision)}"
    yield f"gR[{cutoff}]\t\t{name}\t{show(recall)}"
