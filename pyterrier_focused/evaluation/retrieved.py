"""Score what any RAG stack retrieved: lists of texts, documents or ids, by the evidence that they hold."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import ir_measures
import numpy as np
import pandas as pd

from ..errors import EvidenceError, RequirementError, check_choice
from ..frames.columns import flatten
from ..frames.packing import pack
from ..frames.spans import Floats
from ..io.evidence.read import read_spans
from ..io.texts.corpus import CorpusArticle, Texts, as_docno
from ..io.texts.find_texts import Place
from ..io.texts.place_retrieved import PLACED, PlacedItem, place_retrieved
from ..io.texts.retrieved import Item, Results, read_retrieved
from .chunkers import answerable, check_articles, default_measures, drawn_curve, recall_curve
from .evaluation import evaluate
from .provider import parse
from .tokens import Tokens

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_RESAMPLES = 2000
_REQUIREMENT = re.compile(
    r"\s*(?P<measure>.+?)\s*(?P<sign>>=|<=|>|<)\s*(?P<value>[0-9]*\.?[0-9]+)\s*(?P<percent>%?)\s*"
)
_HOLDS: dict[str, Callable[[float, float], bool]] = {
    ">=": lambda value, bound: value >= bound,
    "<=": lambda value, bound: value <= bound,
    ">": lambda value, bound: value > bound,
    "<": lambda value, bound: value < bound,
}


@dataclass(frozen=True, eq=False)
class RetrievedEvaluation:
    """What `evaluate_retrieved` returns: the table, its questions, and what became of each retrieved text."""

    table: pd.DataFrame  # a row per system: name, questions, texts, placed (share of the texts), measures, low and high
    questions: pd.DataFrame  # a row per question and system: name, qid, query, texts, measures
    located: pd.DataFrame  # a row per text: name, qid, rank (from 1), text, docno, start, end, status, places, detail
    qrels: pd.DataFrame
    runs: dict[str, pd.DataFrame]  # run frames, by the systems' names
    texts: Mapping[str, str]  # of the articles, and of the retrieved texts that are in none of them
    measures: list[Any]
    unit: Tokens | None

    def plot(self, ax: Axes | None = None, budgets: Sequence[int] | None = None) -> Axes:
        """Draw recall of the evidence against the text read, a line per system (extra [plots])."""
        return drawn_curve(recall_curve(answerable(self.qrels), self.runs, budgets, self.unit), self.unit, ax)

    def write_report(self, path: str | os.PathLike[str], title: str = "Retrieved texts", **options: Any) -> None:
        """Write the report page, with the articles' texts: a file for any browser; *options* as in `write_report`."""
        from ..report.report import write_report

        lost = int((~self.located["status"].isin([*PLACED, "first", "all"])).sum())
        told = (
            f"{title} ({lost} of {len(self.located)} count as read and not as evidence: not placed)" if lost else title
        )
        topics = self.questions[["qid", "query"]].drop_duplicates("qid")
        given = {"measures": self.measures, "overlap": "once", "topics": topics, "title": told, **options}
        write_report(path, self.qrels, self.runs, collection=_Shelf(self.texts), **given)

    def require(self, requirement: str, system: str | None = None, worst: int = 5) -> None:
        """Raise a RequirementError where a mean falls short: `result.require("SpanHit@5 >= 0.8")`.

        *requirement*: a measure, one of >=, >, <=, <, and a number (80% is 0.8). *system*: the system it is asked of;
        all of them without. The error names the *worst* questions and holds them all as `questions`.
        """
        found = _REQUIREMENT.fullmatch(requirement)
        if found is None:
            raise ValueError(
                f"{requirement!r} is not a requirement; write a measure and a bound, such as 'SpanHit@5 >= 0.8'"
            )
        measures = parse(found["measure"])
        if len(measures) != 1:
            raise ValueError(f"{requirement!r} names {len(measures)} measures; give one requirement for each")
        if system is not None and system not in self.runs:
            raise ValueError(f"no system is called {system!r}; there are {', '.join(map(repr, self.runs))}")
        bound = float(found["value"]) / (100 if found["percent"] else 1)
        runs = self.runs if system is None else {system: self.runs[system]}
        scored = _scored(self.qrels, runs, measures)
        failed = []
        for k, name in enumerate(runs):
            values, counts = scored.values[k, :, 0], scored.counting[:, 0]
            if not _HOLDS[found["sign"]](_mean(values, counts), bound):
                failed.append(_failure(requirement, name, values, counts, scored.qids, self, found["sign"], worst))
        if failed:
            questions = pd.concat([frame for _, frame in failed], ignore_index=True)
            raise RequirementError("\n".join(message for message, _ in failed), questions)

    def __repr__(self) -> str:
        return _shown(self).to_string(index=False)

    def _repr_html_(self) -> str:
        html: str = _shown(self).to_html(index=False)
        return html


