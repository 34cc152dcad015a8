"""Tables for papers against the marks that pt.Experiment and pairwise give; descriptions by counting."""

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pyterrier_focused as ptf
from pyterrier_focused.analysis import bootstrap_test, describe, to_latex, to_markdown


@pytest.fixture(scope="module")
def experiment():
    """A function that runs an experiment with three systems: a baseline, a better and a worse one."""
    rng = np.random.default_rng(2)
    qids = [str(i) for i in range(25)]
    topics = pd.DataFrame({"qid": qids, "query": qids})
    qrels = pd.DataFrame([(q, f"d{i}", int(i < 3)) for q in qids for i in range(10)], columns=["qid", "docno", "label"])

    def system(noise):
        rows = [(q, f"d{i}", -i + noise * rng.normal()) for q in qids for i in range(10)]
        run = pd.DataFrame(rows, columns=["qid", "docno", "score"])
        return run.assign(rank=run.groupby("qid")["score"].rank(ascending=False).astype(int) - 1)

    systems = {"base_line": system(4), "a & b": system(0.3), "worse": system(60)}

    def call(**options):
        return pt.Experiment(systems, topics, qrels, ptf.parse("AP P@5"), **options)

    return call


PAIR = (("a", 1), ("b", 0.5))


def rows_of(latex):
    body = latex.split("\\midrule")[1].split("\\bottomrule")[0].strip().splitlines()
    return [[cell.strip() for cell in line.removesuffix("\\\\").replace("\\&", "\0").split("&")] for line in body]


def print_cell(result, row, measure):
    """A cell of the table: bold if it is the best, marked if it differs from the first row's significantly."""
    value, baseline = row[measure], result[measure][0]
    cell = f"\\textbf{{{value:.3f}}}" if value == result[measure].max() else f"{value:.3f}"
    if not row[f"{measure} p-value corrected"] <= 0.05:
        return cell
    return f"{cell}$^{{+}}$" if value > baseline else f"{cell}$^{{-}}$"


def test_the_best_is_bold_and_marks_are_those_of_the_experiment(experiment):
    result = experiment(baseline=0, test=bootstrap_test, correction="holm")
    latex = to_latex(result, baseline=0)
    rows = rows_of(latex)
    assert [row[0] for row in rows] == ["base\\_line", "a \0 b", "worse"]
    expected = [[print_cell(result, row, measure) for measure in ("AP", "P@5")] for row in result.to_dict("records")]
    assert [row[1:] for row in rows] == expected
    assert [row[1][-6:] for row in rows[1:]] == ["$^{+}$", "$^{-}$"]
    assert "significantly higher and lower than base\\_line (p at most .05, corrected for several tests)." in latex
    assert to_latex(result) == latex  # the baseline is the row without p-values


def test_per_query_results_are_tested_here(experiment):
    result = experiment(baseline=0, test=lambda x, y: bootstrap_test(x, y, tests=2), correction="holm")
    perquery = experiment(perquery=True)
    ours = to_latex(perquery, baseline="base_line")
    assert sorted(rows_of(ours)) == sorted(rows_of(to_latex(result, baseline=0)))
    assert (
        "Means over 25 topics. $^{+}$ and $^{-}$: significantly higher and lower than base\\_line "
        "(two-sided randomisation test, holm correction for 2 systems, p at most .05)." in ours
    )
    plain = to_latex(perquery)
    assert "$^" not in plain
    assert sorted(rows_of(to_latex(experiment()))) == sorted(rows_of(plain))
    with pytest.raises(ValueError, match="per-query results are sorted by name"):
        to_latex(perquery, baseline=0)


def test_the_note_names_the_measures_that_too_few_topics_cannot_mark():
    # Five topics that differ give no p below 2 / 2^5, six give 2 / 2^6 = .03.
    values = [("AP", range(1, 8)), ("P@5", [1, 2, 3, 4, 5, 0, 0])]
    rows = [(name, str(q), m, v * better / 9) for m, vs in values for q, v in enumerate(vs) for name, better in PAIR]
    latex = to_latex(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]), baseline="a")
    assert latex.endswith("randomisation test, p at most .05); too few topics differ for any mark of P@5.\\par}\n")


