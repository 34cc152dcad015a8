"""A synthetic task of INEX's size: 107 topics, 1,500 passages and 600 judged articles a topic, 12% of them relevant."""

from __future__ import annotations

import numpy as np
import pandas as pd

TOPICS, PASSAGES, JUDGED, RELEVANT, ARTICLES = 107, 1500, 600, 0.12, 2_666_190


def make_qrels(rng: np.random.Generator, topics: int = TOPICS) -> pd.DataFrame:
    """Judged articles with 1 to 6 separate highlights in the relevant ones, in PyTerrier's columns."""
    rows = []
    for topic in range(topics):
        for article in rng.choice(ARTICLES, JUDGED, replace=False).tolist():
            length = int(rng.integers(800, 60_000))
            highlights = []
            if rng.random() < RELEVANT:
                cuts = np.unique(rng.integers(0, length, 2 * int(rng.integers(1, 7)))).tolist()
                highlights = list(zip(cuts[0::2], cuts[1::2], strict=False)) or [(0, length)]
            bep = highlights[0][0] if highlights else -1
            rows.append((str(2009001 + topic), str(article), int(bool(highlights)), highlights, bep, length))
    return pd.DataFrame(rows, columns=["qid", "docno", "label", "highlights", "bep", "length"])


def make_run(rng: np.random.Generator, qrels: pd.DataFrame, passages: int = PASSAGES) -> pd.DataFrame:
    """*passages* scored passages a topic in a third as many articles, most of the judged ones among them."""
    rows = []
    for qid, judged in qrels.groupby("qid", sort=False):
        pool = dict(zip(judged["docno"], judged["length"], strict=True))
        found = rng.choice(list(pool), min(len(pool), passages // 5), replace=False).tolist()
        pool.update((str(rng.integers(ARTICLES)), int(rng.integers(800, 60_000))) for _ in range(passages // 3))
        articles = list(dict.fromkeys([*found, *pool]))[: passages // 3]
        for score, article in zip(np.sort(rng.random(len(articles)))[::-1].tolist(), articles, strict=True):
            step = pool[article] // (3 * (passages // (3 * len(articles)) or 1))
            spans = [
                (i * step, i * step + int(rng.integers(1, step + 1)), score * float(rng.random()) if i else score)
                for i in range(passages // len(articles))
            ]
            rows.append((qid, article, score, spans))
    run = pd.DataFrame(rows, columns=["qid", "docno", "score", "passages"])
    return run.assign(rank=run.groupby("qid", sort=False).cumcount())
