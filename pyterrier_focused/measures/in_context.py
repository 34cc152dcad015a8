"""Measures of the in-context tasks: ranked articles, each scored by the parts returned for it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from ir_measures import measures

from ..frames.spans import Floats, Ints, ratio
from .base import OVERLAP, FocusedMeasure, Param, cutoff, positive
from .focused import f_measure
from .ranking import Bools, Ranking
from .tolerance import score_tolerance

__all__ = ["AgP", "MAgP", "gP", "gR"]

_TASK: dict[str, measures.ParamInfo] = {
    "task": Param(
        str,
        "an article's score: 'ric' its parts' F, 'bic' the distance to the best entry point, 't2i' what is read before "
        "too much was irrelevant, 'doc' 1 if relevant",
        default="ric",
        choices=("ric", "bic", "t2i", "doc"),
    ),
    "beta": positive("ric: weight of recall against precision in F", default=1),
    "A": positive("bic: tolerated distance as a share of the article's length", default=0.1),
    "n": positive("bic: characters on a screen; distances beyond score 0 (given: used in place of A)"),
    "irr": cutoff("t2i: irrelevant characters after which the reader stops", default=300),
    "overlap": OVERLAP,
}
_BELONGS = {"beta": "ric", "A": "bic", "n": "bic", "irr": "t2i"}


class InContext(FocusedMeasure):
    """The parameters and the article score S(d) that gP, gR and AgP share."""

    SUPPORTED_PARAMS = _TASK

    def check_params(self) -> None:
        for name, task in _BELONGS.items():
            if name in self.params and self["task"] != task:
                raise ValueError(f"{self.NAME}: {name} belongs to task={task!r}, but the task is {self['task']!r}")

    @property
    def NEEDS_PASSAGES(self) -> bool:  # type: ignore[override]
        return bool(self["task"] != "doc")

    @property
    def QRELS_COLUMNS(self) -> tuple[str, ...]:  # type: ignore[override]
        if self["task"] == "bic":
            return ("highlights", "bep") if "n" in self.params else ("highlights", "bep", "length")
        if self["task"] == "t2i":
            return ("highlights", "length")
        return ("relevance",) if self["task"] == "doc" else ("highlights",)

    def article_scores(self, ranking: Ranking) -> Floats:
        """Return S(d) of each ranked article; 0 unless it is relevant and a part of it was returned."""
        judgments = ranking.judgments
        if self["task"] == "doc":
            return ranking.relevant.astype(np.float64)
        if self["task"] == "ric":
            size, relevant = ranking.article_sizes(self["overlap"])
            rows = np.flatnonzero(ranking.highlighted)
            total = judgments.relevant_size[ranking.judged[rows]]
            scores = np.zeros(len(relevant))
            scores[rows] = f_measure(relevant[rows], size[rows], total, self["beta"])
            return scores
        if self["task"] == "t2i":
            # refuses parts that overlap, unless each character counts once
            ranking.article_sizes(self["overlap"])
            returned = ranking.highlighted & (ranking.entry >= 0)
            return score_tolerance(ranking, self["irr"], self._read_lengths(ranking, returned, ""))
        return self._score_entries(ranking)

    def _score_entries(self, ranking: Ranking) -> Floats:
        entry = ranking.entry
        bep = ranking.of_judgments(ranking.judgments.bep, -1)
        scored = ranking.highlighted & (entry >= 0) & (bep >= 0)
        distance = np.abs(entry - bep)
        if "n" in self.params:
            screen = self["n"]
            return np.where(scored & (distance <= screen), (screen - distance) / screen, 0.0)
        tolerated = float(self["A"]) * self._read_lengths(ranking, scored, ", or give n")
        return np.where(scored, ratio(tolerated, tolerated + distance), 0.0)

    def _read_lengths(self, ranking: Ranking, scored: Bools, advice: str) -> Ints:
        """Return the lengths of the ranked articles; those that are *scored* must have one."""
        length = ranking.of_judgments(ranking.judgments.length, -1)
        missing = np.flatnonzero(scored & (length < 1))
        if len(missing):
            row = missing[0]
            raise ValueError(
                f"column 'length', topic {ranking.judgments.topics[ranking.topic[row]]!r}, article "
                f"{ranking.docno[row]!r}: a relevant article has no length; {self.NAME}(task={self['task']!r}) needs "
                f"it in characters{advice}"
            )
        return length

    def relevant(self, ranking: Ranking) -> tuple[Bools, Ints]:
        """Return whether each ranked article is relevant to the task, and how many articles are, per topic."""
        if self["task"] == "doc":
            return ranking.relevant, ranking.judgments.count(ranking.judgments.relevant)
        return ranking.highlighted, ranking.judgments.count(ranking.judgments.highlighted)


class _gP(InContext):
    """Generalised precision at an article rank: the mean score of the first r articles.

    gP@r = (sum of S(d_i), i = 1..r) / r; if fewer than r articles were retrieved the missing ones score 0, as in
    P@r, unless last=True, which divides by the articles there are, as the official INEX tool does.
    S(d) is 0 for an article without highlights or of which no passage was returned, and otherwise:

    - task='ric' (relevant in context): F_beta of the text returned for d, P(d) = rsize/size, R(d) = rsize/Trel(d); size
      includes the text around passages (see CharP);
    - task='bic' (best in context): `A*L / (A*L + |x - b|)`, x the start of the best-ranked passage, b the best entry
      point, L the article's length; with n: `(n - |x - b|) / n` if `|x - b| <= n`, else 0; 0 if b is -1;
    - task='t2i' (tolerance to irrelevance): relevant characters read / characters read, by a reader who reads the
      passages returned for d in the order of the text, then the rest of d from its start, and stops when irr
      irrelevant characters are read;
    - task='doc': 1 for an article with label >= 1; this is P@r.

    Range: [0, 1]. An empty ranking scores 0, as does a topic with nothing relevant.
    Source: INEX 2007 Evaluation Measures, section 5.2, equation 11 (S(d): equations 4-10); Kamps et al., SIGIR 2007;
    t2i: Arvola et al., Overview of the INEX 2010 Ad Hoc Track, and inex_eval 3.1.
    """

    NAME = __name__ = "gP"
    PRETTY_NAME = "Generalised Precision"
    SHORT_DESC = "The mean score of the first r articles, each scored by the parts returned for it."
    SUPPORTED_PARAMS = {
        "cutoff": cutoff("article rank", required=True),
        **_TASK,
        "last": Param(
            bool, "beyond the last article, report the last rank's value", default=False, expects="True or False"
        ),
    }

    def calculate(self, ranking: Ranking) -> Floats:
        scores = self.article_scores(ranking)
        cutoff = self["cutoff"]
        total = np.zeros(len(ranking.judgments.topics))
        for topic, part in ranking.slices():
            total[topic] = np.cumsum(scores[part][:cutoff])[-1]
        if self["last"]:
            return ratio(total, np.minimum(np.diff(ranking.bounds), cutoff))
        mean: Floats = total / cutoff
        return mean


gP = _gP()


class _gR(InContext):
    """Generalised recall at an article rank: relevant articles among the first r / all relevant articles of the topic.

    Relevant are the articles with highlights, retrieved with or without a passage, for task='ric', 'bic' and 't2i', and
    those with label >= 1 for 'doc' (this is R@r). Other parameters change nothing: gP and gR can be asked for alike.

    Range: [0, 1]. An empty ranking scores 0, as does a topic with nothing relevant.
    Source: INEX 2007 Evaluation Measures, section 5.2, equation 12; Kamps et al., SIGIR 2007.
    """

    NAME = __name__ = "gR"
    PRETTY_NAME = "Generalised Recall"
    SHORT_DESC = "The share of the relevant articles found among the first r."
    SUPPORTED_PARAMS = _gP.SUPPORTED_PARAMS

    def calculate(self, ranking: Ranking) -> Floats:
        relevant, total = self.relevant(ranking)
        early = relevant & (ranking.position < self["cutoff"])
        return ratio(np.bincount(ranking.topic[early], minlength=len(total)), total)


gR = _gR()


class _AgP(InContext):
    """Average generalised precision: the mean of gP at the ranks of the relevant articles. Over topics: MAgP.

    AgP = (sum of gP@r over the r whose article is relevant) / Nrel; a relevant article that was not retrieved adds 0.
    The official measure of the relevant in context and best in context tasks; task='doc' is average precision (AP).

    Range: [0, 1]; perfect passages of all relevant articles, ranked first, give 1. An empty ranking scores 0, as does a
    topic with nothing relevant.
    Source: INEX 2007 Evaluation Measures, section 5.2, equation 13; Kamps, Lalmas and Pehcevski, SIGIR 2007.
    """

    NAME = __name__ = "AgP"
    ALIASES = ("MAgP",)
    PRETTY_NAME = "(Mean) Average Generalised Precision"
    SHORT_DESC = "The mean of generalised precision at the ranks of the relevant articles."

    def calculate(self, ranking: Ranking) -> Floats:
        scores = self.article_scores(ranking)
        relevant, total = self.relevant(ranking)
        # articles that are not relevant score 0
        rows = np.flatnonzero(relevant)
        scores = scores[rows]
        shares = 1 / (ranking.position[rows] + 1)
        limits = np.searchsorted(rows, ranking.bounds).tolist()
        summed = np.zeros(len(total))
        for topic, (first, last) in enumerate(pairwise(limits)):
            if last > first:
                summed[topic] = np.cumsum(scores[first:last]) @ shares[first:last]
        return ratio(summed, total)


AgP = MAgP = _AgP()
