"""Writing qrels as evidence: JSON lines of a span each, `{"qid", "docno", "start", "end"}`, as `read_spans` reads."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd

from ..errors import LossWarning, warn_caller
from ..frames.checks import check_qrels
from ..frames.columns import flatten
from ..frames.span_attributes import ALTERNATIVES, COVER, Proof, read_numbers, read_proofs
from ..reading.files import Source, write_bytes


def write_spans(qrels: pd.DataFrame, target: Source) -> None:
    """Write the highlights of a qrels frame as JSON lines, with question (`query`), alternative and facts if any.

    A warning tells what is lost: articles without highlights, lengths, and labels and best entry points other than
    those that reading the spans gives (1, and the first span's start).
    """
    check_qrels(qrels)
    spans = flatten(qrels["highlights"], "highlights", qrels)
    names = [name for name in ("qid", "query", "docno") if name in qrels.columns]
    heads = [dict(zip(names, map(str, row), strict=True)) for row in qrels[names].itertuples(index=False, name=None)]
    places = [{"start": start, "end": end} for start, end in zip(spans.start.tolist(), spans.end.tolist(), strict=True)]
    if "alternatives" in qrels.columns:
        numbers = read_numbers(qrels, ALTERNATIVES, spans)
        places = [{**p, "alternative": n} for p, n in zip(places, np.asarray(numbers).tolist(), strict=True)]
    proofs = read_proofs(qrels, "facts", spans) if "facts" in qrels.columns else [[]] * len(places)
    lines = [
        json.dumps({**heads[row], **place, **proved}, ensure_ascii=False) + "\n"
        for row, place, entry in zip(spans.row.tolist(), places, proofs, strict=True)
        for proved in [_name_fact(proof) for proof in entry] or [{}]
    ]
    first_start = np.full(len(qrels), -1, dtype=np.int64)
    first_start[spans.row[::-1]] = spans.start[::-1]
    marked = first_start >= 0
    lost = {
        "articles without highlights": ~marked,
        "labels other than 1": marked & (qrels["label"].to_numpy(dtype=np.float64) != 1),
    }
    if "bep" in qrels.columns:
        lost["best entry points other than the first span's start"] = marked & (qrels["bep"].to_numpy() != first_start)
    if "length" in qrels.columns:
        lost["lengths of articles"] = marked
    covers = read_numbers(qrels, COVER, spans)
    if covers is not None:
        lost["articles with covers of their own"] = np.bincount(spans.row, ~np.isnan(covers), len(qrels)) > 0
    losses = [f"{np.count_nonzero(rows)} {loss}" for loss, rows in lost.items() if rows.any()]
    if losses:
        is_loss = any(loss.startswith(("best", "articles with covers")) and rows.any() for loss, rows in lost.items())
        kind = LossWarning if is_loss else UserWarning
        warn_caller(f"evidence holds only spans; not in the file: {', '.join(losses)}", kind)
    write_bytes(target, "".join(lines).encode())


def _name_fact(proof: Proof) -> dict[str, object]:
    """Name the fact that a highlight proves, as `read_spans` reads it."""
    fact: dict[str, object] = {"fact": proof.fact}
    if proof.set is not None:
        fact["fact_set"] = proof.set
    return fact if proof.weight == 1 else {**fact, "fact_weight": proof.weight}
