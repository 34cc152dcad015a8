"""Where each retrieved text lies, as a frame, and the run frames of that.

name  qid  rank  text       docno       start  end  status
mine  1    1     "Cats eat" a               0    8  exact      lies in article a
mine  1    2     "Nobody"   unplaced-1     -1   -1  missing    counts as text of an article of its own
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

import pandas as pd

from ..collection.corpora import Texts
from ..errors import ANY_REPEATED, LOCATED, EvaluationWarning, EvidenceError, ForeignIdsWarning, name_some, warn_caller
from ..frames.columns import flatten
from ..frames.packing import pack
from ..frames.spans import Span
from .differences import list_differences
from .evidence import OnFault, Repeated
from .find_texts import Place
from .match_questions import Retrieved
from .place_retrieved import PLACED, PlacedItem
from .scores import SHOWN

_COLUMNS: dict[str, type] = {
    "name": object, "qid": object, "rank": int, "text": object, "docno": object, "start": int, "end": int,
    "status": object, "spans": object, "runs": int, "share": float, "gap": object, "around": int, "elsewhere": bool,
    "detail": object, "lacking": object, "length": int, "whole": bool,
    "step": object,
}  # fmt: skip
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
            "whole": found.whole, "step": item.step,
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
    unused = ["step"] if located["step"].isna().all() else []
    shown = located.drop(columns=["length", "lacking", "whole", *unused])
    return shown.assign(docno=shown["docno"].where(shown["start"] >= 0, ""))
