"""Gates: what may be required of a result, by itself or beside an earlier one, and what is said when it fails."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd

from ...errors import warn_caller
from ...frames.columns import flatten
from ...frames.spans import Floats
from ...measures import FocusedMeasure
from ..intervals import mean_intervals
from ..measure_strings import parse
from ..text_units import CountedTexts
from .counting import counts_unit, describe_unit
from .match_questions import Questions
from .scores import RESAMPLES, Scored, question_texts

if TYPE_CHECKING:
    from ir_measures import Measure


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


class Judged(Protocol):
    """Runs with the qrels that judge them: what gates are asked of."""

    qrels: pd.DataFrame
    runs: dict[str, pd.DataFrame]
    confidence: float
    seed: int
    unit: CountedTexts[Any] | None

    def share_placed(self, system: str) -> float: ...

    def score(self, measure: Measure, systems: Sequence[str]) -> Scored: ...


@dataclass(frozen=True, eq=False)
class GateCheck:
    """Whether a system passed a gate: what was asked, the sentence that says so, and the questions, worst first."""

    gate: str
    system: str
    passed: bool
    message: str
    questions: pd.DataFrame = field(repr=False)


@dataclass(frozen=True, eq=False)
class Comparison(GateCheck):
    """A system beside an earlier one, paired by question.

    *difference*: mean value of the system minus that of the earlier one; *low*, *high*: its 95% interval; *detectable*:
    the difference that so many questions would show in 80% of trials.
    """

    difference: float
    low: float
    high: float
    detectable: float


def check_requirement(judged: Judged, requirement: str, system: str | None, worst: int) -> list[GateCheck]:
    """Check `"SpanHit@5 >= 0.8"`, `"SpanHit@5 low >= 75%"` or `"placed >= .99"`: a check for each system."""
    match = _REQUIREMENT.fullmatch(requirement)
    if match is None:
        raise ValueError(
            f"{requirement!r} is not a requirement; write a measure and a bound, such as 'SpanHit@5 >= 0.8', "
            "'SpanHit@5 low >= 0.75' or 'placed >= 0.99'"
        )
    bound = float(match["value"]) / (100 if match["percent"] else 1)
    systems = _choose_systems(judged, system)
    if match["quantity"] == "placed":
        return _check_placed(judged, match, bound, systems)
    scored = judged.score(_parse_one(match["quantity"], requirement), systems)
    checks = []
    for k, name in enumerate(systems):
        value = scored.average(k, 0)
        if match["bound"]:
            low, high = scored.intervals(judged.confidence, judged.seed)[k, 0].tolist()
            value = low if match["bound"] == "low" else high
        passed = _HOLDS[match["sign"]](value, bound)
        questions = _sort_questions(scored, k, judged.qrels, ascending=match["sign"].startswith(">"))
        verb = "meets" if passed else "fails"
        message = f"system {name!r} {verb} {requirement!r}: it is {value:.4f} over {len(questions)} questions"
        if not passed:
            message += f"; worst:{_list_questions(questions, worst)}"
        checks.append(GateCheck(requirement, name, passed, message, questions))
    return checks


def _check_placed(judged: Judged, match: re.Match[str], bound: float, systems: Iterable[str]) -> list[GateCheck]:
    """Check the share of each system's texts that were placed in the corpus."""
    requirement = match[0]
    if match["bound"]:
        raise ValueError(
            f"{requirement!r}: the share of texts that were placed has no interval; leave out {match['bound']!r}"
        )
    shares = {name: judged.share_placed(name) for name in systems}
    return [
        GateCheck(
            requirement, name, _HOLDS[match["sign"]](share, bound),
            f"system {name!r}: {requirement!r}: it is {share:.4f}; result.located lists the texts", pd.DataFrame(),
        )
        for name, share in shares.items()
    ]  # fmt: skip


def compare_with(
    judged: Judged, main: Judged, measure: str, margin: float, system: str | None, strict: bool, worst: int
) -> list[Comparison]:
    """Compare each system with the one of its name in *main* (or its only one), question by question."""
    if not 0 <= margin < np.inf:
        raise ValueError(f"margin={margin!r}: give how much worse a mean may be, 0 or more, such as 0.02")
    asked = _parse_one(measure, measure)
    _check_units(judged, main, asked)
    systems = _choose_systems(judged, system)
    ours = judged.score(asked, systems)
    theirs = main.score(asked, list(main.runs))
    gate = f"{measure} no worse than main by more than {margin:g}" + (", strictly" if strict else "")
    comparisons = []
    for k, name in enumerate(systems):
        partner = _find_partner(name, len(systems), main)
        pairs = _pair_values(ours, k, judged, theirs, partner, main)
        comparisons.append(compare_pairs(gate, name, pairs, margin, strict, worst))
    return comparisons


def _check_units(judged: Judged, main: Judged, measure: Measure) -> None:
    """Refuse to compare sizes that were counted in different units."""
    units = [describe_unit(of.unit) for of in (judged, main)]
    if units[0] != units[1] and isinstance(measure, FocusedMeasure) and counts_unit(measure):
        raise ValueError(f"{measure} counts {units[0]} here and {units[1]} in main; compare results of one unit")


