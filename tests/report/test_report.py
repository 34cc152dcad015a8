"""The report: what it says, what it carries, that it escapes, its size, its provenance, and what it takes."""

import base64
import hashlib
import re

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from reports import EVIL, UNKNOWN, Library, opened, study

from pyterrier_focused import cli, parse
from pyterrier_focused.analysis import confidence_interval, pairwise, tied_groups
from pyterrier_focused.evaluation import FocusedEvaluator
from pyterrier_focused.io import write_qrels, write_run
from pyterrier_focused.report import articles as report_articles
from pyterrier_focused.report import report as report_module
from pyterrier_focused.report import write_report


def results_of(data):
    """The report's values as results by topic."""
    rows = [
        (name, str(t), measure, data["values"][k][t][i])
        for k, name in enumerate(data["runs"])
        for t in range(len(data["topics"]))
        for i, measure in enumerate(data["measures"])
    ]
    return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])


@pytest.fixture(scope="module")
def pairs(report):
    return pairwise(results_of(opened(report[0])[1]), correction="holm")


def list_systems(page):
    """(name, letter, {measure: cell}) of each row of the table of systems."""
    table = page.xpath("//table[contains(@class, 'sortable')]")[0]
    heads = [th.text_content() for th in table.xpath(".//thead//th")]
    for row in table.xpath(".//tbody/tr"):
        cells = list(zip(heads, row.xpath("./th | ./td[not(@class)]"), strict=True))
        # what is retrieved stands after the measures
        cells = [(head, cell) for head, cell in cells[1:] if cell.get("data-low") is not None]
        yield row.xpath("./th")[0].text_content(), row.xpath("./td[@class='letter']")[0].text, dict(cells)


def test_the_table_gives_means(report):
    path, qrels, runs = report
    names = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
    systems = list(list_systems(opened(path)[0]))
    measures = {head: parse(head)[0] for head in systems[0][2]}
    judged = qrels.rename(columns=names)
    frames = {name: run.rename(columns=names) for name, run in runs.items()}
    assert {name: {head: cell.text_content()[:6] for head, cell in cells.items()} for name, _, cells in systems} == {
        name: {head: f"{measure.calc_aggregate(judged, frame):.4f}" for head, measure in measures.items()}
        for name, frame in frames.items()
    }


def test_the_table_marks_what_is_significant(report, pairs):
    path, _, runs = report
    letters = dict(zip(runs, "abc", strict=True))
    systems = list(list_systems(opened(path)[0]))
    assert {name: letter for name, letter, _ in systems} == letters
    marked = {
        (head, letter, mark)
        for _, letter, cells in systems
        for head, cell in cells.items()
        for sup in cell.iter("sup")
        for mark in sup.text.split()
    }
    significant = pairs[pairs["significant"]].itertuples()
    assert marked == {(row.measure, letters[row.better], letters[row.worse]) for row in significant}


def test_significant_pairs_are_counted_by_measure(report, pairs):
    page, data, _ = opened(report[0])
    told = [" ".join(p.text_content().split()[:4]) for p in page.xpath("//p[@class='told']")]
    rows = [pairs[pairs["measure"] == measure] for measure in data["measures"]]
    assert told == [f"{of['significant'].sum()} of {len(of)} pairs" for of in rows]


def read_parts(report):
    """(ranking of a run for a topic, relevant docnos of the topic, what the report carries of them) of each."""
    path, qrels, runs = report
    _, data, topics = opened(path)
    for (qid, _), topic in zip(data["topics"], topics, strict=True):
        relevant = qrels[(qrels["qid"] == qid) & (qrels["label"] > 0)]["docno"].tolist()
        for part, run in zip(topic.xpath(".//section"), runs.values(), strict=True):
            rows = run[run["qid"] == qid].sort_values(["score", "docno"], ascending=False)
            yield rows["docno"].tolist(), relevant, part


