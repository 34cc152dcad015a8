"""Views of files, as tools print them, are placed by the numbers of their lines, and nothing around them counts."""

import warnings

import pytest

from pyterrier_focused.rag.score import evaluate_retrieved

CODE = "def f(n):\n    if n == -1:\n\n        return {3: 4}\n    x[1:2:1]\n10:15\n    last = n\n"
OTHER = "one = 1\ntwo = 2\n    if n == -1:\n"
CORPUS = {"src/lamp.py": CODE, "notes.md": OTHER}
LINES = CODE.split("\n")[:-1]


def locate(item):
    evidence = [{"question": "q", "docno": "src/lamp.py", "start": 0, "end": 1}]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return evaluate_retrieved(evidence, {"q": [item]}, CORPUS, "SpanHit@1", verbose=False).located.iloc[0]


def read(item):
    """The lines of each document that an item is placed at."""
    found = locate(item)
    assert found["status"] == "given" or not found["runs"]
    return {docno: CORPUS[docno][slice(*span)] for docno, span in found["spans"]} if found["runs"] else {}


FORMS = {
    "cat -n": "{:6}\t{}",
    "tab": "{}\t{}",
    "colon": "{}:{}",
    "arrow": "{:6}→{}",
    "bar": "{} | {}",
    "letter": "L{}: {}",
    "blanks": "{:6}  {}",
}


def number(form, first=2, last=6):
    return "\n".join(FORMS[form].format(i, LINES[i - 1]) for i in range(first, last + 1))


PART = "".join(f"{line}\n" for line in LINES[1:6])


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
@pytest.mark.parametrize("form", FORMS)
def test_numbered_lines_of_code_are_placed_by_their_numbers(form, end):
    view = number(form).replace("\n", end or "\n")
    assert read(view) == read({"text": view, "docno": "src/lamp.py"}) == {"src/lamp.py": PART}
    assert locate(view)["around"] > 0


@pytest.mark.parametrize("form", FORMS)
def test_blanks_at_the_ends_of_lines_may_be_cut(form):
    assert read("\n".join(map(str.rstrip, number(form).split("\n")))) == {"src/lamp.py": PART}


def test_the_empty_line_after_the_last_line_feed_may_have_a_number():
    assert read(number("tab", 6, 7) + "\n8\t") == {"src/lamp.py": "10:15\n    last = n\n"}


PATH = "/repo/src/lamp.py"


@pytest.mark.parametrize(
    ("shell", "view"),
    [
        (f"Here's the result of running `cat -n` on {PATH}:\n{{}}\n", number("cat -n")),
        (f"[File: {PATH} (7 lines total)]\n(1 more lines above)\n{{}}\n(1 more lines below)", number("colon")),
        (f"Read file: {PATH} (showing lines 2-6 of 7)\n{{}}", number("blanks")),
        (f"```python {PATH}\n{{}}\n```", number("tab")),
        (f"```2:6:{PATH}\n{{}}```", PART),
        (f"```python {PATH}:2-6\n{{}}```", PART),
        ("```\n{}\n```", number("tab")),
        (f'<file path="{PATH}">\n{{}}\n</file>', number("arrow")),
        (f"File: {PATH}\n{{}}", number("bar")),
        (f"File: {PATH}\n{{}}", PART),
        ("```\n{}```", PART),
    ],
)
def test_what_stands_around_a_view_is_neither_read_nor_evidence(shell, view):
    found, expected = locate(shell.replace("{}", view)), locate(view)
    assert found["spans"] == [("src/lamp.py", (10, 10 + len(PART)))]
    assert found["around"] == expected["around"]


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        (f"{PATH}:2:{LINES[1]}\n{PATH}-3-\n{PATH}:4:{LINES[3]}", {"src/lamp.py": PART[: PART.index("    x")]}),
        (f"notes.md:1:one = 1\n--\n{PATH}:7:    last = n", {"notes.md": "one = 1\n", "src/lamp.py": "    last = n\n"}),
        (f"notes.md\n1:one = 1\n\n{PATH}\n7:    last = n", {"notes.md": "one = 1\n", "src/lamp.py": "    last = n\n"}),
        ("notes.md:3:    if n == -1:", {"notes.md": "    if n == -1:\n"}),
        ("lost.c:9:int lost;\nnotes.md:2:two = 2", {"notes.md": "two = 2\n"}),
        ("notes.md:2:two = 3", {}),
        ("1:def f(n):\n1:def f(n):", {}),
        ("2:def f(n):", {}),
    ],
    ids=["one file", "two", "headings", "one line", "unknown file", "other words", "same number", "another line"],
)
def test_lines_that_grep_and_ripgrep_found(view, expected):
    assert read(view) == expected


def test_lines_that_do_not_follow_each_other():
    assert [span for _, span in locate("1:def f(n):\n--\n7:    last = n")["spans"]] == [(0, 10), (68, 81)]


@pytest.mark.parametrize(("line", "other"), [("10:15", "1 0:15"), ("x[1:2:1]", "x1[2:1]"), ("{3: 4}", "{34}")])
def test_numbers_that_are_written_apart_are_others(line, other):
    assert locate(number("tab"))["status"] == "given"
    assert locate(number("tab").replace(line, other))["status"] != "given"
