"""Every command that scores a run ends with exit code 2 if none of its ids is in the qrels, and says once which."""

import pytest

from pyterrier_focused.cli import main

QRELS = "1 Q0 12 20 100 0 0:20\n1 Q0 34 0 50\n"
RUN = "{qid} Q0 {docno} 1 9 tag 0 40\n"
COMMANDS = {
    "evaluate": ["evaluate", "qrels", "run"],
    "evaluate articles": ["evaluate", "qrels", "run", "-m", "AP"],
}


@pytest.fixture(params=COMMANDS)
def score(request, tmp_path, monkeypatch, capsys):
    """Return the exit code and the notes of a command, for a run of one line."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(QRELS)

    def call(qid, docno):
        (tmp_path / "run").write_text(RUN.format(qid=qid, docno=docno))
        code = main(COMMANDS[request.param])
        return code, capsys.readouterr().err.splitlines()

    return call


@pytest.mark.parametrize(("qid", "docno"), [("7", "12"), ("1", "x12")])
def test_ids_that_the_qrels_do_not_have_end_with_2_and_are_told_once(score, qid, docno):
    code, notes = score(qid, docno)
    assert code == 2
    assert len(notes) == len(set(notes))


def test_ids_that_the_qrels_have_need_no_note(score):
    assert score("1", "12") == (0, [])
