"""How the report behaves in headless Chromium: by mouse and keyboard, on screens and paper, to axe-core, its size."""

import base64
import csv
import io
import os
from pathlib import Path

import pytest
from browsing import until
from lxml import etree
from reports import study

from pyterrier_focused.report import write_report


@pytest.fixture(autouse=True)
def _own_page(browser):
    """Begin with an empty page and log, and leave the window as other tests expect it."""
    browser.get("about:blank")
    browser.get_log("browser")
    yield
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def screen(driver, width, dark=False):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})


ROWS = "[...document.querySelectorAll('#by-topic tbody tr')]"


def open_report(report, browser):
    screen(browser, 1600)
    browser.get(report[0].as_uri())
    assert until(browser, f"{ROWS}.length === 4")


def test_the_table_sorts_by_a_measure(report, browser):
    open_report(report, browser)
    cells = f"{ROWS}.map(row => Number(row.cells[2].dataset.v))"
    click = "document.querySelector('#by-topic thead th:nth-child(3) button').click()"
    browser.execute_script(click)
    values = browser.execute_script(f"return {cells}")
    assert values == sorted(values, reverse=True)
    browser.execute_script(click)
    assert browser.execute_script(f"return {cells}") == sorted(values)
    assert browser.execute_script("return document.querySelector('#by-topic th:nth-child(3)').ariaSort") == "ascending"


def test_a_topic_opens_with_its_articles_and_escape_leads_back(report, browser):
    open_report(report, browser)
    browser.execute_script("document.querySelector('#by-topic tbody a').click()")
    assert until(browser, "document.querySelector('#topic h2')?.textContent.startsWith('Topic 2009')")
    assert browser.execute_script("return document.activeElement.tagName") == "H2"
    # an article, whose text is marked, and another run's view of it
    browser.execute_script("document.querySelector('section.hits:not([hidden]) details.hit summary').click()")
    assert until(browser, "document.querySelectorAll('.slot .h').length")
    shown = "[...document.querySelectorAll('.slot .tag')].filter(e => e.offsetParent && !e.closest('.legend')).length"
    assert browser.execute_script(f"return {shown}") > 0
    browser.execute_script("document.querySelector('.slot input:not(:checked)').click()")
    assert browser.execute_script("return document.querySelector('.slot[class*=run-]').className") != "slot"
    # Escape
    browser.execute_script("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true}))")
    browser.switch_to.active_element.send_keys("\ue00c")
    assert until(browser, "document.getElementById('topic').hidden")


def test_nothing_from_outside_runs_or_is_loaded(report, browser):
    open_report(report, browser)
    browser.execute_script("document.querySelector('#by-topic tbody a').click()")
    assert until(browser, "document.querySelector('#topic h2')")
    browser.execute_script("document.querySelector('section.hits:not([hidden]) details.hit summary').click()")
    assert until(browser, "document.querySelectorAll('.slot .h').length")
    assert browser.execute_script("return window.hacked") is None
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert browser.get_log("browser") == []


def tab_to(browser, selector, most=80):
    """Press the tab key until what is reached matches; gives the elements on the way."""
    reached = []
    while len(reached) < most and not browser.execute_script(f"return document.activeElement.matches('{selector}')"):
        browser.switch_to.active_element.send_keys("\ue004")
        tag = browser.execute_script("const e = document.activeElement; return e.tagName + ' ' + (e.id || e.className)")
        reached.append(tag)
    return reached


def test_the_keyboard_is_enough(report, browser):
    open_report(report, browser)
    reached = tab_to(browser, "#heat td.value a")
    assert reached[0] == "A skip"
    assert any(tag.startswith("BUTTON") for tag in reached)
    assert any("heat-measure" in tag for tag in reached)
    before = browser.execute_script("return document.activeElement.href")
    browser.switch_to.active_element.send_keys("\ue015")  # down, within the heat map
    browser.switch_to.active_element.send_keys("\ue014")  # right
    address = browser.execute_script("return document.activeElement.href")
    topic, run = address.rsplit("#topic-", 1)[1].split("-run-")
    assert (topic, run) != tuple(before.rsplit("#topic-", 1)[1].split("-run-"))
    browser.switch_to.active_element.send_keys("\ue007")  # Enter opens the topic with the articles of the run
    assert until(browser, "document.querySelector('#topic h2')")
    assert browser.execute_script("return document.querySelector('section.hits:not([hidden])').dataset.run") == run


