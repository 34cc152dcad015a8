"""A tiny engine of a package of its own: TF-IDF over a JSON file."""

import json
import math
from collections import Counter

import numpy as np

from pyterrier_focused.retrieval.engines.base import Abilities, Hits
from pyterrier_focused.retrieval.engines.terms import Terms, folder


class TfIdfSearcher:
    def __init__(self, index, model, parameters):
        self.index, self.model, self.parameters = index, model, parameters

    def search(self, queries, k, threads):
        rows = []
        for number, query in enumerate(queries):
            scores = self._scores(query)
            best = sorted((docno for docno in scores if scores[docno] > 0), key=lambda docno: -scores[docno])
            rows += [(number, docno, scores[docno]) for docno in best[:k]]
        query, docno, score = zip(*rows, strict=True) if rows else ((), (), ())
        return Hits(np.array(query, dtype=int), np.array(docno, dtype=object), np.array(score, dtype=float))

    def score(self, queries, candidates):
        return [
            np.array([self._scores(query).get(docno, math.nan) for docno in docnos], dtype=float)
            for query, docnos in zip(queries, candidates, strict=True)
        ]

    def _scores(self, query):
        weights = self._weigh(query)
        held = Counter(term for counts in self.index.counts.values() for term in counts)
        return {
            docno: sum(
                weight * counts.get(term, 0) * math.log(1 + len(self.index.counts) / (1 + held[term]))
                for term, weight in weights.items()
            )
            for docno, counts in self.index.counts.items()
        }

    def _weigh(self, query):
        return query if isinstance(query, dict) else Counter(self.index.words_of(query))


class TfIdfIndex:
    def __init__(self, path, language):
        self.own = self
        self.counts = json.loads((path / "counts.json").read_text(encoding="utf-8"))
        self.words_of = words_of(language)

    def searcher(self, model, parameters):
        return TfIdfSearcher(self, model, parameters)


class TfIdfEngine:
    name = "TF-IDF"
    can = Abilities({"tf_idf": {}}, weighted_queries=True)

    def build(self, documents, path, options):
        read = words_of(options.language)
        counts = {docno: Counter(read("\n".join(texts.values()))) for docno, texts in documents}
        path.mkdir(parents=True)
        (path / "counts.json").write_text(json.dumps(counts), encoding="utf-8")

    def open(self, path, options):
        return TfIdfIndex(path, options.language)


def words_of(language):
    fold, terms = folder(language), Terms(language)
    return lambda text: [term for term in terms.of(fold(text)) if term]


ENGINE = TfIdfEngine()
