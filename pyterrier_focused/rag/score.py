"""How good is it? What any RAG stack retrieved, scored by the evidence that it holds."""

from __future__ import annotations

import hashlib
import os
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, TypeGuard, cast

import numpy as np
import pandas as pd
from ir_measures import Measure
from numpy.typing import NDArray

from ..collection.corpora import Corpus, CorpusArticle, Texts, as_docno, make_article
from ..errors import (
    ANY_REPEATED,
    LOCATED,
    EvaluationWarning,
    EvidenceError,
    ForeignIdsWarning,
    FormatError,
    check_choice,
    name_some,
    takes_corpus,
    warn_caller,
)
from ..evaluation.curves import tabulate_curves, trace_reading
from ..evaluation.evaluation import evaluate, join
from ..evaluation.inputs import as_runs
from ..evaluation.plot_style import draw_lines, label_lines, new_axes
from ..evaluation.registry import MeasureNames, is_share, parse, require_measures
from ..evaluation.text_units import CountedTexts, TextUnits, UnitName
from ..evaluation.tokens import Tokens
from ..evaluation.topic_values import compare_two
from ..frames.checks import check_qrels
from ..frames.columns import flatten
from ..frames.packing import pack
from ..frames.spans import Span, ratio
from ..measures import CharR, FocusedMeasure
from ..measures.alternatives import by_alternative
from ..measures.base import RatioMeasure
from ..measures.best_alternative import fractions
from ..measures.budget import Reading
from .align import Difference
from .evidence import EvidenceInput, OnFault, Repeated, read_spans
from .find_texts import Place
from .gates import Comparison, GateCheck, Scored, check_requirement, compare_results, parse_one_measure, raise_failures
from .place import PLACED, PageBase, PlacedItem, place_retrieved
from .results import (
    AskedRetrievers,
    Question,
    Results,
    ResultsInput,
    Retrieved,
    RetrieverInput,
    is_retriever,
    match_questions,
    question_texts,
    read_retrieved,
)
from .saved import ResultFile, read_result, write_result
from .words import split_words

if TYPE_CHECKING:
    from ir_measures import Measure
    from matplotlib.axes import Axes


# A unit of sizes, as callers give it.
UnitInput = UnitName | Callable[[str], Iterable[object]] | CountedTexts[Any]
DEFAULT = "SpanHit@5 CharR@5 CharP@5 SpanRR"


def make_unit(
    unit: UnitInput | None, texts: Mapping[str, str], articles: Iterable[CorpusArticle] = ()
) -> CountedTexts[Any] | None:
    """Return the unit for these texts; None for characters. *articles* give the pages that were given one by one."""
    if unit is None or isinstance(unit, CountedTexts):
        return unit and unit.of(texts)
    if not isinstance(unit, str):
        return Tokens(texts, unit)
    pages = {article.docno: [page.start for page in article.pages] for article in articles if article.pages}
    return TextUnits(texts, unit, pages if unit == "pages" else None)


def count_measures(measures: Iterable[Measure], unit: CountedTexts[Any] | None) -> list[Measure]:
    """Let measures count repeated text once, and count in a unit, unless they say otherwise."""
    return list(dict.fromkeys(_count_measure(measure, unit) for measure in measures))


def _count_measure(measure: Measure, unit: CountedTexts[Any] | None) -> Measure:
    if not isinstance(measure, FocusedMeasure):
        return measure
    params: dict[str, Any] = {}
    overlap = measure.SUPPORTED_PARAMS.get("overlap")
    if overlap is not None and overlap.default == "error" and "overlap" not in measure.params:
        params["overlap"] = "once"
    if unit is not None and counts_unit(measure):
        params["unit"] = unit
    return measure(**params).shown_as(str(measure)) if params else measure


def _counts_once(measure: FocusedMeasure) -> bool:
    """Tell whether the unit of a measure counts once, whatever its `overlap`."""
    return "unit" in measure.params and measure["unit"].counts_once


def counts_unit(measure: FocusedMeasure) -> bool:
    """Tell whether a measure counts in the unit of a result: it can, and has none of its own.

    Of measures of evidence only a budget of tokens does.
    """
    supported = measure.SUPPORTED_PARAMS
    is_of_evidence = "tokens" in supported and "tokens" not in measure.params
    return "unit" in supported and "unit" not in measure.params and not is_of_evidence


def default_measures(unit: CountedTexts[Any] | None = None) -> list[Measure]:
    """Return the measures of a result: is evidence found in the first 5, how much, with how much else, and when?

    Example:
        >>> default_measures()
        [SpanHit@5, CharR@5, CharP@5, SpanRR]
    """
    return count_measures(parse(DEFAULT), unit)


def describe_counting(measures: Iterable[Measure]) -> list[str]:
    """Say what the names of measures leave open: which count repeated text once, and in which unit each counts."""
    named = [measure for measure in measures if isinstance(measure, FocusedMeasure)]
    once = [m for m in named if "overlap=" not in str(m) and m.params.get("overlap") == "once" and not _counts_once(m)]
    lines = [f"{name_some(once)}: text that was retrieved twice counts once (overlap='once')"] if once else []
    counted: dict[str, list[FocusedMeasure]] = {}
    for measure in named:
        if "unit" in measure.params and "unit=" not in str(measure):
            counted.setdefault(describe_unit(measure["unit"]), []).append(measure)
    return [*lines, *(f"{name_some(of_unit)}: counted in {unit}" for unit, of_unit in counted.items())]


def describe_unit(unit: CountedTexts[Any] | None) -> str:
    """Name the unit of sizes: characters, lines, "tokens (str.split)"."""
    if unit is None:
        return "characters"
    return f"tokens ({unit.name})" if isinstance(unit, Tokens) else unit.name


# Characters of a text that are shown beside a question.
SHOWN = 500


def score_runs(qrels: pd.DataFrame, runs: Mapping[str, pd.DataFrame], measures: Sequence[Measure]) -> Scored:
    if not measures:
        qids = qrels["qid"].astype(str).unique().tolist()
        return Scored(list(runs), qids, [], np.zeros((len(runs), len(qids), 0)), np.zeros((len(qids), 0), dtype=bool))
    results = evaluate(qrels, runs, measures)
    names = results.measures
    return Scored(list(runs), results.qids, names, results.values, _find_counting(qrels, results.qids, names))


def read_scored(questions: pd.DataFrame, qrels: pd.DataFrame, measure: str, systems: Sequence[str]) -> Scored:
    """Read the values of a measure from a table as `make_question_table` makes it."""
    frames = [questions[questions["name"] == name] for name in systems]
    qids = frames[0]["qid"].astype(str).tolist()
    values = np.stack([frame[measure].to_numpy(dtype=np.float64) for frame in frames])[:, :, None]
    return Scored(list(systems), qids, [measure], values, _find_counting(qrels, qids, [measure]))


