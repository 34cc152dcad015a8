"""Score what any RAG stack retrieved: lists of texts, documents or ids, by the evidence that they hold."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ...errors import EvidenceError, check_choice, takes_corpus
from ...frames.columns import flatten
from ...frames.packing import pack
from ...io.evidence.read import OnFault, Repeated, read_spans
from ...io.texts.corpus import CorpusArticle, Texts, as_docno
from ...io.texts.find_texts import Place
from ...io.texts.place_retrieved import PLACED, PlacedItem, place_retrieved
from ...io.texts.retrieved import Item, Results, read_retrieved
from ..measure_strings import parse
from ..tokens import Tokens
from .evidence_values import check_articles, default_measures, keep_answerable
from .result import RetrievedEvaluation
from .scores import question_table, score_runs, system_table


@takes_corpus
def evaluate_retrieved(
    evidence: Any,
    results: Any,
    corpus: Any,
    measures: str | Iterable[Any] | None = None,
    unit: Callable[[str], Iterable[Any]] | Tokens | None = None,
    *,
    repeated: Repeated = "report",
    errors: OnFault | None = None,
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
    texts = Texts(_name_articles(corpus), None)
    read = list(texts.articles.values())
    if not (isinstance(evidence, pd.DataFrame) and "highlights" in evidence.columns):
        evidence = read_spans(evidence, read, repeated=repeated, errors=errors or "raise", fuzzy=fuzzy, columns=columns)
    qrels = check_articles(evidence, texts.articles)
    if not len(qrels):
        raise ValueError("the evidence holds no question: there is nothing to score")
    rows = _match_questions(read_retrieved(results), qrels)
    placed = place_retrieved([row.item or Item() for row in rows], texts, verbose)
    located = _locate_items(rows, placed, texts, qrels, repeated)
    _warn_of_unplaced(located, errors)
    lost = located[located["start"] < 0]
    known = {article.docno: article.text for article in read} | dict(zip(lost["docno"], lost["text"], strict=True))
    if unit is not None:
        unit = unit.of(known) if isinstance(unit, Tokens) else Tokens(known, unit)
    if measures is None:
        some_unanswerable = keep_answerable(qrels)["qid"].nunique() < qrels["qid"].nunique()
        measures = [*default_measures(unit), *(parse("Abstain") if some_unanswerable else ())]
    asked = [_extend_tokens(measure, known) for measure in parse(measures)]
    runs = _make_runs(located)
    scored = score_runs(qrels, runs, asked)
    table = system_table(scored, located, runs, confidence, seed)
    questions = question_table(scored, qrels, located, runs)
    return RetrievedEvaluation(table, questions, _hide_unplaced_docnos(located), qrels, runs, known, asked, unit)


def _check_options(repeated: Any, errors: Any, confidence: float) -> None:
    """Refuse options that are none, each with a sentence."""
    check_choice("repeated", repeated, ("report", "first", "all", "any"))
    check_choice("errors", errors, (None, "raise", "skip"))
    if not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence!r}: give a share between 0 and 1, such as 0.95")


def _name_articles(corpus: Any) -> Any:
    """The corpus; texts by name become articles, since names of files hold white space and docnos do not."""
    if not isinstance(corpus, Mapping):
        return corpus
    return [CorpusArticle(as_docno(str(name)), text, (str(name),)) for name, text in corpus.items()]


class _Row(NamedTuple):
    system: str
    qid: str
    rank: int
    item: Item | None  # None: nothing was retrieved


def _match_questions(results: Results, qrels: pd.DataFrame) -> list[_Row]:
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
                f"system {system!r} has no results for {len(missing)} questions, which score as empty: "
                f"{_show_some(missing)}"
            )
    if unknown:
        _warn(f"{len(unknown)} questions of the results have no evidence and are not scored: {_show_some(unknown)}")
    return rows


def _first_question(qrels: pd.DataFrame) -> str:
    return str(qrels["query"].iloc[0] if "query" in qrels.columns else qrels["qid"].iloc[0])


def _locate_items(
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


def _warn_of_unplaced(located: pd.DataFrame, errors: str | None) -> None:
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


def _make_runs(located: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Make a run frame of each system: what was retrieved first has the highest score."""
    runs = {}
    for name, rows in located.groupby("name", sort=False):
        rows = rows[rows["rank"] > 0]
        start, end = rows["start"].clip(lower=0), rows["end"].where(rows["start"] >= 0, rows["length"])
        ids = [f"{docno}#{s}-{e}" for docno, s, e in zip(rows["docno"], start, end, strict=True)]
        score = (int(located["rank"].max()) + 1 - rows["rank"]).astype(float)
        runs[str(name)] = pack(pd.DataFrame({"qid": rows["qid"].to_numpy(), "docno": ids, "score": score.to_numpy()}))
    return runs


def _extend_tokens(measure: Any, texts: Mapping[str, str]) -> Any:
    """Let a measure that counts tokens know the texts that were not placed."""
    unit = getattr(measure, "params", {}).get("unit")
    return measure(unit=unit.of(texts)) if isinstance(unit, Tokens) else measure


def _hide_unplaced_docnos(located: pd.DataFrame) -> pd.DataFrame:
    """What became of each text, for people: those that were not placed have no article."""
    told = located[located["rank"] > 0].drop(columns="length").reset_index(drop=True)
    return told.assign(docno=told["docno"].where(told["start"] >= 0, ""))


def _show_some(names: Sequence[str]) -> str:
    return ", ".join(f"{name!r:.60}" for name in names[:3]) + (" ..." if len(names) > 3 else "")


def _warn(message: str) -> None:
    warnings.warn(message, stacklevel=5)
