"""What all measures share: how they compare, how they travel between processes, where they are registered."""

import copy
import inspect
import os
import pickle
import subprocess
import sys

import pytest

from pyterrier_focused import AgP, AiP, CharP, iP, measures
from pyterrier_focused.evaluation.registry import parse
from pyterrier_focused.measures import MEASURES, base
from pyterrier_focused.measures.base import FocusedMeasure

TRAVELLERS = [CharP @ 7, iP @ 0.29, AgP(task="bic", n=500), CharP(chars=123, overlap="once"), AiP]


@pytest.mark.parametrize("measure", TRAVELLERS, ids=str)
@pytest.mark.parametrize("travel", [lambda m: pickle.loads(pickle.dumps(m)), copy.copy, copy.deepcopy])
def test_a_copy_is_the_same_measure(measure, travel):
    arrived = travel(measure)
    assert arrived == measure
    assert hash(arrived) == hash(measure)
    assert arrived.params == measure.params


@pytest.mark.parametrize("seed", ["0", "2"])
def test_a_new_process_scores_with_measures_that_it_did_not_make(seed):
    """As `spawn` does: the parameters were never seen there, and hashes of text differ."""
    code = """
import pickle, sys, pandas as pd, ir_measures
measures = pickle.loads(sys.stdin.buffer.read())
run = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "score": [1.0], "passages": [[(0, 10)]]})
qrels = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "relevance": [1], "highlights": [[(5, 10)]]})
found = ir_measures.calc_aggregate(measures, qrels, run)
print(*(f"{measure}={found[measure]}" for measure in ir_measures.evaluator(measures, qrels).measures))
"""
    sent = pickle.dumps([iP @ 0.5, CharP @ 7])
    command, environment = [sys.executable, "-W", "ignore", "-c", code], {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run(command, input=sent, capture_output=True, check=True, env=environment)
    assert done.stdout.decode().split() == ["iP@0.5=0.5", "CharP@7=0.5"]


def test_nothing_is_kept_of_measures_that_were_made():
    containers = {name: len(value) for name, value in vars(base).items() if isinstance(value, dict | list | set)}
    made = [CharP @ rank for rank in range(2, 50)]
    assert len(set(made)) == 48
    assert containers == {
        name: len(value) for name, value in vars(base).items() if isinstance(value, dict | list | set)
    }


@pytest.mark.parametrize("asked", ["AgP CharP@7 AiP", "AiP AgP CharP@7", "CharP@7 AiP AgP"])
def test_measures_stand_in_the_order_asked_for(asked):
    measures = set(map(pickle.loads, map(pickle.dumps, parse(asked))))
    assert [str(measure) for measure in sorted(measures, key=lambda measure: measure.asked)] == asked.split()


def named_measures(kind):
    """The package's measures with a name of their own below a class."""
    for child in kind.__subclasses__():
        if child.__module__.startswith("pyterrier_focused.measures."):
            yield from [child] if "NAME" in vars(child) else []
            yield from named_measures(child)


def test_every_measure_is_registered_by_the_line_below_its_class():
    assert set(named_measures(FocusedMeasure)) == set(map(type, MEASURES))


def test_every_name_of_a_measure_is_a_public_name():
    names = {name: measure for measure in MEASURES for name in measure.names()}
    assert {name: getattr(measures, name, None) for name in names} == names


def test_the_signature_of_a_measure_names_its_parameters():
    assert str(inspect.signature(iP)) == "(*, recall=None, overlap='error', unit=None)"