def _find_counting(qrels: pd.DataFrame, qids: Sequence[str], measures: Sequence[str]) -> NDArray[np.bool_]:
    """Tell which questions (rows) count for which measures (columns)."""
    judged = qrels.assign(qid=qrels["qid"].astype(str)).groupby("qid", sort=False)["label"].max()
    has_evidence = judged.reindex(list(qids)).to_numpy() > 0
    flags: NDArray[np.bool_] = np.stack(
        [~has_evidence if name == "Abstain" else has_evidence for name in measures], axis=1
    )
    return flags


def make_question_table(
    scored: Scored,
    qrels: pd.DataFrame,
    located: pd.DataFrame,
    lacking: Mapping[tuple[str, str], Sequence[str]],
    evidence: Mapping[str, str],
    calls: pd.DataFrame | None,
) -> pd.DataFrame:
    """Make a row for each question and system, as `RetrievedEvaluation.questions` describes it.

    Args:
        evidence: The text of each question's evidence.
        lacking: By system and question the words of the evidence that texts which overlap it lack.
        calls: Of retrievers that were asked: name, qid, seconds, batch, error.
    """
    query = question_texts(qrels)
    count = located.groupby(["name", "qid"]).size().to_dict()
    best = located[located["rank"] == 1]
    first = dict(zip(zip(best["name"], best["qid"], strict=True), best["text"].str[:SHOWN], strict=True))
    frames = []
    for k, name in enumerate(scored.systems):
        frame = pd.DataFrame({"name": name, "qid": scored.qids, "query": [query[qid] for qid in scored.qids]})
        frame["texts"] = [int(count.get((name, qid), 0)) for qid in scored.qids]
        frame = frame.join(pd.DataFrame(scored.values[k], columns=scored.measures))
        frame["lacking"] = [", ".join(lacking.get((name, qid), ())) for qid in scored.qids]
        frame["evidence"] = [evidence.get(qid, "") for qid in scored.qids]
        frame["found"] = [first.get((name, qid), "") for qid in scored.qids]
        frames.append(frame)
    table = pd.concat(frames, ignore_index=True)
    return table if calls is None else table.merge(calls, "left", ["name", "qid"])


def make_system_table(scored: Scored, located: pd.DataFrame, calls: pd.DataFrame | None) -> pd.DataFrame:
    """Make a row for each system: name, questions, texts, placed, measures, unplaced, elsewhere, whole, seconds."""
    rows = []
    for k, name in enumerate(scored.systems):
        own = located[located["name"] == name]
        row: dict[str, str | float] = {
            "name": name,
            "questions": len(scored.qids),
            "texts": len(own),
            "placed": float(own["share"].mean()) if len(own) else 1.0,
        }
        row |= {measure: scored.average(k, i) for i, measure in enumerate(scored.measures)}
        row["unplaced"] = int((own["start"] < 0).sum())
        row["elsewhere"] = int(own["elsewhere"].sum())
        row["whole"] = int(own["whole"].sum())
        if calls is not None:
            seconds = calls.loc[calls["name"] == name, "seconds"]
            row |= {"seconds": float(seconds.median()), "seconds p95": float(seconds.quantile(0.95))}
        rows.append(row)
    return pd.DataFrame(rows)


def make_interval_table(scores: Sequence[Scored], confidence: float, seed: int) -> pd.DataFrame:
    """Make a row for each system and measure (one of *scores* each): name, measure, mean, low, high."""
    bounds = [scored.intervals(confidence, seed) for scored in scores]
    rows = [
        (name, scored.measures[0], scored.average(k, 0), *of_measure[k, 0].tolist())
        for k, name in enumerate(scores[0].systems)
        for scored, of_measure in zip(scores, bounds, strict=True)
    ]
    return pd.DataFrame(rows, columns=["name", "measure", "mean", "low", "high"])


# Points of the curve.
_POINTS = 40


def micro_averages(
    qrels: pd.DataFrame, runs: Mapping[str, pd.DataFrame] | pd.DataFrame, measures: MeasureNames
) -> pd.DataFrame:
    """Average measures over all text instead of over questions: one row per run, one column `micro MEASURE` each.

    A micro average divides the sum of the numerators over all judged topics by the sum of the denominators, so that a
    question with much evidence weighs more; `pt.Experiment` averages the questions' ratios (macro).

    Example:
        >>> row = {"qid": ["q1", "q2"], "docno": ["7", "8"]}
        >>> qrels = pd.DataFrame({**row, "label": 1, "highlights": [[(0, 40)], [(0, 10)]]})
        >>> run = pd.DataFrame({**row, "score": 1.0, "passages": [[(0, 80)], [(0, 10)]]})
        >>> micro_averages(qrels, {"mine": run}, "CharP").round(3).values.tolist()
        [['mine', 0.556]]
    """
    asked: list[RatioMeasure] = []
    for measure in parse(measures):
        if not isinstance(measure, RatioMeasure):
            raise ValueError(f"{measure} is not a ratio of sums, so it has no micro average; ask for CharP, CharR, "
                             "CharF, CharIoU or SpanR")  # fmt: skip
        asked.append(measure)
    rows = []
    for name, run in as_runs(runs).items():
        ranking = join(qrels, run, *asked)
        row: dict[str, Any] = {"name": name}
        for measure in asked:
            numerator, denominator = (np.sum(amounts) for amounts in fractions(measure, ranking))
            row[f"micro {measure}"] = float(ratio(np.array(numerator), np.array(denominator)))
        rows.append(row)
    return pd.DataFrame(rows)


def read_evidence(evidence: EvidenceInput, corpus: Corpus, **options: Any) -> pd.DataFrame:
    """Return a qrels frame, given as such or as evidence that `read_spans` reads with these *options*."""
    if isinstance(evidence, pd.DataFrame) and "highlights" in evidence.columns:
        return evidence
    return read_spans(evidence, corpus, **options)


def check_articles(qrels: pd.DataFrame, known: Iterable[str]) -> pd.DataFrame:
    """Check a qrels frame: all the articles with evidence are among the *known* ones."""
    check_qrels(qrels)
    docnos = dict.fromkeys(known)
    marked = qrels["label"].to_numpy() > 0
    lost = [docno for docno in dict.fromkeys(qrels["docno"][marked]) if docno not in docnos]
    if lost:
        raise ValueError(
            f"the qrels judge {len(lost)} articles that are not in the corpus, such as {lost[0]!r}; the corpus has "
            f"{len(docnos)}, such as {next(iter(docnos))!r}"
        )
    return qrels


