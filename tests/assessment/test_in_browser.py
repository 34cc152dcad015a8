"""The page in a browser: selections to the character, keys alone, ends that move, two tabs, no violations."""

import io
import json
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from assess_pages import articles
from browsing import until

import pyterrier_focused as ptf
from pyterrier_focused.assessment import import_judgments, write_page
from pyterrier_focused.assessment.store import PoolArticle, Store
from pyterrier_focused.io import read_qrels

TEXTS = {article.docno: article.text for article in articles()}

# a place in the article by its index among all characters of its text nodes, told by a walk of the test's own
PLACES = """
window.placesOf = (wanted) => {
  const walker = document.createTreeWalker(document.getElementById("article"), NodeFilter.SHOW_TEXT);
  const places = [], ends = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const characters = Array.from(node.data);
    let unit = 0;
    for (const one of characters) { places.push([node, unit]); unit += one.length; ends.push([node, unit]); }
  }
  return [places, ends];
};
window.selectByCharacters = (first, last) => {
  const [places, ends] = placesOf();
  getSelection().setBaseAndExtent(...places[first], ...ends[last]);
};
"""

# select, highlight by the button, wait until it is saved; gives the text of the selection
MARK = """
const [first, last, done] = arguments;
if (assessing.state.highlights.length) assessing.change("clear", { highlights: [] });
selectByCharacters(first, last);
const selected = getSelection().getRangeAt(0).toString();
document.querySelector("[data-do=highlight]").click();
const wait = () => (assessing.saver.running ? setTimeout(wait, 2) : done(selected));
wait();
"""


def stored(store, qid, docno, assessor="anna"):
    """What is on disk, read by another connection."""
    with closing(sqlite3.connect(store.path)) as db:
        rows = db.execute(
            "SELECT highlights, bep, status, note, unsure FROM judgments WHERE qid = ? AND docno = ? AND assessor = ?",
            (qid, docno, assessor),
        ).fetchall()
    if not rows:
        return None
    spans, bep, status, note, unsure = rows[0]
    return {"highlights": json.loads(spans), "bep": bep, "status": status, "note": note, "unsure": bool(unsure)}


def opened(browser, server, docno, name="anna"):
    browser.get(server.addresses[name])
    assert until(browser, "window.assessing && assessing.rendered")
    go_to(browser, docno)
    browser.execute_script(PLACES)


def go_to(browser, docno):
    browser.execute_script(f"document.querySelector('#list [data-docno=\"{docno}\"]').click()")
    assert until(browser, f"assessing.docno === '{docno}'")


def press(browser, *keys, holding=()):
    from selenium.webdriver import ActionChains

    chain = ActionChains(browser, duration=0)
    for key in holding:
        chain.key_down(key)
    for key in keys:
        chain.send_keys(key)
    for key in holding:
        chain.key_up(key)
    chain.perform()


@pytest.fixture
def keys(browser):
    """Selenium's names of keys."""
    from selenium.webdriver.common.keys import Keys

    return Keys


def saved(browser):
    """Wait until the page says that all is saved."""
    assert until(
        browser, "!assessing.saver.running && document.getElementById('saved').textContent.startsWith('Saved')"
    )


@pytest.mark.parametrize("docno", TEXTS)
def test_forty_selections_of_each_article_are_stored_to_the_character(browser, server, store, random_source, docno):
    text = TEXTS[docno]
    opened(browser, server, docno)
    assert browser.execute_script("return document.getElementById('article').textContent") == text

    def highlight(first, last):
        """What the browser says is selected, and what is stored."""
        selected = browser.execute_async_script(MARK, first, last)
        return selected, stored(store, "t1", docno)["highlights"]

    firsts = [random_source.randrange(len(text)) for _ in range(40)]
    spans = [(first, min(first + random_source.choice([0, 1, 5, 40, 200]), len(text) - 1)) for first in firsts]
    expected = [(text[first : last + 1], [[first, last + 1]]) for first, last in spans]
    assert [highlight(*span) for span in spans] == expected


def point(browser, index):
    """The place in the window of the character of that index."""
    return browser.execute_script(
        "const [places] = placesOf(), range = document.createRange(); const [node, at] = places[arguments[0]];"
        "range.setStart(node, at); range.setEnd(node, at + 1); const box = range.getBoundingClientRect();"
        "return [Math.round(box.left) + 1, Math.round((box.top + box.bottom) / 2)]",
        index,
    )