def evaluate_retrieved(
    evidence: Any,
    results: Any,
    corpus: Any,
    measures: str | Iterable[Any] | None = None,
    unit: Callable[[str], Iterable[Any]] | Tokens | None = None,
    *,
    repeated: str = "report",
    errors: str | None = None,
    fuzzy: float | None = None,
    columns: Mapping[str, str] | None = None,
    confidence: float = 0.95,
    seed: int = 0,
    verbose: bool = True,
) -> RetrievedEvaluation:
    """Score what one or several systems retrieved for questions, by the evidence that it holds.

    *evidence*: anything that `read_spans` reads, such as rows with a question and a quote, or a qrels frame. *corpus*:
    the documents, in any form that `read_corpus` or `Chunks.from_splitter` takes.

    *results*: {question or qid: [what was retrieved, best first]}, or {system: {question: [...]}}, or a file or
    DataFrame of rows (see `pt-focused retrieved`). **The order given is the ranking.** Each thing retrieved is a text;
    a dict with a text (`text`, `content`, `page_content`) and, if known, its document (`docno`, `source`, `doc_id`)
    and `start`, `end`; a document or node of LangChain, LlamaIndex or Haystack; a passage id; or (docno, start, end).

    Offsets are used where the text stands there. Else a text is located in its document, or where it names none that
    is known in the whole corpus. A text that stands nowhere, or in several places, is not guessed: it counts as read
    and not as evidence, in a warning and in `located`. *repeated*: 'first' takes the first place of such evidence and
    texts; 'all' lets all places of evidence count, and 'any' one of them; a text then counts where it holds most
    evidence.
    *errors*: 'raise' an EvidenceError for evidence and texts that cannot be placed, or 'skip' such evidence with a
    warning; None refuses such evidence alone. *fuzzy*, *columns*: as in `read_spans`, for the evidence.

    *measures*: as for `parse`; without them those of `compare_chunkers`: was evidence found in the first 5, how much of
    it, with how much else. *unit*: a tokenizer, to count in tokens, as in `compare_chunkers`. Means are over questions:
    `Abstain` over those without evidence, other measures over those with. *confidence*: of the intervals, columns
    `... low` and `... high`, by percentile bootstrap over 2,000 resamples of the questions. *verbose*: show a bar
    where it takes more than a second.

    Raises ValueError where no question of the results has evidence, or the results cannot be read.
    """
    _check_options(repeated, errors, confidence)
    texts = Texts(_corpus(corpus), None)
    read = list(texts.articles.values())
    if not (isinstance(evidence, pd.DataFrame) and "highlights" in evidence.columns):
        evidence = read_spans(evidence, read, repeated=repeated, errors=errors or "raise", fuzzy=fuzzy, columns=columns)
    qrels = check_articles(evidence, texts.articles)
    if not len(qrels):
        raise ValueError("the evidence holds no question: there is nothing to score")
    rows = _rows(read_retrieved(results), qrels)
    placed = place_retrieved([row.item or Item() for row in rows], texts, verbose)
    located = _located(rows, placed, texts, qrels, repeated)
    _tell_lost(located, errors)
    lost = located[located["start"] < 0]
    known = {article.docno: article.text for article in read} | dict(zip(lost["docno"], lost["text"], strict=True))
    if unit is not None:
        unit = unit.of(known) if isinstance(unit, Tokens) else Tokens(known, unit)
    if measures is None:
        some_unanswerable = answerable(qrels)["qid"].nunique() < qrels["qid"].nunique()
        measures = [*default_measures(unit), *(parse("Abstain") if some_unanswerable else ())]
    asked = [_counting(measure, known) for measure in parse(measures)]
    runs = _runs(located)
    scored = _scored(qrels, runs, asked)
    table, questions = _table(scored, located, runs, confidence, seed), _questions(scored, qrels, located, runs)
    return RetrievedEvaluation(table, questions, _told(located), qrels, runs, known, asked, unit)


