"""`pt-focused build`: what it prints, its exit codes, and where ids come from."""

import json

import pytest

from pyterrier_focused.cli import main
from pyterrier_focused.collection import Collection

GOOD = "<article id='a7'><header><title>One</title><id>7</id></header><bdy><p>Words.</p></bdy></article>"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "good.xml").write_text(GOOD)
    (tmp_path / "in" / "bad.xml").write_text("<article>")
    return tmp_path


def test_it_ends_with_the_counts_and_names_what_was_rejected(folder, capsys):
    assert main(["build", "in", "c"]) == 0
    assert f"1 articles, 6 elements, 1 rejected (see {folder / 'c' / 'errors.jsonl'})" in capsys.readouterr().out
    (error,) = map(json.loads, (folder / "c" / "errors.jsonl").read_text().splitlines())
    assert (error["file"], error["id"], error["position"]) == ("bad.xml", "bad", 0)
    assert "not well-formed" in error["reason"]
    assert main(["build", "in", "c", "--strict"]) == 1  # it is there already, and an article was rejected


@pytest.mark.parametrize(("id_from", "docno"), [("auto", "7"), ("file", "good"), ("/article/@id", "a7")])
def test_where_ids_come_from(folder, id_from, docno):
    (folder / "in" / "bad.xml").unlink()
    assert main(["build", "in", "c", "--id-from", id_from, "--strict"]) == 0
    assert Collection(folder / "c").docnos() == [docno]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing", "c"], "no such file or folder"),
        (["in", "in"], "is not empty and holds no collection"),
        (["in", "c", "--id-from", "//["], "is no XPath"),
        (["in", "c", "--workers", "0"], "workers=0"),
    ],
)
def test_mistakes_are_one_line(folder, capsys, arguments, message):
    assert main(["build", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error
