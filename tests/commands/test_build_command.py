"""`pt-focused build`: what it prints, its exit codes, and where ids come from."""

import bz2
import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from pyterrier_focused.cli import main
from pyterrier_focused.collection import Collection
from pyterrier_focused.errors import CollectionError

GOOD = "<article id='a7'><header><title>One</title><id>7</id></header><bdy><p>Words.</p></bdy></article>"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "good.xml").write_text(GOOD)
    (tmp_path / "in" / "bad.xml").write_text("<article>")
    (tmp_path / "dump.xml").write_text(DUMP)
    return tmp_path


def test_a_build_ends_with_the_counts_and_names_what_was_rejected(folder, capsys):
    assert main(["build", "in", "c", "--max-rejected", "0.5"]) == 0
    assert f"1 articles, 6 elements, 1 rejected (see {folder / 'c' / 'errors.jsonl'})" in capsys.readouterr().out
    (error,) = map(json.loads, (folder / "c" / "errors.jsonl").read_text().splitlines())
    assert (error["file"], error["id"], error["position"]) == ("bad.xml", "bad", 0)
    assert "not well-formed" in error["reason"]
    assert main(["build", "in", "c"]) == 1  # it is there already, and half of the articles were rejected


def test_too_many_rejected_articles_are_a_failure(folder, capsys):
    assert main(["build", "in", "c"]) == 1
    error = capsys.readouterr().err
    assert "1 of 2 articles were rejected" in error
    assert "bad.xml, byte 0: not well-formed" in error
    with pytest.raises(CollectionError, match="not finished"):
        Collection(folder / "c")


def test_a_failed_build_is_finished_if_more_may_be_rejected(folder):
    assert main(["build", "in", "c"]) == 1
    assert main(["build", "in", "c", "--max-rejected", "0.6"]) == 0
    assert Collection(folder / "c").docnos() == ["7"]


PAGE = "<page><title>T{n}</title><ns>0</ns><id>{n}</id><revision><text>Words.</text></revision></page>"


def make_dump(pages):
    return "<mediawiki>" + "".join(PAGE.format(n=n) for n in range(1, pages + 1)) + "</mediawiki>"


