"""Mistyped options, options of other commands, measures without quotes, and paths in another order."""

import pytest

from pyterrier_focused.cli import main


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("1 Q0 a 100 1000 50 50:100\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2 tag 0 100\n")
    (tmp_path / "articles").mkdir()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("evaluate qrels run --mesures AP", "there is no option --mesures; did you mean --measures?"),
        ("evaluate qrels run -measures AP", "there is no option -measures; did you mean --measures?"),
        ("evaluate qrels run --per-querry", "there is no option --per-querry; did you mean --per-query?"),
        ("evaluate --profile=tei qrels run", "there is no option --profile; it is an option of pt-focused build"),
        ("index a b --chunk-words 3", "there is no option --chunk-words"),
        ("build a b --windows 3", "there is no option --windows; it is an option of pt-focused index"),
    ],
)
def test_an_option_that_the_command_has_not(capsys, words, message):
    with pytest.raises(SystemExit, match="2"):
        main(words.split())
    assert message in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("evaluate qrels -m AiP run AP", "AP is a measure; several are one word in quotes: -m 'AiP AP'"),
        ("build new articles", "new is not there, and articles is; the order is pt-focused build source path"),
        ("index new articles", "new is not there, and articles is; the order is pt-focused index collection index"),
        ("qrels run evaluate", "the command comes first, pt-focused evaluate ..."),
        ("-m AP evaluate qrels run", "the command comes first, pt-focused evaluate ..."),
    ],
)
def test_words_in_another_order(capsys, words, message):
    assert main(words.split()) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", ["evaluate qrels run -m AP -p2", "evaluate qrels run -qm AP", "inex-eval -f -irr 10 qrels run"]
)
def test_options_that_the_command_has(words):
    assert main(words.split()) == 0
