"""Programs that assess: nothing that they said is lost, long articles go in windows, what they quote is there."""

import threading
import time

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused import cells, read_qrels
from pyterrier_focused.assessment import assess_with
from pyterrier_focused.assessment.programs import _cut_windows
from pyterrier_focused.errors import EvidenceError

TOPICS = pd.DataFrame([["1", "tides"]], columns=["qid", "query"])
TEXTS = {f"d{i}": f"Tides rise in bay {i}. Boats wait." for i in range(10)}
POOL = pd.DataFrame({"qid": "1", "docno": list(TEXTS)})


class Flaky:
    """A program that quotes the first sentence, and raises at the calls of these numbers, from 1."""

    def __init__(self, *failing):
        self.failing, self.calls = failing, []

    def __call__(self, query, text):
        self.calls.append(text)
        if len(self.calls) in self.failing:
            raise TimeoutError(f"call {len(self.calls)}")
        return [text.split(". ")[0]]


def test_what_was_judged_before_an_error_is_kept(tmp_path):
    program = Flaky(6)
    with pytest.raises(TimeoutError, match="call 6"):
        assess_with(program, TOPICS, POOL, TEXTS, db=tmp_path / "db", retries=0)
    assert sorted(read_qrels(tmp_path / "db")["docno"]) == ["d0", "d1", "d2", "d3", "d4"]


def test_it_goes_on_where_it_stopped(tmp_path):
    with pytest.raises(TimeoutError):
        assess_with(Flaky(6), TOPICS, POOL, TEXTS, db=tmp_path / "db", retries=0)
    program = Flaky()
    qrels = assess_with(program, TOPICS, POOL, TEXTS, db=tmp_path / "db")
    assert program.calls == [TEXTS[f"d{i}"] for i in range(5, 10)]
    assert qrels["docno"].tolist() == list(TEXTS)
    expected = assess_with(Flaky(), TOPICS, POOL, TEXTS)
    assert cells(qrels["highlights"]) == cells(expected["highlights"])


@pytest.mark.parametrize("resume", [True, False])
def test_judgments_of_another_query_are_neither_returned_nor_mixed(tmp_path, resume):
    before = assess_with(Flaky(), TOPICS, POOL, TEXTS, db=tmp_path / "db")
    program = Flaky()
    with pytest.raises(ValueError, match="judged as 'tides' and given as 'boats'"):
        assess_with(program, TOPICS.assign(query="boats"), POOL, TEXTS, db=tmp_path / "db", resume=resume)
    assert program.calls == []
    assert cells(read_qrels(tmp_path / "db")["highlights"]) == cells(before["highlights"])


def test_all_is_judged_again_if_asked_for(tmp_path):
    assess_with(Flaky(), TOPICS, POOL, TEXTS, db=tmp_path / "db")
    program = Flaky()
    assess_with(program, TOPICS, POOL, TEXTS, db=tmp_path / "db", resume=False)
    assert len(program.calls) == 10


def test_another_program_judges_for_itself(tmp_path):
    assess_with(Flaky(), TOPICS, POOL, TEXTS, db=tmp_path / "db", name="one")
    program = Flaky()
    assess_with(program, TOPICS, POOL, TEXTS, db=tmp_path / "db", name="other")
    assert len(program.calls) == 10


def test_a_call_is_tried_again(monkeypatch):
    waited = []
    monkeypatch.setattr("pyterrier_focused.assessment.programs.time.sleep", waited.append)
    qrels = assess_with(Flaky(1, 2), TOPICS, POOL, TEXTS, backoff=0.5)
    assert waited == [0.5, 1.0]
    assert qrels["label"].tolist() == [1] * 10


def test_after_the_last_try_the_error_is_its_own(monkeypatch):
    monkeypatch.setattr("pyterrier_focused.assessment.programs.time.sleep", lambda seconds: None)
    with pytest.raises(TimeoutError, match="call 3"):
        assess_with(Flaky(1, 2, 3), TOPICS, POOL, TEXTS)


def test_workers_judge_at_the_same_time(tmp_path):
    together = threading.Barrier(3, timeout=20)

    def program(query, text):
        together.wait()
        return [text.split(". ")[0]]

    pool = POOL.head(9)
    qrels = assess_with(program, TOPICS, pool, TEXTS, db=tmp_path / "db", workers=3)
    assert qrels["docno"].tolist() == pool["docno"].tolist()
    assert len(read_qrels(tmp_path / "db")) == 9


def test_an_error_of_one_worker_keeps_what_others_judge(tmp_path):
    begun = threading.Event()

    def program(query, text):
        if "bay 1." in text:
            begun.wait(20)
            raise TimeoutError
        if "bay 0." in text:
            begun.set()
            time.sleep(0.2)
        return []

    with pytest.raises(TimeoutError):
        assess_with(program, TOPICS, POOL, TEXTS, db=tmp_path / "db", workers=2, retries=0)
    assert "d0" in set(read_qrels(tmp_path / "db")["docno"])


def test_quotes_and_spans_of_one_article_are_both_kept():
    qrels = assess_with(lambda query, text: ["Boats wait.", (0, 5)], TOPICS, POOL.head(1), TEXTS)
    assert cells(qrels["highlights"])[0] == [(0, 5), (21, 32)]


def test_a_quote_and_a_span_that_overlap_are_one_highlight():
    qrels = assess_with(lambda query, text: ["Tides rise", (6, 13)], TOPICS, POOL.head(1), TEXTS)
    assert cells(qrels["highlights"])[0] == [(0, 13)]


def test_long_articles_are_shown_in_windows():
    text = " ".join(f"word{i}" for i in range(200)) + " The moon makes the tides. " + " ".join(["end"] * 50)
    shown = []

    def program(query, window):
        shown.append(window)
        return ["The moon makes the tides."] if "The moon makes the tides." in window else []

    qrels = assess_with(program, TOPICS, POOL.head(1), {"d0": text}, window=300, overlap=60)
    begin = text.index("The moon")
    assert cells(qrels["highlights"])[0] == [(begin, begin + 25)]
    assert max(map(len, shown)) <= 300
    assert len(shown) > 4


@given(st.text(alphabet="ab \n", max_size=200), st.integers(5, 40), st.integers(0, 4))
def test_windows_cover_the_text_and_share_what_they_should(text, window, overlap):
    found = list(_cut_windows(text, window, overlap))
    assert all(text[start : start + len(part)] == part and len(part) <= window for start, part in found)
    starts, ends = [start for start, _ in found], [start + len(part) for start, part in found]
    assert (starts[0], ends[-1]) == (0, len(text))
    assert [(end, start) for end, start in zip(ends[:-1], starts[1:], strict=True) if end - start < overlap] == []


def test_a_quote_from_elsewhere_in_the_article_is_no_quote():
    """The function says what the window does not: it is verified against what it was shown."""
    text = "Tides rise. " + "x " * 200
    with pytest.raises(EvidenceError, match="not found"):
        assess_with(lambda query, window: ["Tides rise."], TOPICS, POOL.head(1), {"d0": text}, window=100, overlap=10)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"window": 100, "overlap": 100}, "window=100, overlap=100"),
        ({"workers": 0}, "workers=0"),
        ({"retries": -1}, "retries=-1"),
    ],
)
def test_options_that_cannot_be_are_refused(options, what):
    with pytest.raises(ValueError, match=what):
        assess_with(Flaky(), TOPICS, POOL, TEXTS, **options)
