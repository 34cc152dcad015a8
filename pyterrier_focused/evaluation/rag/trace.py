"""TRACe of RAGBench: how much of an answer's contexts is relevant, and how much of them the answer used."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...frames.spans import ratio
from ...measures import CharP, CharR
from ..evaluation import evaluate

_SCORES = ("relevance", "utilisation", "completeness")


def trace_answers(evidence: pd.DataFrame, contexts: pd.DataFrame, used: pd.DataFrame) -> pd.DataFrame:
    """Score answers by their contexts, the evidence in these, and the part that the answers used.

    With R the evidence in the contexts C and U the text that the answer used, all in characters, each counted once:
    relevance = size(R) / size(C), utilisation = size(U) / size(C), completeness = size(R and U) / size(R); 0 for 0 / 0.

    Args:
        contexts: A run frame: the text that the answers' writer was given.
        used: A qrels frame whose highlights are the text that each answer used, such as `read_spans` reads of RAGBench
            with `columns={"quote": "all_utilized_sentence_keys"}`. It lies in the contexts.

    Source: Friel, Belyi and Sanyal, RAGBench, 2024 (TRACe), with characters for tokens.

    Example:
        >>> row = {"qid": ["q"], "docno": ["d"], "label": [1]}
        >>> evidence = pd.DataFrame({**row, "highlights": [[(0, 40)]]})
        >>> used = pd.DataFrame({**row, "highlights": [[(10, 60)]]})
        >>> contexts = pd.DataFrame({"qid": ["q"], "docno": ["d"], "score": [1.0], "passages": [[(0, 100)]]})
        >>> trace_answers(evidence, contexts, used).values.tolist()
        [['q', 0.4, 0.5, 0.75]]
    """
    precision = CharP(overlap="once")
    recall = CharR(overlap="once")
    quoted = used[["qid", "docno", "highlights"]].rename(columns={"highlights": "passages"}).assign(score=1.0)
    by_evidence = evaluate(evidence, {"contexts": contexts, "used": quoted}, [precision, recall])
    of_use = evaluate(used, {"contexts": contexts}, [precision])
    by_use = dict(zip(of_use.qids, of_use.values[0, :, 0].tolist(), strict=True))
    (relevance, given), (_, found) = by_evidence.values.transpose(0, 2, 1)
    scores = (relevance, [by_use.get(qid, 0.0) for qid in by_evidence.qids], ratio(found, given))
    return pd.DataFrame({"qid": by_evidence.qids, **dict(zip(_SCORES, map(np.asarray, scores), strict=True))})