@pytest.mark.parametrize("width", [360, 1600])
@pytest.mark.parametrize("dark", [False, True])
def test_fits_screens_and_themes(report, browser, width, dark):
    screen(browser, width, dark)
    browser.get(f"{report[0].as_uri()}#topic-1")
    assert until(browser, "document.querySelector('#topic h2')")
    browser.execute_script("document.querySelector('section.hits:not([hidden]) details.hit summary').click()")
    until(browser, "document.querySelectorAll('.slot .h').length")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    # text against ground: a contrast of at least 4.5 (WCAG AA)
    contrast = """
    const channel = (c) => { c /= 255; return c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4; };
    const light = (css) => { const unit = css.startsWith('color(') ? 255 : 1;
      const [r, g, b] = css.match(/[\\d.]+/g).map((v) => v * unit);
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
    qrels, runs = study(topics=107, runs=20, docs=12, relevant=5)
    path = tmp_path / "report.html"
    write_report(path, qrels, runs, measures="AgP AP", top=1, missed=0)
    assert path.stat().st_size < 15_000_000
    browser.get(path.as_uri())
    assert until(browser, "document.querySelectorAll('#heat tbody tr').length === 107")
    assert browser.execute_script("return document.querySelectorAll('#heat td.value').length") == 107 * 20
    assert browser.get_log("browser") == []


def test_the_heat_map(report, browser):
    path, qrels, _ = report
    screen(browser, 1600)
    browser.get(path.as_uri())
    rows = "[...document.querySelectorAll('#heat tbody tr')]"
    assert until(browser, f"{rows}.length === {qrels['qid'].nunique()}")
    spreads = browser.execute_script(f"return {rows}.map(row => Number(row.cells[2].dataset.v))")
    assert spreads == sorted(spreads, reverse=True)
    values = browser.execute_script(f"return {rows}.map(row => [...row.cells].slice(3).map(c => Number(c.dataset.v)))")
    assert spreads == pytest.approx([max(row) - min(row) for row in values])
    shades = browser.execute_script(
        f"return {rows}.map(row => [...row.cells].slice(3).map(c => parseFloat(c.style.getPropertyValue('--v'))))"
    )
    highest = max(map(max, values))
    assert [v for row in shades for v in row] == pytest.approx([100 * v / highest for r in values for v in r], abs=0.06)

    # by a run, and another measure
    browser.execute_script("document.querySelector('#heat thead th:nth-child(4) button').click()")
    column = browser.execute_script(f"return {rows}.map(row => Number(row.cells[3].dataset.v))")
    assert column == sorted(column, reverse=True)
    script = "const s = document.getElementById('heat-measure'); s.value = 5; s.dispatchEvent(new Event('change'))"
    browser.execute_script(script)
    other = browser.execute_script(f"return {rows}.map(row => [...row.cells].slice(3).map(c => Number(c.dataset.v)))")
    assert other != values
    finds = "const f = document.getElementById('filter'); f.value = '2009003'; f.dispatchEvent(new Event('input'))"
    browser.execute_script(finds)
    assert browser.execute_script(f"return {rows}.filter(row => !row.hidden).length") == 1


def test_curves_are_switched_and_read(report, browser):
    browser.get(report[0].as_uri())
    off = "document.querySelectorAll('.chart .off').length"
    assert until(browser, "document.querySelectorAll('#heat tbody tr').length")
    assert browser.execute_script(f"return {off}") == 0
    browser.execute_script("document.querySelector('[data-line]').click()")
    assert browser.execute_script(f"return {off}") == 4  # one line in each of the curves
    figure = browser.find_element("css selector", "figure[data-chart] input[type=range]")
    figure.send_keys("\ue014")  # the right arrow key
    told = browser.execute_script("return document.querySelector('figure output').textContent")
    assert told.startswith("Recall 0.010: ")
    assert "third & last" in told
    assert "plain" not in told
    points = browser.execute_script("return data.charts[0].runs[2][1][1]")
    assert f"third & last {points:.3f}" in told


SAVED = """
const done = arguments[0], saved = [];
const make = URL.createObjectURL;
URL.createObjectURL = (blob) => { saved.push(blob.text()); return make.call(URL, blob); };
HTMLAnchorElement.prototype.click = () => {};
document.querySelectorAll('.save button').forEach((button) => button.click());
Promise.all(saved).then(done);
"""


@pytest.fixture(scope="module")
def downloads(report, browser):
    """What the buttons save: (drawings, tables in LaTeX, tables of values)."""
    open_report(report, browser)
    assert until(browser, "document.querySelectorAll('#heat tbody tr').length")
    saved = browser.execute_async_script(SAVED)
    drawings = [text for text in saved if text.startswith("<svg")]
    tables = [text for text in saved if "\\begin{tabular}" in text]
    return drawings, tables, [text for text in saved if text not in drawings and text not in tables]


def test_drawings_are_downloaded(downloads):
    drawings = downloads[0]
    assert len(drawings) == 4 + 7  # curves, and a graph of runs for each measure
    assert {etree.fromstring(text.encode()).tag for text in drawings} == {"{http://www.w3.org/2000/svg}svg"}


def test_values_are_downloaded(report, downloads):
    values = [list(csv.reader(io.StringIO(text))) for text in downloads[2]]
    assert len(values) == 1 + 7 + 2  # runs, pairs, heat map, differences
    assert [len({len(row) for row in rows}) for rows in values] == [1] * len(values)
    head, *rows = values[0]
    assert head[1:5] == ["run", "AiP", "AiP low", "AiP high"]
    assert {row[1] for row in rows} == set(report[2])
    assert all(float(row[3]) <= float(row[2]) <= float(row[4]) for row in rows)


def read_latex(text):
    """The number of columns that a table declares, and those of its lines."""
    body = text.split("\\midrule")[1].split("\\bottomrule")[0].strip().splitlines()
    columns = text.split("\\begin{tabular}{")[1].split("}")[0]
    return len(columns), {line.replace("\\&", "").count("&") + 1 for line in body}


def test_tables_are_downloaded(downloads):
    tables = downloads[1]
    assert len(tables) == 1 + 7 + 2
    sizes = [read_latex(text) for text in tables]
    assert [found for _, found in sizes] == [{declared} for declared, _ in sizes]
    assert all("\\toprule" in text for text in tables)
    assert "third \\& last" in tables[0]
    assert "\\textbf{" in tables[0]


def test_on_paper(report, browser):
    browser.get(report[0].as_uri())
    assert until(browser, "document.querySelectorAll('#heat tbody tr').length")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    hidden = "[...document.querySelectorAll('form, .save, .read')].every(e => !e.offsetParent)"
    assert browser.execute_script(f"return {hidden}")
    assert browser.execute_script("return document.querySelector('.measures').offsetHeight") > 0
    assert browser.execute_script("return getComputedStyle(document.querySelector('.tall')).maxHeight") == "none"
    browser.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    assert browser.execute_script("return document.querySelectorAll('details.more:not([open])').length") == 0
    browser.execute_script("window.dispatchEvent(new Event('afterprint'))")
    assert browser.execute_script("return document.querySelectorAll('details.more:not([open])').length")
    pdf = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", {})["data"])
    assert pdf.startswith(b"%PDF")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_no_violations(report, browser, require, dark):
    script = os.environ.get("AXE_CORE")
    require("axe", script and Path(script).exists())
    screen(browser, 1200, dark)
    browser.get(f"{report[0].as_uri()}#topic-1-run-1")
    assert until(browser, "document.querySelector('#topic h2')")
    browser.execute_script("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    browser.execute_script("document.querySelector('section.hits:not([hidden]) details.hit summary').click()")
    browser.execute_script(Path(script).read_text(encoding="utf-8"))
    found = browser.execute_async_script("const done = arguments[0]; axe.run().then((r) => done(r.violations));")
    assert [(v["id"], v["nodes"][0]["html"][:200], len(v["nodes"])) for v in found] == []
