"""What every engine of an index of parts must do, as checks that anyone's engine can run.

    from pyterrier_focused.testing.engines import check_engine

    check_engine("opensearch", folder)

The engine is found as `collection.index(path, engine="opensearch")` finds it: by its entry point in the group
`pyterrier_focused.engines`. The contract is in `pyterrier_focused.retrieval.engines.base`.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt

from ..retrieval import Focused, PartIndex, RemoveOverlap
from ..retrieval.engines.choose import open_engine
from ..retrieval.part_retriever import PartRetriever
from .require import require_that

_TEXTS = {
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
_ODD = (
    "",
    "  ",
    "the of",
    "\0",
    '"',
    "'",
    "c++ whale",
    "a:b",
    "^2 ~ fox*",
    "+whale -oil",
    "#combine(whale",
    "x" * 9999,
)
_TOPICS = pd.DataFrame(
    {"qid": ["b", "a", "c"], "query": ["whale oil lamp", "glass lens", "zeppelin"], "user": [7, 8, 9]}
)


@dataclass(frozen=True)
class _Case:
    """The engine's name, an index that it made of `_TEXTS`, and a folder for more."""

    engine: str
    index: PartIndex
    folder: Path
    options: dict[str, Any]

    def retrievers(self) -> Iterator[tuple[str, PartRetriever]]:
        """Yield a retriever for each of the engine's models."""
        for model in self.index.abilities.models:
            yield model, self.index.retriever(model)


def check_engine(engine: str, folder: str | Path, **options: Any) -> None:
    """Check that an engine keeps the contract of `pyterrier_focused.retrieval.engines.base`.

    Args:
        folder: An empty folder, for the indexes that are made.
        options: Options of its own that the engine needs to index.
    """
    folder = Path(folder)
    case = _Case(engine, _build_index(engine, folder / "index", _TEXTS, options), folder, options)
    failed = []
    for check in _CHECKS:
        try:
            check(case)
        except Exception as error:
            # A check that fails in any way is a line of the report.
            failed.append(f"{check.__name__}: {type(error).__name__}: {error}")
    if failed:
        raise AssertionError(f"{engine}: {len(failed)} of {len(_CHECKS)} checks failed:\n  " + "\n  ".join(failed))


def _build_index(engine: str, path: Path, texts: dict[str, str], options: dict[str, Any], **build: Any) -> PartIndex:
    parts = [{"docno": docno, "text": text} for docno, text in texts.items()]
    return PartIndex.from_parts(parts, path, engine, **build, **options)


def _expect_error(call: Callable[[], object], *words: str) -> None:
    try:
        call()
    except ValueError as error:
        require_that(all(word in str(error) for word in words), f"the error {str(error)!r} does not name {words}")
    else:
        raise AssertionError(f"no ValueError that names {words}")


def _same_scores(one: pd.DataFrame, other: pd.DataFrame) -> bool:
    """Tell whether two results have the same parts and scores for each topic."""
    key = ["qid", "docno"]
    one, other = (frame.sort_values(key)[[*key, "score"]].reset_index(drop=True) for frame in (one, other))
    return one[key].equals(other[key]) and np.allclose(one["score"], other["score"], rtol=1e-3, atol=1e-6)


def _has_a_model(case: _Case) -> None:
    models = case.index.abilities.models
    require_that(models, "`can.models` is empty")
    require_that(
        all(name == name.lower() for name in models), f"names of models are in lower case, unlike {list(models)}"
    )


def _counts_its_parts(case: _Case) -> None:
    require_that(len(case.index) == len(_TEXTS), f"{len(case.index)} parts of {len(_TEXTS)}")


def _returns_rows_of_results(case: _Case) -> None:
    for model, retriever in case.retrievers():
        found = retriever.transform(_TOPICS)
        wanted = {"qid", "query", "user", "docno", "score", "rank"}
        require_that(wanted <= set(found.columns), f"{model}: columns {list(found.columns)}")
        require_that(set(found["docno"]) <= set(_TEXTS), f"{model}: docnos that were not indexed")
        require_that(not found.duplicated(["qid", "docno"]).any(), f"{model}: a part is found twice for one topic")
        require_that(np.isfinite(found["score"]).all(), f"{model}: a score is not finite")
        require_that(list(found["qid"].unique()) == ["b", "a"], f"{model}: topics {list(found['qid'].unique())}")
        for qid, rows in found.groupby("qid"):
            require_that(rows["score"].is_monotonic_decreasing, f"{model}: topic {qid!r}: scores rise")
            require_that(
                rows["rank"].tolist() == list(range(len(rows))), f"{model}: topic {qid!r}: ranks {list(rows['rank'])}"
            )
        require_that(len(retriever.transform(_TOPICS.iloc[:0])) == 0, f"{model}: no topics, and rows")