def test_over_a_thousand_topics_fit():
    values = np.random.default_rng(1).random(1100)
    rows = [(name, str(q), "AP", v * better) for q, v in enumerate(values) for name, better in PAIR]
    table = to_markdown(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]), baseline="a")
    assert "Means over 1100 topics." in table
    assert "too few" not in table


def test_markdown(experiment):
    lines = to_markdown(experiment(baseline=0), baseline=0, digits=2).splitlines()
    assert lines[0] == "| system | AP | P@5 |"
    assert lines[1] == "| --- | ---: | ---: |"
    assert lines[3].startswith("| a & b | **")
    assert "**⁺" in lines[3]
    assert "⁻" in lines[4]
    assert lines[-1].endswith("than base_line (p at most .05, not corrected for several tests).")
    assert to_markdown(pd.DataFrame({"name": ["x|y"], "AP": [0.5]})).splitlines()[2] == "| x\\|y | 0.500 |"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda experiment: to_latex(None), "give the frame of pt.Experiment.*NoneType"),
        (lambda experiment: to_latex({"AP": 1}), "got dict"),
        (lambda experiment: to_latex(pd.DataFrame({"AP": [1.0]})), "column 'name'"),
        (lambda experiment: to_latex(experiment(), baseline=0), "no p-values of AP; call pt.Experiment with baseline="),
        (lambda experiment: to_latex(experiment(baseline=0), baseline=1), "not against 'a & b'"),
        (lambda experiment: to_latex(experiment(baseline=0), baseline=7), "baseline=7: give the name or the number"),
        (lambda experiment: to_markdown(experiment(), alpha=5), "alpha=5"),
        (lambda experiment: describe([]), "got list"),
        (lambda experiment: describe(pd.DataFrame({"a": [1]})), "neither qrels"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_wrong_results_get_a_sentence(experiment, call, message):
    with pytest.raises(ValueError, match=message):
        call(experiment)


spans = st.lists(st.tuples(st.integers(0, 25), st.integers(1, 10)).map(lambda s: (s[0], sum(s))), max_size=3)


FEW = st.lists(st.tuples(st.sampled_from("12"), st.sampled_from("abcd"), spans), unique_by=lambda row: row[:2])


def judge(rows):
    return pd.DataFrame(
        [(q, d, int(bool(s)), s, -1, 40) for q, d, s in rows],
        columns=["qid", "docno", "label", "highlights", "bep", "length"],
    )


def list_characters(spans):
    return {i for a, b in spans for i in range(a, b)}


@given(FEW)
def test_descriptions_of_qrels_count_articles_and_characters(rows):
    found = describe(judge(rows))
    sets = [list_characters(s) for _, _, s in rows]
    assert found["topics"] == len({q for q, _, _ in rows})
    assert found["judged articles"] == len(rows)
    assert found["relevant articles"] == sum(map(bool, sets))
    assert found["highlighted characters"] == sum(map(len, sets))
    if any(sets):
        share = sum(map(len, sets)) / (40 * sum(map(bool, sets)))
        assert found["highlighted share of their articles"] == pytest.approx(share)


@given(FEW)
def test_descriptions_of_runs_count_articles_and_passages(rows):
    run = judge(rows).rename(columns={"highlights": "passages"})[["qid", "docno", "passages"]].assign(score=1.0)
    told = describe(run)
    lengths = [b - a for _, _, s in rows for a, b in s]
    overlapping = [s for _, _, s in rows if sum(b - a for a, b in s) > len(list_characters(s))]
    assert told["articles"] == len(rows)
    assert told["passages"] == len(lengths)
    assert told["articles with overlapping passages"] == len(overlapping)
    if lengths:
        assert told["median passage"] == np.median(lengths)
        assert told["characters per topic"] == sum(lengths) / len({q for q, _, _ in rows})


def test_ordinary_frames_are_described_too():
    run = pd.DataFrame({"qid": ["1", "1", "2"], "docno": list("abc"), "score": 1.0})
    assert describe(run).to_dict() == {"topics": 2, "articles": 3, "articles per topic": 1.5}
    qrels = run.rename(columns={"score": "label"})
    assert describe(qrels)["relevant articles"] == 3
