"""Scoring models as formulas over counts of terms: the score that each occurrence of a term in a part adds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...frames.spans import Floats, Ints

_COUNTS_AT_ONCE = 4_000_000


class Counts(NamedTuple):
    """How often terms occur in parts: term t in the parts `part[begin[t] : begin[t + 1]]`, `occurs` times each.

    `length` is the number of terms of each part; `document_frequency` and `collection_frequency` count, for each term,
    the parts that hold it and all its occurrences.
    """

    begin: Ints
    part: NDArray[np.int32]
    occurs: NDArray[np.int32]
    length: NDArray[np.int32]
    document_frequency: NDArray[np.int32]
    collection_frequency: Ints


def score_counts(model: str, counts: Counts, parameters: Mapping[str, float]) -> NDArray[np.float32]:
    """Return the score of each count under a model of `engines.MODELS`, as PISA writes the formulas."""
    score = np.empty(len(counts.part), dtype=np.float32)
    for first in range(0, len(score), _COUNTS_AT_ONCE):
        some = slice(first, first + _COUNTS_AT_ONCE)
        score[some] = _score_some(model, counts, some, parameters)
    return score


def _score_some(model: str, counts: Counts, some: slice, parameters: Mapping[str, float]) -> Floats:
    part = counts.part[some]
    term = np.searchsorted(counts.begin, np.arange(some.start, some.start + len(part)), side="right") - 1
    count = counts.occurs[some].astype(np.float64)
    length = counts.length[part].astype(np.float64)
    mean = float(counts.length.mean())
    parts = len(counts.length)
    frequency = counts.collection_frequency[term].astype(np.float64)
    if model == "bm25":
        return _score_bm25(count, length / mean, counts.document_frequency[term], parts, **parameters)
    if model == "qld":
        return _score_qld(count, length, frequency / counts.length.sum(dtype=np.int64), **parameters)
    if model == "pl2":
        return _score_pl2(count, length / mean, frequency / parts, **parameters)
    return _score_dph(count, length, mean, frequency / parts)


def _score_bm25(count: Floats, length: Floats, held_by: NDArray[np.int32], parts: int, k1: float, b: float) -> Floats:
    """Robertson's BM25; *length* is relative to the mean. A term in more than half of the parts hardly counts."""
    idf: Floats = np.maximum(1e-6, np.log((parts - held_by + 0.5) / (held_by + 0.5)))
    return idf * count * (k1 + 1) / (count + k1 * (1 - b + b * length))


def _score_qld(count: Floats, length: Floats, share: Floats, mu: float) -> Floats:
    """Query likelihood with Dirichlet smoothing; *share* is the term's in the collection."""
    score: Floats = np.log1p(count / (mu * share)) + np.log(mu / (length + mu))
    return np.maximum(0, score)


def _score_pl2(count: Floats, length: Floats, mean: Floats, c: float) -> Floats:
    """Amati and van Rijsbergen's PL2: Poisson, Laplace, normalisation 2; *mean* occurrences of the term in a part."""
    e = np.log2(np.e)
    tfn = count * np.log2(1 + c / length)
    score: Floats = tfn * np.log2(1 / mean) + mean * e + 0.5 * np.log2(2 * np.pi * tfn) + tfn * (np.log2(tfn) - e)
    return score / (tfn + 1)


def _score_dph(count: Floats, length: Floats, mean_length: float, mean: Floats) -> Floats:
    """Amati's DPH: hypergeometric, Popper's normalisation, without parameters; *mean* occurrences of the term."""
    share = np.minimum(count / length, 1 - 1e-9)
    chance: Floats = count * np.log2(count * mean_length / (length * mean))
    chance += 0.5 * np.log2(2 * np.pi * count * (1 - share))
    return (1 - share) ** 2 / (count + 1) * chance
