"""The report: what it says, what it carries, that it escapes, its size, its provenance, and what it takes."""

import base64
import hashlib
import re

import numpy as np
import pandas as pd
import pytest
from reports import EVIL, UNKNOWN, Library, hostile_report, opened, study

from pyterrier_focused import cli, parse
from pyterrier_focused.analysis import confidence_interval, pairwise, tied_groups
from pyterrier_focused.io import write_qrels, write_run
from pyterrier_focused.report import write_report


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """A report with hostile names everywhere: (path, qrels, runs)."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    return path, *hostile_report(path)


def test_the_table_gives_means_and_significance(report):
    path, qrels, runs = report
    page, data, _ = opened(path)
    names = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
    table = page.xpath("//table[contains(@class, 'sortable')]")[0]
    heads = [th.text_content() for th in table.xpath(".//thead//th")]
    letters = dict(zip(runs, "abc", strict=True))
    for row in table.xpath(".//tbody/tr"):
        name = row.xpath("./th")[0].text_content()
        assert row.xpath("./td[@class='letter']")[0].text == letters[name]
        for head, cell in list(zip(heads, row.xpath("./th | ./td[not(@class)]"), strict=True))[1:-2]:
            (measure,) = parse(head)
            expected = measure.calc_aggregate(qrels.rename(columns=names), runs[name].rename(columns=names))
            assert cell.text_content()[:6] == f"{expected:.4f}"
    rows = [
        (name, str(t), m, data["values"][k][t][i])
        for k, name in enumerate(data["runs"])
        for t in range(len(data["topics"]))
        for i, m in enumerate(data["measures"])
    ]
    pairs = pairwise(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]), correction="holm")
    expected = {(r.measure, letters[r.better], letters[r.worse]) for r in pairs[pairs["significant"]].itertuples()}
    marked = {
        (head, row.xpath("./td[@class='letter']")[0].text, mark)
        for row in table.xpath(".//tbody/tr")
        for head, cell in list(zip(heads, row.xpath("./th | ./td[not(@class)]"), strict=True))[1:-2]
        for sup in cell.iter("sup")
        for mark in sup.text.split()
    }
    assert marked == expected
    counts = [p.text_content() for p in page.xpath("//p[@class='told']")]
    for measure, told in zip(data["measures"], counts, strict=True):
        rows = pairs[pairs["measure"] == measure]
        assert told.startswith(f"{rows['significant'].sum()} of {len(rows)} pairs")


def test_topics_carry_the_first_articles_and_those_missed(report):
    path, qrels, runs = report
    _, data, topics = opened(path)
    assert [qid for qid, _ in data["topics"]] == list(qrels["qid"].unique())
    for (qid, _), topic in zip(data["topics"], topics, strict=True):
        relevant = qrels[(qrels["qid"] == qid) & (qrels["label"] > 0)]["docno"].tolist()
        for part, run in zip(topic.xpath(".//section"), runs.values(), strict=True):
            rows = run[run["qid"] == qid].sort_values(["score", "docno"], ascending=False)
            hits = [e.text_content() for e in part.xpath("./ol//*[@class='docno']")]
            first = rows["docno"].head(3).tolist()
            assert hits == [docno for docno in first if docno != UNKNOWN]  # it has no title beside its docno
            lost = [docno for docno in relevant if docno not in set(rows["docno"])]
            told = part.xpath("./p[@class='lost']")
            assert (told[0].text_content().split()[0] == str(len(lost))) if lost else not told
            assert len(part.xpath("./ul/li")) == min(3, len(lost))
        templates = {t.get("data-a") for t in topic.iter("template")}
        assert {d.get("data-a") for d in topic.iter("details") if d.get("data-a")} <= templates


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
    for tree in (page, *topics):
        assert not list(tree.iter("img"))
    for topic in topics:
        assert not list(topic.iter("script"))
        assert EVIL in topic.text_content()
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
    for name in ("a", "b"):
        write_report(tmp_path / name, qrels, runs, collection=Library(qrels["docno"]), measures="AgP")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_too_much_text_is_cut_and_told(tmp_path, monkeypatch):
    from pyterrier_focused.report import articles as report_articles
    from pyterrier_focused.report import report

    qrels, runs = study(topics=3)
    library = Library(qrels["docno"], words=3000)
    seen = []
    for size in (10_000_000, 110_000, 60_000, 1_000):
        monkeypatch.setattr(report, "SIZE", size)
        monkeypatch.setattr(report_articles, "SIZE", size)
        write_report(tmp_path / "report.html", qrels, runs, collection=library, measures="AgP")
        page, _, topics = opened(tmp_path / "report.html")
        packed = sum(len(s.text) for s in page.iter("script") if s.get("type") == "text/plain")
        told = next(p for p in page.xpath("//p[@class='note']") if "Shown are" in p.text_content()).text_content()
        with_text = sum(
            bool(template.xpath(".//*[@class='text']")) for topic in topics for template in topic.iter("template")
        )
        assert f", {with_text} with their text" in told
        seen.append(("within" in told, "no room" in told))
        assert packed <= size or with_text == 0
    assert seen == [(False, False), (True, False), (True, False), (True, True)]


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


def test_bad_calls_are_named_of_reports(tmp_path):
    qrels, runs = study(topics=2)
    out = tmp_path / "report.html"
    overlapping = runs["run 0"].assign(passages=[[(0, 10), (5, 20)]] * len(runs["run 0"]))
    for call, what in (
        ({"runs": {}}, "at least one run"),
        ({"runs": runs, "top": 0}, "top=0"),
        ({"runs": {"bad": runs["run 0"].drop(columns="score")}}, r"run 'bad' needs .*score"),
        ({"runs": {"bad": overlapping}}, r"run 'bad': .*overlap"),
        ({"runs": runs, "measures": "Nonsense"}, "no measure is called 'Nonsense'"),
        ({"runs": runs, "measures": ""}, "no measures"),
        ({"runs": runs, "correction": "magic"}, "magic"),
    ):
        with pytest.raises(ValueError, match=what):
            write_report(out, qrels, **call)
    assert not out.exists()
    write_report(out, qrels, {"overlapping": overlapping}, overlap="once")
    assert "overlap='once'" in opened(out)[1]["measures"][0]


def test_the_command_of_reports(tmp_path, capsys):
    qrels, runs = study(topics=2)
    write_qrels(qrels, tmp_path / "qrels.txt")
    paths = [str(tmp_path / f"{name.replace(' ', '-')}.run.gz") for name in runs]
    for path, run in zip(paths, runs.values(), strict=True):
        write_run(run, path)
    out = tmp_path / "page.html"
    assert cli.main(["report", str(tmp_path / "qrels.txt"), *paths, "-o", str(out), "-m", "AgP AP"]) == 0
    assert str(out) in capsys.readouterr().out
    assert opened(out)[1]["runs"] == ["run-0", "run-1", "run-2"]
    assert cli.main(["report", str(tmp_path / "qrels.txt"), paths[0], paths[0], "-o", str(out)]) == 2
    assert "given twice" in capsys.readouterr().err


def test_the_table_gives_confidence_intervals(tmp_path):
    qrels, runs = study(topics=25, runs=2)
    write_report(tmp_path / "report.html", qrels, runs, measures="AgP AP", top=1, missed=0)
    page, data, _ = opened(tmp_path / "report.html")
    for row in page.xpath("//table[@id='systems']/tbody/tr"):
        k = data["runs"].index(row.xpath("./th")[0].text_content())
        for m, cell in enumerate(row.xpath("./td[@data-low]")):
            expected = list(confidence_interval([topic[m] for topic in data["values"][k]], resamples=5000))
            assert [float(cell.get("data-low")), float(cell.get("data-high"))] == pytest.approx(expected, abs=0.01)
            shown = cell.xpath("./span[@class='interval']")[0].text
            assert shown == f"{float(cell.get('data-low')):.3f}–{float(cell.get('data-high')):.3f}"


def test_runs_that_are_not_told_apart_share_a_bar(tmp_path):
    qrels, runs = study(topics=12, runs=5)
    write_report(tmp_path / "report.html", qrels, runs, measures="AgP AP")
    page, data, _ = opened(tmp_path / "report.html")
    rows = [
        (name, str(t), measure, data["values"][k][t][m])
        for k, name in enumerate(data["runs"])
        for t in range(12)
        for m, measure in enumerate(data["measures"])
    ]
    pairs = pairwise(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]))
    for measure, graph in zip(data["measures"], page.xpath("//svg[@class='groups']"), strict=True):
        expected = [group for group in tied_groups(pairs[pairs["measure"] == measure]) if len(group) > 1]
        height = {text.text: float(text.get("y")) - 4 for text in graph.xpath(".//text[@class='name']")}
        dots = {}
        for dot in graph.xpath("./circle[@class='tied']"):
            dots.setdefault(dot.get("cx"), set()).add(float(dot.get("cy")))
        assert list(dots.values()) == [{height[name] for name in group} for group in expected]


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


def test_what_an_experiment_takes(tmp_path):
    import pyterrier as pt

    qrels, runs = study(topics=3)
    topics = pd.DataFrame({"qid": qrels["qid"].unique(), "query": "lighthouse"})
    system = pt.Transformer.from_df(runs["run 1"])
    for given, names in (
        ([runs["run 0"], system], ["run 1", "run 2"]),
        ({"a": runs["run 0"], "b": system}, ["a", "b"]),
    ):
        write_report(tmp_path / "report.html", qrels, given, topics=topics, measures="AgP")
        _, data, _ = opened(tmp_path / "report.html")
        assert data["runs"] == names
        assert np.array(data["values"]).any(axis=(1, 2)).all()
    write_report(tmp_path / "report.html", qrels, [runs["run 0"], system], names=["x", "y"], topics=topics)
    assert opened(tmp_path / "report.html")[1]["runs"] == ["x", "y"]
    with pytest.raises(ValueError, match="give topics="):
        write_report(tmp_path / "report.html", qrels, [system])


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
        ({"names": ["a"]}, "names= goes with a list"),
        ({"topics": "swapped"}, "topics must be a frame with the column 'qid'"),
        ({"swap": True}, "this looks like a run: the qrels come before the runs"),
        ({"twice": True}, "names: 2 runs need as many different names"),
    ],
)
def test_wrong_types_get_a_sentence_of_reports(tmp_path, arguments, what):
    qrels, runs = study(topics=2)
    call = {"path": tmp_path / "report.html", "qrels": qrels, "runs": runs, **arguments}
    if call.pop("swap", False):
        call |= {"qrels": runs["run 0"], "runs": [qrels]}
    if call.pop("twice", False):
        call |= {"runs": list(runs.values())[:2], "names": ["a", "a"]}
    if arguments.get("topics") == "swapped":
        call["topics"] = pd.DataFrame({"query": ["x"]})
    with pytest.raises(ValueError, match=what):
        write_report(**call)
