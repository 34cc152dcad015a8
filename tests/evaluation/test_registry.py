"""Measures of one's own: a class with a name and a calculation, asked for by its name."""

import json
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pytest
from page_examples import python_blocks

from pyterrier_focused import measures, parse
from pyterrier_focused.measures import register

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


class Returned(measures.FocusedMeasure):
    NAME = "Returned"

    def calculate(self, ranking):
        return np.bincount(ranking.topic, minlength=len(ranking.judgments.topics)) / 10


@pytest.fixture
def registered(monkeypatch):
    monkeypatch.setattr(ir_measures.measures, "registry", dict(ir_measures.measures.registry))
    return register(Returned)


def test_a_registered_measure_is_asked_for_by_its_name(registered):
    qrels = pd.DataFrame(
        {"query_id": ["1", "2"], "doc_id": ["a", "a"], "relevance": [1, 1], "highlights": [[(0, 1)]] * 2}
    )
    run = pd.DataFrame({"query_id": ["1"] * 2, "doc_id": ["a", "b"], "score": [2.0, 1.0], "passages": [[(0, 1)]] * 2})
    values = {metric.query_id: metric.value for metric in ir_measures.iter_calc(parse("Returned"), qrels, run)}
    assert values == {"1": 0.2, "2": 0}


def test_a_class_that_is_registered_again_takes_the_place_of_the_first(registered):
    again = type("Returned", (Returned,), {"__module__": __name__, "__qualname__": "Returned"})
    assert type(register(again)) is again
    assert type(parse("Returned")[0]) is again


@pytest.mark.parametrize("taken", ["AP", "CharP", "MAiP"])
def test_a_name_that_another_measure_has_is_refused(taken):
    with pytest.raises(ValueError, match=f"^{taken} is a measure of .*: choose another NAME"):
        register(type("Mine", (Returned,), {"NAME": taken}))
    assert parse(taken)


@pytest.mark.parametrize("thing", [3, object, ir_measures.AP, type("Nameless", (measures.FocusedMeasure,), {})])
def test_what_is_no_measure_of_a_name_is_refused(thing):
    with pytest.raises(ValueError, match="is not a measure: give a class of FocusedMeasure that has a NAME"):
        register(thing)


def test_the_page_and_the_first_notebook_have_the_same_class():
    shown = next(block for block in python_blocks("your_own_measure.md") if "class Useful" in block)
    notebook = json.loads((EXAMPLES / "01_sections_or_articles.ipynb").read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"]]
    (cell,) = (cell for cell in cells if "class Useful" in cell)
    assert cell in shown.rstrip()
