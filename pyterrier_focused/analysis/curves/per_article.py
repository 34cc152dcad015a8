"""The values behind the means: scores of each article, and the users' and the system's relevance scores, as frames.

Each takes qrels and one run, as frames or paths; *qid* picks one topic. With *overlap* 'error' passages that overlap
are an OverlapError, 'once' counts each character once. Evidence with alternatives has no single value by article.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...errors import check_choice
from ...evaluation.evaluation import join
from ...evaluation.inputs import as_qrels, as_run
from ...frames.spans import Ints, ratio
from ...measures import ADM, gP
from ...measures.alternatives import find_alternatives
from ...measures.base import FocusedMeasure
from ...measures.focused import f_measure
from ...measures.ranking import Ranking
from .points import Judged


def article_scores(
    qrels: Judged, run: Judged, *, qid: str | None = None, beta: float = 1, overlap: str = "error"
) -> pd.DataFrame:
    """Score the returned text of each retrieved article of the judged topics: precision, recall and F.

    Args:
        beta: The weight of recall in F.

    Returns:
        Columns `qid, docno, rank` (from 0), `size`, `relevant`, `article_relevant` (characters: returned, returned and
        highlighted, highlighted), `precision` = P(d), `recall` = R(d) and `F`, all three in [0, 1], and 0 if nothing
        relevant was returned. The mean of F over the first r articles is gP@r.

    Source: INEX 2007 Evaluation Measures, section 5.1.

    Example:
        >>> qrels = pd.DataFrame({"qid": ["q1"], "docno": ["7"], "label": [1], "highlights": [[(0, 40)]]})
        >>> run = pd.DataFrame({"qid": ["q1"], "docno": ["7"], "score": [1.0], "passages": [[(0, 80)]]})
        >>> article_scores(qrels, run)[["docno", "size", "relevant", "precision", "recall"]].values.tolist()
        [['7', 80, 40, 0.5, 1.0]]
    """
    check_choice("overlap", overlap, ("error", "once"))
    measure = gP(beta=beta) @ 1
    measure.validate_params()
    ranking = join(as_qrels(qrels, real_labels=True), as_run(run), measure, qid=qid)
    _refuse_alternatives(ranking, "a precision for each of them")
    size, relevant = ranking.article_sizes(overlap)
    total = ranking.of_judgments(ranking.judgments.relevant_size)
    return pd.DataFrame(
        {
            "qid": _name_topics(ranking, ranking.topic),
            "docno": ranking.docno,
            "rank": ranking.position,
            "size": size,
            "relevant": relevant,
            "article_relevant": total,
            "precision": ratio(relevant, size),
            "recall": ratio(relevant, total),
            "F": f_measure(relevant, size, total, beta),
        }
    )


def adm_plane(qrels: Judged, run: Judged, *, qid: str | None = None, measure: FocusedMeasure = ADM) -> pd.DataFrame:
    """Place the documents on the plane of users' and system's relevance scores (URS and SRS).

    Above the diagonal (SRS > URS) a document is over-evaluated, below it under-evaluated.

    Args:
        measure: An ADM, which says what the documents and their scores are.

    Returns:
        A row per document: `qid, docno, urs, srs`.

    Source: ADM slides 8 and 18.

    Example:
        >>> qrels = pd.DataFrame({"qid": "q1", "docno": ["a", "b"], "label": [1, 0]})
        >>> run = pd.DataFrame({"qid": "q1", "docno": ["a", "b", "c"], "score": [2.0, 1.5, 1.0]})
        >>> adm_plane(qrels, run).values.tolist()
        [['q1', 'a', 1.0, 1.0], ['q1', 'b', 0.0, 0.5]]
    """
    if not hasattr(measure, "plane"):
        raise ValueError(f"measure={measure!r}: give an ADM, such as ADM(urs='specificity')")
    ranking = join(as_qrels(qrels, real_labels=True), as_run(run), measure, qid=qid)
    if measure["urs"] == "specificity":
        _refuse_alternatives(ranking, "several shares of highlighted text and no one place on the URS/SRS plane")
    plane = measure.plane(ranking)
    qids = _name_topics(ranking, plane.topic)
    return pd.DataFrame({"qid": qids, "docno": plane.docno, "urs": plane.urs, "srs": plane.srs})


def _refuse_alternatives(ranking: Ranking, what: str) -> None:
    if find_alternatives(ranking.judgments) is not None:
        raise ValueError(
            f"the evidence has alternatives, so an article has {what}; leave the column 'alternatives' out to take "
            "them together"
        )


def _name_topics(ranking: Ranking, topic: Ints) -> NDArray[np.object_]:
    return np.array(ranking.judgments.topics, dtype=object)[topic]