def keep_answerable(qrels: pd.DataFrame) -> pd.DataFrame:
    """Keep the questions that have evidence; only `Abstain` scores the others."""
    judged = set(qrels["qid"][qrels["label"] > 0])
    return qrels[qrels["qid"].isin(judged)].reset_index(drop=True)


def recall_curve(
    qrels: pd.DataFrame,
    runs: Mapping[str, pd.DataFrame],
    budgets: Sequence[int] | None,
    unit: CountedTexts[Any] | None,
    confidence: float | None = None,
) -> pd.DataFrame:
    """Mean recall and precision over questions after reading each budget of text: `name, budget, recall, precision`.

    With *confidence*, `low` and `high` bound the mean recall.
    """
    rankings = {name: join(qrels, run, CharR) for name, run in runs.items()}
    readings = {name: Reading(by_alternative(ranking), unit) for name, ranking in rankings.items()}
    if budgets is None:
        budgets = spread_points(
            50, max((int(reading.total.max(initial=0)) for reading in readings.values()), default=0)
        )
    curves = {name: trace_reading("budget", budgets, readings[name], rankings[name]) for name in rankings}
    return tabulate_curves(curves, confidence)


def spread_points(first: int, last: int) -> list[int]:
    """Return up to 40 whole numbers from *first* to *last* (at least twice the first), in a constant ratio."""
    return sorted(set(np.geomspace(first, max(last, 2 * first), _POINTS).round().astype(int).tolist()))


_COLUMNS: dict[str, type] = {
    "name": object, "qid": object, "rank": int, "text": object, "docno": object, "start": int, "end": int,
    "status": object, "spans": object, "runs": int, "share": float, "gap": object, "around": int, "elsewhere": bool,
    "detail": object, "lacking": object, "length": int, "whole": bool,
}  # fmt: skip
# The frames that are saved, as far as a result has them.
_SAVED = ("table", "questions", "located", "qrels", "points", "citations")
# By question and article.
Evidence = dict[tuple[str, str], list[Span]]


def locate_items(
    retrieved: Retrieved, placed: Iterable[PlacedItem], texts: Texts, qrels: pd.DataFrame, repeated: Repeated
) -> pd.DataFrame:
    """Tell the place of each item, in one row each.

    `lacking` has the places of words that the text leaves out, adds or has others for; `length` is in characters, also
    of a text that was not placed.
    """
    evidence = _list_evidence(qrels) if repeated in ("all", "any") else {}
    prefix = _choose_prefix(texts)
    # unplaced-1, unplaced-2, ... in order; equal texts are one
    names: dict[str, str] = {}
    rows = (
        (system, qid, rank, item)
        for system, questions in retrieved.items()
        for qid, items in questions.items()
        for rank, item in enumerate(items, start=1)
    )
    records = []
    for (system, qid, rank, item), found in zip(rows, placed, strict=True):
        status: str = found.status
        chosen = 0 if status in PLACED else -1
        if status == "repeated" and repeated != "report":
            status = repeated
            chosen = _choose_place(qid, found.places, evidence)
        spans = found.places[chosen] if chosen >= 0 else [places[0] for places in found.places]
        if chosen >= 0:
            docno, (start, end) = spans[0]
        else:
            docno = names.setdefault(item.text or str(item), f"{prefix}-{len(names) + 1}")
            start = end = -1
        text = item.text
        if chosen >= 0 and (text is None or (status == "id" and text in item.ids)):
            text = "".join(texts.articles[place.docno].text[slice(*place.span)] for place in spans)
        length = found.length
        if length is None:
            length = max((item.end or 0) - (item.start or 0), 0) if text is None else len(text)
        records.append({
            "name": system, "qid": qid, "rank": rank, "text": text or "", "docno": docno, "start": start, "end": end,
            "status": status, "spans": spans, "runs": len(spans) if chosen >= 0 else 0,
            "share": found.share if chosen >= 0 else 0.0, "gap": _show_gaps(spans, texts) if chosen >= 0 else "",
            "around": found.around[chosen] if chosen >= 0 and found.around else 0, "elsewhere": found.elsewhere,
            "detail": found.detail, "lacking": found.lacking, "length": length,
            "whole": found.whole,
        })  # fmt: skip
    return pd.DataFrame(records, columns=list(_COLUMNS)).astype(_COLUMNS)


def _show_gaps(spans: list[Place], texts: Texts) -> str:
    """Show the text of the articles between runs that follow each other in one of them."""
    gaps = [
        texts.articles[one.docno].text[one.span[1] : other.span[0]].strip()
        for one, other in pairwise(spans)
        if one.docno == other.docno
    ]
    return _show_texts(gap for gap in gaps if gap)


def _show_texts(texts: Iterable[str]) -> str:
    return " ... ".join(text if len(text) <= SHOWN else f"{text[:SHOWN]}..." for text in texts)


def show_evidence(qrels: pd.DataFrame, texts: Mapping[str, str]) -> dict[str, str]:
    parts: dict[str, list[str]] = {}
    for (qid, docno), spans in _list_evidence(qrels).items():
        parts.setdefault(qid, []).extend(texts[docno][slice(*span)] for span in spans)
    return {qid: _show_texts(of_question) for qid, of_question in parts.items()}


def _choose_prefix(texts: Texts) -> str:
    """Return a prefix that no docno has, for the names of texts that lie in no article."""
    prefix = "unplaced"
    while any(docno.startswith(prefix) for docno in texts.articles):
        prefix += "-"
    return prefix


def _list_evidence(qrels: pd.DataFrame) -> Evidence:
    spans = flatten(qrels["highlights"], "highlights", qrels)
    qid = qrels["qid"].astype(str).tolist()
    docno = qrels["docno"].astype(str).tolist()
    evidence: Evidence = {}
    for row, start, end in zip(spans.row.tolist(), spans.start.tolist(), spans.end.tolist(), strict=True):
        evidence.setdefault((qid[row], docno[row]), []).append((start, end))
    return evidence


def _choose_place(qid: str, places: list[list[Place]], evidence: Evidence) -> int:
    """Return which of several places has most of the question's evidence, the first of equals."""
    shared = [
        sum(
            max(0, min(end, place.span[1]) - max(start, place.span[0]))
            for place in spans
            for start, end in evidence.get((qid, place.docno), ())
        )
        for spans in places
    ]
    return shared.index(max(shared))


