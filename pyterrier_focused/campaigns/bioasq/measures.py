"""Measures of BioASQ, task B, phase A: snippets, pieces of a section of a document, by the characters they share.

A snippet's document is its docno up to the last slash, its section what follows (`24325358/abstract`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from ir_measures.measures import base as aggregates
from numpy.typing import NDArray

from ...frames.spans import Floats, Ints, position_keys
from ...measures.base import FocusedMeasure, Param
from ...measures.ranking import Ranking
from .pairs import pair_up, running_sum

__all__ = ["SnippetAP", "SnippetF", "SnippetP", "SnippetR"]

EDITIONS = (2, 3, 5, 8, 9)
# added to every AP for the geometric mean
EPSILON = 0.00001
# codes of the sections that early editions and later ones name differently
SECTION_0 = 0
ABSTRACT = 1

_EDITION = Param(
    int,
    "edition of BioASQ whose rules hold: 2 divides by the number of highlights, 3 and 5 by 10, 8 and 9 by the smaller",
    default=8,
    check=lambda value: value in EDITIONS,
    expects=f"one of {', '.join(map(str, EDITIONS))}",
)


class SnippetColumns(NamedTuple):
    """Snippets as codes, question by question, in ranking order; begin and end are both inside, as BioASQ has them.

    `document` is a code of the whole address, `name` of the last part of its path; sections are SECTION_0 for "0",
    ABSTRACT for "abstract".
    """

    question: Ints
    document: Ints
    name: Ints
    begin_section: Ints
    end_section: Ints
    begin: Ints
    end: Ints


class Scores(NamedTuple):
    """What BioASQ's program calculates for each question; average precision is NaN if it divides 0 by 0."""

    precision: Floats
    recall: Floats
    f1: Floats
    average_precision: Floats


class _Snippet(FocusedMeasure):
    """A measure over snippets; sections and documents are recognised from docnos."""

    OF_ALTERNATIVES = False

    def scores(self, ranking: Ranking, edition: int = 8, strict: bool = False) -> Scores:
        golden, submitted = _read_snippets(ranking)
        return score(golden, submitted, len(ranking.judgments.topics), edition, strict)


class _SnippetP(_Snippet):
    """Precision over the characters of snippets: MPrec snippets of BioASQ.

    SnippetP = characters that retrieved snippets share with highlights / characters of the retrieved snippets, both
    after snippets of one section that overlap are merged. As in BioASQ's program, a snippet of section "0" is held
    against the highlights of section "abstract" too, for early editions name that section so.

    Parameters: none.
    Range: [0, 1]. An empty ranking scores 0.
    Source: BioASQ, Evaluation Measures for Task B (Malakasiotis, Pavlopoulos, Androutsopoulos and Nentidis, 2018), 2.
    """

    NAME = __name__ = "SnippetP"
    PRETTY_NAME = "Snippet Precision"
    SHORT_DESC = "The share of relevant characters among those of the retrieved snippets (MPrec snippets of BioASQ)."

    def calculate(self, ranking: Ranking) -> Floats:
        return self.scores(ranking).precision


SnippetP = _SnippetP()


class _SnippetR(_Snippet):
    """Recall over the characters of snippets: MRec snippets of BioASQ.

    SnippetR = characters that retrieved snippets share with highlights / characters of the highlights, both after
    snippets of one section that overlap are merged; sections as in SnippetP.

    Parameters: none.
    Range: [0, 1]. An empty ranking scores 0, as does a topic without highlights.
    Source: BioASQ, Evaluation Measures for Task B (Malakasiotis, Pavlopoulos, Androutsopoulos and Nentidis, 2018), 2.
    """

    NAME = __name__ = "SnippetR"
    PRETTY_NAME = "Snippet Recall"
    SHORT_DESC = "The share of the highlighted characters that retrieved snippets bring (MRec snippets of BioASQ)."

    def calculate(self, ranking: Ranking) -> Floats:
        return self.scores(ranking).recall


SnippetR = _SnippetR()