def _check_options(repeated: Any, errors: Any, confidence: float) -> None:
    """Refuse options that are none, each with a sentence."""
    check_choice("repeated", repeated, ("report", "first", "all", "any"))
    check_choice("errors", errors, (None, "raise", "skip"))
    if not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence!r}: give a share between 0 and 1, such as 0.95")


def _corpus(corpus: Any) -> Any:
    """The corpus; texts by name become articles, since names of files hold white space and docnos do not."""
    if not isinstance(corpus, Mapping):
        return corpus
    return [CorpusArticle(as_docno(str(name)), text, (str(name),)) for name, text in corpus.items()]


class _Row(NamedTuple):
    system: str
    qid: str
    rank: int
    item: Item | None  # None: nothing was retrieved


def _rows(results: Results, qrels: pd.DataFrame) -> list[_Row]:
    """Name the questions of the results by their qids; a row for each thing retrieved."""
    qids = {str(qid): str(qid) for qid in qrels["qid"]}
    of_text: dict[str, set[str]] = {}
    for qid, query in zip(qrels["qid"], qrels.get("query", [None] * len(qrels)), strict=True):
        if isinstance(query, str):
            of_text.setdefault(" ".join(query.split()), set()).add(str(qid))
    rows: list[_Row] = []
    unknown: list[str] = []
    for system, of_system in results.items():
        known: dict[str, str] = {}
        for question, items in of_system.items():
            named = of_text.get(" ".join(question.split()), set())
            asked = [question] if question in qids else sorted(named)  # equal questions have equal results
            if not asked:
                unknown.append(question)
            for qid in asked:
                if qid in known:
                    raise ValueError(
                        f"system {system!r}: question {qid!r} is there twice, as {known[qid]!r} and {question!r}"
                    )
                known[qid] = question
                ranked = [_Row(system, qid, rank, item) for rank, item in enumerate(items, 1)]
                rows += ranked or [_Row(system, qid, 0, None)]
        if not known:
            raise ValueError(
                f"system {system!r}: none of its {len(of_system)} questions has evidence; the results have "
                f"{next(iter(of_system), '')!r:.80}, the evidence {_first_question(qrels)!r:.80}"
            )
        missing = [qid for qid in qids if qid not in known]
        if missing:
            _warn(
                f"system {system!r} has no results for {len(missing)} questions, which score as empty: {_some(missing)}"
            )
    if unknown:
        _warn(f"{len(unknown)} questions of the results have no evidence and are not scored: {_some(unknown)}")
    return rows


def _first_question(qrels: pd.DataFrame) -> str:
    return str(qrels["query"].iloc[0] if "query" in qrels.columns else qrels["qid"].iloc[0])


def _located(
    rows: list[_Row], placed: list[PlacedItem], texts: Texts, qrels: pd.DataFrame, repeated: str
) -> pd.DataFrame:
    """Say where each item lies: a row for each, and for each question for which nothing was retrieved (rank 0)."""
    evidence = _Evidence(qrels) if repeated in ("all", "any") else None
    records = []
    lost: dict[str, str] = {}  # text: the name of its own that it goes by
    prefix = "unplaced"
    while any(docno.startswith(prefix) for docno in texts.articles):
        prefix += "-"
    for row, (status, places, detail, length) in zip(rows, placed, strict=True):
        item = row.item or Item()
        chosen = places[0] if status in PLACED else None
        if status == "repeated" and repeated != "report":
            status, chosen = repeated, places[0] if evidence is None else evidence.best(row.qid, places)
        docno, (start, end) = chosen if chosen is not None else ("", (-1, -1))
        if chosen is None and row.item is not None:
            docno = lost.setdefault(item.text or str(item), f"{prefix}-{len(lost) + 1}")
        text = (
            texts.articles[docno].text[start:end]
            if chosen is not None and (item.text is None or (status == "id" and item.text in item.ids))
            else item.text
        )
        if length is None:
            length = (item.end or 0) - (item.start or 0) if text is None else len(text)
        records.append((row.system, row.qid, row.rank, text or "", docno, start, end, status, places, detail, length))
    names = ["name", "qid", "rank", "text", "docno", "start", "end", "status", "places", "detail", "length"]
    columns = zip(*records, strict=True) if records else [()] * len(names)
    kinds = {"rank": np.int64, "start": np.int64, "end": np.int64, "length": np.int64}
    return pd.DataFrame(
        {n: pd.Series(list(c), dtype=kinds.get(n, object)) for n, c in zip(names, columns, strict=True)}
    )


