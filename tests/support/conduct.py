"""What a process does that imports PyTerrier with this package installed: run as a program, prints JSON.

Each case is a child of the process, forked after `import pyterrier` and before anything else.
"""

import json
import os
import sys
import types
import warnings
from importlib.metadata import EntryPoint

import ir_measures
import pandas as pd

OURS = "pyterrier_focused"
before = {}
before_providers = []


def snapshot():
    """The identity of each function of PyTerrier and ir_measures."""
    found = {}
    for module, contents in list(sys.modules.items()):
        if module.partition(".")[0] in ("pyterrier", "ir_measures"):
            for name, value in vars(contents).items():
                found[f"{module}.{name}"] = value
                if isinstance(value, type) and value.__module__.startswith(("pyterrier.", "ir_measures.")):
                    found |= {f"{module}.{name}.{key}": own for key, own in vars(value).items()}
    found = {name: id(value) for name, value in found.items() if isinstance(value, types.FunctionType | type)}
    formats = found.get("pyterrier.io.autoopen") and sys.modules["pyterrier.io"].SUPPORTED_RESULTS_FORMATS
    return found | {f"format {name}": id(pair) for name, pair in (formats or {}).items()}


def list_providers():
    return [provider.NAME for provider in ir_measures.DefaultPipeline.providers]


load = EntryPoint.load


def load_and_look(entry):
    if entry.value.startswith(OURS):
        before.update(snapshot())
        before_providers.extend(list_providers())
    return load(entry)


EntryPoint.load = load_and_look
import pyterrier as pt  # noqa: E402

after = snapshot()
report = {
    "replaced": [name for name, function in before.items() if after.get(name) != function],
    "known": len(before),
    "providers": list_providers(),
    "providers before": before_providers,
    "loaded": [name for name in sys.modules if name.startswith(f"{OURS}.")],
}


def in_child(function, *arguments):
    """Return what the function returns in a child of this process, and the warnings there."""
    reader, writer = os.pipe()
    if not os.fork():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                value = function(*arguments)
            except Exception as error:
                value = f"{type(error).__name__}: {error}"
        told = [str(warning.message) for warning in caught if OURS in str(warning.message)]
        os.write(writer, json.dumps([value, told]).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        found = json.loads(answer.read())
    os.wait()
    return found


USES = {
    "pt.focused.measures": True,
    "pt.focused.__version__": True,
    "import pyterrier_focused": True,
    "from pyterrier_focused.retrieval import Focused": True,
    "ir_measures.parse_trec_measure('AiP')": True,
    "{ir_measures.parse_measure('AiP')}": True,
    "ir_measures.DefaultPipeline.supports(ir_measures.parse_measure('AiP'))": True,
    "ir_measures.parse_trec_measure('map')": False,
    "ir_measures.parse_trec_measure('nDCG@10')": False,
    "ir_measures.DefaultPipeline.supports(ir_measures.AP)": False,
    "pt.Experiment([plain], texts, qrels, ['map'])": False,
    "hasattr(pt.focused, '__file__')": False,
}
topics = pd.DataFrame({"qid": [1, 2, 3], "query": "x"})
texts = topics.astype({"qid": str})
plain = pd.DataFrame({"qid": [1, 1, 2], "docno": ["a", "b", "a"], "score": [2.0, 1.0, 1.0], "rank": [0, 1, 0]}).astype(
    {"qid": str}
)
run = plain.assign(passages=[[(0, 5)], [(3, 4)], [(0, 3)]])
qrels = pd.DataFrame(
    {"qid": ["1", "2", "3"], "docno": ["b", "a", "a"], "label": 1, "highlights": [[(0, 5)], [(0, 3)], [(0, 3)]]}
)
numbers = {"qid": int}


def use(statement):
    exec(statement, globals())
    return list_providers()[0] != before_providers[0]


report["uses"] = [[statement, expected, in_child(use, statement)] for statement, expected in USES.items()]

AiP = ir_measures.parse_measure("AiP")
AP = ir_measures.AP
trouble = [AiP, ir_measures.nDCG @ 5, ir_measures.nDCG(gains={1: 7}) @ 5, ir_measures.P(judged_only=True) @ 2]
CALLS = {
    "strings": lambda: pt.Experiment(
        [run.astype(numbers)], topics, qrels.astype(numbers), ["AiP", "AP"], perquery=True
    ),
    "objects": lambda: pt.Experiment([run.astype(numbers)], topics, qrels.astype(numbers), [AiP, AP], perquery=True),
    "objects, not validated": lambda: pt.Experiment(
        [run.astype(numbers)], topics, qrels.astype(numbers), [AiP, AP], perquery=True, validate="ignore"
    ),
    "one run": lambda: pt.Evaluate(run.copy(), qrels, [AiP, AP], perquery=True),
    "measures that disturb each other": lambda: sorted(map(str, ir_measures.iter_calc(trouble, qrels, run))),
    "numbers": lambda: sorted(map(str, ir_measures.iter_calc([AP, AiP], qrels.astype(numbers), run.astype(numbers)))),
    "our provider": lambda: pt.focused.Focused()(run.assign(docno="7#0-9", score=1.0)[["qid", "docno", "score"]]),
}


def call_twice(call):
    return [str(call()), str(call())]


report["calls"] = {name: in_child(call_twice, call) for name, call in CALLS.items()}
report["late"] = in_child(
    lambda: str(pt.Evaluate(run.astype(numbers), qrels.astype(numbers), [AiP, AP], perquery=True))
)


TARGETS = {
    "Compose.fit": (pt.Compose, "fit"),
    "Estimator": (pt, "Estimator"),
    "Compose": (pt, "Compose"),
    "coerce_dataframe_types": (pt._evaluation._execution, "coerce_dataframe_types"),
    "_run_and_evaluate": (pt._evaluation._exec_linear, "_run_and_evaluate"),
    "_convert_measures": (pt._evaluation._rendering, "_convert_measures"),
    "SUPPORTED_RESULTS_FORMATS": (pt.io, "SUPPORTED_RESULTS_FORMATS"),
    "DefaultPipeline.providers": (ir_measures, "DefaultPipeline"),
    "FallbackProvider": (ir_measures.providers, "FallbackProvider"),
    "QrelsConverter": (ir_measures.util, "QrelsConverter"),
}


def use_without(owner, name, replacement=None):
    """Score a run by our provider, after a target was removed, or replaced."""
    delattr(owner, name)
    if replacement:
        setattr(owner, name, replacement)
    task = pt.focused.Focused()(run.assign(docno="7#0-9", score=1.0)[["qid", "docno", "score"]])
    if owner in (ir_measures, ir_measures.providers):
        pt.Experiment([plain], texts, qrels[["qid", "docno", "label"]], ["map"])
    names = {"qid": "query_id", "docno": "doc_id"}
    evaluator = ir_measures.providers.registry["focused"].evaluator([AiP], qrels.rename(columns=names))
    return len(task) + evaluator.calc_aggregate(run.rename(columns=names))[AiP]


report["AiP"] = in_child(lambda: pt.Evaluate(run.copy(), qrels, [AiP]))[0]["AiP"]
report["removed"] = {name: in_child(use_without, *target) for name, target in TARGETS.items()}
report["changed"] = {
    name: in_child(use_without, *TARGETS[name], lambda anything: None)
    for name in ("Compose.fit", "coerce_dataframe_types", "_run_and_evaluate", "SUPPORTED_RESULTS_FORMATS")
}
json.dump(report, sys.stdout)