def warn_of_unplaced(located: pd.DataFrame, errors: OnFault | None) -> None:
    """Say which texts could not be placed; an EvidenceError with errors='raise'."""
    unplaced = located[located["start"] < 0]
    if not len(unplaced):
        return
    counts = ", ".join(f"{count} {status}" for status, count in unplaced["status"].value_counts().items())
    first = unplaced.iloc[0]
    message = (
        f"{len(unplaced)} of {len(located)} retrieved texts cannot be placed and count as read, not as "
        f"evidence ({counts}), first {first['name']!r}, question {first['qid']!r}, rank {first['rank']}: "
        f"{first['status']}, {repr(first['text'])[:80] if first['text'] else first['detail']}"
    )
    if errors == "raise":
        problems = [{str(name): value for name, value in row.items()} for row in unplaced.to_dict("records")]
        raise EvidenceError(message, file="the results", problems=problems)
    is_placed = located[located["status"] != "blank"].groupby("name", sort=False)["start"].max() >= 0
    lost = is_placed.index[~is_placed].tolist()
    is_repeated = unplaced["status"] == "repeated"
    if is_repeated.any():
        message += f"; {ANY_REPEATED} takes the occurrence with most evidence"
    if lost and not is_repeated.all():
        message += f"; of system {lost[0]!r} none could be: is this the corpus that it searched?"
    warn_caller(f"{message}; {LOCATED} lists them", ForeignIdsWarning if lost else UserWarning)


def find_differences(located: pd.DataFrame, qrels: pd.DataFrame, texts: Texts) -> dict[tuple[str, str], list[str]]:
    """Find for each system and question the words of the evidence that a text which overlaps it lacks, and warn."""
    evidence = _list_evidence(qrels)
    found: dict[tuple[str, str], dict[str, None]] = {}
    columns = zip(*(located[column] for column in ("name", "qid", "spans", "lacking")), strict=True)
    for name, qid, spans, lacking in columns:
        for docno in dict.fromkeys(place.docno for place in lacking):
            words = list_differences(
                texts.articles[docno].text,
                evidence.get((qid, docno), ()),
                [place.span for place in spans if place.docno == docno],
                [difference for difference in lacking if difference.docno == docno],
            )
            if words:
                found.setdefault((name, qid), {}).update(dict.fromkeys(words))
    if found:
        (name, qid), first = next(iter(found.items()))
        warn_caller(
            f"for {len({qid for _, qid in found})} of {qrels['qid'].nunique()} questions a retrieved text has evidence "
            f"in other words, first question {qid!r} of system {name!r}: it lacks {name_some(map(repr, first))}; the "
            "column 'lacking' of result.questions has them",
            EvaluationWarning,
        )
    return {key: list(words) for key, words in found.items()}


def make_runs(located: pd.DataFrame, systems: Iterable[str]) -> dict[str, pd.DataFrame]:
    """Make a run frame of each system: what was retrieved first has the highest score.

    The runs of a text are one item, with falling scores in the order of the text; what is around them is before the
    first. A text that was not placed is an article of its own.
    """
    records = []
    columns = ["name", "qid", "rank", "docno", "spans", "runs", "around", "length"]
    for name, qid, rank, docno, spans, runs, around, length in zip(*(located[c] for c in columns), strict=True):
        places = spans if runs else [Place(docno, (0, length))]
        for number, (article, (start, end)) in enumerate(places):
            score = -rank - number / len(places)
            records.append((name, qid, f"{article}#{start}-{end}", score, 0 if number else around, rank))
    parts = pd.DataFrame(records, columns=["name", "qid", "docno", "score", "around", "items"])
    parts["score"] += parts["items"].max() + 1.0
    unused = [] if parts["around"].any() else ["around"]
    unused += [] if (located["runs"] > 1).any() else ["items"]
    parts = parts.drop(columns=unused)
    return {
        system: pack(parts[parts["name"] == system].drop(columns="name").reset_index(drop=True)) for system in systems
    }


def hide_unplaced_docnos(located: pd.DataFrame) -> pd.DataFrame:
    """Return the frame for people: a text that was not placed has no article."""
    shown = located.drop(columns=["length", "lacking", "whole"])
    return shown.assign(docno=shown["docno"].where(shown["start"] >= 0, ""))


# Words that turn a sentence into its opposite.
_NEGATION = re.compile(
    r"""\b (?: not | no | nor | never | none | neither | nobody | nothing | without | cannot | \w+ n['’]t
    | nicht | nie | niemals | kein\w* | ohne | ne | pas | sans | jamais | aucune? | rien | nunca | sin | nao | não
    | non | mai | senza | nessun\w* | niet | geen | не | ни | нет | без | никогда | لا | لم | لن | ليس | غير ) \b
    | [不没沒無无未非] | ない | なかった | ません""",
    re.VERBOSE | re.IGNORECASE,
)
# Other words are told up to this number.
_MOST_OTHERS = 5
# In shorter words one letter, which OCR may have changed, is more than a quarter.
_LEAST_LETTERS = 4


def list_differences(
    article: str, evidence: Iterable[Span], retrieved: Iterable[Span], lacking: Iterable[Difference]
) -> list[str]:
    """List the words of the evidence that a text overlapping it leaves out or replaces.

    First all numbers, with their signs, and negations (with a plus if the text adds one); then up to five other words,
    without short Latin ones. *retrieved* has the runs of the text, *lacking* the parts that it leaves out, adds or
    replaces.
    """
    retrieved = list(retrieved)
    telling: dict[str, None] = {}
    others: dict[str, None] = {}
    for start, end in evidence:
        if not any(first < end and last > start for first, last in retrieved):
            continue
        for _, (first, last), added in lacking:
            if last <= start or first >= end:
                continue
            piece = article[max(first, start) : min(last, end)]
            negations = _NEGATION.findall(piece)
            for word in _list_words(piece):
                if any(map(str.isdigit, word)) or word in negations:
                    telling.setdefault(word)
                elif len(word) >= _LEAST_LETTERS or not word.isascii():
                    others.setdefault(word)
            if start < first and last < end and not negations:
                telling.update(dict.fromkeys(f"+{word}" for word in _NEGATION.findall(added)))
    return [*telling, *list(others)[:_MOST_OTHERS]]


def _list_words(text: str) -> list[str]:
    return [text[slice(*span)] for span in split_words(text).spans]