class _Evidence:
    """The evidence of each question, by article."""

    def __init__(self, qrels: pd.DataFrame):
        spans = flatten(qrels["highlights"], "highlights", qrels)
        qid, docno = (qrels[name].astype(str).to_numpy() for name in ("qid", "docno"))
        self.spans: dict[tuple[str, str], list[tuple[int, int]]] = {}
        for row, start, end in zip(spans.row.tolist(), spans.start.tolist(), spans.end.tolist(), strict=True):
            self.spans.setdefault((qid[row], docno[row]), []).append((start, end))

    def best(self, qid: str, places: list[Place]) -> Place:
        """Return the place with most of the question's evidence, the first of several."""

        def shared(place: Place) -> int:
            first, last = place.span
            spans = self.spans.get((qid, place.docno), ())
            return sum(max(0, min(end, last) - max(start, first)) for start, end in spans)

        return max(places, key=shared)


def _tell_lost(located: pd.DataFrame, errors: str | None) -> None:
    """Say which texts could not be placed."""
    bad = located[(located["start"] < 0) & (located["rank"] > 0)]
    if not len(bad):
        return
    counts = ", ".join(f"{count} {status}" for status, count in bad["status"].value_counts().items())
    first = bad.iloc[0]
    total = int((located["rank"] > 0).sum())
    message = (
        f"{len(bad)} of {total} retrieved texts cannot be placed and count as read, not as evidence ({counts}), first "
        f"{first['name']!r}, question {first['qid']!r}, rank {first['rank']}: {first['status']}, {first['text']!r:.80}"
    )
    if errors == "raise":
        problems: list[dict[str, Any]] = bad.to_dict("records")  # type: ignore[assignment]
        raise EvidenceError(message, file="the results", problems=problems)
    _warn(f"{message}; result.located lists them")


def _runs(located: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Make a run frame of each system: what was retrieved first has the highest score."""
    runs = {}
    for name, rows in located.groupby("name", sort=False):
        rows = rows[rows["rank"] > 0]
        start, end = rows["start"].clip(lower=0), rows["end"].where(rows["start"] >= 0, rows["length"])
        ids = [f"{docno}#{s}-{e}" for docno, s, e in zip(rows["docno"], start, end, strict=True)]
        score = (int(located["rank"].max()) + 1 - rows["rank"]).astype(float)
        runs[str(name)] = pack(pd.DataFrame({"qid": rows["qid"].to_numpy(), "docno": ids, "score": score.to_numpy()}))
    return runs


def _counting(measure: Any, texts: Mapping[str, str]) -> Any:
    """Let a measure that counts tokens know the texts that were not placed."""
    unit = getattr(measure, "params", {}).get("unit")
    return measure(unit=unit.of(texts)) if isinstance(unit, Tokens) else measure


class _Scored(NamedTuple):
    """Values by system, question and measure, and which questions count for a measure's mean."""

    qids: list[str]
    measures: list[str]
    values: Floats
    counting: np.ndarray


def _scored(qrels: pd.DataFrame, runs: Mapping[str, pd.DataFrame], measures: Sequence[Any]) -> _Scored:
    results = evaluate(qrels, runs, measures)
    judged = qrels.assign(qid=qrels["qid"].astype(str)).groupby("qid", sort=False)["label"].max()
    has_evidence = judged.reindex(results.qids).to_numpy() > 0
    counting = np.stack([~has_evidence if _is_abstain(m) else has_evidence for m in measures], axis=1)
    return _Scored(results.qids, list(map(str, measures)), results.values, counting)


def _is_abstain(measure: ir_measures.Measure) -> bool:
    return bool(measure.NAME == "Abstain")


def _mean(values: Floats, counting: np.ndarray) -> float:
    return float(values[counting].mean()) if counting.any() else float("nan")


def _questions(
    scored: _Scored, qrels: pd.DataFrame, located: pd.DataFrame, runs: Mapping[str, pd.DataFrame]
) -> pd.DataFrame:
    query = dict(zip(qrels["qid"].astype(str), qrels.get("query", qrels["qid"]), strict=True))
    count = located[located["rank"] > 0].groupby(["name", "qid"]).size().to_dict()
    frames = []
    for k, name in enumerate(runs):
        frame = pd.DataFrame({"name": name, "qid": scored.qids, "query": [query[qid] for qid in scored.qids]})
        frame["texts"] = [int(count.get((name, qid), 0)) for qid in scored.qids]
        frames.append(frame.join(pd.DataFrame(scored.values[k], columns=scored.measures)))
    return pd.concat(frames, ignore_index=True)


def _table(
    scored: _Scored, located: pd.DataFrame, runs: Mapping[str, pd.DataFrame], confidence: float, seed: int
) -> pd.DataFrame:
    """The means, and their intervals: percentiles of the means of resampled questions, the same for all systems."""
    n = len(scored.qids)
    weights = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=_RESAMPLES).astype(float)
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    rows = []
    for k, name in enumerate(runs):
        of_system = located[(located["name"] == name) & (located["rank"] > 0)]
        placed = float((of_system["start"] >= 0).mean()) if len(of_system) else 1.0
        row: dict[str, Any] = {"name": name, "questions": n, "texts": len(of_system), "placed": placed}
        bounds: dict[str, float] = {}
        for i, measure in enumerate(scored.measures):
            values, counts = scored.values[k, :, i], scored.counting[:, i]
            row[measure] = _mean(values, counts)
            drawn = weights[:, counts].sum(axis=1)
            means = (weights[:, counts] @ values[counts])[drawn > 0] / drawn[drawn > 0]
            low, high = np.quantile(means, tails) if len(means) else (np.nan, np.nan)
            bounds[f"{measure} low"], bounds[f"{measure} high"] = float(low), float(high)
        rows.append({**row, **bounds})
    return pd.DataFrame(rows)