def _find_partner(name: str, systems: int, main: Judged) -> int:
    """Return the number of the system in *main* that a system is compared with."""
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
    mine = _sort_questions(ours, k, judged.qrels)
    earlier = _sort_questions(theirs, partner, main.qrels).drop(columns="name")
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
    """Warn of questions that are *new* or *gone* since main, and of evidence that is not what it was."""
    if new or gone:
        _warn_caller(
            f"{len(pairs)} questions are compared; {new} of this result and {gone} of main are not in the other (by "
            "qid and text)"
        )
    now = pairs["qid"].map(_measure_evidence(judged.qrels)).to_numpy()
    changed = now != pairs["qid of main"].map(_measure_evidence(main.qrels)).to_numpy()
    if changed.any():
        first = pairs["query"].iloc[int(np.argmax(changed))]
        _warn_caller(
            f"the evidence of {np.count_nonzero(changed)} of {len(pairs)} questions is longer or shorter than main's "
            f"(first: {first!r:.80}); their differences are not of the system alone"
        )


def _measure_evidence(qrels: pd.DataFrame) -> dict[str, int]:
    """Return the number of characters of each question's evidence, wherever in its documents it is now."""
    spans = flatten(qrels["highlights"], "highlights", qrels)
    size = np.bincount(spans.row, spans.end - spans.start, minlength=len(qrels))
    sums = pd.Series(size).groupby(qrels["qid"].astype(str).to_numpy()).sum()
    return {str(qid): int(characters) for qid, characters in sums.items()}


def _warn_caller(message: str) -> None:
    # The warning is attributed to the caller of no_worse_than or compare.
    warn_caller(message)


def _number_equal_texts(questions: pd.DataFrame) -> pd.DataFrame:
    """Count questions of one text from 0 in the order of their numbers, in the column again."""
    ordered = questions.sort_values("qid", key=lambda qid: qid.astype("int64"), kind="stable")
    return questions.assign(again=ordered.groupby("query").cumcount())


def compare_pairs(gate: str, name: str, pairs: pd.DataFrame, margin: float, strict: bool, worst: int) -> Comparison:
    values = pairs["value"].to_numpy(dtype=np.float64)
    earlier = pairs["value of main"].to_numpy(dtype=np.float64)
    difference = values - earlier
    mean = float(difference.mean())
    low, high = _bound_mean(difference)
    error = float(difference.std(ddof=1)) / np.sqrt(len(difference)) if len(difference) > 1 else float("nan")
    passed = _is_no_regression(mean, low, high, margin, strict)
    message = (
        f"system {name!r} {'passes' if passed else 'fails'} {gate!r}: {values.mean():.4f} for {earlier.mean():.4f}, "
        f"difference {mean:+.4f} [{low:+.4f}, {high:+.4f}] over {len(pairs)} questions"
    )
    questions = pairs.assign(difference=difference).sort_values("difference", kind="stable")
    if passed and not difference.any():
        message += "; every question has the value that it had"
    elif passed:
        message += f"; so many questions would show a difference of {_DETECTABLE * error:.4f} in 80% of trials"
    else:
        message += f"; worst:{_list_questions(questions, worst, 'difference')}"
    return Comparison(gate, name, passed, message, questions, mean, low, high, _DETECTABLE * error)


def _is_no_regression(mean: float, low: float, high: float, margin: float, strict: bool) -> bool:
    """Tell whether a difference is not a regression: it is small, or may be chance; strictly, that nothing is lost."""
    if strict:
        return low > -margin or low == high >= -margin
    return not (mean < -margin and high < 0)


def _bound_mean(values: Floats) -> tuple[float, float]:
    """Bound a mean by its 95% interval over questions."""
    if len(values) < 2 or not np.ptp(values):
        return float(values.mean()), float(values.mean())
    low, high = mean_intervals(values[:, None], np.ones(len(values)), level=_LEVEL, resamples=RESAMPLES, seed=0)
    return float(low[0]), float(high[0])


def _choose_systems(judged: Judged, system: str | None) -> list[str]:
    if system is None:
        return list(judged.runs)
    if system not in judged.runs:
        raise ValueError(f"no system is called {system!r}; there are {', '.join(map(repr, judged.runs))}")
    return [system]


def _parse_one(measure: str, requirement: str) -> Measure:
    measures = parse(measure)
    if len(measures) != 1:
        raise ValueError(f"{requirement!r} names {len(measures)} measures; give one requirement for each")
    return measures[0]


def _sort_questions(scored: Scored, system: int, qrels: pd.DataFrame, ascending: bool = True) -> pd.DataFrame:
    """List the questions that count for the only measure, the worst first: name, qid, query, value."""
    query = question_texts(qrels)
    frame = pd.DataFrame({
        "name": scored.systems[system],
        "qid": scored.qids,
        "query": [query[qid] for qid in scored.qids],
        "value": scored.values[system, :, 0],
    })  # fmt: skip
    return frame[scored.counting[:, 0]].sort_values("value", ascending=ascending, kind="stable", ignore_index=True)


def _list_questions(questions: pd.DataFrame, worst: int, column: str = "value") -> str:
    rows = zip(questions["qid"][:worst], questions[column][:worst], questions["query"][:worst], strict=True)
    return "".join(f"\n  {qid}: {value:.3f}  {query}" for qid, value, query in rows)