def drag(browser, start, end, holding=""):
    """Drag the mouse, with a key *holding* it as the button is released."""
    from selenium.webdriver import ActionChains

    chain = ActionChains(browser, duration=20)
    chain.w3c_actions.pointer_action.move_to_location(*start).pointer_down().move_to_location(*end)
    for _ in range(3 if holding else 0):  # the key goes down when the mouse has arrived
        chain.w3c_actions.key_action.pause()
    if holding:
        chain.key_down(holding)
    chain.w3c_actions.pointer_action.pointer_up()
    chain.perform()
    if holding:
        ActionChains(browser).key_up(holding).perform()


@pytest.mark.parametrize(
    ("text", "selected", "whole"),
    [
        ("The keeper lit the lamp.", "eeper lit th", "keeper lit the"),
        ("The keeper lit the lamp.", " lit ", "lit"),
        ("The keeper lit the lamp.", "lamp", "lamp"),
        ("The keeper lit the lamp.", "lamp.", "lamp."),
        ("The keeper’s lamp", "’s la", "keeper’s lamp"),
        ("al·lèrgia", "l·", "al·lèrgia"),
        ("Cafe\u0301 noir", "afe", "Cafe\u0301"),
        ("𝔏𝔦𝔤𝔥𝔱 😀 on", "𝔦𝔤", "𝔏𝔦𝔤𝔥𝔱"),
        ("😀😀 sea", "ea", "sea"),
        ("a 👩‍👩‍👧 b", "‍👩", "👩‍👩‍👧"),
        ("灯台は光を放つ。", "台は光", "台は光"),
        ("か\u3099くせい", "\u3099く", "か\u3099く"),
        ("ประภาคารอยู่ริมทะเล", "ภาคารอย", "ภาคารอยู่"),
        ("등대는 빛난다", "대는 빛", "등대는 빛난다"),
        ("المنارة برج", "نارة", "المنارة"),
        ("one   two", "  ", "  "),
    ],
)
def test_highlights_snap_to_words_or_characters(browser, server, text, selected, whole):
    browser.get(server.addresses["anna"])
    assert until(browser, "window.assessing && assessing.rendered")
    start = text.index(selected)
    found = browser.execute_script(
        "return new assessing.rendered.offsets.constructor(arguments[0]).snapped(arguments[1])",
        text,
        [start, start + len(selected)],
    )
    assert text[slice(*found)] == whole


@pytest.mark.parametrize(("holding", "expected"), [("", "light is seen from"), ("\ue008", "ight is seen fr")])
def test_the_mouse_highlights_words_or_with_shift_characters(browser, server, store, holding, expected):
    opened(browser, server, "repeated")
    drag(browser, point(browser, 5), point(browser, 20), holding)
    browser.find_element("id", "float").click()
    saved(browser)
    ((start, end),) = stored(store, "t1", "repeated")["highlights"]
    assert TEXTS["repeated"][start:end] == expected


def test_the_mouse_drags_an_end_to_a_word_and_sets_the_entry_point(browser, server, store):
    from selenium.webdriver import ActionChains

    opened(browser, server, "repeated")
    drag(browser, point(browser, 4), point(browser, 24))
    browser.find_element("id", "float").click()
    saved(browser)
    handle = browser.find_element("id", "to").rect
    drag(browser, (int(handle["x"]) + 8, int(handle["y"]) + 8), point(browser, 52))
    saved(browser)
    assert stored(store, "t1", "repeated")["highlights"] == [[4, TEXTS["repeated"].index(" the", 50)]]
    chain = ActionChains(browser)
    margin = browser.find_element("id", "margin").rect
    third = TEXTS["repeated"].index("The light", 64)
    chain.w3c_actions.pointer_action.move_to_location(int(margin["x"]) + 10, point(browser, third)[1]).click()
    chain.perform()
    saved(browser)
    assert stored(store, "t1", "repeated")["bep"] == third