def _told(located: pd.DataFrame) -> pd.DataFrame:
    """What became of each text, for people: those that were not placed have no article."""
    told = located[located["rank"] > 0].drop(columns="length").reset_index(drop=True)
    return told.assign(docno=told["docno"].where(told["start"] >= 0, ""))


def _shown(result: RetrievedEvaluation) -> pd.DataFrame:
    """The table with intervals beside the means."""
    table = result.table
    shown = table[["name", "questions", "texts"]].assign(placed=table["placed"].map("{:.1%}".format))
    for measure in map(str, result.measures):
        columns = (table[measure], table[f"{measure} low"], table[f"{measure} high"])
        shown[measure] = [f"{mean:.3f} [{low:.3f}, {high:.3f}]" for mean, low, high in zip(*columns, strict=True)]
    return shown


def _failure(
    requirement: str, name: str, values: Floats, counting: np.ndarray, qids: list[str], result: RetrievedEvaluation,
    sign: str, worst: int,
) -> tuple[str, pd.DataFrame]:  # fmt: skip
    """Say how far a system is from a requirement, and on which questions."""
    query = dict(zip(result.questions["qid"], result.questions["query"], strict=True))
    frame = pd.DataFrame({"name": name, "qid": qids, "query": [query[qid] for qid in qids], "value": values})[counting]
    frame = frame.sort_values("value", ascending=sign.startswith(">"), kind="stable")
    lines = [f"  {row.qid}: {row.value:.3f}  {row.query}" for row in frame.head(worst).itertuples()]
    mean = _mean(values, counting)
    message = f"system {name!r} fails {requirement!r}: it is {mean:.4f} over {len(frame)} questions; worst:"
    return "\n".join([message, *lines]), frame


class _Shelf:
    """Texts as the report reads a collection."""

    def __init__(self, texts: Mapping[str, str]):
        self.texts = texts

    def __contains__(self, docno: str) -> bool:
        return docno in self.texts

    def articles(self, docnos: Iterable[str]) -> Iterable[dict[str, str]]:
        return ({"docno": docno, "title": docno, "text": self.texts[docno]} for docno in docnos)

    def elements(self, docno: str) -> pd.DataFrame:
        return pd.DataFrame({name: [] for name in ("path", "tag", "title", "start", "end")})


def _some(names: Sequence[str]) -> str:
    return ", ".join(f"{name!r:.60}" for name in names[:3]) + (" ..." if len(names) > 3 else "")


def _warn(message: str) -> None:
    warnings.warn(message, stacklevel=4)
