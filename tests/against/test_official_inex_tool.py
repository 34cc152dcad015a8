"""The measures against what the official INEX tool (inex_eval 1.0) printed for its sample runs.

The sample is read here with plain loops, so that nothing but the measures is tested.
"""

import ir_measures
import pandas as pd
import pytest

from pyterrier_focused import AgP, AiP, gP, gR, iP

MISSING = 18  # characters of a part that does not exist, as the tool counts it
RANKS = (1, 2, 3, 5, 10, 25, 50)


@pytest.fixture(scope="module")
def qrels(inex_sample):
    rows = []
    for line in (inex_sample / "qrels.txt").read_text().splitlines():
        topic, _, article, size, length, *more = line.split()
        spans = [tuple(map(int, span.split(":"))) for span in more[1:]]
        highlights = [(offset, offset + characters) for offset, characters in spans]
        assert sum(characters for _, characters in spans) == int(size)
        rows.append((topic, article, int(int(size) > 0), highlights, int(more[0]) if more else -1, int(length)))
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "highlights", "bep", "length"])


def read_run(path):
    """The order of the lines is the ranking, of passages and, by their first passage, of articles."""
    passages, order = {}, []
    for line in path.read_text().splitlines():
        topic, _, article, _, _, _, offset, length = line.split()
        at = (topic, article)
        if at not in passages:
            order.append(at)
        if offset in ("X", "-1"):
            start, end = 2**40, 2**40 + MISSING
        else:
            start, end = int(offset), int(offset) + int(length)
        passages.setdefault(at, []).append((start, end, -float(sum(map(len, passages.values())))))
    rows = [(*at, -float(rank), passages[at]) for rank, at in enumerate(order)]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "score", "passages"])


def read_output(path):
    """{(measure, topic or 'all'): value} of the first run that the file reports."""
    values = {}
    for line in path.read_text().split("</eval>")[0].splitlines():
        fields = line.split()
        if len(fields) == 3 and not line.startswith("<"):
            values[fields[0], fields[1]] = float(fields[2])
    return values


def compare(measures, qrels, run, printed, complete):
    """*complete*: the tool averaged over all topics (-c), not over those with results alone."""
    judged = qrels if complete else qrels[qrels["query_id"].isin(run["query_id"])]
    names = {measure: name for name, measure in measures.items()}
    result = ir_measures.calc(list(names), judged, run)
    compared = 0
    for metric in result.per_query:
        key = (names[metric.measure], metric.query_id)
        if key in printed:
            assert metric.value == pytest.approx(printed[key], abs=1e-12), key
            compared += 1
    for measure, value in result.aggregated.items():
        name = {"AiP": "MAiP", "AgP": "MAgP"}.get(names[measure], names[measure])
        assert value == pytest.approx(printed[name, "all"], abs=1e-12), name
    return compared


LEVELS = {f"iP[{level}]": iP @ float(level) for level in ("0.00", "0.01", "0.05", "0.10")}
CURVE = {f"ircl_prn.{i / 100:.2f}": iP @ (i / 100) for i in range(101)}


@pytest.mark.parametrize(("file", "complete"), [("focused.out", False), ("focused_c.out", True)])
def test_focused_runs_have_the_values_of_the_official_tool(inex_sample, qrels, file, complete):
    printed = read_output(inex_sample / file)
    run = read_run(inex_sample / "focused.run")
    per_query = compare({**LEVELS, "AiP": AiP}, qrels, run, printed, complete)
    assert per_query == (0 if complete else 5 * 5)
    compare(CURVE, qrels, run, printed, complete)


def in_context(**task):
    ranks = {f"gP[{r}]": gP(last=True, **task) @ r for r in RANKS} | {
        f"gR[{r}]": gR(last=True, **task) @ r for r in RANKS
    }
    return {**ranks, "AgP": AgP(**task)}


@pytest.mark.parametrize(
    ("file", "run", "task", "complete"),
    [
        ("ric.out", "ric.run", {"task": "ric", "beta": 0.25}, False),
        ("ric_c_beta1.out", "ric.run", {"task": "ric", "beta": 1}, True),
        ("bic.out", "bic.run", {"task": "bic", "n": 500}, False),
        ("bic_n1000_two_runs.out", "bic.run", {"task": "bic", "n": 1000}, False),
    ],
)
def test_runs_in_context_have_the_values_of_the_official_tool(inex_sample, qrels, file, run, task, complete):
    printed = read_output(inex_sample / file)
    per_query = compare(in_context(**task), qrels, read_run(inex_sample / run), printed, complete)
    assert per_query == (0 if "two_runs" in file else 15 * (6 if complete else 5))