def test_fingers_select_and_drag(browser, devtools, server, store):
    """By touch: a long press selects a word, the button highlights it, and its end is dragged."""
    opened(browser, server, "repeated")
    x, y = browser.execute_script(
        "const [places] = placesOf(); const range = document.createRange(); range.setStart(...places[5]);"
        "range.setEnd(...places[6]); const box = range.getBoundingClientRect(); return [box.left + 1, box.top + 8]"
    )

    def touch(kind, *points):
        devtools("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": a, "y": b} for a, b in points]})

    devtools("Emulation.setTouchEmulationEnabled", {"enabled": True})
    try:
        touch("touchStart", (x, y))
        time.sleep(0.8)
        touch("touchEnd")
        if browser.execute_script("return getSelection().isCollapsed"):  # headless Chromium has no long press
            browser.execute_script("selectByCharacters(4, 8)")
        assert browser.execute_script("return getSelection().toString()") == "light"
        button = browser.find_element("css selector", "[data-do=highlight]").rect
        touch("touchStart", (button["x"] + 20, button["y"] + 10))
        touch("touchEnd")
        saved(browser)
        assert stored(store, "t1", "repeated")["highlights"] == [[4, 9]]
        handle = browser.find_element("id", "to").rect
        start = handle["x"] + 8, handle["y"] + 8
        touch("touchStart", start)
        touch("touchMove", (x + 60, y))
        touch("touchMove", (x + 120, y))
        touch("touchEnd")
        saved(browser)
    finally:
        devtools("Emulation.setTouchEmulationEnabled", {"enabled": False})
    ((start, end),) = stored(store, "t1", "repeated")["highlights"]
    assert start == 4
    assert end > 12


def highlight_by_keys(browser, keys):
    """Select ten characters with the arrows and highlight them; gives their text."""
    press(browser, "t", keys.ARROW_RIGHT, keys.ARROW_RIGHT)
    press(browser, *[keys.ARROW_RIGHT] * 10, holding=[keys.SHIFT])
    chosen = browser.execute_script("return getSelection().toString()")
    press(browser, "h")
    saved(browser)
    return chosen


def test_keys_highlight_and_move_ends(browser, server, store, keys):
    opened(browser, server, "emoji")
    text = TEXTS["emoji"]
    chosen = highlight_by_keys(browser, keys)
    ((start, end),) = stored(store, "t1", "emoji")["highlights"]
    assert text[start:end] == chosen
    assert len(chosen) >= 9
    press(browser, "e", *[keys.ARROW_RIGHT] * 3)
    press(browser, keys.ARROW_RIGHT, holding=[keys.CONTROL])
    saved(browser)
    ((same, further),) = stored(store, "t1", "emoji")["highlights"]
    assert same == start
    assert text[:further].endswith(("keepers", "wave", "at"))  # the end of a word
    press(browser, keys.ESCAPE, "s", keys.ARROW_LEFT)
    saved(browser)
    assert stored(store, "t1", "emoji")["highlights"][0][0] < start
    press(browser, keys.ESCAPE, "z")
    saved(browser)
    assert stored(store, "t1", "emoji")["highlights"] == [[start, further]]


def test_keys_set_entry_point_note_and_doubt(browser, server, store, keys):
    opened(browser, server, "emoji")
    highlight_by_keys(browser, keys)
    press(browser, "b", "u", "m")
    press(browser, "A note <b>here</b>", keys.TAB)
    saved(browser)
    kept = stored(store, "t1", "emoji")
    assert (kept["note"], kept["unsure"], kept["status"]) == ("A note <b>here</b>", True, "started")
    assert 0 <= kept["bep"] < len(TEXTS["emoji"])
    browser.execute_script("document.getElementById('article').focus()")
    press(browser, "B", "j", "x")
    saved(browser)
    kept = stored(store, "t1", "emoji")
    assert (kept["highlights"], kept["bep"]) == ([], -1)


def test_keys_open_and_close_the_help(browser, server, keys):
    opened(browser, server, "emoji")
    press(browser, "?")
    assert until(browser, "document.getElementById('help').open")
    press(browser, keys.ESCAPE)
    assert until(browser, "!document.getElementById('help').open")


