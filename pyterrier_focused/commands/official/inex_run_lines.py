"""How release 3.1 of the official INEX tool (November 2010) goes through qrels and a run, line by line.

The tool has one rank and one list of articles, which begin again at the first line of a topic. A topic that goes on
after another one goes on with the other's rank and articles; so do its lines here.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from operator import itemgetter
from typing import Literal

from ...errors import FormatError
from ...frames.spans import Span
from ...io.inex.official_files import MISSING_MARKS, RunFile, RunRejected, parse_integer, read_data, split_lines

Task = Literal["t", "f", "r", "b", "i"]
# Start and end of a line's passage, and the pieces of it that count.
Passage = tuple[int, int, list[Span]]

# The start and end of a passage X.
_MISSING = -10000
_MISSING_SIZE = 18
# As the tool writes the levels of recall, in percent.
LEVELS = (0, 1, 5, 10)
CUTOFFS = (1, 2, 3, 5, 10, 25, 50)


@dataclass(frozen=True)
class Options:
    """The options of the command line; for release 1.0 the lines that it does not know are left out."""

    task: Task
    complete: bool = False
    detail: bool = False
    n: int = 500
    beta: float = 0.25
    irr: int = 300
    release: Literal["1.0", "3.1"] = "3.1"


@dataclass
class Judged:
    """An article judged for a topic; its highlights are in the order of their starts."""

    relevant_size: int
    length: int
    bep: int = -1
    highlights: list[Span] = field(default_factory=list)

    def count_relevant(self, start: int, end: int) -> int:
        """Count the highlighted characters of [start, end); highlights that overlap count twice."""
        count = 0
        for begin, stop in self.highlights:
            if start <= begin < end or begin < start < stop:
                count += min(end, stop) - max(start, begin)
        return count


@dataclass
class Article:
    """The passages of an article that were retrieved so far, in the order of the text."""

    passages: list[Span] = field(default_factory=list)
    # Those that have characters.
    _filled: list[Span] = field(default_factory=list, init=False)

    def add(self, start: int, end: int) -> bool:
        """Add a passage; False if it overlaps one that is there."""
        place = bisect_right(self.passages, start, key=itemgetter(0))
        if place < len(self.passages) and self.passages[place][0] < end:
            return False
        # Of the passages that have characters, the last to begin before the end is the last to end.
        before = bisect_left(self._filled, end, key=itemgetter(0))
        if before and self._filled[before - 1][1] > start:
            return False
        self.passages.insert(place, (start, end))
        if start < end:
            self._filled.insert(before, (start, end))
        return True

    def add_new(self, start: int, end: int) -> list[Span]:
        """Add what of a passage was not there, joined to what it touches; returns the new pieces."""
        if start >= end:
            return []
        low = bisect_left(self.passages, start, key=itemgetter(1))
        high = bisect_right(self.passages, end, key=itemgetter(0))
        met = self.passages[low:high]
        edges = [(start, start), *met, (end, end)]
        self.passages[low:high] = [(min(edges[1][0], start), max(edges[-2][1], end))]
        return [(before, after) for (_, before), (after, _) in pairwise(edges) if before < after]


@dataclass
class Ranked:
    """An article in the ranking of a topic, as the in-context tasks score it.

    `n_found` counts the relevant articles up to here.
    """

    found: int
    size: int
    relevant_size: int
    n_found: int
    judged: Judged | None
    article: Article
    start: int


@dataclass
class Topic:
    """What is judged for a topic, and what a run has retrieved for it.

    A rank of 0: no line of the run is the topic's. `precision` is the highest at each level of recall.
    """

    n_relevant: int = 0
    relevant_size: int = 0
    rank: int = 0
    n_retrieved: int = 0
    n_found: int = 0
    size: int = 0
    found: int = 0
    precision: list[float] = field(default_factory=lambda: [0.0] * 101)
    ranking: list[Ranked] = field(default_factory=list)


class Qrels:
    """The judgments, as the tool reads them: of an article that is judged twice both lines count."""

    def __init__(self, path: str) -> None:
        self.judged: dict[tuple[str, str], Judged] = {}
        self.relevant: dict[str, list[int]] = {}
        for number, line, fields in split_lines(read_data(path)):
            fields = [value for value in fields if value]
            if fields:
                try:
                    self._add_qrels_line(fields)
                except (ValueError, IndexError):
                    advice = "INEX qrels have topic Q0 article relevant_size article_length [bep offset:length ...]"
                    raise FormatError(
                        f"this stops the official tool; {advice}", file=path, line=number, text=line
                    ) from None
        for judged in self.judged.values():
            judged.highlights.sort(key=itemgetter(0))

    def _add_qrels_line(self, fields: list[str]) -> None:
        size = _read_integer(fields[3])
        length = _read_integer(fields[4])
        sizes = self.relevant.setdefault(fields[0], [])
        if size > 0:
            sizes.append(size)
        judged = self.judged.setdefault((fields[0], fields[2]), Judged(size, length))
        if len(fields) > 6:
            judged.bep = _read_integer(fields[5])
            for mark in fields[6:]:
                start, width = map(_read_integer, mark.split(":")[:2])
                judged.highlights.append((start, start + width))

    def new_topics(self) -> dict[str, Topic]:
        """Make the topics without a run, in the order in which they are printed."""
        names = sorted(self.relevant, key=lambda name: name.encode("utf-16-be"))
        return {name: Topic(len(self.relevant[name]), sum(self.relevant[name])) for name in names}


def _read_integer(value: str) -> int:
    number = parse_integer(value)
    if number is None:
        raise ValueError(value)
    return number


def read_run_lines(path: str, qrels: Qrels, topics: dict[str, Topic], options: Options) -> Generator[str, None, str]:
    """Go through the lines of a run, yield complaints, and return the run's name."""
    reader = _RunReader(path, qrels, options)
    for number, line, fields in RunFile(path).split_lines(read_data(path)):
        topic = topics.get(fields[0])
        if topic is not None:
            yield from reader.add(topic, number, line, fields)
    for name, topic in topics.items():
        if options.task in "rbi" and len(topic.ranking) < topic.rank:
            raise _reject_divided(path, name)
    return reader.tag


