"""The loop on the command line: demo --keep, build, index, search, evaluate, report, in the folder that demo keeps."""

import itertools
import re
import shlex
import shutil
import sys

import pandas as pd
import pytest

import pyterrier_focused as ptf
from pyterrier_focused.cli import main
from pyterrier_focused.commands.demo import NEXT


@pytest.fixture
def folder(kept_demo, tmp_path, monkeypatch):
    shutil.copytree(kept_demo, tmp_path / "my-demo")
    monkeypatch.chdir(tmp_path / "my-demo")
    return tmp_path / "my-demo"


def test_the_demo_keeps_what_the_other_commands_need(kept_demo):
    names = {path.name for path in kept_demo.iterdir()}
    assert {"articles", "collection", "index", "texts", "topics.tsv", "qrels.txt", "evidence.jsonl"} <= names
    assert len([name for name in names if name.endswith(".run")]) == 11


def test_a_folder_that_is_not_empty_is_refused(kept_demo, capsys):
    assert main(["demo", "--keep", str(kept_demo)]) == 2
    assert "is not empty" in capsys.readouterr().err


NEXT_LINES = [line for line in NEXT.splitlines() if line.startswith("pt-focused ")]


@pytest.mark.parametrize("command", NEXT_LINES)
def test_what_readme_txt_says_runs(folder, command):
    words = [name for word in shlex.split(command)[1:] for name in expand(word, folder)]
    more = ["--page", "page.html", "--assessor", "anna"] if words[0] == "assess" else []  # instead of a browser
    assert main([*words, *more]) == 0


def expand(word, folder):
    """Return the files that a shell makes of a word with a star."""
    return sorted(path.name for path in folder.glob(word)) if "*" in word else [word]


@pytest.mark.parametrize(
    ("task", "options", "kept_run"),
    [
        ("focused", [], "sections-focused.run"),
        ("ric", ["--per-article", "3"], "sections-ric.run"),
        ("bic", [], "sections-bic.run"),
    ],
)
def test_search_writes_the_run_of_a_task(folder, task, options, kept_run):
    """The demo's own runs come from pipelines in Python; search makes the same."""
    assert main(["search", "index", "--topics", "topics.tsv", "--task", task, *options, "-o", "mine.run"]) == 0
    mine, theirs = ptf.read_run("mine.run"), ptf.read_run(kept_run)
    pd.testing.assert_frame_equal(mine, theirs)


def test_a_query_prints_the_best_parts(folder, capsys):
    assert main(["search", "index", "--query", "Fresnel lens", "-k", "2"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(" 1  Fresnel lens  (102#")
    assert "\n 2  " in out


@pytest.mark.parametrize(
    ("is_terminal", "settings", "shown"),
    [
        (True, {}, "lenses are \x1b[1;4mmuseum\x1b[0m pieces."),
        (True, {"NO_COLOR": "1"}, "lenses are museum pieces."),
        (True, {"TERM": "dumb"}, "lenses are museum pieces."),
        (False, {}, "lenses are museum pieces."),
    ],
)
def test_the_words_that_matched_are_marked_on_a_terminal(folder, capsys, monkeypatch, is_terminal, settings, shown):
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in {"TERM": "xterm", "WT_SESSION": "1", **settings}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal)
    assert main(["search", "index", "--query", "museum", "-k", "1"]) == 0
    assert shown in capsys.readouterr().out


@pytest.mark.parametrize("task", ["focused", "ric", "bic"])
def test_the_parts_of_a_query_do_not_overlap(folder, capsys, task):
    assert main(["search", "index", "--query", "light lens", "-k", "8", "--task", task]) == 0
    out = capsys.readouterr().out
    assert out.endswith("parts that overlap a better one are left out\n")
    parts = re.findall(r"\((\w+)#(\d+)-(\d+), score", out)
    assert len(parts) == (8 if task != "bic" else len({docno for docno, *_ in parts}))
    spans = [(docno, int(start), int(end)) for docno, start, end in parts]
    pairs = [(a, b) for a, b in itertools.combinations(spans, 2) if a[0] == b[0]]
    assert all(a[2] <= b[1] or b[2] <= a[1] for a, b in pairs)
    if task == "ric":
        assert all(a[1] < b[1] for a, b in pairs)
        docnos = [docno for docno, *_ in spans]
        assert [docno for docno, _ in itertools.groupby(docnos)] == list(dict.fromkeys(docnos))


def test_parts_in_boilerplate_are_left_out_if_asked_for(folder, capsys):
    assert main(["index", "collection", "without", "--exclude", "boilerplate"]) == 0
    assert ptf.retrieval.PartIndex("without").meta["exclude"] == "boilerplate"


def test_a_query_that_finds_nothing_says_so(folder, capsys):
    assert main(["search", "index", "--query", "zzzzzz"]) == 0
    assert capsys.readouterr().out == "nothing was found: no part has a word of the query; stop words do not count\n"


def test_an_article_without_a_title_is_shown_by_its_id(folder, capsys):
    (folder / "lamp.xml").write_text("<a><p>Oil lamps smoke.</p></a>")
    assert main(["build", "lamp.xml", "untitled"]) == 0
    assert main(["index", "untitled", "untitled-index"]) == 0
    capsys.readouterr()
    assert main(["search", "untitled-index", "--query", "lamps"]) == 0
    assert capsys.readouterr().out.startswith(" 1  lamp  (lamp#0-16, score ")


def test_search_counts_topics_without_results(folder, capsys):
    (folder / "two.tsv").write_text("1\tlighthouse\n2\tzzzzzz\n")
    assert main(["search", "index", "--topics", "two.tsv", "-o", "two.run"]) == 0
    assert capsys.readouterr().out.startswith("two.run: 2 topics (1 without results), ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["search", "index", "--query", "x", "--model", "nope"], "nope"),
        (["search", "index", "--topics", "topics.tsv", "--per-article", "2"], "--per-article goes with --task ric"),
        (["search", "collection", "--query", "x"], "not an index"),
        (["index", "collection", "index"], "exists already"),
        (["index", "index", "new"], "is an index; pass the collection it was built from"),
        (["index", "collection", "new", "--step", "20"], "--step goes with --windows"),
        (["index", "collection", "new", "--engine", "lucene"], "lucene"),
    ],
)
def test_mistakes_with_indexes_are_one_line(folder, capsys, arguments, message):
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 1


def test_windows_have_the_length_and_the_step_that_are_asked_for(folder, capsys):
    assert main(["index", "collection", "windows", "--windows", "300", "--step", "150"]) == 0
    assert main(["search", "windows", "--topics", "topics.tsv", "-k", "50"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    assert {int(line[7]) <= 300 for line in lines} == {True}
    assert {int(line[6]) % 150 for line in lines} == {0}
