"""Gates: requirements on a result, by itself or against an earlier one, and the messages when one fails."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
import pandas as pd
from ir_measures import Measure
from numpy.typing import NDArray

from ..errors import LOCATED, RequirementError, warn_caller
from ..evaluation.registry import is_share, parse
from ..evaluation.topic_values import difference_intervals, group, t_error, value_intervals
from ..frames.columns import flatten
from ..frames.spans import Floats
from .results import Questions, question_texts

_HOLDS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_REQUIREMENT = re.compile(
    rf"""\s*
    (?P<quantity>.+?)                   # a measure, or placed
    (?:\s+(?P<bound>low|high))?         # an end of its interval
    \s*(?P<sign>{"|".join(_HOLDS)})\s*
    (?P<value>[0-9]*\.?[0-9]+)
    \s*(?P<percent>%?)\s*""",
    re.VERBOSE,
)
# a difference of so many standard errors is found in 80% of trials by a two-sided test at 5%: 1.96 + 0.84
_DETECTABLE = 2.8
_LEVEL = 0.95
# The most characters of evidence, and of found text, that messages show.
_WIDTH = 100
# Numbers of tables that are no measures; of some `located` has the texts.
_OF_TEXTS = ("placed", "unplaced", "elsewhere", "whole")
_OF_CITATIONS = ("citations", "document", "verified", "rewritten", "unknown", "invented", "cited")
_COLUMNS = (*_OF_TEXTS, *_OF_CITATIONS, "questions", "texts", "seconds", "seconds p95", "chunks", "length")

Verdict = Literal["passes", "fails", "cannot tell"]


@dataclass(frozen=True, eq=False)
class GateCheck:
    """The outcome of a gate for a system: the requirement, a sentence, and the questions, worst first."""

    gate: str
    system: str
    verdict: Verdict
    message: str
    questions: pd.DataFrame = field(repr=False)

    @property
    def passed(self) -> bool:
        """Whether the verdict is 'passes'; 'cannot tell' is not."""
        return self.verdict == "passes"


@dataclass(frozen=True, eq=False)
class Comparison(GateCheck):
    """A system beside an earlier one, paired by question.

    *difference*: mean value of the system minus that of the earlier one; *low*, *high*: its 95% interval, as of
    `confidence_interval`.
    """

    difference: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Scored:
    """Values by system, question and measure; *counting* tells which questions count for a measure's mean.

    `Abstain` counts over questions without evidence, every other measure over those with.
    """

    systems: list[str]
    qids: list[str]
    measures: list[str]
    # systems x questions x measures
    values: Floats
    # questions x measures
    counting: NDArray[np.bool_]

    def average(self, system: int, measure: int) -> float:
        """Average a measure over the questions that count for it; NaN if there is none."""
        counts = self.counting[:, measure]
        return float(self.values[system, counts, measure].mean()) if counts.any() else float("nan")

    def intervals(self, confidence: float, seed: int) -> Floats:
        """Bound each mean over the questions that count for it.

        Returns an array of systems x measures x (low, high), NaN for a measure for which no question counts.
        """
        bounds = np.full((len(self.systems), len(self.measures), 2), np.nan)
        are_shares = np.array([is_share(measure) for measure in self.measures], dtype=bool)
        # The questions are the same for all measures but Abstain.
        for counts in np.unique(self.counting.T, axis=0):
            alike = np.flatnonzero((counts == self.counting.T).all(axis=1))
            if not counts.any():
                continue
            values = self.values[:, counts][:, :, alike].transpose(1, 0, 2).reshape(counts.sum(), -1)
            bounded = np.tile(are_shares[alike], len(self.systems))
            ends = value_intervals(values, np.ones(len(values)), bounded, level=confidence, seed=seed)
            bounds[:, alike] = np.stack(ends, axis=1).reshape(len(self.systems), len(alike), 2)
        return bounds


class Judged(Protocol):
    """What gates ask of a result; `evaluate_retrieved` says what its fields are."""

    @property
    def table(self) -> pd.DataFrame: ...

    @property
    def qrels(self) -> pd.DataFrame: ...

    @property
    def runs(self) -> Mapping[str, pd.DataFrame]: ...

    @property
    def measures(self) -> Sequence[Measure]: ...

    @property
    def fingerprints(self) -> Mapping[str, str]: ...

    @property
    def confidence(self) -> float: ...

    @property
    def seed(self) -> int: ...

    def score(self, measure: Measure, systems: Sequence[str]) -> Scored: ...

    def share_placed(self, system: str) -> float: ...

    def show_questions(self) -> pd.DataFrame: ...


def compare_results(
    judged: Judged, main: Judged, measure: str, margin: float, system: str | None, strict: bool, worst: int
) -> list[Comparison]:
    """Compare each system with the earlier one of its name, question by question."""
    if not 0 <= margin < np.inf:
        raise ValueError(f"margin={margin!r}: give how much worse a mean may be, 0 or more, such as 0.02")
    asked = parse_one_measure(measure, measure)
    systems = _choose_systems(judged, system)
    ours = judged.score(asked, systems)
    theirs = main.score(asked, list(main.runs))
    gate = f"{measure} no worse than main by more than {margin:g}" + (", strictly" if strict else "")
    _warn_of_texts(judged, main)
    comparisons = []
    for k, name in enumerate(systems):
        partner = _find_partner(name, len(systems), main)
        pairs = _pair_values(ours, k, judged, theirs, partner, main)
        comparisons.append(compare_pairs(gate, name, pairs, margin, strict, worst, is_share(asked)))
    return comparisons


def raise_failures(checks: list[GateCheck] | list[Comparison]) -> None:
    failed = [check for check in checks if not check.passed]
    if failed:
        questions = pd.concat([check.questions for check in failed], ignore_index=True)
        raise RequirementError("\n".join(check.message for check in failed), questions)


@dataclass(frozen=True)
class Requirement:
    """A requirement on a measure, or (*measure* None) on a column of the table; `end` names an end of an interval."""

    text: str
    quantity: str
    measure: Measure | None
    end: str | None
    sign: str
    bound: float

    def judge(self, value: float) -> Verdict:
        return "passes" if _HOLDS[self.sign](value, self.bound) else "fails"


def read_requirement(text: str, columns: Iterable[str] = _COLUMNS) -> Requirement:
    """Read `"SpanHit@5 >= 0.8"`, `"SpanHit@5 low >= 75%"` or `"unplaced <= 0"`, of a measure or of one of *columns*."""
    match = _REQUIREMENT.fullmatch(text)
    if match is None or re.search(r"[=<>]$", match["quantity"]):
        raise ValueError(
            f"{text!r} is not a requirement; write a measure and a bound, such as 'SpanHit@5 >= 0.8', "
            "'SpanHit@5 low >= 0.75' or 'placed >= 0.99'"
        )
    quantity = " ".join(match["quantity"].split())
    measure = None if quantity in columns else parse_one_measure(quantity, text)
    if measure is None and match["bound"]:
        raise ValueError(f"{text!r}: {quantity} of texts has no interval; leave out {match['bound']!r}")
    bound = float(match["value"]) / (100 if match["percent"] else 1)
    if bound > 1 and (quantity == "placed" if measure is None else is_share(measure)):
        raise ValueError(f"{text!r}: {quantity} is a share, at most 1; write 0.8 or 80%")
    return Requirement(text, quantity, measure, match["bound"], match["sign"], bound)


def check_requirement(judged: Judged, text: str, system: str | None, worst: int) -> list[GateCheck]:
    """Check a requirement as `read_requirement` reads it: a check for each system."""
    measures = set(map(str, judged.measures))
    numbers = [name for name in judged.table.select_dtypes("number").columns if name not in measures]
    requirement = read_requirement(text, {*_COLUMNS, *numbers})
    systems = _choose_systems(judged, system)
    if requirement.measure is None:
        return _check_column(judged, requirement, numbers, systems)
    scored = judged.score(requirement.measure, systems)
    checks = []
    for k, name in enumerate(systems):
        value = scored.average(k, 0)
        if requirement.end:
            low, high = scored.intervals(judged.confidence, judged.seed)[k, 0].tolist()
            value = low if requirement.end == "low" else high
        verdict = requirement.judge(value)
        questions = _sort_questions(scored, k, judged, ascending=requirement.sign.startswith(">"))
        meets = "meets" if verdict == "passes" else "fails"
        message = f"system {name!r} {meets} {text!r}: it is {value:.4f} over {len(questions)} questions"
        if verdict == "fails":
            message += f"; worst:{_list_questions(questions, worst)}"
        checks.append(GateCheck(text, name, verdict, message, questions))
    return checks


def _check_column(
    judged: Judged, requirement: Requirement, numbers: Sequence[str], systems: Iterable[str]
) -> list[GateCheck]:
    """Check a column of the table for each system; chunks cut from the corpus count as placed."""
    quantity = requirement.quantity
    if quantity not in ("placed", *numbers):
        raise ValueError(f"{requirement.text!r}: the table has no {quantity!r}, but {', '.join(numbers)}")
    where = f"; {LOCATED} lists the texts" if quantity in (*_OF_TEXTS, *_OF_CITATIONS) else ""
    checks = []
    for name in systems:
        row = judged.table["name"] == name
        value = judged.share_placed(name) if quantity == "placed" else float(judged.table.loc[row, quantity].iloc[0])
        shown = f"{value:.4f}" if value % 1 or quantity == "placed" else f"{value:.0f}"
        message = f"system {name!r}: {requirement.text!r}: it is {shown}{where}"
        checks.append(GateCheck(requirement.text, name, requirement.judge(value), message, pd.DataFrame()))
    return checks


def _find_partner(name: str, systems: int, main: Judged) -> int:
    names = list(main.runs)
    if name in names:
        return names.index(name)
    if len(names) == 1 and systems == 1:
        return 0
    raise ValueError(f"the result to compare with has no system {name!r} (it has {', '.join(map(repr, names))})")


def _pair_values(ours: Scored, k: int, judged: Judged, theirs: Scored, partner: int, main: Judged) -> pd.DataFrame:
    """Pair the values by question, which is the same if its id and its text are: name, qid, query, value, main.

    Ids that only number the questions move when one is added: then the text tells, and of equal ones the order.
    """
    mine = _sort_questions(ours, k, judged)
    earlier = _sort_questions(theirs, partner, main)[["qid", "query", "value"]]
    earlier["qid of main"] = earlier["qid"]
    if Questions(judged.qrels).numbered and Questions(main.qrels).numbered:
        numbered = _number_equal_texts(earlier).drop(columns="qid")
        pairs = _number_equal_texts(mine).merge(numbered, on=["query", "again"], suffixes=("", " of main"))
        pairs = pairs.drop(columns="again")
    else:
        pairs = mine.merge(earlier, on=["qid", "query"], suffixes=("", " of main"))
    if not len(pairs):
        raise ValueError("the two results share no question with evidence (by qid and text): nothing can be compared")
    _warn_of_changes(pairs, len(mine) - len(pairs), len(earlier) - len(pairs), judged, main)
    return pairs.drop(columns="qid of main")


def _warn_of_changes(pairs: pd.DataFrame, new: int, gone: int, judged: Judged, main: Judged) -> None:
    """Warn of questions that are *new* or *gone* since main, and of evidence that has changed."""
    if new or gone:
        warn_caller(
            f"{len(pairs)} questions are compared; {new} of this result and {gone} of main are not in the other (by "
            "qid and text)"
        )
    now = pairs["qid"].map(_measure_evidence(judged.qrels)).to_numpy()
    changed = now != pairs["qid of main"].map(_measure_evidence(main.qrels)).to_numpy()
    if changed.any():
        first = pairs["query"].iloc[int(np.argmax(changed))]
        warn_caller(
            f"the evidence of {np.count_nonzero(changed)} of {len(pairs)} questions is longer or shorter than main's "
            f"(first: {first!r:.80}); their differences are not of the system alone"
        )


def _warn_of_texts(judged: Judged, main: Judged) -> None:
    ours = judged.fingerprints
    theirs = main.fingerprints
    shared = [docno for docno in ours if docno in theirs]
    changed = [docno for docno in shared if ours[docno] != theirs[docno]]
    if changed:
        warn_caller(
            f"the text of {len(changed)} of {len(shared)} documents with evidence is not main's (first: "
            f"{changed[0]!r}); if offsets were given for another text, the differences are not of the system"
        )


def _measure_evidence(qrels: pd.DataFrame) -> dict[str, int]:
    """Return the number of characters of each question's evidence, wherever in its documents it is now."""
    spans = flatten(qrels["highlights"], "highlights", qrels)
    size = np.bincount(spans.row, spans.end - spans.start, minlength=len(qrels))
    sums = pd.Series(size).groupby(qrels["qid"].astype(str).to_numpy()).sum()
    return {str(qid): int(characters) for qid, characters in sums.items()}