class _SnippetF(_Snippet):
    """F-measure over the characters of snippets: MF1 snippets of BioASQ.

    SnippetF = 2 * SnippetP * SnippetR / (SnippetP + SnippetR) for each topic; 0 if both are 0.

    Parameters: none.
    Range: [0, 1]. An empty ranking scores 0, as does a topic without highlights.
    Source: BioASQ, Evaluation Measures for Task B (Malakasiotis, Pavlopoulos, Androutsopoulos and Nentidis, 2018), 2.
    """

    NAME = __name__ = "SnippetF"
    PRETTY_NAME = "Snippet F-measure"
    SHORT_DESC = "The harmonic mean of SnippetP and SnippetR (MF1 snippets of BioASQ)."

    def calculate(self, ranking: Ranking) -> Floats:
        return self.scores(ranking).f1


SnippetF = _SnippetF()


class _SnippetAP(_Snippet):
    """Average precision over snippets, with precision counted in characters: MAP and GMAP snippets of BioASQ.

    SnippetAP = sum over the relevant snippets of (characters shared with highlights so far / characters retrieved so
    far) / D, after snippets of one section that overlap are merged, each at the rank of its first. D is the number of
    highlights after merging (edition 2), 10 (editions 3 and 5), or the smaller of the two (editions 8 and 9).

    A snippet should be relevant if it shares characters with a highlight; a slip in the official program makes every
    snippet of a document with highlights relevant, in any of its sections. strict=True takes the definition at its
    word, and wants the same section. The program holds whole addresses of documents against each other here, http and
    https apart; frames know the last part only.

    aggregate='gmap' takes the geometric mean over the topics of the values with 0.00001 added. A topic without
    highlights scores 0; for 'gmap', in editions 2, 8 and 9, it counts as 1, as the program lets 0 / 0 add nothing to
    the sum of logarithms. (ir_measures and pt.Evaluate aggregate so; pt.Experiment takes plain means of every measure.)

    Parameters: edition (2, 3, 5, 8 or 9; default 8); aggregate ('map', the default, or 'gmap'); strict (default False).
    Range: [0, 1]; gmap from 0.00001. Above 1 if more snippets are relevant than D. An empty ranking scores 0.
    Source: BioASQ, Evaluation Measures for Task B (Malakasiotis, Pavlopoulos, Androutsopoulos and Nentidis, 2018), 2.
    """

    NAME = __name__ = "SnippetAP"
    PRETTY_NAME = "Snippet Average Precision"
    SHORT_DESC = "Average precision over snippets by characters (MAP and GMAP snippets of BioASQ)."
    SUPPORTED_PARAMS = {
        "edition": _EDITION,
        "aggregate": Param(
            str,
            "how topics are averaged: 'map' arithmetically, 'gmap' geometrically, 0.00001 added to each value",
            default="map",
            choices=("map", "gmap"),
        ),
        "strict": Param(
            bool,
            "False follows the official program; True wants characters shared with a highlight",
            default=False,
            expects="True or False",
        ),
    }

    @property
    def is_share(self) -> bool:
        # D, the divisor, may be smaller than the number of relevant snippets
        return False

    def calculate(self, ranking: Ranking) -> Floats:
        value = self.scores(ranking, self["edition"], self["strict"]).average_precision
        if self["aggregate"] == "gmap":
            return np.where(np.isnan(value), 1.0, value + EPSILON)
        return np.nan_to_num(value)

    def aggregator(self) -> aggregates.Agg:
        aggregator: aggregates.Agg = _GeometricMean() if self["aggregate"] == "gmap" else super().aggregator()
        return aggregator


SnippetAP = _SnippetAP()


class _GeometricMean(aggregates.Agg):
    def __init__(self) -> None:
        self.values: list[float] = []

    def add(self, value: float) -> None:
        self.values.append(value)

    def result(self) -> float:
        return geometric_mean(self.values) if self.values else float("nan")


def geometric_mean(values: list[float]) -> float:
    """Average as BioASQ does: if the logarithms add up to exactly 0, the mean is 0."""
    total = float(np.log(values).sum())
    return float(np.exp(total / len(values))) if total else 0.0


