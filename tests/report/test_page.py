"""The page about runs or a result: the values that `pt.Experiment` and `pairwise` give, nothing unescaped or loaded."""

import re
import sys

import pandas as pd
import pyterrier as pt
import pytest
from lxml import html as lxml_html

from pyterrier_focused import evaluate_retrieved, parse, write_report
from pyterrier_focused.analysis import pairwise

TEXTS = {"a": "Cats sleep. <b>Cats</b> eat & drink.", "b": "Dogs bark.", "c": "Fish swim. Cats swim."}
QRELS = pd.DataFrame(
    [["1", "a", 1, [(0, 11)]], ["1", "b", 0, []], ["2", "c", 1, [(11, 21)]], ["3", "b", 1, [(0, 4)]]],
    columns=["qid", "docno", "label", "highlights"],
)
TOPICS = pd.DataFrame({"qid": ["1", "2", "3"], "query": ["sleep", "swim <i>", "dogs"]})


def make_run(*rows):
    return pd.DataFrame(rows, columns=["qid", "docno", "score", "passages"])


RUNS = {
    "good & new": make_run(["1", "a", 2.0, [(0, 11)]], ["1", "b", 1.0, [(0, 4)]], ["2", "c", 1.0, [(0, 21)]]),
    "bad": make_run(["1", "b", 2.0, [(0, 10)]], ["2", "c", 1.0, [(0, 10)]]),
}


def write_page(folder, *given, **options):
    write_report(folder / "page.html", *given, **options)
    return (folder / "page.html").read_text(encoding="utf-8")


def read_table(page, number):
    table = lxml_html.fromstring(page).xpath("//table")[number]
    return [[cell.text_content() for cell in row.xpath("th|td")] for row in table.xpath(".//tr")]


def test_means_are_those_of_an_experiment(tmp_path):
    table = read_table(write_page(tmp_path, QRELS, RUNS, measures="AiP AP"), 0)
    expected = pt.Experiment(list(RUNS.values()), TOPICS, QRELS, parse("AiP AP"), names=list(RUNS))
    expected = {row["name"]: [f"{row['AiP']:.3f}", f"{row['AP']:.3f}"] for row in expected.to_dict("records")}
    assert {name: [re.match(r"[\d.]+", cell)[0] for cell in cells] for name, *cells in table[1:]} == expected


def test_pairs_are_those_of_pairwise(tmp_path):
    with pytest.warns(UserWarning, match="no results for|significant"):
        pairs = pairwise(
            pt.Experiment(list(RUNS.values()), TOPICS, QRELS, parse("AP"), names=list(RUNS), perquery=True)
        )
    (row,) = read_table(write_page(tmp_path, QRELS, RUNS, measures="AP"), 1)[1:]
    assert row[:4] == ["AP", *pairs.loc[0, ["better", "worse"]], f"{pairs.loc[0, 'difference']:.3f}"]
    assert row[5:] == [f"{pairs.loc[0, 'p_corrected']:.3f}", "no"]


def test_values_by_topic_are_in_the_page(tmp_path):
    rows = read_table(write_page(tmp_path, QRELS, RUNS, measures="AP"), 2)
    assert ["1", "good & new", "1.000"] in rows
    assert ["1", "bad", "0.000"] in rows


def test_worst_topics_are_shown_with_their_articles(tmp_path):
    page = write_page(tmp_path, QRELS, RUNS, collection=TEXTS, topics=TOPICS, measures="AP", worst=2)
    headings = [h3.text_content() for h3 in lxml_html.fromstring(page).xpath("//section/h3")]
    assert headings == ["3: dogs (mean 0.000)", "1: sleep (mean 0.500)"]
    views = lxml_html.fromstring(page).xpath("//section//div[@class='ptf']")
    assert [view.xpath("string(h3)") for view in views] == ["b", "a"]
    assert "<b>Cats</b>" in views[1].text_content()


def test_a_page_runs_and_loads_nothing(tmp_path):
    page = write_page(tmp_path, QRELS, RUNS, collection=TEXTS, topics=TOPICS, title="<script>x</script>")
    tree = lxml_html.fromstring(page)
    assert tree.xpath("//script|//link|//img|//iframe|//@src|//@onclick") == []
    assert [href for href in re.findall(r'(?:href|url)[=(]"?([^")]+)', page) if not href.startswith("#")] == []


def test_pictures_are_drawn_and_no_ids_collide(tmp_path):
    tree = lxml_html.fromstring(write_page(tmp_path, QRELS, RUNS))
    labels = tree.xpath("//figure/*[name()='svg']/@aria-label")
    assert len(labels) == 3
    marked = tree.xpath("//*[name()='clippath' or name()='clipPath']/@id")
    assert len(marked) == len(set(marked))


def test_a_page_without_matplotlib_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    page = write_page(tmp_path, QRELS, RUNS)
    assert "pyterrier-focused[plots]" in page
    assert "<svg" not in page


def test_runs_of_documents_one_system_and_one_topic_make_a_page(tmp_path):
    qrels = QRELS[QRELS["qid"] == "1"].drop(columns="highlights")
    page = write_page(tmp_path, qrels, RUNS["bad"].drop(columns="passages"))
    assert "A comparison needs two systems and two topics" in page
    assert read_table(page, 0)[0] == ["System", "AP", "nDCG@10", "P@10"]


def test_a_result_brings_everything(tmp_path):
    evidence = [{"question": "Who sleeps?", "docno": "a", "quote": "Cats sleep."},
                {"question": "Who barks?", "docno": "b", "quote": "Dogs bark."}]  # fmt: skip
    results = {"one": {"Who sleeps?": ["Cats sleep."], "Who barks?": ["Cats swim."]},
               "two": {"Who sleeps?": ["Fish swim."], "Who barks?": ["Dogs bark."]}}  # fmt: skip
    result = evaluate_retrieved(evidence, results, TEXTS)
    page = write_page(tmp_path, result)
    table = read_table(page, 0)
    means = result.intervals.assign(measure=result.intervals["measure"].map(str))
    for name, *cells in table[1:]:
        rows = means[means["name"] == name].set_index("measure")["mean"]
        assert [float(re.match(r"[\d.]+", cell)[0]) for cell in cells] == rows[table[0][1:]].round(3).tolist()
    assert "Who barks?" in page
    with pytest.raises(ValueError, match="brings its runs"):
        write_page(tmp_path, result, RUNS)


def test_how_it_was_made_names_files_and_measures(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    path = tmp_path / "my.run"
    path.write_text("1 Q0 a 1 2.0 tag 0 4\n")
    made = dict(read_table(write_page(tmp_path, QRELS.drop(columns="highlights"), {"mine": path}, measures="AP"), -1))
    assert made["made"] == "1970-01-01 00:00 UTC"
    assert made["measures"] == "AP"
    assert re.fullmatch(rf"{re.escape(str(path))}, 21 bytes, SHA-256 [0-9a-f]{{64}}", made["runs"])
    assert made["Python"] == ".".join(map(str, sys.version_info[:3]))


@pytest.mark.parametrize(
    ("given", "message"), [((QRELS,), "runs is missing"), ((QRELS.head(0), RUNS), "the qrels are empty")]
)
def test_what_is_missing_is_said(tmp_path, given, message):
    with pytest.raises(ValueError, match=message):
        write_page(tmp_path, *given)
