"""Of PyTerrier and ir_measures one function is replaced; all others, in all their modules, stay the same objects."""

import subprocess
import sys

import pytest

LOOK = '''
import importlib, importlib.metadata, inspect, pkgutil, sys, types, warnings
warnings.simplefilter("ignore")
HOSTS = ("ir_measures", "pyterrier")

def list_objects():
    """{(module, class, name): object} of all functions, methods and classes of both hosts."""
    found = {}
    for module in [module for name, module in sys.modules.items() if name.partition(".")[0] in HOSTS]:
        found[module.__name__, "", "the module's class"] = type(module)
        for name, value in list(vars(module).items()):
            if inspect.isroutine(value) or inspect.isclass(value):
                found[module.__name__, "", name] = value
            if inspect.isclass(value) and value.__module__.partition(".")[0] in HOSTS:
                found |= {(module.__name__, name, inner): one for inner, one in vars(value).items() if callable(one)}
            if inspect.isfunction(value):
                found[module.__name__, name, "code"] = value.__code__
    return found

def import_hosts():
    for host in HOSTS:
        for module in pkgutil.walk_packages(importlib.import_module(host).__path__, host + ".", onerror=print):
            if not any(part in module.name for part in ("__main__", "bin.", "_cli")):
                try:
                    importlib.import_module(module.name)
                except ImportError:
                    pass

def use():
    import pandas as pd, pyterrier as pt, pyterrier_focused as ptf
    qrels = pd.DataFrame([["1", "a", 1, [(0, 9)]]], columns=["qid", "docno", "label", "highlights"])
    run = pd.DataFrame([["1", "a", 1.0, [(0, 5)]]], columns=["qid", "docno", "score", "passages"])
    topics = pd.DataFrame([["1", "x"]], columns=["qid", "query"])
    values = pt.Experiment([run], topics, qrels, ["AP", "CharR", "nDCG@10"])
    assert values["CharR"][0] == 5 / 9, values
    ptf.evaluation.evaluate(qrels, {"mine": run}, "AgP AP")
'''
BEFORE = """
points = importlib.metadata.entry_points
importlib.metadata.entry_points = lambda **which: [one for one in points(**which) if "focused" not in one.value]
import_hosts()
importlib.metadata.entry_points = points
before = list_objects()
assert "pyterrier_focused" not in sys.modules
"""
AFTER = """
import pyterrier_focused
import_hosts()
use()
after = list_objects()
"""


OURS = "{key for key, one in after.items() if str(getattr(one, '__module__', '')).startswith('pyterrier_focused')}"


@pytest.mark.parametrize(
    ("code", "look"),
    [
        (BEFORE + AFTER, "{key for key in before if after.get(key) is not before[key]}"),
        (AFTER, OURS),
        ("import pyterrier\n" + AFTER, OURS),
    ],
    ids=["before and after", "imported first", "imported by PyTerrier"],
)
def test_one_function_is_replaced(code, look):
    shown = f"print(sorted({look} - {{('ir_measures', 'parse_trec_measure', 'code')}}))"
    done = subprocess.run([sys.executable, "-c", LOOK + code + shown], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] in ("[]", "[('ir_measures', '', 'parse_trec_measure')]")


def test_without_that_function_measures_are_given_as_objects():
    code = "import ir_measures; del ir_measures.parse_trec_measure; import pyterrier_focused as ptf; print(ptf.AgP)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "AgP\n"
    assert "takes measures of pyterrier_focused as objects" in done.stderr