def test_keys_finish_an_article_and_undo_it_from_the_next(browser, server, store, keys):
    opened(browser, server, "emoji")
    highlight_by_keys(browser, keys)
    press(browser, "j", "x")
    saved(browser)
    press(browser, "n")
    assert until(browser, "assessing.docno !== 'emoji'")
    saved(browser)
    assert stored(store, "t1", "emoji")["status"] == "judged"
    press(browser, "z")  # from the next article: back, and undone
    assert until(browser, "assessing.docno === 'emoji' && assessing.state.status === 'started'")
    saved(browser)
    assert stored(store, "t1", "emoji")["status"] == "started"
    press(browser, "y")
    saved(browser)
    assert stored(store, "t1", "emoji")["status"] == "judged"


def test_keys_lead_to_other_articles_and_to_the_list(browser, server):
    opened(browser, server, "emoji")
    press(browser, "[")
    assert until(browser, "assessing.docno !== 'emoji'")
    press(browser, "a")
    assert browser.execute_script("return document.activeElement.dataset.docno === assessing.docno")


def test_speeches_and_their_lines_are_blocks(browser, server):
    opened(browser, server, "emoji")
    shown = browser.execute_script(
        "const host = document.createElement('div'); document.body.append(host);"
        "const elements = { tag: ['TEI', 'sp', 'speaker', 'l', 'l', 'sp', 'ab'], start: [0, 0, 0, 4, 10, 16, 16],"
        "  end: [20, 16, 4, 10, 16, 20, 20], parent: [-1, 0, 1, 1, 1, 0, 5] };"
        "new assessing.rendered.constructor(host, { text: 'DUKEWho isthere?Aye.', elements });"
        "return host.innerText.split(/\\s*\\n\\s*/);"
    )
    assert shown == ["DUKE", "Who is", "there?", "Aye."]


def test_it_goes_on_where_one_was(browser, server, store):
    opened(browser, server, "arabic")
    browser.execute_script("selectByCharacters(3, 9); document.querySelector('[data-do=highlight]').click();")
    saved(browser)
    browser.get("about:blank")
    browser.get(server.addresses["anna"])
    assert until(browser, "window.assessing && assessing.rendered && assessing.docno === 'arabic'")
    assert browser.execute_script("return assessing.state.highlights") == [[3, 10]]


def test_undo_survives_a_reload(browser, server, store):
    def press_after_reload(keys):
        """The highlights after these keys on a page that was loaded anew."""
        browser.refresh()
        assert until(browser, "window.assessing && assessing.rendered && assessing.docno === 'arabic'")
        press(browser, *keys)
        saved(browser)
        return stored(store, "t1", "arabic")["highlights"]

    opened(browser, server, "arabic")
    click = "document.querySelector('[data-do=highlight]').click()"
    browser.execute_script(f"selectByCharacters(3, 9); {click}; selectByCharacters(20, 24); {click}")
    press(browser, "z")
    saved(browser)
    found = [press_after_reload(keys) for keys in ("y", "zz", "y")]
    assert found == [[[3, 10], [20, 25]], [], [[3, 10]]]


def test_the_last_article_of_a_topic_leads_to_the_next_topic(browser, server, store):
    opened(browser, server, "emoji")
    left = len([pair for pair in store.pairs() if pair[0] == "t1"])
    for _ in range(left):
        docno = browser.execute_script("return assessing.docno")
        press(browser, "n")
        assert until(browser, f"assessing.qid === 't2' || assessing.docno !== '{docno}'")
        if browser.execute_script("return assessing.qid") == "t2":
            break
    assert until(browser, "assessing.qid === 't2' && document.body.textContent.includes('this is the next one')")
    judged = [stored(store, qid, docno) for qid, docno in store.pairs() if qid == "t1"]
    assert {state["status"] for state in judged if state} == {"judged"}


def test_what_was_finished_last_is_undone_after_a_reload(browser, server, store):
    opened(browser, server, "emoji")
    press(browser, "n")
    assert until(browser, "assessing.docno !== 'emoji'")
    saved(browser)
    browser.refresh()
    assert until(browser, "window.assessing && assessing.rendered && assessing.docno !== 'emoji'")
    press(browser, "z")
    assert until(browser, "assessing.docno === 'emoji' && assessing.state.status === 'started'")


def finish(store, name, docnos):
    """Judge articles of the first topic, each without highlights."""
    done = {"highlights": [], "bep": -1, "status": "judged", "unsure": False, "note": ""}
    for docno in docnos:
        store.save("t1", docno, name, version=0, id="1", action="done", state=done)