def _reject_divided(path: str, topic: str) -> RunRejected:
    return RunRejected(
        f"ERROR *** ({path}) the lines of topic {topic} are not together, and its ranking goes on at the rank "
        "that another topic has reached, which stops the official tool"
    )


class _RunReader:
    """The state in which the tool goes through the lines of a run."""

    def __init__(self, path: str, qrels: Qrels, options: Options) -> None:
        self._file = RunFile(path)
        self._qrels = qrels
        self._options = options
        self._rank = 0
        self._previous = ""
        self._articles: dict[str, Article] = {}
        self.tag = ""

    def add(self, topic: Topic, number: int, line: str, fields: list[str]) -> Iterator[str]:
        """Take a line of a judged topic."""
        if topic.rank == 0:
            self._rank = 0
            self._previous = ""
            self._articles = {}
        judged = self._qrels.judged.get((fields[0], fields[2]))
        relevant_size = judged.relevant_size if judged is not None else 0
        article = self._find_article(topic, number, fields, relevant_size)
        self.tag = fields[5]
        start, end, pieces = self._add_passage(article, number, line, fields)
        size = _MISSING_SIZE if fields[6] in MISSING_MARKS else end - start
        found = 0
        if judged is not None and relevant_size > 0:
            if self._options.task == "t":
                size = sum(stop - begin for begin, stop in pieces)
            found = sum(judged.count_relevant(begin, stop) for begin, stop in pieces)
        if self._options.task in "tf":
            yield from _count_passage(topic, found, size)
        else:
            ranked = Ranked(found, size, relevant_size, topic.n_found, judged, article, start)
            self._count_article(topic, fields[0], ranked)

    def _find_article(self, topic: Topic, number: int, fields: list[str], relevant_size: int) -> Article:
        task = self._options.task
        docno = fields[2]
        if docno == self._previous:
            if task == "b":
                raise self._file.reject_second(number, fields)
            if task == "f":
                self._rank += 1
                topic.rank = self._rank
            return self._articles[docno]
        self._rank += 1
        topic.rank = self._rank
        self._previous = docno
        if docno in self._articles:
            if task in "bri":
                raise self._file.reject_interleaved(fields)
            return self._articles[docno]
        topic.n_retrieved += 1
        topic.n_found += relevant_size > 0
        article = self._articles[docno] = Article()
        return article

    def _add_passage(self, article: Article, number: int, line: str, fields: list[str]) -> Passage:
        """Add a line's passage to its article."""
        task = self._options.task
        if fields[6] in MISSING_MARKS:
            return _MISSING, _MISSING, [] if task == "t" else [(_MISSING, _MISSING)]
        offset, length = self._file.read_offsets(number, line, fields)
        # In 32 bits.
        end = (offset + length + 2**31) % 2**32 - 2**31
        if task == "t":
            pieces = article.add_new(offset, end)
        elif article.add(offset, end):
            pieces = [(offset, end)]
        else:
            raise self._file.reject_overlap(number, fields)
        if end < offset:
            raise RunRejected(f"ERROR *** ({self._file.path}) negative passage size {number}: {line}")
        return offset, end, pieces

    def _count_article(self, topic: Topic, topic_name: str, ranked: Ranked) -> None:
        """Add a line to the ranking of articles of its topic: in best in context a line is an article."""
        ranking = topic.ranking
        if self._options.task != "b":
            topic.size += ranked.size
            topic.found += ranked.found
            if self._rank == len(ranking) < topic.rank:
                raise _reject_divided(self._file.path, topic_name)
            if self._rank == len(ranking):
                last = ranking[topic.rank - 1]
                last.found += ranked.found
                last.size += ranked.size
                last.judged = ranked.judged
                last.article = ranked.article
                return
        ranking.append(ranked)


def _count_passage(topic: Topic, found: int, size: int) -> Iterator[str]:
    """Add a passage to the precision at its level of recall; a level above 100 is a complaint."""
    topic.found += found
    topic.size += size
    level = round_down(100 * divide(topic.found, topic.relevant_size))
    if not 0 <= level <= 100:
        yield f"Impossible recall point: {level}"
    elif topic.precision[level] < (precision := divide(topic.found, topic.size)):
        topic.precision[level] = precision


def divide(numerator: float, denominator: float) -> float:
    """Divide as Java does."""
    if denominator:
        return numerator / denominator
    return math.nan if not numerator or numerator != numerator else math.copysign(math.inf, numerator)


def average_in_order(values: list[float]) -> float:
    """Add up one by one, as the tool does, and divide; `sum` of a newer Python compensates."""
    total = 0.0
    for value in values:
        total += value
    return divide(total, len(values))


def round_down(value: float) -> int:
    """Round down to a number of 32 bits as Java does."""
    if value != value:
        return 0
    return math.floor(max(-(2.0**31), min(value, 2.0**31 - 1)))