def test_topics_stand_in_the_order_of_the_qrels(report):
    path, qrels, _ = report
    assert [qid for qid, _ in opened(path)[1]["topics"]] == list(qrels["qid"].unique())


def test_topics_carry_the_first_articles(report):
    found = [
        (ranking[:3], [e.text_content() for e in part.xpath("./ol//*[@class='docno']")])
        for ranking, _, part in read_parts(report)
    ]
    assert found == [(first, [docno for docno in first if docno != UNKNOWN]) for first, _ in found]  # it has no title


def test_topics_carry_the_articles_missed(report):
    parts = list(read_parts(report))
    lost = [len(set(relevant) - set(ranking)) for ranking, relevant, _ in parts]
    told = [[p.text_content().split()[0] for p in part.xpath("./p[@class='lost']")] for *_, part in parts]
    assert told == [[str(count)] if count else [] for count in lost]
    assert [len(part.xpath("./ul/li")) for *_, part in parts] == [min(3, count) for count in lost]


def test_articles_to_open_are_in_the_page(report):
    topics = opened(report[0])[2]
    templates = [{t.get("data-a") for t in topic.iter("template")} for topic in topics]
    details = [{d.get("data-a") for d in topic.iter("details") if d.get("data-a")} for topic in topics]
    assert [asked - there for asked, there in zip(details, templates, strict=True)] == [set()] * len(topics)


def test_what_is_carried_is_said(report):
    path, _, _ = report
    page, _, topics = opened(path)
    told = next(p for p in page.xpath("//p[@class='note']") if "Shown are" in p.text_content()).text_content()
    shown = sum(len(list(topic.iter("template"))) for topic in topics)
    assert f": {shown} articles" in told
    assert "the first 3 articles" in told
    assert "; 1 are not in the collection." in told


def test_everything_from_outside_is_escaped(report):
    path, _, _ = report
    page, data, topics = opened(path)
    assert [s.get("type") for s in page.iter("script")] == ["application/json", *["text/plain"] * 4, None]
    assert EVIL in data["runs"]
    assert not [image for tree in (page, *topics) for image in tree.iter("img")]
    assert not [script for topic in topics for script in topic.iter("script")]
    assert all(EVIL in topic.text_content() for topic in topics)
    assert page.find(".//title").text == f"A title {EVIL}"
    assert "http" not in path.read_text(encoding="utf-8").replace("http-equiv", "")


def test_the_policy_names_the_script_and_no_other(report):
    page, _, _ = opened(report[0])
    policy = page.xpath("//meta[@http-equiv='Content-Security-Policy']")[0].get("content")
    digest = hashlib.sha256(page.xpath("//script[last()]")[0].text.encode()).digest()
    assert policy == (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{base64.b64encode(digest).decode()}'"
    )