def test_it_opens_at_the_first_article_still_to_judge(browser, server, store):
    order = [entry["docno"] for entry in store.pool("t1", "anna")]
    finish(store, "anna", order[:2])
    store.visit("t1", order[0], "anna", 1, 0)
    browser.get(server.addresses["anna"])
    assert until(browser, "window.assessing && assessing.rendered")
    assert browser.execute_script("return assessing.docno") == order[2]


def test_each_assessor_sees_their_own_progress(browser, server, store):
    finish(store, "ben", [entry["docno"] for entry in store.pool("t1", "ben")])
    doubled = sum(entry["wanted"] for entry in store.pool("t1", "anna"))
    assert 0 < doubled < 5  # a share of .5 of five articles is for two assessors
    browser.get(server.addresses["anna"])
    assert until(browser, "window.assessing && assessing.rendered")
    assert browser.find_element("id", "progress").text == f"0 of your {doubled} judged"
    browser.get(server.addresses["ben"])
    assert until(browser, "window.assessing && assessing.qid === 't2' && assessing.rendered")
    assert "(5 of 5)" in browser.find_element("css selector", "#topics option").text


def test_a_title_does_not_turn_the_text_around_it(browser, server, store):
    judged_twice(store)
    store._db.execute("UPDATE articles SET title = 'المنارة' WHERE docno = 'repeated'")
    opened(browser, server, "emoji")
    browser.find_element("id", "compare").click()
    assert until(browser, "document.querySelectorAll('#pair section').length === 2")
    edges = browser.execute_script(  # of the title, and of the words that follow it
        "const title = document.querySelector('#title bdi'), range = document.createRange();"
        "range.selectNodeContents(title.nextSibling);"
        "return [title.getBoundingClientRect().right, range.getBoundingClientRect().left]"
    )
    assert edges[1] >= edges[0]


def test_the_topic_stays_in_sight_on_a_phone(browser, server):
    browser.set_window_size(390, 844)
    try:
        opened(browser, server, "repeated")
        browser.execute_script("scrollTo(0, document.documentElement.scrollHeight)")
        assert until(browser, "scrollY > 200")
        top, bottom = browser.execute_script(
            "const box = document.getElementById('query-text').getBoundingClientRect(); return [box.top, box.bottom]"
        )
        assert 0 <= top < bottom < 300
    finally:
        browser.set_window_size(1280, 900)


def test_what_is_done_while_an_article_opens_is_shown(browser, server, store):
    opened(browser, server, "arabic")
    browser.execute_script(
        "assessing.open('arabic'); selectByCharacters(3, 9); document.querySelector('[data-do=highlight]').click()"
    )
    saved(browser)
    assert until(browser, "!assessing.selected")  # it is open
    assert browser.execute_script("return assessing.state.highlights") == [[3, 10]]
    assert stored(store, "t1", "arabic")["highlights"] == [[3, 10]]


def test_two_tabs_overwrite_nothing_in_silence(browser, server, store):
    opened(browser, server, "marks")
    first = browser.current_window_handle
    browser.switch_to.new_window("tab")
    second = browser.current_window_handle
    try:
        opened(browser, server, "marks")
        browser.execute_script("selectByCharacters(0, 3); document.querySelector('[data-do=highlight]').click();")
        saved(browser)
        browser.switch_to.window(first)
        browser.execute_script("selectByCharacters(10, 12); document.querySelector('[data-do=highlight]').click();")
        assert until(browser, "document.getElementById('conflict').open")
        assert stored(store, "t1", "marks")["highlights"] == [[0, 4]]  # nothing is decided yet
        browser.find_element("id", "keep-mine").click()
        saved(browser)
        assert stored(store, "t1", "marks")["highlights"] == [[10, 13]]
        browser.switch_to.window(second)
        browser.execute_script("selectByCharacters(20, 22); document.querySelector('[data-do=highlight]').click();")
        assert until(browser, "document.getElementById('conflict').open")
        browser.find_element("id", "take-theirs").click()
        assert until(browser, "assessing.state.highlights.length === 1 && assessing.state.highlights[0][0] === 10")
    finally:
        browser.switch_to.window(second)
        browser.close()
        browser.switch_to.window(first)
    with closing(sqlite3.connect(store.path)) as db:
        kept = [row[0] for row in db.execute("SELECT state FROM actions WHERE docno = 'marks' ORDER BY version")]
    assert [json.loads(state)["highlights"] for state in kept] == [[[0, 4]], [[10, 13]]]


