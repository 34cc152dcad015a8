"""The Average Distance Measure: how far a system's relevance scores lie from the users'."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..frames.spans import Floats, Ints, ratio
from .base import FocusedMeasure, Param, cutoff, positive
from .ranking import Ranking

__all__ = ["ADM"]


class Plane(NamedTuple):
    """The documents D on the URS/SRS plane: topic code, the system's score and the user's score, each in [0, 1]."""

    topic: Ints
    docno: NDArray[np.object_]
    srs: Floats
    urs: Floats


class _ADM(FocusedMeasure):
    """Average Distance Measure: one minus the mean distance between the system's and the user's relevance scores.

    ADM = 1 - (sum of `|SRS(d) - URS(d)|` over d in D) / `|D|`. SRS is the system's relevance score, URS the user's,
    both in [0, 1]; SRS is 0 for an article that was not retrieved, URS for one that was not judged. srs='rank' is
    (depth - i) / depth at 0-based rank i, 0 beyond. Labels are whole or real numbers, negative ones count as 0.
    side='over' and 'under' score 1 if no document is left. Binarised, `ADM(srs='retrieved', urs='relevant',
    docs='retrieved')` is precision, and recall with docs='relevant'.

    Range: [0, 1]. Not 0 for an empty ranking: it follows the formula, with SRS 0 everywhere. 0 if D is empty.
    Source: Della Mea and Mizzaro, JASIST 55(6), 2004; NTCIR-4 slides 7, 11, 19, 20, 22, 25, 31.

    Example:
        The slides compare scores as they are, on a scale that ends at 1 (slide 13); the defaults scale both by topic.

        >>> import ir_measures, pandas, pyterrier_focused
        >>> qrels = pandas.DataFrame({"query_id": "1", "doc_id": ["d1", "d2", "d3"], "relevance": [0.8, 0.4, 0.1]})
        >>> run = qrels.drop(columns="relevance").assign(score=[0.8, 0.4, 1.0])
        >>> adm = pyterrier_focused.ADM(srs="score", max_label=1)
        >>> round(ir_measures.calc_aggregate([adm], qrels, run)[adm], 3)
        0.7
    """

    NAME = __name__ = "ADM"
    PRETTY_NAME = "Average Distance Measure"
    SHORT_DESC = "One minus the mean distance between the system's and the user's relevance scores."
    NEEDS_PASSAGES = False
    SUPPORTED_PARAMS = {
        "cutoff": cutoff("with docs='retrieved': the first N retrieved articles"),
        "srs": Param(
            str,
            "the system's relevance score: 'minmax', linear over the topic's retrieved scores (1 if all are the same), "
            "'score', as they are, in [0, 1], 'rank', (depth - i) / depth at 0-based rank i, 'retrieved', 1",
            default="minmax",
            choices=("minmax", "score", "rank", "retrieved"),
        ),
        "depth": cutoff("srs='rank': ranks that score above 0", default=1000),
        "urs": Param(
            str,
            "the user's relevance score: 'label' / max_label, 'specificity', the highlighted share of the article, or "
            "'relevant', 1 for a label of at least 1, else 0",
            default="label",
            choices=("label", "specificity", "relevant"),
        ),
        "max_label": positive("urs='label': highest label of the scale; without it the topic's highest"),
        "docs": Param(
            str,
            "the documents compared, D: 'judged', 'retrieved', their 'union', or 'relevant', a label of at least 1",
            default="judged",
            choices=("judged", "union", "retrieved", "relevant"),
        ),
        "side": Param(
            str,
            "'over': only documents with SRS > URS, 'under': SRS < URS, 'both'",
            default="both",
            choices=("both", "over", "under"),
        ),
    }

    def check_params(self) -> None:
        for name, owner, value in (
            ("cutoff", "docs", "retrieved"),
            ("depth", "srs", "rank"),
            ("max_label", "urs", "label"),
        ):
            if name in self.params and self[owner] != value:
                raise ValueError(f"ADM: {name} belongs to {owner}={value!r}, but {owner} is {self[owner]!r}")

    @property
    def QRELS_COLUMNS(self) -> tuple[str, ...]:  # type: ignore[override]
        if self["urs"] != "specificity":
            return ("relevance",)
        return ("relevance", "highlights", "length") if self["docs"] == "relevant" else ("highlights", "length")

    def calculate(self, ranking: Ranking) -> Floats:
        n = len(ranking.judgments.topics)
        plane = self.plane(ranking)
        distance = plane.srs - plane.urs
        size = np.bincount(plane.topic, minlength=n)
        kept = {"both": np.full(len(distance), True), "over": distance > 0, "under": distance < 0}[self["side"]]
        topic = plane.topic[kept]
        mean = ratio(np.bincount(topic, np.abs(distance[kept]), minlength=n), np.bincount(topic, minlength=n))
        return np.where(size > 0, 1 - mean, 0.0)

    def plane(self, ranking: Ranking) -> Plane:
        """Return the documents D of all topics on the URS/SRS plane."""
        judgments = ranking.judgments
        srs = self._score_system(ranking)
        urs = self._score_user(ranking)
        if self["docs"] == "retrieved":
            first = ranking.position < (self.param("cutoff") or len(ranking.topic) + 1)
            found = ranking.of_judgments(urs, 0.0)
            return Plane(ranking.topic[first], ranking.docno[first], srs[first], found[first])
        given = np.zeros(len(judgments.topic))
        retrieved = ranking.judged >= 0
        given[ranking.judged[retrieved]] = srs[retrieved]
        plane = Plane(judgments.topic, judgments.docno, given, urs)
        if self["docs"] == "relevant":
            relevant = judgments.grade >= 1
            return Plane(judgments.topic[relevant], judgments.docno[relevant], given[relevant], urs[relevant])
        if self["docs"] == "judged":
            return plane
        extra = ~retrieved
        beyond = Plane(ranking.topic[extra], ranking.docno[extra], srs[extra], np.zeros(int(extra.sum())))
        return Plane(*(np.concatenate(pair) for pair in zip(plane, beyond, strict=True)))

    def _score_system(self, ranking: Ranking) -> Floats:
        if self["srs"] == "rank":
            depth = int(self["depth"])
            share: Floats = (depth - ranking.position).clip(0) / depth
            return share
        score = ranking.score
        if self["srs"] == "retrieved":
            return np.ones(len(score))
        outside = ~np.isfinite(score) if self["srs"] == "minmax" else ~((score >= 0) & (score <= 1))
        if outside.any():
            row = int(np.argmax(outside))
            must = "be finite" if self["srs"] == "minmax" else "lie in [0, 1]"
            topic = ranking.judgments.topics[ranking.topic[row]]
            raise ValueError(
                f"column 'score', topic {topic!r}, article {ranking.docno[row]!r}: "
                f"{score[row]} with ADM(srs={self['srs']!r}), whose scores must {must}; srs='rank' takes any"
            )
        if self["srs"] == "score":
            return score
        scaled = np.ones(len(score))
        for _, part in ranking.slices():
            low = score[part].min()
            high = score[part].max()
            if low < high:
                # halves: no overflow
                scaled[part] = (score[part] / 2 - low / 2) / (high / 2 - low / 2)
        return scaled

    def _score_user(self, ranking: Ranking) -> Floats:
        judgments = ranking.judgments
        if self["urs"] == "specificity":
            share = ratio(judgments.relevant_size, judgments.length.clip(0))
            bad = judgments.highlighted & ((judgments.length < 1) | (share > 1))
            if bad.any():
                raise ValueError(
                    f"column 'length', {_name_judgment(ranking, bad)}: {judgments.relevant_size[bad][0]} characters "
                    f"are highlighted, the length is {judgments.length[bad][0]}; give the article's, in characters"
                )
            return share
        if self["urs"] == "relevant":
            return (judgments.grade >= 1).astype(np.float64)
        label = judgments.grade.clip(0)
        scale = self.param("max_label")
        if scale is not None:
            bad = label > scale
            if bad.any():
                raise ValueError(
                    f"column 'label', {_name_judgment(ranking, bad)}: the label {label[bad][0]} is above "
                    f"max_label={scale}; give the highest label of the scale"
                )
            of_scale: Floats = label / scale
            return of_scale
        highest = np.zeros(len(judgments.topics), dtype=label.dtype)
        np.maximum.at(highest, judgments.topic, label)
        return ratio(label, highest[judgments.topic])


ADM = _ADM()


def _name_judgment(ranking: Ranking, bad: NDArray[np.bool_]) -> str:
    row = int(np.argmax(bad))
    judgments = ranking.judgments
    return f"topic {judgments.topics[judgments.topic[row]]!r}, article {judgments.docno[row]!r}"
