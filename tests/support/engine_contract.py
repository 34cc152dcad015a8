"""The contract of engines of an index of parts (`pyterrier_focused.retrieval.engines.base`) as checks."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pyterrier_focused.retrieval import PartIndex

TEXTS = {
    "1#0-40": "A lighthouse guides ships at night.",
    "1#40-90": "The lamp burned whale oil. Oil was dear, and the lamp was bright.",
    "1#90-150": "Fresnel made a lens of glass rings. The lens throws the light far.",
    "2#0-50": "A harbour shelters ships from the storm.",
    "2#50-99": "A lamp on the pier shows the entrance at night.",
    "3#0-50": "Whalers boiled the blubber for oil.",
    "3#50-99": "Ελληνικά καφενεία, 東京の喫茶店, Zürich and Ærø.",
    "4#0-50": "Glass is sand that was molten.",
    "4#50-99": "A lens of glass bends light: café, naïve, 3.5.",
    "an.article_#7#0-30": "A bridge of stone crosses water.",
    "é#0-30": "Brass wheels turn the hands of a clock.",
    "6#0-3": "...",
}
# words of one part only
_ALONE = {
    "fresnel": "1#90-150",
    "LIGHTHOUSE": "1#0-40",
    "blubber": "3#0-50",
    "ελληνικα": "3#50-99",
    "東京": "3#50-99",
    "Zurich": "3#50-99",
    "cafe": "4#50-99",
    "bridge": "an.article_#7#0-30",
    "brass": "é#0-30",
}
TOPICS = pd.DataFrame(
    {"qid": ["b", "a", "c"], "query": ["whale oil lamp", "glass lens", "zeppelin"], "user": [7, 8, 9]}
)


def require_that(holds: object, fault: str) -> None:
    """Raise an AssertionError that says what is wrong, also if Python runs without assertions."""
    if not holds:
        raise AssertionError(fault)


def check_engine(engine: str, folder: str | Path, **options: Any) -> PartIndex:
    """Check that an engine keeps the contract of `pyterrier_focused.retrieval.engines.base`.

    Args:
        folder: An empty folder, for the indexes that are made.
        options: Options of its own that the engine needs to index.

    Returns:
        An index of `TEXTS`, for checks of your own.
    """
    index = build_index(engine, Path(folder, "index"), TEXTS, **options)
    failed = []
    for check in _CHECKS:
        try:
            check(index)
        except Exception as error:
            # A check that fails in any way is a line of the report.
            failed.append(f"{check.__name__}: {type(error).__name__}: {error}")
    if failed:
        raise AssertionError(f"{engine}: {len(failed)} of {len(_CHECKS)} checks failed:\n  " + "\n  ".join(failed))
    _refuses_to_index_nothing(engine, Path(folder, "nothing"), options)
    _passes_on_errors_of_the_source(engine, Path(folder, "half"), options)
    return index


def build_index(engine: str, path: Path, texts: dict[str, str], **options: Any) -> PartIndex:
    """Index parts, given by their docnos."""
    parts = [{"docno": docno, "text": text} for docno, text in texts.items()]
    return PartIndex.from_parts(parts, path, engine, **options)


def _has_a_model(index: PartIndex) -> None:
    models = index.abilities.models
    require_that(models, "`can.models` is empty")
    require_that(
        all(name == name.lower() for name in models), f"names of models are in lower case, unlike {list(models)}"
    )


def _counts_its_parts(index: PartIndex) -> None:
    require_that(len(index) == len(TEXTS), f"{len(index)} parts of {len(TEXTS)}")


def _returns_rows_of_results(index: PartIndex) -> None:
    for model in index.abilities.models:
        retriever = index.retriever(model)
        found = retriever.transform(TOPICS)
        wanted = {"qid", "query", "user", "docno", "score", "rank"}
        require_that(wanted <= set(found.columns), f"{model}: columns {list(found.columns)}")
        require_that(set(found["docno"]) <= set(TEXTS), f"{model}: docnos that were not indexed")
        require_that(not found.duplicated(["qid", "docno"]).any(), f"{model}: a part is found twice for one topic")
        require_that(np.isfinite(found["score"]).all(), f"{model}: a score is not finite")
        require_that(list(found["qid"].unique()) == ["b", "a"], f"{model}: topics {list(found['qid'].unique())}")
        for qid, rows in found.groupby("qid"):
            require_that(rows["score"].is_monotonic_decreasing, f"{model}: topic {qid!r}: scores rise")
            require_that(
                rows["rank"].tolist() == list(range(len(rows))), f"{model}: topic {qid!r}: ranks {list(rows['rank'])}"
            )
        require_that(len(retriever.transform(TOPICS.iloc[:0])) == 0, f"{model}: no topics, and rows")


def _finds_the_parts_that_hold_a_word(index: PartIndex) -> None:
    for model in index.abilities.models:
        retriever = index.retriever(model)
        for word, docno in _ALONE.items():
            found = retriever.search(word)["docno"].tolist()
            require_that(found == [docno], f"{model}: {word!r} finds {found}, and is in {docno}")


def _cuts_the_ranking(index: PartIndex) -> None:
    for model in index.abilities.models:
        everything = index.retriever(model).search("lamp oil")
        for k in (1, 2):
            first = index.retriever(model, num_results=k).search("lamp oil")
            require_that(
                first["docno"].tolist() == everything["docno"].tolist()[:k], f"{model}: the best {k} are others"
            )


def _scores_candidates_as_it_ranks_them(index: PartIndex) -> None:
    for model in index.abilities.models:
        retriever = index.retriever(model)
        searcher = index.searcher(model, {})
        queries = TOPICS["query"].tolist()
        docnos = list(TEXTS)
        found = retriever.transform(TOPICS).set_index(["qid", "docno"])["score"]
        scores = searcher.score(queries, [[*docnos, "9#0-9"]] * len(queries))
        for qid, values in zip(TOPICS["qid"], scores, strict=True):
            require_that(
                len(values) == len(docnos) + 1, f"{model}: {len(values)} scores of {len(docnos) + 1} candidates"
            )
            require_that(np.isnan(values[-1]), f"{model}: a docno that the index lacks scores {values[-1]}, not NaN")
            expected = [found.get((qid, docno), 0.0) for docno in docnos]
            require_that(
                np.allclose(values[:-1], expected, rtol=1e-3, atol=1e-6), f"{model}: candidates score otherwise"
            )
        require_that(
            [len(some) for some in searcher.score(queries[:2], [[], docnos[:1]])] == [0, 1], f"{model}: shapes"
        )


def _is_opened_again(index: PartIndex) -> None:
    again = pickle.loads(pickle.dumps(index))
    for model in index.abilities.models:
        retriever = index.retriever(model)
        expected = retriever.transform(TOPICS)
        pd.testing.assert_frame_equal(again.retriever(model).transform(TOPICS), expected)
        copy = pickle.loads(pickle.dumps(retriever))
        require_that(copy == retriever, f"{model}: a pickled retriever is another")
        pd.testing.assert_frame_equal(copy.transform(TOPICS), expected)


def _refuses_to_index_nothing(engine: str, path: Path, options: dict[str, Any]) -> None:
    try:
        build_index(engine, path, {"1#0-3": "..."}, **options)
    except ValueError as error:
        require_that("nothing to index" in str(error), f"{engine}: another error than 'nothing to index': {error}")
    else:
        raise AssertionError(f"{engine}: an index of no words is no error")
    require_that(not path.exists(), f"{engine}: a build that failed leaves a folder")


def _passes_on_errors_of_the_source(engine: str, path: Path, options: dict[str, Any]) -> None:
    def parts() -> Iterator[dict[str, str]]:
        yield {"docno": "1#0-4", "text": "word"}
        raise OSError("the disk is gone")

    try:
        PartIndex.from_parts(parts(), path, engine, **options)
    except OSError as error:
        require_that("the disk is gone" in str(error), f"{engine}: another error: {error}")
    else:
        raise AssertionError(f"{engine}: the source failed, and the index was made of what came before")


_CHECKS: tuple[Callable[[PartIndex], None], ...] = (
    _has_a_model,
    _counts_its_parts,
    _returns_rows_of_results,
    _finds_the_parts_that_hold_a_word,
    _cuts_the_ranking,
    _scores_candidates_as_it_ranks_them,
    _is_opened_again,
)