@pytest.mark.parametrize(
    "text",
    ["Lights\n| Eddystone | 49 |\n| Fastnet   | 54 |\nEnd", "Lights\nEddystone light\t49\nFastnet\t54\nEnd\tof"],
    ids=["padded", "tabs"],
)
def test_columns_of_a_text_line_up(browser, server, store, text):
    store.add_pool([("t1", "columns")], [PoolArticle("columns", "columns", text, {})], None)
    opened(browser, server, "columns")
    assert browser.execute_script("return document.getElementById('article').textContent") == text
    assert point(browser, text.index("49"))[0] == point(browser, text.index("54"))[0]


@pytest.mark.parametrize("bar", ["header", "body > footer"])
def test_the_bars_stay_on_one_line_at_1280_pixels(browser, server, bar):
    opened(browser, server, "emoji")
    middles = browser.execute_script(
        "document.body.style.fontFamily = 'DejaVu Sans, Verdana, sans-serif';"
        "const parts = document.querySelectorAll(arguments[0] + ' :is(button, select)');"
        "const boxes = [...parts].filter((one) => one.offsetParent).map((one) => one.getBoundingClientRect());"
        "return boxes.map((box) => Math.round((box.top + box.bottom) / 2))",
        bar,
    )
    assert len(set(middles)) == 1


def test_words_in_narrow_cells_stay_whole(browser, server, store):
    words = ["Photographers", "nominations", "superlatives", "cinematography", "decorations", "Mediterranean"]
    text = " ".join(words)
    starts = [text.index(word) for word in words]
    ends = [start + len(word) for start, word in zip(starts, words, strict=True)]
    count = len(words)
    elements = {"tag": ["table", "row", *["cell"] * count], "start": [0, 0, *starts],
                "end": [len(text), len(text), *ends], "parent": [-1, 0, *[1] * count]}  # fmt: skip
    store.add_pool([("t1", "wide")], [PoolArticle("wide", "Wide", text, elements)], None)
    browser.set_window_size(500, 844)
    try:
        opened(browser, server, "wide")
        lines = browser.execute_script(
            "return [...document.querySelectorAll('#article td')].map((cell) => {"
            "const range = document.createRange(); range.selectNodeContents(cell);"
            "return range.getClientRects().length })"
        )
        assert lines == [1] * count
    finally:
        browser.set_window_size(1280, 900)


def test_nothing_in_a_text_runs(browser, devtools, server):
    opened(browser, server, "tables")
    assert browser.execute_script("return window.hacked") is None
    assert "<script>" in browser.find_element("id", "query-text").text
    errors = [entry for entry in browser.get_log("browser") if entry["source"] != "network"]
    assert not errors, errors


