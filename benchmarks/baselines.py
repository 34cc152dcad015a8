"""The baselines of element retrieval, tuned on half of the articles' heading topics and reported on the other half.

    python benchmarks/baselines.py [--data DUMP] [--every 4]

DUMP is ../shared/data/enwiki-sample.xml.bz2 unless given. Articles are split in two at random; every fourth topic of
the one half tunes each system's parameters by AiP, all topics of the other half are reported: Focused runs without
overlap, headings not indexed. The p value is of the difference to BM25, by a bootstrap that resamples articles, for the
topics of one article are not independent. Takes about five minutes on two processors.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt

import pyterrier_focused as ptf
from pyterrier_focused.collection import Collection, heading_topics
from pyterrier_focused.retrieval import (
    ArticleThenParts,
    Contextualise,
    Focused,
    MixtureModel,
    Propagate,
)

MEASURES = ptf.parse("AiP iP@0.01")
BM25 = {"k1": [0.5, 0.9, 1.5], "b": [0.2, 0.4, 0.7]}
SAMPLES = 2000


def tune(make: Callable[..., Any], grid: dict[str, list[Any]], topics: pd.DataFrame, qrels: pd.DataFrame) -> dict:
    """The parameters with the best AiP, each set tried."""
    judged = qrels[qrels["qid"].isin(topics["qid"])]
    settings = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    systems = [make(**setting) >> Focused() for setting in settings]
    values = [pt.Experiment([system], topics, judged, MEASURES[:1])["AiP"].iloc[0] for system in systems]
    return settings[int(np.argmax(values))]


def p_value(difference: np.ndarray, cluster: np.ndarray) -> float:
    """The two-sided p of a mean difference, by resampling clusters of topics."""
    members = [np.flatnonzero(cluster == name) for name in np.unique(cluster)]
    rng = np.random.default_rng(2)
    means = []
    for _ in range(SAMPLES):
        drawn = np.concatenate([members[i] for i in rng.integers(0, len(members), len(members))])
        means.append(difference[drawn].mean())
    return min(1.0, 2 * min(np.mean(np.array(means) <= 0), np.mean(np.array(means) >= 0)))


def systems(collection: Collection, folder: Path, fit: Callable[..., dict]) -> dict[str, tuple[Any, dict]]:
    """Each system by name, tuned, with its parameters."""

    def indexed(name: str, **options: Any) -> Any:
        return collection.index(folder / name, headings="drop", **options)

    both, articles = indexed("both"), indexed("articles", elements="article")
    paragraphs, titled = indexed("paragraphs", elements="p"), indexed("titled", titles=True)
    found: dict[str, tuple[Any, dict]] = {}

    def add(name: str, make: Callable[..., Any], grid: dict[str, list[Any]]) -> Any:
        setting = fit(make, grid)
        found[name] = make(**setting), setting
        return found[name][0]

    bm25 = add("BM25", both.bm25, BM25)
    k1, b = bm25.k1, bm25.b
    weights = {"element": [0.1, 0.3, 0.6], "article": [0.0, 0.1, 0.3], "prior": [0.0, 0.3, 0.6]}
    model = MixtureModel(collection, headings="drop")

    def mixture(**setting: float) -> Any:
        for name, value in setting.items():
            model.set_parameter(name, value)
        return bm25 >> model

    found_mixture = fit(mixture, weights)
    found["mixture model"] = bm25 >> MixtureModel(collection, **found_mixture, headings="drop"), found_mixture
    add(
        "propagation (GPX), paragraphs",
        lambda **setting: paragraphs.bm25(k1, b) >> Propagate(collection, **setting),
        {"one": [0.1, 0.49], "many": [0.02, 0.1, 0.3, 0.99]},
    )
    add(
        "article and element",
        lambda weight: ArticleThenParts(articles.bm25(k1, b), bm25, weight=weight),
        {"weight": [0.1, 0.3, 0.5, 0.7]},
    )
    add("in context", lambda weight: bm25 >> Contextualise(weight), {"weight": [0.1, 0.3, 0.5]})
    for method in ("Bo1", "RM3"):
        add(
            method,
            lambda method=method, **setting: bm25 >> both.rewriter(method, **setting) >> bm25,
            {"fb_terms": [5, 10, 20], "fb_docs": [3, 10]},
        )
    add("BM25, with titles", titled.bm25, BM25)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    here = Path(__file__).resolve().parents[2]
    parser.add_argument("--data", type=Path, default=here / "shared" / "data" / "enwiki-sample.xml.bz2")
    parser.add_argument("--every", type=int, default=4, help="tune on every so-many-th topic (4)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        collection = Collection.build(arguments.data, Path(name) / "collection", verbose=False)
        topics, qrels = heading_topics(collection)
        articles = np.random.default_rng(1).permutation(sorted(topics["cluster"].unique()))
        mine = topics["cluster"].isin(articles[: len(articles) // 2])
        tuning, test = topics[mine].iloc[:: arguments.every], topics[~mine].reset_index(drop=True)
        found = systems(collection, Path(name), lambda make, grid: tune(make, grid, tuning, qrels))
        pipelines = [system >> Focused() for system, _ in found.values()]
        judged = qrels[qrels["qid"].isin(test["qid"])]
        values = pt.Experiment(pipelines, test, judged, MEASURES, names=list(found), perquery=True)
    by_topic = values.pivot_table(index="qid", columns=["name", "measure"], values="value").loc[test["qid"]]
    print(f"{len(tuning)} topics to tune, {len(test)} reported")
    for name, (_, setting) in found.items():
        line = f"{name:32}"
        for measure in map(str, MEASURES):
            difference = (by_topic[name, measure] - by_topic["BM25", measure]).to_numpy()
            p = p_value(difference, test["cluster"].to_numpy())
            line += f"{by_topic[name, measure].mean():8.3f} (p = {p:.3f})"
        print(line, setting)


if __name__ == "__main__":
    main()
