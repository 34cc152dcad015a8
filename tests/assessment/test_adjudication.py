"""Who sees whose highlights, who may decide between assessors, and where the decision shows."""

import json
import warnings

import pytest

from pyterrier_focused import read_qrels
from pyterrier_focused.assessment import export_judgments, read_progress
from pyterrier_focused.assessment.server import Actions
from pyterrier_focused.assessment.store import PoolArticle, Store

PAIR = {"qid": "1", "docno": "a"}


@pytest.fixture
def judged(tmp_path):
    """A database with articles a, on which anna and ben differ, b, on which they agree, and c, which anna judged."""
    store = Store(tmp_path / "db", create=True)
    store.add_topics([("1", "light", {})])
    store.add_pool(
        [("1", docno) for docno in "abc"], [PoolArticle(d, d, "Some text on light.", {}) for d in "abc"], None
    )
    for name in ("anna", "ben", "carl"):
        store.add_assessor(name)
    for name, docno, spans in [("anna", "a", [[0, 4]]), ("ben", "a", [[5, 9]]), ("anna", "b", []), ("ben", "b", []),
                               ("anna", "c", [[0, 4]])]:  # fmt: skip
        state = {"highlights": spans, "bep": -1, "status": "judged", "unsure": False, "note": ""}
        store.save("1", docno, name, version=0, id="1", action="done", state=state)
    yield store
    store.close()


def decide(store, who, docno="a"):
    state = {"highlights": [[0, 9]], "bep": -1, "status": "judged", "unsure": False, "note": ""}
    given = {"qid": "1", "docno": docno, "version": 0, "action": "Union", "id": "d", "state": state}
    return Actions(store).decide(who, given)


def test_who_has_finished_an_article_on_which_two_differ_decides(judged):
    assert decide(judged, "ben") == {"version": 1}


@pytest.mark.parametrize(("who", "docno"), [("carl", "a"), ("anna", "b"), ("anna", "c")])
def test_nobody_else_overrules(judged, who, docno):
    with pytest.raises(PermissionError, match="two finished judgments that differ"):
        decide(judged, who, docno)
    assert judged.judgment("1", docno, "adjudicated")[0] == 0


@pytest.mark.parametrize("docno", ["a", "b", "c"])
def test_an_adjudicator_named_at_start_decides_on_any(judged, docno):
    judged.name_adjudicators(["dora"])
    assert decide(judged, "dora", docno) == {"version": 1}


def test_the_highlights_of_others_are_shown_after_ones_own(judged):
    with pytest.raises(PermissionError, match="finish your own"):
        Actions(judged).compare("carl", PAIR)
    assert Actions(judged).doubled("carl", {"qid": "1"}) == []
    assert [entry["docno"] for entry in Actions(judged).doubled("ben", {"qid": "1"})] == ["a", "b"]
    found = Actions(judged).compare("ben", PAIR)
    assert {entry["assessor"] for entry in found["judgments"]} == {"anna", "ben"}


@pytest.mark.parametrize(("docno", "decidable"), [("a", True), ("b", False)])
def test_the_page_is_told_what_may_be_decided(judged, docno, decidable):
    assert Actions(judged).compare("ben", {"qid": "1", "docno": docno})["decidable"] is decidable


@pytest.mark.filterwarnings("ignore:.*judged by several assessors and not adjudicated")
def test_who_decided_shows_in_exports_and_in_the_qrels(judged, tmp_path):
    decide(judged, "ben")
    export_judgments(judged.path, tmp_path / "all.jsonl")
    lines = map(json.loads, (tmp_path / "all.jsonl").read_text().splitlines())
    assert [line["made_by"] for line in lines if line["assessor"] == "adjudicated"] == ["ben"]
    qrels = read_qrels(judged.path).set_index("docno")
    assert qrels.loc["a", ["assessor", "made_by"]].tolist() == ["adjudicated", "ben"]
    again = read_qrels(tmp_path / "all.jsonl").set_index("docno")
    assert again.loc["a", "made_by"] == "ben"


def test_who_decided_shows_in_the_progress(judged):
    assert read_progress(judged.path).decisions.values.tolist() == []
    decide(judged, "ben")
    assert read_progress(judged.path).decisions.values.tolist() == [["ben", 1]]


@pytest.mark.parametrize(("qid", "docno"), [("1", "zzz"), ("2", "a")])
def test_an_article_outside_the_pool_leaves_no_trace(judged, qid, docno):
    with pytest.raises(KeyError):
        Actions(judged).article("anna", {"qid": qid, "docno": docno})
    assert judged.place("anna") is None


@pytest.mark.parametrize("name", ["out.txt", "out.json", "out.jsonl"])
@pytest.mark.parametrize(("spans", "count"), [([[0, 4]], 6), ([], 5)])
def test_what_is_only_started_counts_alike_everywhere(judged, tmp_path, name, spans, count):
    """It is judged if something is highlighted; with articles a and b of two assessors, INEX's format has two fewer."""
    state = {"highlights": spans, "bep": -1, "status": "started", "unsure": False, "note": ""}
    judged.save("1", "c", "ben", version=0, id="2", action="highlight", state=state)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert read_progress(judged.path).assessors["articles"].sum() == count
        written = export_judgments(judged.path, tmp_path / name, assessor="ben")
    assert written == count - 3
