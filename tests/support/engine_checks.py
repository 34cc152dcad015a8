"""What our engines do beyond the checks that anyone's engine can run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
from engine_contract import TEXTS, TOPICS, build_index, check_engine, require_that

from pyterrier_focused.retrieval import Focused, PartIndex, RemoveOverlap
from pyterrier_focused.retrieval.engines.choose import open_engine
from pyterrier_focused.retrieval.part_retriever import PartRetriever

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


@dataclass(frozen=True)
class _Case:
    """The engine's name, an index that it made of `TEXTS`, and a folder for more."""

    engine: str
    index: PartIndex
    folder: Path
    options: dict[str, Any]

    def retrievers(self) -> Iterator[tuple[str, PartRetriever]]:
        """Yield a retriever for each of the engine's models."""
        for model in self.index.abilities.models:
            yield model, self.index.retriever(model)


def check_own_engine(engine: str, folder: str | Path, **options: Any) -> None:
    """Run all checks: those for anyone's engine, and these."""
    index = check_engine(engine, folder, **options)
    case = _Case(engine, index, Path(folder), options)
    failed = []
    for check in _CHECKS:
        try:
            check(case)
        except Exception as error:
            # A check that fails in any way is a line of the report.
            failed.append(f"{check.__name__}: {type(error).__name__}: {error}")
    if failed:
        raise AssertionError(f"{engine}: {len(failed)} of {len(_CHECKS)} checks failed:\n  " + "\n  ".join(failed))


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


def _takes_any_text_for_a_query(case: _Case) -> None:
    for _, retriever in case.retrievers():
        for query in _ODD:
            retriever.search(query)
            require_that(len(retriever.search(f"{query} fresnel")), f"{query[:20]!r} hides the word after it")


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
        usual = case.index.retriever(model).transform(TOPICS)
        for name, value in parameters.items():
            halved: dict[str, Any] = {name: value / 2}
            changed = case.index.retriever(model, **halved).transform(TOPICS)
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


def _ranks_candidates(case: _Case) -> None:
    for model, retriever in case.retrievers():
        found = retriever.transform(TOPICS).assign(score=0.0, kept=7)
        again = retriever.transform(found.sample(frac=1, random_state=5))
        require_that(_same_scores(again, retriever.transform(TOPICS)), f"{model}: candidates are ranked otherwise")
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
                found = pd.DataFrame((retriever >> case.index.rewriter(method) >> retriever)(TOPICS.iloc[:2]))
                require_that(set(found["qid"]) == {"a", "b"}, f"{model}: {method} loses a topic")
        else:
            _expect_error(partial(case.index.rewriter, method), method)


def _threads_change_no_result(case: _Case) -> None:
    for model, retriever in case.retrievers():
        if case.index.abilities.threads:
            several = case.index.retriever(model, threads=2).transform(TOPICS)
            pd.testing.assert_frame_equal(several, retriever.transform(TOPICS))
        else:
            _expect_error(partial(case.index.retriever, model, threads=2), "threads=2")


def _keeps_what_it_says(case: _Case) -> None:
    for option in ("blocks", "fields"):
        path = case.folder / option
        if getattr(case.index.abilities, option):
            require_that(
                len(build_index(case.engine, path, TEXTS, **case.options, **{option: True})), f"{option}=True: no parts"
            )
        else:
            _expect_error(partial(build_index, case.engine, path, TEXTS, **case.options, **{option: True}), option)


def _indexes_other_languages(case: _Case) -> None:
    texts = {"1#0-30": "Die Häuser und die Straße", "2#0-30": "Der Leuchtturm und die Lampe"}
    index = build_index(case.engine, case.folder / "german", texts, **case.options, language="german")
    for model in index.abilities.models:
        for word in ("Haus", "STRASSE"):
            found = index.retriever(model).search(word)["docno"].tolist()
            require_that(found == ["1#0-30"], f"{model}: {word!r} finds {found} in German")


def _serves_an_experiment(case: _Case) -> None:
    qrels = pd.DataFrame({"qid": ["a"], "docno": ["4"], "label": [1], "highlights": [[(0, 50)]], "bep": 0})
    systems = [retriever >> RemoveOverlap() >> Focused() for _, retriever in case.retrievers()]
    table = pt.Experiment(systems, TOPICS, qrels, [ir_measures.parse_measure("CharR"), ir_measures.parse_measure("AP")])
    require_that((table["CharR"] > 0).all() and (table["AP"] > 0).all(), f"values of nothing:\n{table}")


def _is_registered(case: _Case) -> None:
    require_that(case.index.engine == case.engine, f"the index says that its engine is {case.index.engine!r}")
    require_that(case.index.engine_name == open_engine(case.engine).name, "the index and the engine have other names")


_CHECKS = (
    _takes_any_text_for_a_query,
    _checks_models_and_parameters,
    _uses_its_parameters,
    _weighs_terms,
    _ranks_candidates,
    _gives_the_terms_of_parts,
    _expands_queries,
    _threads_change_no_result,
    _keeps_what_it_says,
    _indexes_other_languages,
    _serves_an_experiment,
    _is_registered,
)