def _read_snippets(ranking: Ranking) -> tuple[SnippetColumns, SnippetColumns]:
    """Take highlights and passages as snippets: (golden, submitted). Raises ValueError if items have several."""
    if ranking.items is not None:
        raise ValueError(
            "the run has items of several passages (column 'items'), and campaigns' measures rank single passages; "
            "drop the column to score each passage by itself"
        )
    judgments = ranking.judgments
    order = ranking.passage_ranking
    row = ranking.passages.row[order]
    start = ranking.passages.start[order]
    end = ranking.passages.end[order]
    sections = {"0": SECTION_0, "abstract": ABSTRACT}
    documents: dict[str, int] = {}

    def codes(docnos: NDArray[np.object_]) -> tuple[Ints, Ints]:
        split = [docno.rpartition("/") if "/" in docno else (docno, "", "") for docno in docnos.tolist()]
        document = [documents.setdefault(name, len(documents)) for name, _, _ in split]
        section = [sections.setdefault(name, len(sections)) for _, _, name in split]
        return np.array(document, dtype=np.int64), np.array(section, dtype=np.int64)

    document, section = codes(judgments.docno)
    gold_row, gold_start, gold_end, _ = judgments.highlights
    by_topic = np.argsort(judgments.topic[gold_row], kind="stable")
    gold_row = gold_row[by_topic]
    gold_start = gold_start[by_topic]
    gold_end = gold_end[by_topic]
    columns = (document[gold_row],) * 2 + (section[gold_row],) * 2
    golden = SnippetColumns(judgments.topic[gold_row], *columns, gold_start, gold_end - 1)
    document, section = codes(ranking.docno)
    # an entry point is no snippet: its inclusive end lies before its begin
    filled = start < end
    row = row[filled]
    columns = (document[row],) * 2 + (section[row],) * 2
    return golden, SnippetColumns(ranking.topic[row], *columns, start[filled], end[filled] - 1)


def score(
    golden: SnippetColumns, submitted: SnippetColumns, questions: int, edition: int, strict: bool = False
) -> Scores:
    """Score the snippets submitted for each question as BioASQ's program does, or (*strict*) as its paper says."""
    golden = merge(golden)
    submitted = merge(submitted)
    size, gold_size = (snippets.end - snippets.begin + 1 for snippets in (submitted, golden))
    overlaps = _measure_overlaps(golden, submitted, strict)
    asked = submitted.question
    bounds = np.searchsorted(asked, np.arange(questions + 1))

    def total(question: Ints, values: Ints | Floats) -> Floats:
        return np.bincount(question, values, minlength=questions).astype(np.float64)

    found = total(asked, overlaps.shared)
    read = total(asked, size)
    relevant = total(golden.question, gold_size)
    answered = np.diff(bounds) > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        # Sizes may be 0 or negative: the numbers are taken as they are.
        precision = np.where(read != 0, found / read, 0.0)
        recall = np.where((relevant != 0) & answered, found / relevant, 0.0)
        f1 = np.where((precision != 0) | (recall != 0), 2 * precision * recall / (precision + recall), 0.0)
        by_rank = running_sum(overlaps.exact, asked, bounds) / running_sum(size, asked, bounds)
        divisor = _choose_divisor(edition, np.bincount(golden.question, minlength=questions))
        value = total(asked, by_rank * overlaps.relevant) / divisor
    return Scores(precision, recall, f1, value if edition in EDITIONS else np.zeros(questions))


def _choose_divisor(edition: int, golden: Ints) -> Ints:
    if edition == 2:
        return golden
    return np.full_like(golden, 10) if edition in (3, 5) else np.minimum(golden, 10)


class _Overlaps(NamedTuple):
    """The characters that submitted snippets share with golden ones, and whether they are relevant.

    `shared` counts golden snippets of documents of the same name, `exact` those of the same whole address.
    """

    shared: Ints
    exact: Ints
    relevant: NDArray[np.bool_]


