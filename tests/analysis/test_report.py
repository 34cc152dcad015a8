"""The report: what it says, what it carries, that it escapes, its size, and how it behaves in headless Chromium."""

import base64
import gzip
import hashlib
import json
import shutil
import time
from functools import cache
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from lxml import html as lxml_html

from pyterrier_focused import cli, parse
from pyterrier_focused.analysis import pairwise, write_report
from pyterrier_focused.io import write_qrels, write_run

EVIL = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"


UNKNOWN = "2009001-0"  # to the collection


class Library:
    """The part of a Collection that the report reads: articles of words and sections, made from their docno."""

    def __init__(self, docnos, words=120):
        self.docnos, self.words = set(docnos), words
        self._text = cache(self._text)

    def __contains__(self, docno):
        return docno in self.docnos

    def articles(self, docnos):
        for docno in docnos:
            yield {"docno": docno, "title": f"Title {docno} {EVIL}", "text": self._text(docno)}

    def _text(self, docno):
        rng = np.random.default_rng(sum(map(ord, docno)))
        letters = np.array(list("      etaoinshrdlucmfwypvbgk"))
        return f"Title {docno} {EVIL}\n\n" + "".join(letters[rng.integers(0, len(letters), 6 * self.words)])

    def elements(self, docno):
        n = len(self._text(docno))
        rows = [("/article[1]", "article", docno, 0, n, -1)]
        rows += [(f"/article[1]/p[{i}]", "p", "", a, min(a + 200, n), 0) for i, a in enumerate(range(120, n, 200))]
        return pd.DataFrame(rows, columns=["path", "tag", "title", "start", "end", "parent"])


def study(topics=4, runs=3, docs=12, relevant=5, seed=0):
    """Qrels and runs over articles of which the later runs find more."""
    rng = np.random.default_rng(seed)
    judged, retrieved = [], {f"run {k}": [] for k in range(runs)}
    for t in range(topics):
        qid = str(2009001 + t)
        for d in range(docs):
            spans = [(130, 400), (500, 520)] if d < relevant else []
            judged.append((qid, f"{qid}-{d}", int(d < relevant), spans, 130 if spans else -1, 700))
        for k, rows in enumerate(retrieved.values()):
            for d in rng.choice(docs, 8, replace=False):
                score = rng.random() + k * 0.3 * (d < relevant)
                rows.append((qid, f"{qid}-{d}", score, 0, [(100 + 10 * k, 300, score), (600, 650, score / 2)]))
    qrels = pd.DataFrame(judged, columns=["qid", "docno", "label", "highlights", "bep", "length"])
    columns = ["qid", "docno", "score", "rank", "passages"]
    return qrels, {name: pd.DataFrame(rows, columns=columns) for name, rows in retrieved.items()}


def opened(path):
    """The page as a tree, its data, and its topics unpacked."""
    page = lxml_html.document_fromstring(path.read_text(encoding="utf-8"))
    scripts = {script.get("id"): script.text for script in page.iter("script")}
    topics = [
        gzip.decompress(base64.b64decode(text)).decode()
        for name, text in scripts.items()
        if (name or "").startswith("topic-")
    ]
    return page, json.loads(scripts["data"]), [lxml_html.fragment_fromstring(t, create_parent="div") for t in topics]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """A report with hostile names everywhere: (path, qrels, runs)."""
    qrels, runs = study()
    runs = {"plain": runs["run 0"], EVIL: runs["run 1"], "third & last": runs["run 2"]}
    topics = pd.DataFrame({"qid": qrels["qid"].unique(), "query": EVIL, "narrative": EVIL})
    path = tmp_path_factory.mktemp("report") / "report.html"
    library = Library(set(qrels["docno"]) - {UNKNOWN})
    write_report(path, qrels, runs, topics=topics, collection=library, title=f"A title {EVIL}")
    return path, qrels, runs


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
    counts = [p.text_content() for p in page.xpath("//div[@class='pairs']/p")]
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


def test_the_same_bytes_each_time(tmp_path):
    qrels, runs = study(topics=2)
    for name in ("a", "b"):
        write_report(tmp_path / name, qrels, runs, collection=Library(qrels["docno"]))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_too_much_text_is_cut_and_told(tmp_path, monkeypatch):
    from pyterrier_focused.analysis import report, report_articles

    qrels, runs = study(topics=3)
    library = Library(qrels["docno"], words=3000)
    seen = []
    for size in (10_000_000, 110_000, 60_000, 1_000):
        monkeypatch.setattr(report, "SIZE", size)
        monkeypatch.setattr(report_articles, "SIZE", size)
        write_report(tmp_path / "report.html", qrels, runs, collection=library)
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
    write_report(tmp_path / "report.html", qrels, runs)
    page, data, _ = opened(tmp_path / "report.html")
    legend = [item.text_content() for item in page.xpath("//ul[@class='lines']/li")]
    means = np.array(data["values"])[:, :, 0].mean(axis=1)
    assert len(legend) == 7  # lines that can be told apart: the best by the first measure
    assert set(legend) == {data["runs"][k] for k in np.argsort(-means, kind="stable")[:7]}
    assert all(sup.text.isdigit() for sup in page.iter("sup"))
    assert "of the 7 runs best by AiP" in page.text_content()