@pytest.fixture
def show_in_colours(devtools):
    """Choose light or dark colours for a test; the browser's own come back after it."""
    yield lambda scheme: devtools(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    devtools("Emulation.setEmulatedMedia", {"features": []})


@pytest.mark.parametrize(
    "prepare", ["", "assessing.toggleWords()", "document.getElementById('help').showModal()"], ids=["", "words", "help"]
)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_violation_is_found_by_axe(browser, show_in_colours, server, require, scheme, prepare):
    file = os.environ.get("AXE_CORE", "")
    require("axe", file and Path(file).exists())
    show_in_colours(scheme)
    opened(browser, server, "tables")
    browser.execute_script("selectByCharacters(30, 80); document.querySelector('[data-do=highlight]').click();")
    saved(browser)
    browser.execute_script(prepare)
    browser.execute_script(Path(file).read_text(encoding="utf-8"))
    found = browser.execute_async_script(
        "const done = arguments[0]; axe.run().then((found) => done(JSON.stringify(found.violations.map((fault) => "
        "[fault.id, fault.nodes.map((node) => node.html.slice(0, 200))]))), (error) => done(`${error}`))"
    )
    assert json.loads(found) == []


LARGE = PoolArticle(
    "large", "Large", ("A paragraph on lights 😀 of some length, and then some. " * 8 + "\n\n") * 1200, {}
)
LINE = PoolArticle("line", "One line", "word " * 100_000, {})


@pytest.fixture
def large_server(tmp_path):
    """A server of ten thousand short articles and two long ones."""
    from pyterrier_focused.assessment.server import Server

    store = Store(tmp_path / "large.sqlite", create=True)
    store.add_topics([("t", "light", {})])
    small = [PoolArticle(f"a{i}", f"Article {i}", "A short text.", {}) for i in range(10_000)]
    store.add_pool([("t", article.docno) for article in (LARGE, LINE, *small)], [LARGE, LINE, *small], None)
    store.add_assessor("anna")
    server = Server(store)
    server.start()
    yield server
    server.stop()
    store.close()


def time_opening(browser, docno):
    return browser.execute_async_script(
        "const [docno, done] = arguments, from = performance.now(); assessing.open(docno).then(() => "
        "requestAnimationFrame(() => setTimeout(() => done(performance.now() - from))))",
        docno,
    )


def test_a_large_article_and_a_large_pool_open_within_a_second(browser, large_server):
    assert len(LARGE.text) > 500_000
    browser.get(large_server.addresses["anna"])  # once, so that the browser's own start does not count
    assert until(browser, "window.assessing && assessing.rendered")
    browser.get("about:blank")
    browser.get(large_server.addresses["anna"])
    assert until(browser, "window.assessing && assessing.rendered")
    ready = browser.execute_async_script(
        "const done = arguments[0]; requestAnimationFrame(() => setTimeout(() => done(performance.now())))"
    )
    assert browser.execute_script("return assessing.list.length") == 10_002
    times = [ready, time_opening(browser, "large"), time_opening(browser, "line")]
    print("milliseconds: first page, 530,400 characters, 500,000 in one line:", *map(round, times))
    assert max(times) < 4000  # a second on a machine that does nothing else


def judged_twice(store):
    """Two assessors' judgments of two articles."""
    state = {"bep": -1, "status": "judged", "unsure": False, "note": ""}
    for name, spans in (("anna", [[0, 10], [20, 30]]), ("ben", [[5, 15]])):
        for docno in ("repeated", "marks"):
            store.save("t1", docno, name, version=0, id="1", action="done", state={**state, "highlights": spans})


@pytest.mark.parametrize(
    ("key", "expected"), [("1", [[0, 10], [20, 30]]), ("2", [[5, 15]]), ("u", [[0, 15], [20, 30]]), ("i", [[5, 10]])]
)
def test_one_key_decides_between_two_assessors(browser, server, store, key, expected):
    judged_twice(store)
    opened(browser, server, "emoji")
    browser.find_element("id", "compare").click()
    assert until(browser, "document.querySelectorAll('#pair section').length === 2")
    assert "kappa" in browser.find_element("id", "agreement").text
    docno = browser.execute_script("return comparing.list[comparing.at].docno")
    press(browser, key)
    assert until(browser, "document.getElementById('saved').textContent.startsWith('Saved: ')")
    assert stored(store, "t1", docno, "adjudicated")["highlights"] == expected
    assert until(browser, f"comparing.list[comparing.at].docno !== '{docno}'")  # and on to the next
    press(browser, "c")
    assert until(browser, "!comparing.shown && document.getElementById('pair').hidden")


def open_page(browser, path):
    browser.get(path.as_uri())
    assert until(browser, "window.assessing && assessing.rendered")


def wait_for_file(folder, ending):
    end = time.monotonic() + 5
    while time.monotonic() < end:
        for path in folder.glob(f"*{ending}"):
            return path
        time.sleep(0.05)
    raise AssertionError(f"no file {ending} in {folder}")


def test_a_page_without_a_server_keeps_and_saves(browser, devtools, store, tmp_path):
    folder = tmp_path / "downloads"
    folder.mkdir()
    write_page(store.path, tmp_path / "page.html", "dora")
    devtools("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)})
    open_page(browser, tmp_path / "page.html")
    go_to(browser, "emoji")
    browser.execute_script(PLACES + "selectByCharacters(2, 11)")
    press(browser, "h")
    saved(browser)
    press(browser, "d")
    assert until(browser, "assessing.docno !== 'emoji'")
    open_page(browser, tmp_path / "page.html")
    assert browser.execute_script("return window.hacked") is None
    browser.find_element("id", "save-file").click()
    file = wait_for_file(folder, ".jsonl")
    qrels = read_qrels(file)
    assert qrels[["qid", "docno", "label", "assessor"]].values.tolist() == [["t1", "emoji", 1, "dora"]]
    assert qrels["length"].tolist() == [len(TEXTS["emoji"])]
    assert import_judgments(store.path, file).added == 1
    assert stored(store, "t1", "emoji", "dora")["highlights"] == [[2, 12]]


@pytest.mark.parametrize("docno", ["repeated", "tables"])
def test_the_caret_moves_by_lines_and_paragraphs(browser, server, docno, keys):
    def move(key, *holding):
        press(browser, key, holding=holding)
        return browser.execute_script("return assessing.selected[1]")

    opened(browser, server, docno)
    press(browser, "t", keys.ARROW_RIGHT)
    down = [move(keys.ARROW_DOWN), move(keys.ARROW_DOWN, keys.CONTROL), move(keys.END)]
    assert 0 < down[0] < down[1] < down[2]
    up = [move(keys.ARROW_UP, keys.CONTROL), move(keys.HOME, keys.CONTROL)]
    assert down[2] > up[0] > up[1] == len(TEXTS[docno]) - len(TEXTS[docno].lstrip())


@pytest.fixture
def judged_page(tmp_path):
    """The page of the notebook on judging, for its first assessor, with the judgments that come with it."""
    import pandas as pd
    import pyterrier as pt

    from pyterrier_focused.assessment import assess

    judgments = Path(__file__).resolve().parents[2] / "examples" / "lighthouse-judgments.jsonl"
    pool = pd.read_json(judgments, lines=True, dtype={"qid": str, "docno": str})[["qid", "docno"]].drop_duplicates()
    dataset = pt.get_dataset("focused:demo")
    topics = dataset.get_topics()
    database = tmp_path / "judgments.sqlite"
    server = assess(
        {article["docno"]: article["text"] for article in dataset.collection(tmp_path / "texts").articles()},
        topics[topics["qid"].isin(pool["qid"])][["qid", "query", "narrative"]],
        {"pool": pool.assign(score=1.0)},
        db=database, assessors=["author", "reader"], double=1.0, port=0, open_browser=False, wait=False,
    )  # fmt: skip
    import_judgments(database, judgments)
    yield server.addresses["author"]
    server.stop()


def measure_highlights(image):
    """Return the shares of a picture that are highlighted, and highlighted and chosen."""
    colours = image.convert("RGB").getcolors(image.width * image.height)
    return [
        sum(n for n, (r, g, b) in colours if max(abs(r - red), abs(g - green), abs(b - blue)) < 9)
        / (image.width * image.height)
        for red, green, blue in [(255, 226, 122), (255, 184, 77)]
    ]


def take_picture(browser):
    image = pytest.importorskip("PIL.Image")
    return image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB").quantize(64)


def test_the_picture_of_the_page_is_true(browser, judged_page, tmp_path):
    """If the page has changed, the picture taken here replaces that of the docs (`pytest --basetemp=FOLDER`)."""
    pictures = pytest.importorskip("PIL.Image")
    browser.set_window_size(1200, 860)
    browser.get(judged_page)
    assert until(browser, "window.assessing && assessing.rendered")
    go_to(browser, "102")
    press(browser, "j", "j")
    assert until(browser, "document.querySelector('#highlights li:last-child [aria-current]')")
    wait = pytest.importorskip("selenium.webdriver.support.wait").WebDriverWait(browser, 10)
    wait.until(lambda browser: all(measure_highlights(take_picture(browser))), "the highlights are not painted")
    taken = take_picture(browser)
    browser.set_window_size(1280, 900)
    taken.save(tmp_path / "judging.png", optimize=True)
    shown = pictures.open(Path(ptf.__file__).parent / "pt_docs" / "pictures" / "judging.png")
    assert measure_highlights(taken) == pytest.approx(measure_highlights(shown), rel=0.3)