# The kinds of a curve's points.
Axis = Literal["text", "rank"]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class RetrievedEvaluation:
    """The result of `evaluate_retrieved`, `compare_chunkers` or `evaluate_citations`, as its `kind` tells.

    Args:
        table: A row per system: name, questions, texts, placed (mean share of a text's words), measures, unplaced
            (texts without a place), elsewhere (texts in another document than they name), whole (texts taken as whole
            documents); of retrievers that were asked also seconds a question, median and 95th percentile. Of chunks:
            name, chunks, length (mean, in characters), and the measures.
        questions: A row per question and system: name, qid, query, texts, measures, lacking (the words of the evidence
            that texts which overlap it lack: all numbers and negations, with a plus those that they add, then others
            up to five), evidence (its text), found (the text that was retrieved first); of retrievers that were asked
            also seconds, whether these are a share of the time of a batch, and the error that was raised.
        located: A row per text: name, qid, rank (from 1), text, docno, start, end (of its first run), status, spans
            (docno and span of all its runs; of a text in several places the first in each), runs (how many), share (of
            its words, in its runs), gap (the text of the article between them), around (characters of the text that
            are in no run), elsewhere (whether it is in another document than it names), detail.
        runs: The run frames, by the systems' names.
        texts: The texts of the articles, and the retrieved texts that are in none of them.
        retrieved: The retrieved items as they came, by system and qid.
        fingerprints: Of the texts of documents with evidence.
        points: Of chunks: name, budget, recall, precision: means over questions after reading so much.
        chunks: The chunks that were compared, by the splitters' names; they are not saved.
        citations: Of answers: a row per citation, as `evaluate_citations` describes it.
    """

    kind: Literal["retrieved", "chunks", "citations"] = "retrieved"
    table: pd.DataFrame
    questions: pd.DataFrame
    qrels: pd.DataFrame
    runs: dict[str, pd.DataFrame]
    measures: Sequence[Measure]
    unit: CountedTexts[Any] | None
    located: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(_COLUMNS)))
    texts: Mapping[str, str] = field(default_factory=dict)
    retrieved: Retrieved = field(default_factory=dict)
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    points: pd.DataFrame | None = None
    chunks: Mapping[str, Any] = field(default_factory=dict)
    citations: pd.DataFrame | None = None
    confidence: float = 0.95
    seed: int = 0

    @property
    def topics(self) -> pd.DataFrame:
        """The questions that were scored, as a frame `qid, query`."""
        return self.questions[["qid", "query"]].drop_duplicates("qid")

    @property
    def calls(self) -> pd.DataFrame | None:
        """Of retrievers that were asked: name, qid, seconds, batch, error."""
        names = ["name", "qid", "seconds", "batch", "error"]
        return self.questions[names] if set(names) <= set(self.questions.columns) else None

    def read_again(self) -> Results:
        """Return what was retrieved, as it came."""
        query = dict(zip(self.questions["qid"], self.questions["query"], strict=True))
        return {
            name: {Question(qid, qid, query[qid]): items for qid, items in of_system.items()}
            for name, of_system in self.retrieved.items()
        }

    def share_placed(self, system: str) -> float:
        """Return the mean share of a system's words that were placed in the corpus; all of those cut from it."""
        if self.citations is not None:
            return float(self.citations.loc[self.citations["name"] == system, "share"].mean())
        if "placed" not in self.table.columns:
            return 1.0
        return float(self.table.loc[self.table["name"] == system, "placed"].iloc[0])

    def show_questions(self) -> pd.DataFrame:
        """Return the texts to show beside each question, if any: name, qid, evidence, found."""
        shown = ["name", "qid", *(name for name in ("evidence", "found") if name in self.questions.columns)]
        return self.questions[shown]

    def score(self, measure: Measure, systems: Sequence[str]) -> Scored:
        """Return the values of a measure, counted as in the result's table."""
        if str(measure) in self.questions.columns:
            return read_scored(self.questions, self.qrels, str(measure), systems)
        return score_runs(self.qrels, {name: self.runs[name] for name in systems}, count_measures([measure], self.unit))

    def micro(self, measures: MeasureNames) -> pd.DataFrame:
        """Compute micro averages of measures that are ratios, over the questions with evidence; see `micro_averages`.

        Example:
            >>> from pyterrier_focused import evaluate_retrieved
            >>> evidence = [{"question": "who?", "docno": "a", "quote": "Ada"}]
            >>> result = evaluate_retrieved(evidence, {"who?": ["It was Ada."]}, {"a": "It was Ada."})
            >>> result.micro("CharR").values.tolist()
            [['results', 1.0]]
        """
        return micro_averages(keep_answerable(self.qrels), self.runs, count_measures(parse(measures), self.unit))

    def per_query(self) -> pd.DataFrame:
        """Return the values as `pt.Experiment(perquery=True)` does, of the questions that count for each measure."""
        frames = []
        for scored in self._scores:
            counts = scored.counting[:, 0]
            qids = np.array(scored.qids, dtype=object)[counts]
            frame = pd.DataFrame({"name": np.repeat(scored.systems, len(qids)), "qid": np.tile(qids, len(self.runs))})
            frames.append(frame.assign(measure=scored.measures[0], value=scored.values[:, counts, 0].ravel()))
        return pd.concat(frames, ignore_index=True)

    @cached_property
    def intervals(self) -> pd.DataFrame:
        """A row for each system and measure: name, measure, mean, low, high."""
        return make_interval_table(self._scores, self.confidence, self.seed)

    def format_intervals(self, places: int = 3) -> pd.DataFrame:
        """Write the intervals for a reader: a row per system, a column `[low, high]` per measure."""
        cells = [
            f"[{low:.{places}f}, {high:.{places}f}]"
            for low, high in zip(self.intervals["low"], self.intervals["high"], strict=True)
        ]
        written = self.intervals.assign(interval=cells).pivot(index="name", columns="measure", values="interval")
        measures = self.intervals["measure"].unique()
        return written.loc[self.table["name"], measures].rename_axis(columns=None).reset_index()

    @cached_property
    def _scores(self) -> list[Scored]:
        return [self.score(measure, list(self.runs)) for measure in self.measures]

    def curve(
        self,
        at: Sequence[int] | None = None,
        measures: MeasureNames = "CharR",
        *,
        by: Axis = "text",
        confidence: float | None = None,
    ) -> pd.DataFrame:
        """Compute measures at several points of the ranking, with intervals as in `intervals`.

        Args:
            at: The points; without them up to 40 over all that was retrieved.
            by: Their kind: 'text', characters read, as in `CharR(chars=500)`, or tokens if the result counts these;
                'rank', as in `CharR@5`.
            confidence: The level of the intervals, in place of the result's.

        Returns:
            A row for each system and point: name, measure, at, mean, low, high.

        Example:
            >>> from pyterrier_focused import evaluate_retrieved
            >>> evidence = [{"question": "who?", "docno": "a", "quote": "Ada"}]
            >>> result = evaluate_retrieved(evidence, {"who?": ["It was Ada."]}, {"a": "It was Ada."})
            >>> result.curve([8, 9, 10])["mean"].round(2).tolist()
            [0.33, 0.67, 1.0]
        """
        check_choice("by", by, ("text", "rank"))
        asked = parse(measures)
        for measure in asked:
            if not {"cutoff", "chars", "tokens"}.isdisjoint(measure.params):
                raise ValueError(f"{measure} has its point already; give {measure.NAME}, and the points as at=")
        level = self.confidence if confidence is None else confidence
        if not 0 < level < 1:
            raise ValueError(f"confidence={confidence!r}: give a share between 0 and 1, such as 0.95")
        points = list(dict.fromkeys(self._list_points(by) if at is None else at))
        if not points:
            raise ValueError("a curve has one point or more: give at=, such as [100, 1000]")
        rows = []
        for measure in asked:
            scored = score_runs(self.qrels, self.runs, self._cut_measures(measure, by, points))
            bounds = scored.intervals(level, self.seed)
            rows += [
                (name, str(measure), at, scored.average(k, i), *bounds[k, i].tolist())
                for k, name in enumerate(scored.systems)
                for i, at in enumerate(points)
            ]
        return pd.DataFrame(rows, columns=["name", "measure", "at", "mean", "low", "high"])

    def plot(
        self, ax: Axes | None = None, budgets: Sequence[int] | None = None, *, confidence: float | None = None
    ) -> Axes:
        """Draw recall of the evidence against the text read, a line per system (extra [plots]).

        *budgets* are numbers of characters, or of the unit; without them up to all that was retrieved. *confidence*,
        say 0.95, adds a band around each line.
        """
        if confidence is not None and keep_answerable(self.qrels)["qid"].nunique() < 2:
            raise ValueError("a band of confidence is made over topics and needs at least 2")
        curve = self.curve(budgets, confidence=confidence)
        ax = new_axes(ax, f"{describe_unit(self.unit).capitalize()} read", "Recall of the evidence")
        ax.set_xscale("log")
        ax.set_ylim(0, 1.02)
        draw_lines(ax, curve if confidence else curve.drop(columns=["low", "high"]), "at", "mean")
        return label_lines(ax)

    def _list_points(self, by: Axis) -> list[int]:
        if by == "rank":
            bounds = [join(self.qrels, run, CharR).item_bounds for run in self.runs.values()]
            return spread_points(1, max(int(np.diff(of_run).max(initial=0)) for of_run in bounds))
        if self.points is not None:
            budgets: list[int] = self.points["budget"].unique().tolist()
            return budgets
        rankings = [join(keep_answerable(self.qrels), run, CharR) for run in self.runs.values()]
        readings = [Reading(by_alternative(ranking), self.unit) for ranking in rankings]
        return spread_points(50, max((int(reading.total.max(initial=0)) for reading in readings), default=0))

    def _cut_measures(self, measure: Measure, by: Axis, points: Sequence[int]) -> list[Measure]:
        """Return a measure at each point."""
        supported = measure.SUPPORTED_PARAMS
        name = "cutoff" if by == "rank" else "chars"
        if by == "text" and isinstance(self.unit, Tokens) and "tokens" in supported:
            name = "tokens"
        # The cutoff of iP is a level of recall.
        if name not in supported or supported[name].dtype is not int:
            raise ValueError(f"{measure} has no curve by {by}: it has no {'@k' if by == 'rank' else f'{name}='}")
        return count_measures([measure(**{name: point}) for point in points], self.unit)

    def check(self, requirement: str, system: str | None = None, worst: int = 5) -> list[GateCheck]:
        """Tell for each system whether a requirement holds; see `require`."""
        return check_requirement(self, requirement, system, worst)

    def require(self, requirement: str, system: str | None = None, worst: int = 5) -> None:
        """Raise a RequirementError if a value falls short: `result.require("SpanHit@5 >= 0.8")`.

        Args:
            requirement: A measure, one of >=, >, <=, <, and a number (80% is 0.8). With `low` or `high` after the
                measure, the end of its interval is compared. In place of a measure, a number of the table, such as
                `placed`, the share of texts' words that were found, `unplaced` or `seconds p95`.
            system: The system that it is asked of; without it, all of them.
            worst: How many questions the error names; its `questions` has all of the systems that fail.
        """
        raise_failures(self.check(requirement, system, worst))

    def compare(
        self,
        main: RetrievedEvaluation,
        measure: str,
        margin: float = 0.0,
        *,
        system: str | None = None,
        strict: bool = False,
        worst: int = 5,
    ) -> list[Comparison]:
        """Compare with an earlier result as `no_worse_than` does, and raise nothing."""
        units = [describe_unit(of.unit) for of in (self, main)]
        asked = parse_one_measure(measure, measure)
        if units[0] != units[1] and isinstance(asked, FocusedMeasure) and counts_unit(asked):
            raise ValueError(f"{asked} counts {units[0]} here and {units[1]} in main; compare results of one unit")
        return compare_results(self, main, measure, margin, system, strict, worst)

    def no_worse_than(
        self,
        main: RetrievedEvaluation,
        measure: str,
        margin: float = 0.0,
        *,
        system: str | None = None,
        strict: bool = False,
        worst: int = 5,
    ) -> list[Comparison]:
        """Raise a RequirementError if a system is worse than it was: a paired comparison over the questions.

        It fails if the whole 95% interval of the mean difference (`confidence_interval`) lies below -margin: the loss
        is more than allowed, and not chance. Otherwise it passes, which does not prove that nothing is lost.

        Args:
            main: The result to compare with, such as `load_result("main.zip")`. A system is compared with the one of
                its name, or with the only one there is.
            margin: How much worse a mean may be.
            strict: Demand evidence: it passes only if the whole interval lies at or above -margin. In between it cannot
                tell, which raises, too, and says about how many questions would decide.

        Raises:
            RequirementError: A system fails, or it cannot be told; the message says which.
        """
        checks = self.compare(main, measure, margin, system=system, strict=strict, worst=worst)
        raise_failures(checks)
        return checks

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the result in one file, from which `load_result` reads it: a zip archive of JSON.

        It keeps the retrieved texts as they came: `evaluate_retrieved(evidence, load_result(path), corpus)` scores them
        again without calling the retriever.

        Measures that count tokens are saved by their values for each question; their tokenizer is not.
        """
        frames = {name: frame for name in _SAVED if (frame := getattr(self, name)) is not None}
        about = {
            "kind": self.kind,
            "measures": [str(measure) for measure in self.measures],
            "confidence": self.confidence,
            "seed": self.seed,
            "unit": None if self.unit is None else self.unit.name,
            "starts": self.unit.starts if isinstance(self.unit, TextUnits) else None,
            "fingerprints": self.fingerprints,
        }
        write_result(ResultFile(about, frames, self.runs, self.texts, self.retrieved), path)

    def __repr__(self) -> str:
        return self._format(lambda frame: str(frame.to_string(index=False, float_format="{:.3f}".format)), "\n")

    def _repr_html_(self) -> str:
        return self._format(lambda frame: str(frame.to_html(index=False, float_format="{:.3f}".format)), "<br>")

    def _format(self, write: Callable[[pd.DataFrame], str], line_end: str) -> str:
        table = self.table.copy()
        if "placed" in table.columns:
            table["placed"] = table["placed"].map("{:.1%}".format)
        if not self.measures:
            return write(table)
        lines = [write(table), *describe_counting(self.measures)]
        if set(table.columns) >= {"name", *map(str, self.measures)}:
            lines += ["", f"{self.confidence:.0%} intervals:", write(self.format_intervals())]
        notes = [self.table.attrs["note"]] if "note" in self.table.attrs else []
        return line_end.join([*lines, *self._describe_leads(), *notes])

    def _describe_leads(self) -> list[str]:
        """Say for each measure which of two systems is better, and how sure that is; nothing if there are not two."""
        leads = []
        for measure, scored in zip(self.measures, self._scores, strict=True):
            values = scored.values[:, scored.counting[:, 0], 0]
            if len(values) == 2 and values.shape[1] > 1:
                lead = compare_two((scored.systems[0], scored.systems[1]), values, is_share(measure))
                leads.append(f"- {scored.measures[0]}: {lead.describe()}")
        return ["", "Which is better? (randomisation, two-sided)", *leads] if leads else []


def load_result(path: str | os.PathLike[str]) -> RetrievedEvaluation:
    """Read a result that its `save` wrote.

    Measures with a tokenizer of their own come back as text, with their values; of a comparison of chunkers, the chunks
    do not come back.

    Raises:
        FormatError: The file is not a saved result, or was written by another version.

    Example:
        >>> from pyterrier_focused import evaluate_retrieved
        >>> evidence = [{"question": "What do cats eat?", "docno": "a", "quote": "fish"}]
        >>> result = evaluate_retrieved(evidence, {"What do cats eat?": ["Cats eat fish."]}, {"a": "Cats eat fish."})
        >>> result.save("result.zip")
        >>> load_result("result.zip").table.equals(result.table)
        True
    """
    content = read_result(path)
    try:
        return _restore_result(content)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise FormatError(f"this saved result lacks a part ({error!r}); save it again", file=os.fspath(path)) from None


def _restore_result(content: ResultFile) -> RetrievedEvaluation:
    about = content.about
    named = [name if "unit=" in name else parse(name)[0] for name in about["measures"]]
    unit: CountedTexts[Any] | None = None
    if about["starts"] is not None:
        unit = TextUnits(content.texts, about["unit"], about["starts"])
    elif about["unit"] is not None:
        unit = Tokens(content.texts, _LostTokenizer(about["unit"]), about["unit"])
    located = content.frames["located"]
    spans = [[Place(docno, (start, end)) for docno, (start, end) in cell] for cell in located["spans"]]
    located["spans"] = pd.Series(spans, dtype=object, index=located.index)
    frames: dict[str, Any] = content.frames
    return RetrievedEvaluation(
        **frames, kind=about["kind"], runs=content.runs, measures=count_measures(named, unit), unit=unit,
        texts=content.texts, retrieved=content.retrieved, confidence=float(about["confidence"]),
        seed=int(about["seed"]), fingerprints=about["fingerprints"],
    )  # fmt: skip


@dataclass(frozen=True)
class _LostTokenizer:
    """What stands for a tokenizer, which is not saved."""

    name: str

    def __call__(self, text: str) -> Iterable[object]:
        raise ValueError(
            f"the result was saved without its tokenizer {self.name!r}, so that only the measures of its table are "
            "known; score again to have others"
        )


def take_fingerprints(qrels: pd.DataFrame, texts: Mapping[str, str]) -> dict[str, str]:
    """Return a fingerprint of the text of each document that evidence is in."""
    docnos = dict.fromkeys(qrels["docno"][qrels["label"] > 0])
    return {docno: hashlib.sha256(texts[docno].encode("utf-8", "surrogatepass")).hexdigest()[:32] for docno in docnos}


@takes_corpus
def evaluate_retrieved(
    evidence: EvidenceInput,
    results: ResultsInput | RetrieverInput | RetrievedEvaluation,
    corpus: Corpus,
    measures: MeasureNames | None = None,
    unit: UnitInput | None = None,
    *,
    repeated: Repeated = "report",
    errors: OnFault | None = None,
    fuzzy: float | None = None,
    columns: Mapping[str, str] | None = None,
    result_columns: Mapping[str, str] | None = None,
    pages_from: PageBase | None = None,
    confidence: float = 0.95,
    seed: int = 0,
    workers: int = 1,
    whole: Literal["evidence", "results"] | bool = False,
    dashed_ids: bool = False,
    verbose: bool = True,
) -> RetrievedEvaluation:
    """Score what one or several systems retrieved for questions, by the evidence that it holds.

    Offsets are used if the text is there. Otherwise a text is located in its document, or in the whole corpus. A text
    that was rewritten is placed by the runs of words that it shares with documents; the rest of it counts as read,
    never as evidence, as does a text that occurs nowhere, or in several places. `located` has the place of each text.

    Means are over questions: `Abstain` over those without evidence, other measures over those with.

    Args:
        evidence: Anything that `read_spans` reads, such as rows with a question and a quote, or a qrels frame.
        results: A retriever, which is asked every question, or {name: retriever}: a function from a question to what is
            retrieved, a PyTerrier transformer, a retriever of LangChain or LlamaIndex, a component of Haystack whose
            `run` takes a query, or an object with `search`; coroutines are awaited. Or what was retrieved: {question or
            qid: [what was retrieved, best first]}, or {system: {question: [...]}}, or a file, a list of files, or rows
            as a DataFrame, another table or dicts (see `pt-focused retrieved`). Or a result, whose answers are scored
            again. **The order given is the ranking**, unless all items of a question have a `rank`. Each thing
            retrieved is a text; a dict with a text (`text`, `content`, `page_content`) and, if known, its document
            (`docno`, `source`, `doc_id`) and `start`, `end`; a document or node of LangChain, LlamaIndex or Haystack;
            a hit of a vector store; a passage id; the docno of a whole document; or (docno, start, end). A list may be
            replaced by the response of a store, such as Qdrant's, Chroma's or Elasticsearch's, or of a chain.
        measures: As for `parse`; by default SpanHit@5, CharR@5, CharP@5 and SpanRR. Text that was retrieved twice
            counts once in measures whose default is overlap='error'.
        unit: The unit of CharP, CharR, CharF, CharIoU, iP, AiP and CharAP, unless they name their own: 'lines',
            'pages', 'documents', or a tokenizer, as for `Tokens`; by default characters. A line, page or document
            counts once, if some of its text was retrieved; with nothing retrieved the precision is 0.
        repeated: How to treat evidence and texts that are in several places. 'first' takes the first place; 'all' lets
            all places of evidence count, and 'any' one of them; a text then counts at the place with most evidence.
        errors: 'raise' an EvidenceError for evidence and texts that cannot be placed, and the errors of a retriever, or
            'skip' such evidence with a warning; None refuses such evidence only. If a retriever raises an error, the
            question counts as nothing retrieved, with a warning; an error for every question is raised.
        fuzzy: As in `read_spans`, for evidence and texts; `columns` is for the evidence.
        result_columns: The results' names for our fields (system, qid, query, retrieved, text, docno, start, end, rank,
            score), if they have others: `{"text": "body", "docno": "page_of"}`.
        pages_from: As in `read_spans`, for the evidence and the results.
        whole: Which rows without text or place are whole documents, whatever their other fields are: those of
            'evidence', of 'results', or both (True).
        dashed_ids: As in `read_spans`, for the evidence and the results.
        workers: How many questions a retriever is asked at a time, in threads.

    Raises:
        ValueError: No question of the results has evidence, or the results cannot be read.

    Example:
        >>> corpus = {"a": "Cats sleep all day. Cats eat fish at noon."}
        >>> evidence = [{"question": "What do cats eat?", "docno": "a", "quote": "eat fish"}]
        >>> result = evaluate_retrieved(evidence, {"What do cats eat?": ["Cats eat fish at noon."]}, corpus)
        >>> float(result.table["SpanHit@5"].iloc[0])
        1.0
    """
    check_options(repeated, errors, confidence, whole)
    texts = Texts(name_articles(corpus), None)
    articles = list(texts.articles.values())
    options = {"repeated": repeated, "fuzzy": fuzzy, "columns": columns, "pages_from": pages_from}
    options |= {"whole": whole in (True, "evidence"), "dashed_ids": dashed_ids}
    qrels = read_evidence(evidence, articles, errors=errors or "raise", **options)
    qrels = check_articles(qrels, texts.articles)
    if not len(qrels):
        raise ValueError("the evidence holds no question: there is nothing to score")
    calls = None
    if isinstance(results, RetrievedEvaluation):
        found = results.read_again()
        calls = results.calls
    elif _are_retrievers(results):
        asked_retrievers = AskedRetrievers(
            results, qrels, result_columns, workers=workers, stop=errors == "raise", verbose=verbose
        )
        found = asked_retrievers.results
        calls = asked_retrievers.calls
    else:
        found = read_retrieved(cast(ResultsInput, results), result_columns)
    retrieved = match_questions(found, qrels)
    if whole in (True, "results"):
        retrieved = {
            name: {qid: [item.take_whole() for item in items] for qid, items in of_system.items()}
            for name, of_system in retrieved.items()
        }
    if dashed_ids:
        retrieved = {
            name: {qid: [item.open_dashed() for item in items] for qid, items in of_system.items()}
            for name, of_system in retrieved.items()
        }
    items = [item for of_system in retrieved.values() for items in of_system.values() for item in items]
    located = locate_items(retrieved, place_retrieved(items, texts, verbose, fuzzy, pages_from), texts, qrels, repeated)
    warn_of_unplaced(located, errors)
    chosen = _choose_measures(measures, qrels)
    scored, fields = score_located(located, retrieved, texts, qrels, chosen, unit, calls)
    return RetrievedEvaluation(
        table=make_system_table(scored, located, calls), confidence=confidence, seed=seed, **fields
    )


def score_located(
    located: pd.DataFrame,
    retrieved: Retrieved,
    texts: Texts,
    qrels: pd.DataFrame,
    measures: Sequence[Measure],
    unit: UnitInput | None,
    calls: pd.DataFrame | None = None,
) -> tuple[Scored, dict[str, Any]]:
    """Score texts that were located. Returns the values, and the fields of a result but its table."""
    articles = list(texts.articles.values())
    unplaced = located[located["start"] < 0]
    read = {article.docno: article.text for article in articles}
    read |= dict(zip(unplaced["docno"], unplaced["text"], strict=True))
    counted = make_unit(unit, read, articles)
    asked = count_measures((_extend_unit(measure, read) for measure in measures), counted)
    runs = make_runs(located, retrieved)
    with warnings.catch_warnings():
        # An article that nobody judged is a wrong one here, and no other name: texts have been found in the corpus.
        warnings.simplefilter("ignore", ForeignIdsWarning)
        scored = score_runs(qrels, runs, asked)
    lacking = find_differences(located, qrels, texts)
    return scored, {
        "questions": make_question_table(scored, qrels, located, lacking, show_evidence(qrels, read), calls),
        "located": hide_unplaced_docnos(located), "qrels": qrels, "runs": runs, "measures": asked, "unit": counted,
        "texts": read, "retrieved": retrieved, "fingerprints": take_fingerprints(qrels, read),
    }  # fmt: skip


def _are_retrievers(results: ResultsInput | RetrieverInput) -> TypeGuard[RetrieverInput]:
    if not isinstance(results, Mapping):
        return is_retriever(results)
    return bool(results) and all(map(is_retriever, results.values()))


def check_options(repeated: Repeated, errors: OnFault | None, confidence: float, whole: bool | str) -> None:
    check_choice("repeated", repeated, ("report", "first", "all", "any"))
    check_choice("errors", errors, (None, "raise", "skip"))
    check_choice("whole", whole, (False, True, "evidence", "results"))
    if not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence!r}: give a share between 0 and 1, such as 0.95")


def name_articles(corpus: Corpus) -> Corpus:
    """Return the corpus; texts by name become articles, since names of files hold white space and docnos do not."""
    if not isinstance(corpus, Mapping):
        return corpus
    return [make_article(as_docno(str(name)), text, (str(name),)) for name, text in corpus.items()]


def _choose_measures(measures: MeasureNames | None, qrels: pd.DataFrame) -> list[Measure]:
    """Return the measures that were asked for, or the default ones, with Abstain if a question has no evidence."""
    if measures is not None:
        chosen = parse(measures)
        require_measures(chosen)
        return chosen
    some_unanswerable = keep_answerable(qrels)["qid"].nunique() < qrels["qid"].nunique()
    return parse(f"{DEFAULT} Abstain" if some_unanswerable else DEFAULT)


def _extend_unit(measure: Measure, texts: Mapping[str, str]) -> Measure:
    """Let a measure with a unit of its own know the texts that were not placed."""
    unit = getattr(measure, "params", {}).get("unit")
    return measure if unit is None else measure(unit=unit.of(texts))