DUMP = make_dump(300)
BAD = {
    "plain text": ("a.xml", b"Once upon a time.", "an element is expected"),
    "HTML": ("a.xml", b"<!DOCTYPE html><html><body><p>a<br>b</body></html>", "not well-formed"),
    "XHTML": ("a.xml", b'<html xmlns="http://www.w3.org/1999/xhtml"><body/></html>', "a page of HTML"),
    "nothing": ("a.xml", b"", "it is empty"),
    "no pages": ("a.xml", b"<mediawiki></mediawiki>", "nothing in it is an article"),
    "other pages": ("a.xml", DUMP.replace("<ns>0", "<ns>1").encode(), "nothing in it is an article"),
    "a dump that ends inside a page": ("a.xml", DUMP[:-30].encode(), "ends without </mediawiki>"),
    "a dump that ends between pages": ("a.xml", DUMP[:-12].encode(), "ends without </mediawiki>"),
    "packed": ("a.xml.bz2", bz2.compress(DUMP[:-30].encode()), "ends without </mediawiki>"),
    "packed, between": ("a.xml.bz2", bz2.compress(DUMP[:-12].encode()), "ends without </mediawiki>"),
    "gzip": ("a.xml.gz", gzip.compress(DUMP[:-30].encode()), "ends without </mediawiki>"),
    "gzip, between": ("a.xml.gz", gzip.compress(DUMP[:-12].encode()), "ends without </mediawiki>"),
    "half of a gzip file": (
        "a.xml.gz",
        gzip.compress(make_dump(2000).encode())[:5000],
        "is read: broken compressed data",
    ),
    "half of a bzip2 file": ("a.xml.bz2", bz2.compress(DUMP.encode())[:700], "Compressed file ended before"),
    "half in UTF-16": ("a.xml", DUMP.encode("utf-16")[:-31], "not in its encoding|not well-formed|cut short"),
    "half of a tar": ("a.tar", b"\1" * 5000, "it cannot be read"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_source_that_is_no_good_is_an_error_with_the_reason(tmp_path, capsys, what):
    name, data, reason = BAD[what]
    (tmp_path / name).write_bytes(data)
    assert main(["build", str(tmp_path / name), str(tmp_path / "c")]) in (1, 2)
    error = capsys.readouterr().err
    assert re.search(reason, error)
    assert "Traceback" not in error
    if "no article" in error:  # another source can be built there
        (tmp_path / "good.xml").write_text(GOOD)
        assert main(["build", str(tmp_path / "good.xml"), str(tmp_path / "c")]) == 0


@pytest.mark.parametrize(("id_from", "docno"), [("auto", "7"), ("file", "good"), ("/article/@id", "a7")])
def test_ids_come_from_where_the_option_says(folder, id_from, docno):
    (folder / "in" / "bad.xml").unlink()
    assert main(["build", "in", "c", "--id-from", id_from]) == 0
    assert Collection(folder / "c").docnos() == [docno]


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for folder in ("in/a/b", "in/c"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "entry.xml").write_text("<article><fno/>Words.</article>")
    assert main(["build", "in", "one"]) == 1
    assert "another article of this id came before it; --id-from path" in capsys.readouterr().err
    assert main(["build", "in", "two", "--id-from", "path"]) == 0
    assert sorted(Collection("two").docnos()) == ["a/b/entry", "c/entry"]


def test_the_command_says_what_an_entity_stands_for(tmp_path):
    (tmp_path / "a.xml").write_text('<!DOCTYPE a [<!ENTITY product "A &amp; B">]><a>Use &product; &other;.</a>')
    arguments = ["build", str(tmp_path / "a.xml"), str(tmp_path / "c"), "--entities", "product=Widget & Co"]
    assert main(arguments) == 0
    assert Collection(tmp_path / "c").text("a") == ["Use Widget & Co ."]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing", "c"], "no such file or folder"),
        (["in", "in"], "is not empty and holds no collection"),
        (["in", "c", "--id-from", "//["], "is not a valid XPath"),
        (["in", "c", "--workers", "0"], "workers=0"),
        (["in", "c", "--workers", "2", "--engine", "ray"], "workers=2 is for engine='local'"),
        (["in", "c", "--max-rejected", "2"], "max_rejected=2.0; give a share"),
        (["in", "c", "--max-rejected", "nan"], "max_rejected=nan; give a share"),
        (["in", "c", "--language", "de"], "language='de' is for MediaWiki dumps"),
        (["in", "c", "--namespaces", "0"], "namespaces=[0] is for MediaWiki dumps"),
        (["dump.xml", "c", "--id-from", "header/id"], "id_from='header/id' is for article XML"),
        (["dump.xml", "c", "--language", "../x"], "language='../x'; give the code"),
        (["in", "c", "--entities", "product"], "--entities product: write NAME=VALUE"),
    ],
)
def test_mistakes_are_one_line(folder, capsys, arguments, message):
    assert main(["build", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error


def wait_for_workers(build):
    """Wait until a build has both its workers, and return their processes' ids."""
    deadline = time.monotonic() + 60
    children: list[str] = []
    while len(children) < 2 and build.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
        threads = Path(f"/proc/{build.pid}/task").iterdir()
        children = [child for thread in threads for child in (thread / "children").read_text().split()]
    return children


def is_alive(process):
    """Tell whether a process is there that has not ended: who adopted it may not have taken note."""
    status = Path(f"/proc/{process}/status")
    return status.exists() and "\nState:\tZ" not in status.read_text()


def test_ctrl_c_is_one_line_and_exit_code_130_and_the_workers_are_gone(tmp_path):
    words = "{{lang|fr|Words}} and [[words]]. " * 1000  # the build takes long enough to be interrupted
    pages = (PAGE.format(n=n).replace("Words.", words) for n in range(1000))
    (tmp_path / "dump.xml").write_text("<mediawiki>" + "".join(pages) + "</mediawiki>")
    command = [sys.executable, "-m", "pyterrier_focused", "build", "dump.xml", "c", "--workers", "2"]
    listen = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # a background job of a shell does not
    build = subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=listen
    )
    children = wait_for_workers(build)
    time.sleep(0.3)  # until they are at work
    os.killpg(build.pid, signal.SIGINT)
    _, error = build.communicate(timeout=30)
    assert build.returncode == 130
    assert error.splitlines()[-1] == "pt-focused build: interrupted"
    assert "Traceback" not in error
    assert children
    time.sleep(1)  # until the process that multiprocessing starts beside them has seen it
    assert [child for child in children if is_alive(child)] == []