def _number_equal_texts(questions: pd.DataFrame) -> pd.DataFrame:
    """Count questions of one text from 0 in the order of their numbers, in the column again."""
    ordered = questions.sort_values("qid", key=lambda qid: qid.astype("int64"), kind="stable")
    return questions.assign(again=ordered.groupby("query").cumcount())


def compare_pairs(
    gate: str,
    name: str,
    pairs: pd.DataFrame,
    margin: float,
    strict: bool,
    worst: int,
    bounded: bool = True,
) -> Comparison:
    """Compare the values of *pairs* with those of main; *bounded*: they lie in [0, 1]."""
    values = pairs["value"].to_numpy(dtype=np.float64)
    earlier = pairs["value of main"].to_numpy(dtype=np.float64)
    difference = values - earlier
    mean = float(difference.mean())
    sums, sizes = group(difference[:, None], None)
    draws = len(sums)
    ends = difference_intervals(sums, sizes, np.array([bounded]), level=_LEVEL)
    low = float(ends.low[0])
    high = float(ends.high[0])
    # the standard error of the mean, from which that of one draw follows
    error = float(t_error(sums, sizes)[0])
    verdict = _reach_verdict(low, high, margin, strict)
    message = (
        f"system {name!r} {verdict} {gate!r}: {values.mean():.4f} for {earlier.mean():.4f}, difference {mean:+.4f} "
        f"[{low:+.4f}, {high:+.4f}] over {draws} questions"
    )
    questions = pairs.assign(difference=difference).sort_values("difference", kind="stable")
    if verdict == "cannot tell":
        needed = _count_needed(margin, error * math.sqrt(draws))
        advice = f"about {needed} questions would do, if nothing is lost" if needed else "give a margin above 0"
        message = f"{message.replace(' cannot tell ', ': cannot tell ', 1)}; {advice}"
    elif verdict == "fails":
        message += f"; worst:{_list_questions(questions, worst, 'difference')}"
    elif not strict:
        message += f"; a loss of up to {max(0.0, -low):.4f} is not excluded"
    return Comparison(gate, name, verdict, message, questions, mean, low, high)