def test_bad_calls_are_named(tmp_path):
    qrels, runs = study(topics=2)
    out = tmp_path / "report.html"
    overlapping = runs["run 0"].assign(passages=[[(0, 10), (5, 20)]] * len(runs["run 0"]))
    for call, what in (
        ({"runs": {}}, "at least one run"),
        ({"runs": runs, "top": 0}, "top=0"),
        ({"runs": {"bad": runs["run 0"].drop(columns="score")}}, r"run 'bad': .*score"),
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


def test_the_command(tmp_path, capsys):
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


@pytest.fixture(scope="module")
def browser(require, tmp_path_factory):
    """Headless Chromium that cannot reach the network."""
    binary = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    require("chromium", binary and driver and find_spec("selenium"))
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in (
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        f"--user-data-dir={tmp_path_factory.mktemp('chromium')}",
    ):  # fmt: skip
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    session = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield session
    session.quit()


def until(driver, script, seconds=10):
    """Wait until a script returns something true; returns it."""
    end = time.monotonic() + seconds
    while True:
        found = driver.execute_script(f"return {script}")
        if found or time.monotonic() > end:
            return found
        time.sleep(0.02)


def screen(driver, width, dark=False):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})


def test_in_a_browser(report, browser):
    path = report[0]
    screen(browser, 1600)
    browser.get(path.as_uri())
    rows = "[...document.querySelectorAll('#by-topic tbody tr')]"
    assert until(browser, f"{rows}.length") == 4

    # sorts by a measure: highest first, then lowest first
    cells = f"{rows}.map(row => Number(row.cells[2].dataset.v))"
    click = "document.querySelector('#by-topic thead th:nth-child(3) button').click()"
    browser.execute_script(click)
    values = browser.execute_script(f"return {cells}")
    assert values == sorted(values, reverse=True)
    browser.execute_script(click)
    assert browser.execute_script(f"return {cells}") == sorted(values)
    assert browser.execute_script("return document.querySelector('#by-topic th:nth-child(3)').ariaSort") == "ascending"

    # opens a topic and an article, whose text is marked
    browser.execute_script("document.querySelector('#by-topic tbody a').click()")
    assert until(browser, "document.querySelector('#topic h2')?.textContent").startswith("Topic 2009")
    assert browser.execute_script("return document.activeElement.tagName") == "H2"
    browser.execute_script("document.querySelector('section.hits:not([hidden]) details.hit summary').click()")
    assert until(browser, "document.querySelectorAll('.slot .h').length") > 0
    shown = "[...document.querySelectorAll('.slot .tag')].filter(e => e.offsetParent && !e.closest('.legend')).length"
    assert browser.execute_script(f"return {shown}") > 0

    # another run's view of the same article
    browser.execute_script("document.querySelector('.slot input:not(:checked)').click()")
    assert browser.execute_script("return document.querySelector('.slot[class*=run-]').className") != "slot"

    # Escape leads back to the topics
    browser.execute_script("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true}))")
    browser.switch_to.active_element.send_keys("\ue00c")
    assert until(browser, "document.getElementById('topic').hidden")

    assert browser.execute_script("return window.hacked") is None
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert browser.get_log("browser") == []


def test_by_keyboard_alone(report, browser):
    screen(browser, 1600)
    browser.get("about:blank")
    browser.get(report[0].as_uri())
    until(browser, "document.querySelectorAll('#by-topic tbody tr').length")
    reached = []
    for _ in range(40):
        browser.switch_to.active_element.send_keys("\ue004")  # Tab
        tag = browser.execute_script("const e = document.activeElement; return e.tagName + ' ' + (e.id || e.className)")
        reached.append(tag)
        if browser.execute_script("return document.activeElement.matches('#by-topic tbody a')"):
            break
    assert reached[0] == "A skip"
    assert any(tag.startswith("BUTTON") for tag in reached)
    assert any("run-a" in tag for tag in reached)
    browser.switch_to.active_element.send_keys("\ue007")  # Enter opens the topic
    assert until(browser, "document.querySelector('#topic h2')")


@pytest.mark.parametrize("width", [360, 1600])
@pytest.mark.parametrize("dark", [False, True])
def test_fits_screens_and_themes(report, browser, width, dark):
    screen(browser, width, dark)
    browser.get("about:blank")
    browser.get(f"{report[0].as_uri()}#topic-1")
    assert until(browser, "document.querySelector('#topic h2')")
    browser.execute_script("document.querySelector('section.hits:not([hidden]) details.hit summary').click()")
    until(browser, "document.querySelectorAll('.slot .h').length")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    # text against ground: a contrast of at least 4.5 (WCAG AA)
    contrast = """
    const channel = (c) => { c /= 255; return c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4; };
    const light = (css) => { const [r, g, b] = css.match(/[\\d.]+/g).map(Number);
      return .2126 * channel(r) + .7152 * channel(g) + .0722 * channel(b); };
    const ground = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
      if (!/, 0\\)$/.test(c)) return c; } };
    return [...document.querySelectorAll('p, td, th, a, button, dt, dd, h1, h2, .slot span, .tag, summary, label')]
      .filter(e => e.offsetParent && e.textContent.trim() && !e.closest('.point'))
      .map(e => { const [a, b] = [light(getComputedStyle(e).color), light(ground(e))].sort((x, y) => y - x);
        return (a + .05) / (b + .05); })
      .reduce((least, ratio) => Math.min(least, ratio), 99);
    """
    assert browser.execute_script(contrast) >= 4.5
    assert browser.get_log("browser") == []


def test_size_and_opening_of_a_large_report(tmp_path, browser):
    qrels, runs = study(topics=107, runs=5, docs=30, relevant=12)
    path = tmp_path / "report.html"
    write_report(path, qrels, runs, collection=Library(qrels["docno"], words=600))
    assert path.stat().st_size < 15_000_000
    browser.get("about:blank")
    browser.get(path.as_uri())
    assert until(browser, "document.querySelectorAll('#by-topic tbody tr').length") == 107
    assert browser.get_log("browser") == []
