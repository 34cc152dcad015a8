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
        ("index a b --chunk-words 3", "there is no option --chunk-words; pt-focused help index lists the options"),
        ("search a --topic b", "there is no option --topic; did you mean --topics?"),
        ("evaluate --qrels qrels run", "there is no option --qrels, only a word: type pt-focused evaluate qrels run "),
        ("evaluate qrels run -o", "-o/--output needs a value: -o FILE"),
        ("evaluate qrels", "required: run; type pt-focused evaluate qrels run [run ...]"),
        ("search articles", "type pt-focused search (--topics FILE | --query WORDS) index"),
        ("search articles --query lit lamps", "quote several words: --query 'lit lamps'"),
        ("evaluate qrels run -m AP run", "run stands apart from the other words; put options after all of them"),
        ("view articles 101", "101 is one word too many for pt-focused view collection; others follow options: --art"),
        ("search a --query b -k 0", "-k: '0' is not a whole number of at least 1"),
        ("report qrels run --top ten", "--top: not a whole number: 'ten'"),
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
        (
            "evaluate run qrels",
            "not like qrels (found: '1 Q0 a 1 2 tag 0 100'); type pt-focused evaluate qrels run [run",
        ),
        ("evaluate qrel run", "qrel: no such file or folder; did you mean qrels?"),
        ("evaluate qrels articles", "articles: this is a folder, not a file"),
        ("evaluate nothing run", "nothing: no such file or folder"),
        ("search index --topics qrels", "index: no index of parts is here"),
        ("index articles new", "no collection is here: make one with pt-focused build SOURCE COLLECTION"),
        ("verify articles", "articles: no such folder, or nothing is in it"),
        ("score qrels run", "there is no command 'score'; to score, there is evaluate, retrieved, inex-eval;"),
        ("of", "there is no command 'of'; pt-focused --help lists them"),
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