def _reach_verdict(low: float, high: float, margin: float, strict: bool) -> Verdict:
    """A gate fails if the whole interval lies below -margin; a strict one passes if none of it does."""
    if high < -margin:
        return "fails"
    return "passes" if low >= -margin or not strict else "cannot tell"


def _count_needed(margin: float, deviation: float) -> int | None:
    """Estimate how many draws show that at most *margin* is lost, if nothing is; None if no number does.

    The larger of ln(.025) / ln(1 - margin), where nothing differs, and (2.8 * deviation / margin)^2.
    """
    if not 0 < margin < 1:
        return None
    unchanged = math.log((1 - _LEVEL) / 2) / math.log1p(-margin)
    changed = 0.0 if math.isnan(deviation) else (_DETECTABLE * deviation / margin) ** 2
    return math.ceil(max(unchanged, changed))


def _choose_systems(judged: Judged, system: str | None) -> list[str]:
    if system is None:
        return list(judged.runs)
    if system not in judged.runs:
        raise ValueError(f"no system is called {system!r}; there are {', '.join(map(repr, judged.runs))}")
    return [system]


def parse_one_measure(measure: str, requirement: str) -> Measure:
    measures = parse(measure)
    if len(measures) != 1:
        raise ValueError(f"{requirement!r} names {len(measures)} measures; give one requirement for each")
    return measures[0]


def _sort_questions(scored: Scored, system: int, judged: Judged, ascending: bool = True) -> pd.DataFrame:
    """List the questions of the only measure, worst first: name, qid, query, value, evidence and found text."""
    query = question_texts(judged.qrels)
    frame = pd.DataFrame({
        "name": scored.systems[system],
        "qid": scored.qids,
        "query": [query[qid] for qid in scored.qids],
        "value": scored.values[system, :, 0],
    })  # fmt: skip
    counting = frame[scored.counting[:, 0]].sort_values("value", ascending=ascending, kind="stable", ignore_index=True)
    return counting.merge(judged.show_questions(), "left", ["name", "qid"])


def _list_questions(questions: pd.DataFrame, worst: int, column: str = "value") -> str:
    lines = []
    for row in questions[:worst].to_dict("records"):
        lines.append(f"\n  {row['qid']}: {row[column]:.3f}  {row['query']}")
        for name in ("evidence", "found"):
            if isinstance(row.get(name), str):
                lines.append(f"\n    {name}: {' '.join(row[name].split())[:_WIDTH] or 'nothing'}")
    return "".join(lines)