def test_the_same_bytes_each_time(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    qrels, runs = study(topics=2)
    write_report(tmp_path / "a", qrels, runs, collection=Library(qrels["docno"]), measures="AgP")
    write_report(tmp_path / "b", qrels, runs, collection=Library(qrels["docno"]), measures="AgP")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.fixture(scope="module")
def long_study():
    """Qrels and runs over long articles, and the articles."""
    qrels, runs = study(topics=3)
    return qrels, runs, Library(qrels["docno"], words=3000)


@pytest.mark.parametrize(
    ("size", "told"),
    [(10_000_000, (False, False)), (110_000, (True, False)), (60_000, (True, False)), (1_000, (True, True))],
)
def test_too_much_text_is_cut_and_told(long_study, tmp_path, monkeypatch, size, told):
    qrels, runs, library = long_study
    monkeypatch.setattr(report_module, "SIZE", size)
    monkeypatch.setattr(report_articles, "SIZE", size)
    write_report(tmp_path / "report.html", qrels, runs, collection=library, measures="AgP")
    page, _, topics = opened(tmp_path / "report.html")
    note = next(p for p in page.xpath("//p[@class='note']") if "Shown are" in p.text_content()).text_content()
    with_text = [t for topic in topics for t in topic.iter("template") if t.xpath(".//*[@class='text']")]
    assert f", {len(with_text)} with their text" in note
    assert ("within" in note, "no room" in note) == told
    packed = sum(len(s.text) for s in page.iter("script") if s.get("type") == "text/plain")
    assert packed <= size or not with_text


def test_ordinary_runs_and_no_collection(tmp_path):
    qrels, runs = study(topics=2)
    plain = {name: run.drop(columns=["passages", "rank"]) for name, run in runs.items()}
    write_report(tmp_path / "report.html", qrels.drop(columns=["highlights", "bep", "length"]), plain)
    page, data, topics = opened(tmp_path / "report.html")
    assert data["measures"] == ["AP", "nDCG@10", "P@10", "IAP11"]
    assert len(page.xpath("//figure")) == 2
    assert not any(topic.xpath(".//details[@data-a]") for topic in topics)
    assert "without their texts" in page.text_content()


def test_one_run_and_a_topic_without_results(tmp_path):
    qrels, runs = study(topics=2)
    run = runs["run 0"]
    write_report(tmp_path / "report.html", qrels, {"only": run[run["qid"] == "2009001"]}, measures="AgP AiP")
    page, data, topics = opened(tmp_path / "report.html")
    assert data["measures"] == ["AgP", "AiP"]
    assert data["values"][0][1] == [0, 0]
    assert "The run has no articles for this topic" in topics[1].text_content()
    assert "significantly" not in page.text_content().replace(page.xpath("//script[last()]")[0].text, "")


def test_many_runs(tmp_path):
    qrels, runs = study(topics=3, runs=12)
    write_report(tmp_path / "report.html", qrels, runs, measures="AiP AP")
    page, data, _ = opened(tmp_path / "report.html")
    boxes = page.xpath("//fieldset[@class='lines']/label")
    legend = [label.text_content() for label in boxes if label.xpath("./input/@checked")]
    means = np.array(data["values"])[:, :, 0].mean(axis=1)
    assert [label.text_content() for label in boxes] == data["runs"]  # all can be switched on
    assert len(legend) == 10  # lines that can be told apart: the best by the first measure
    assert set(legend) == {data["runs"][k] for k in np.argsort(-means, kind="stable")[:10]}
    assert all(sup.text.isdigit() for sup in page.iter("sup"))


QRELS, RUNS = study(topics=2)
OVERLAPPING = RUNS["run 0"].assign(passages=[[(0, 10), (5, 20)]] * len(RUNS["run 0"]))


@pytest.mark.parametrize(
    ("runs", "options", "message"),
    [
        ({}, {}, "at least one run"),
        (RUNS, {"top": 0}, "top=0"),
        ({"bad": RUNS["run 0"].drop(columns="score")}, {}, r"run 'bad' needs .*score"),
        ({"bad": OVERLAPPING}, {}, r"run 'bad': .*overlap"),
        (RUNS, {"measures": "Nonsense"}, "no measure is called 'Nonsense'"),
        (RUNS, {"measures": ""}, "no measures"),
        (RUNS, {"correction": "magic"}, "magic"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_calls_are_named_and_write_nothing(tmp_path, runs, options, message):
    with pytest.raises(ValueError, match=message):
        write_report(tmp_path / "report.html", QRELS, runs, **options)
    assert not (tmp_path / "report.html").exists()


def test_each_run_is_joined_with_the_qrels_once(tmp_path, monkeypatch):
    joined = []
    join = FocusedEvaluator.join
    monkeypatch.setattr(FocusedEvaluator, "join", lambda self, run: joined.append(run) or join(self, run))
    write_report(tmp_path / "report.html", QRELS, RUNS)
    assert len(joined) == len(RUNS)


def test_passages_that_overlap_can_be_counted_once(tmp_path):
    write_report(tmp_path / "report.html", QRELS, {"overlapping": OVERLAPPING}, overlap="once")
    assert "overlap='once'" in opened(tmp_path / "report.html")[1]["measures"][0]


@pytest.fixture
def saved(tmp_path):
    """Paths of qrels and of three runs."""
    qrels, runs = tmp_path / "qrels.txt", [tmp_path / f"{name.replace(' ', '-')}.run.gz" for name in RUNS]
    write_qrels(QRELS, qrels)
    for path, run in zip(runs, RUNS.values(), strict=True):
        write_run(run, path)
    return [str(qrels), *map(str, runs)]


def test_the_command_reports_on_files(saved, tmp_path, capsys):
    out = tmp_path / "page.html"
    assert cli.main(["report", *saved, "-o", str(out), "-m", "AgP AP"]) == 0
    assert str(out) in capsys.readouterr().out
    assert opened(out)[1]["runs"] == ["run-0", "run-1", "run-2"]


def test_the_command_refuses_a_run_that_is_given_twice(saved, tmp_path, capsys):
    assert cli.main(["report", *saved[:2], saved[1], "-o", str(tmp_path / "page.html")]) == 2
    assert "given twice" in capsys.readouterr().err


def test_the_table_gives_confidence_intervals(tmp_path):
    qrels, runs = study(topics=25, runs=2)
    write_report(tmp_path / "report.html", qrels, runs, measures="AgP AP", top=1, missed=0)
    page, data, _ = opened(tmp_path / "report.html")
    cells = [
        (data["runs"].index(row.xpath("./th")[0].text_content()), m, cell)
        for row in page.xpath("//table[@id='systems']/tbody/tr")
        for m, cell in enumerate(row.xpath("./td[@data-low]"))
    ]
    found = [(float(cell.get("data-low")), float(cell.get("data-high"))) for *_, cell in cells]
    expected = [confidence_interval([topic[m] for topic in data["values"][k]]) for k, m, _ in cells]
    assert np.array(found) == pytest.approx(np.array(expected), abs=0.01)
    shown = [cell.xpath("./span[@class='interval']")[0].text for *_, cell in cells]
    assert shown == [f"{low:.3f}–{high:.3f}" for low, high in found]


def list_bars(graph):
    """The heights of the dots on each bar."""
    bars: dict = {}
    for dot in graph.xpath("./circle[@class='tied']"):
        bars.setdefault(dot.get("cx"), set()).add(float(dot.get("cy")))
    return list(bars.values())


def test_runs_that_are_not_told_apart_share_a_bar(tmp_path):
    qrels, runs = study(topics=12, runs=5)
    write_report(tmp_path / "report.html", qrels, runs, measures="AgP AP")
    page, data, _ = opened(tmp_path / "report.html")
    pairs = pairwise(results_of(data))
    graphs = page.xpath("//svg[@class='groups']")
    heights = [
        {text.text: float(text.get("y")) - 4 for text in graph.xpath(".//text[@class='name']")} for graph in graphs
    ]
    groups = [tied_groups(pairs[pairs["measure"] == measure]) for measure in data["measures"]]
    assert [list_bars(graph) for graph in graphs] == [
        [{height[name] for name in group} for group in tied if len(group) > 1]
        for tied, height in zip(groups, heights, strict=True)
    ]


def test_measures_explain_themselves(report):
    page, data, _ = opened(report[0])
    notes = {div.find("dt").text: div.find("dd").text_content() for div in page.xpath("//dl[@class='measures']/div")}
    assert list(notes) == data["measures"]
    assert "INEX 2007 Evaluation Measures, section 5.2, equation 13" in notes["AgP"]
    assert "Range: [0, 1]" in notes["CharP"]
    assert "Normalised Discounted Cumulative Gain" in notes["nDCG@10"]
    buttons = page.xpath("//table[@id='systems']//button[@title]")
    assert [button.text for button in buttons] == data["measures"]
    assert all(button.get("title").startswith(notes[button.text].split(".")[0]) for button in buttons)


def test_provenance_of_files(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    qrels, runs = study(topics=2)
    write_qrels(qrels, tmp_path / "qrels.txt")
    write_run(runs["run 0"], tmp_path / "a.run")
    run = str(tmp_path / "a.run")
    write_report(tmp_path / "page.html", tmp_path / "qrels.txt", [run, runs["run 1"]], measures="AgP", alpha=0.1)
    page, data, _ = opened(tmp_path / "page.html")
    assert data["runs"] == ["a", "run 2"]
    told = {div.find("dt").text: div.find("dd").text for div in page.xpath("//dl[@class='provenance']/div")}
    digest = hashlib.sha256((tmp_path / "a.run").read_bytes()).hexdigest()
    assert told["run a"] == f"{run}, {(tmp_path / 'a.run').stat().st_size} bytes, SHA-256 {digest}"
    assert told["run run 2"] == f"a frame of {len(runs['run 1'])} rows"
    assert told["made"] == "2023-11-14 22:13 UTC"
    assert (told["alpha"], told["measures"], told["judged articles"]) == ("0.1", "AgP", str(len(qrels)))
    assert re.fullmatch(r"\d+(\.\d+)+", told["pyterrier_focused"])


def test_roc_without_non_relevant_articles_says_so(tmp_path):
    qrels, runs = study(topics=2)
    write_report(tmp_path / "report.html", qrels[qrels["label"] == 1], runs, measures="AgP")
    page, _, _ = opened(tmp_path / "report.html")
    assert len(page.xpath("//figure")) == 3
    assert "ROC: 2 of 2 topics have no judged non-relevant article" in page.text_content()


SYSTEM = pt.Transformer.from_df(RUNS["run 1"])
TOPICS = pd.DataFrame({"qid": QRELS["qid"].unique(), "query": "lighthouse"})


@pytest.mark.parametrize(
    ("systems", "names"),
    [([RUNS["run 0"], SYSTEM], ["run 1", "run 2"]), ({"a": RUNS["run 0"], "b": SYSTEM}, ["a", "b"])],
    ids=["list", "dict"],
)
def test_what_an_experiment_takes_is_reported(tmp_path, systems, names):
    write_report(tmp_path / "report.html", QRELS, systems, topics=TOPICS, measures="AgP")
    _, data, _ = opened(tmp_path / "report.html")
    assert data["runs"] == names
    assert np.array(data["values"]).any(axis=(1, 2)).all()


def test_a_transformer_needs_topics(tmp_path):
    with pytest.raises(ValueError, match="give topics="):
        write_report(tmp_path / "report.html", QRELS, [SYSTEM])


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"path": None}, "path must be the name of the page's file, got NoneType"),
        ({"qrels": None}, "qrels must be a frame, or the path of a file of qrels; got None"),
        ({"qrels": {}}, "qrels must be a frame.*got dict"),
        ({"runs": None}, "runs must be a dict of runs by name, or a list of runs; got None"),
        ({"runs": 3}, "runs must be a dict of runs by name"),
        ({"runs": [None]}, "run 'run 1' must be a frame.*got None"),
        ({"runs": {"a": []}}, "run 'a' must be a frame.*got list"),
        ({"runs": []}, "at least one run"),
        ({"topics": "swapped"}, "topics must be a frame with the column 'qid'"),
        ({"swap": True}, "this looks like a run: the qrels come before the runs"),
    ],
)
def test_wrong_types_given_to_reports_get_a_sentence(tmp_path, arguments, what):
    qrels, runs = study(topics=2)
    call = {"path": tmp_path / "report.html", "qrels": qrels, "runs": runs, **arguments}
    if call.pop("swap", False):
        call |= {"qrels": runs["run 0"], "runs": [qrels]}
    if arguments.get("topics") == "swapped":
        call["topics"] = pd.DataFrame({"query": ["x"]})
    with pytest.raises(ValueError, match=what):
        write_report(**call)
