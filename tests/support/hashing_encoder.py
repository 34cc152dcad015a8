"""An encoder that needs no download: the sum of a random vector for each word, of length 1."""

import zlib

import numpy as np
import pyterrier as pt

from pyterrier_focused.retrieval import Terms


class HashingEncoder(pt.Transformer):
    def __init__(self, dimension=256):
        self.dimension = dimension
        self._words = Terms("english")

    def transform(self, inp):
        text, column = ("query", "query_vec") if "query" in inp.columns else ("text", "doc_vec")
        return inp.assign(**{column: [self.vector(one) for one in inp[text]]})

    def vector(self, text):
        total = np.zeros(self.dimension)
        for word in self._words.of(text):
            total += np.random.default_rng(zlib.crc32(word.encode())).normal(size=self.dimension)
        return (total / max(np.linalg.norm(total), 1e-9)).astype(np.float32)

    def __repr__(self):
        return f"HashingEncoder({self.dimension})"