def _finds_the_parts_that_hold_a_word(case: _Case) -> None:
    for model, retriever in case.retrievers():
        for word, docno in _ALONE.items():
            found = retriever.search(word)["docno"].tolist()
            require_that(found == [docno], f"{model}: {word!r} finds {found}, and is in {docno}")


def _takes_any_text_for_a_query(case: _Case) -> None:
    for _, retriever in case.retrievers():
        for query in _ODD:
            retriever.search(query)
            require_that(len(retriever.search(f"{query} fresnel")), f"{query[:20]!r} hides the word after it")


def _cuts_the_ranking(case: _Case) -> None:
    for model in case.index.abilities.models:
        everything = case.index.retriever(model).search("lamp oil")
        for k in (1, 2):
            first = case.index.retriever(model, num_results=k).search("lamp oil")
            require_that(
                first["docno"].tolist() == everything["docno"].tolist()[:k], f"{model}: the best {k} are others"
            )


def _checks_models_and_parameters(case: _Case) -> None:
    models = case.index.abilities.models
    _expect_error(lambda: case.index.retriever("no_such_model"), "no_such_model", next(iter(models)))
    for model, parameters in models.items():
        _expect_error(partial(case.index.retriever, model, no_such=1.0), "no_such", *parameters)
        for name, value in parameters.items():
            retriever = case.index.retriever(model)
            given: dict[str, Any] = {name: value}
            require_that(getattr(retriever, name) == value, f"{model}: {name} is not {value}")
            require_that(case.index.retriever(model, **given) == retriever, f"{model}: {name}={value} is another")


def _uses_its_parameters(case: _Case) -> None:
    for model, parameters in case.index.abilities.models.items():
        usual = case.index.retriever(model).transform(_TOPICS)
        for name, value in parameters.items():
            halved: dict[str, Any] = {name: value / 2}
            changed = case.index.retriever(model, **halved).transform(_TOPICS)
            require_that(not _same_scores(usual, changed), f"{model}: {name} changes nothing")


def _weighs_terms(case: _Case) -> None:
    """Weights may be scaled, all alike; a model may let them level off, or read none, as Terrier's qld does."""
    topics = pd.DataFrame({"qid": ["1"], "query_toks": [{"lamp": 2.0, "blubber": 0.5, "zeppelin": 9.0}]})
    if not case.index.abilities.weighted_queries:
        _expect_error(partial(next(iter(case.retrievers()))[1].transform, topics), "query_toks")
        return
    heavier = []
    for model, retriever in case.retrievers():
        lamp, blubber = (retriever.search(term).set_index("docno")["score"] for term in ("lamp", "blubber"))
        found = retriever.transform(topics).set_index("docno")["score"]
        require_that(set(found.index) == {*lamp.index, *blubber.index}, f"{model}: weighted terms find other parts")
        heavy = found[lamp.index] / lamp
        light = found[blubber.index] / blubber
        require_that(heavy.max() <= heavy.min() * 1.001, f"{model}: a term's weight differs from part to part")
        heavier.append(heavy.min() > 1.2 * light.max())
    require_that(any(heavier), "no model counts a heavier term more")


def _scores_candidates_as_it_ranks_them(case: _Case) -> None:
    for model, retriever in case.retrievers():
        searcher = case.index.searcher(model, {})
        queries = _TOPICS["query"].tolist()
        docnos = list(_TEXTS)
        found = retriever.transform(_TOPICS).set_index(["qid", "docno"])["score"]
        scores = searcher.score(queries, [[*docnos, "9#0-9"]] * len(queries))
        for qid, values in zip(_TOPICS["qid"], scores, strict=True):
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


def _ranks_candidates(case: _Case) -> None:
    for model, retriever in case.retrievers():
        found = retriever.transform(_TOPICS).assign(score=0.0, kept=7)
        again = retriever.transform(found.sample(frac=1, random_state=5))
        require_that(_same_scores(again, retriever.transform(_TOPICS)), f"{model}: candidates are ranked otherwise")
        require_that((again["kept"] == 7).all(), f"{model}: a column of the candidates is lost")
        _expect_error(partial(retriever.transform, found.assign(docno="9#0-9")), "9#0-9")


def _gives_the_terms_of_parts(case: _Case) -> None:
    if not case.index.abilities.feedback:
        return
    feedback = case.index.feedback()
    vectors = feedback.vectors(["1#40-90", "3#0-50", "9#0-9"])
    require_that(set(vectors) == {"1#40-90", "3#0-50"}, f"vectors of {sorted(vectors)}")
    (lamp,) = feedback.analyse("lamp")
    require_that(vectors["1#40-90"].get(lamp) == 2, f"{lamp!r} occurs {vectors['1#40-90'].get(lamp)} times, not 2")
    require_that(feedback.analyse("the of") == [], "stop words are terms")
    statistics = feedback.statistics([lamp, "zzz"])
    require_that(statistics == {lamp: (2, 3), "zzz": (0, 0)}, f"statistics {statistics}")