def _measure_overlaps(golden: SnippetColumns, submitted: SnippetColumns, strict: bool) -> _Overlaps:
    width = int(max(golden.name.max(initial=0), submitted.name.max(initial=0))) + 1
    key, gold_key = (snippets.question * width + snippets.name for snippets in (submitted, golden))
    by_key = np.argsort(gold_key, kind="stable")
    index, gold_index = pair_up(key, gold_key[by_key])
    gold_index = by_key[gold_index]
    # a row for each pair: the submitted snippet, and the golden one
    mine, gold = (
        SnippetColumns(*(column[rows] for column in snippets))
        for snippets, rows in ((submitted, index), (golden, gold_index))
    )
    same = (mine.begin_section == gold.begin_section) & (mine.end_section == gold.end_section)
    if not strict:
        same |= (mine.begin_section == SECTION_0) & (gold.begin_section == ABSTRACT)
    length = np.minimum(mine.end, gold.end) - np.maximum(mine.begin, gold.begin) + 1
    meets = (mine.begin <= gold.end) & (mine.end >= gold.begin)
    length = np.where(same & meets, length, 0)
    whole = mine.document == gold.document
    n = len(submitted.question)
    shared = np.bincount(index, length, minlength=n).astype(np.int64)
    exact = np.bincount(index[whole], length[whole], minlength=n).astype(np.int64)
    relevant = np.bincount(index[whole & ((length > 0) | (not strict))], minlength=n) > 0
    return _Overlaps(shared, exact, relevant)


def merge(snippets: SnippetColumns) -> SnippetColumns:
    """Merge snippets of one question, document and pair of sections that share an index, at the place of the first.

    Of [10, 20] and [5, 12] in document 0 and [0, 4] in document 1 between them there remain [5, 20] and [0, 4].
    """
    if not len(snippets.question):
        return snippets
    if np.any(snippets.end < snippets.begin):
        return _merge_literally(snippets)
    width, sections = (int(column.max()) + 1 for column in (snippets.document, np.maximum(*snippets[3:5])))
    key = (snippets.question * width + snippets.document) * sections + snippets.begin_section
    key = key * sections + snippets.end_section
    # positions before the text are negative
    low = int(snippets.begin.min())
    begin_key, end_key = position_keys((key, snippets.begin - low), (key, snippets.end - low))
    # of those that begin at one place each may come first: they are merged
    order = np.argsort(begin_key)
    opens = np.ones(len(order), dtype=bool)
    opens[1:] = begin_key[order][1:] > np.maximum.accumulate(end_key[order])[:-1]
    first = np.flatnonzero(opens)
    place = np.minimum.reduceat(order, first)
    end = np.maximum.reduceat(snippets.end[order], first)
    begin = snippets.begin[order[first]]
    by_place = np.argsort(place)
    kept = place[by_place]
    moved = SnippetColumns(*(column[kept] for column in snippets))
    return moved._replace(begin=begin[by_place], end=end[by_place])


def _merge_literally(snippets: SnippetColumns) -> SnippetColumns:
    """Merge as BioASQ's program loops; needed if an end lies before its begin, as from a title to an abstract."""
    rows = [tuple(row) for row in np.stack(snippets).T.tolist()]
    merged: list[tuple[int, ...]] = []
    for question in sorted({row[0] for row in rows}):
        merged += _merge_question([row for row in rows if row[0] == question])
    return SnippetColumns._make(np.array(merged, dtype=np.int64).reshape(-1, 7).T.copy())


def _merge_question(rows: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    current = 0
    while current < len(rows):
        other = 0
        while current < len(rows) and other < len(rows):
            one = rows[current]
            two = rows[other]
            same = one[1] == two[1] and one[3:5] == two[3:5]
            if other != current and same and one[5] <= two[6] and one[6] >= two[5]:
                rows[current] = (*one[:5], min(one[5], two[5]), max(one[6], two[6]))
                del rows[other]
                # the program begins again after the first
                other = 0
            other += 1
        current += 1
    return rows