def _expands_queries(case: _Case) -> None:
    can = case.index.abilities
    for method in ("RM3", "Bo1"):
        if method in can.rewrites or (can.feedback and can.weighted_queries):
            for model, retriever in case.retrievers():
                found = pd.DataFrame((retriever >> case.index.rewriter(method) >> retriever)(_TOPICS.iloc[:2]))
                require_that(set(found["qid"]) == {"a", "b"}, f"{model}: {method} loses a topic")
        else:
            _expect_error(partial(case.index.rewriter, method), method)


def _threads_change_no_result(case: _Case) -> None:
    for model, retriever in case.retrievers():
        if case.index.abilities.threads:
            several = case.index.retriever(model, threads=2).transform(_TOPICS)
            pd.testing.assert_frame_equal(several, retriever.transform(_TOPICS))
        else:
            _expect_error(partial(case.index.retriever, model, threads=2), "threads=2")


def _is_opened_again(case: _Case) -> None:
    again = pickle.loads(pickle.dumps(case.index))
    for model, retriever in case.retrievers():
        expected = retriever.transform(_TOPICS)
        pd.testing.assert_frame_equal(again.retriever(model).transform(_TOPICS), expected)
        copy = pickle.loads(pickle.dumps(retriever))
        require_that(copy == retriever, f"{model}: a pickled retriever is another")
        pd.testing.assert_frame_equal(copy.transform(_TOPICS), expected)


def _keeps_what_it_says(case: _Case) -> None:
    for option in ("blocks", "fields"):
        path = case.folder / option
        if getattr(case.index.abilities, option):
            require_that(
                len(_build_index(case.engine, path, _TEXTS, case.options, **{option: True})), f"{option}=True: no parts"
            )
        else:
            _expect_error(partial(_build_index, case.engine, path, _TEXTS, case.options, **{option: True}), option)


def _indexes_other_languages(case: _Case) -> None:
    texts = {"1#0-30": "Die Häuser und die Straße", "2#0-30": "Der Leuchtturm und die Lampe"}
    index = _build_index(case.engine, case.folder / "german", texts, case.options, language="german")
    for model in index.abilities.models:
        for word in ("Haus", "STRASSE"):
            found = index.retriever(model).search(word)["docno"].tolist()
            require_that(found == ["1#0-30"], f"{model}: {word!r} finds {found} in German")


def _refuses_to_index_nothing(case: _Case) -> None:
    path = case.folder / "nothing"
    _expect_error(partial(_build_index, case.engine, path, {"1#0-3": "..."}, case.options), "nothing to index")
    require_that(not path.exists(), "a build that failed leaves a folder")


def _passes_on_errors_of_the_source(case: _Case) -> None:
    def parts() -> Iterator[dict[str, str]]:
        yield {"docno": "1#0-4", "text": "word"}
        raise OSError("the disk is gone")

    try:
        PartIndex.from_parts(parts(), case.folder / "half", case.engine, **case.options)
    except OSError as error:
        require_that("the disk is gone" in str(error), f"another error: {error}")
    else:
        raise AssertionError("the source failed, and the index was made of what came before")


def _serves_an_experiment(case: _Case) -> None:
    qrels = pd.DataFrame({"qid": ["a"], "docno": ["4"], "label": [1], "highlights": [[(0, 50)]], "bep": 0})
    systems = [retriever >> RemoveOverlap() >> Focused() for _, retriever in case.retrievers()]
    table = pt.Experiment(
        systems, _TOPICS, qrels, [ir_measures.parse_measure("CharR"), ir_measures.parse_measure("AP")]
    )
    require_that((table["CharR"] > 0).all() and (table["AP"] > 0).all(), f"values of nothing:\n{table}")


def _is_registered(case: _Case) -> None:
    require_that(case.index.engine == case.engine, f"the index says that its engine is {case.index.engine!r}")
    require_that(case.index.engine_name == open_engine(case.engine).name, "the index and the engine have other names")


_CHECKS = (
    _is_registered,
    _has_a_model,
    _counts_its_parts,
    _returns_rows_of_results,
    _finds_the_parts_that_hold_a_word,
    _takes_any_text_for_a_query,
    _cuts_the_ranking,
    _checks_models_and_parameters,
    _uses_its_parameters,
    _weighs_terms,
    _scores_candidates_as_it_ranks_them,
    _ranks_candidates,
    _gives_the_terms_of_parts,
    _expands_queries,
    _threads_change_no_result,
    _is_opened_again,
    _keeps_what_it_says,
    _indexes_other_languages,
    _refuses_to_index_nothing,
    _passes_on_errors_of_the_source,
    _serves_an_experiment,
)
