"""Building: any number of workers, killed and resumed, changed, duplicated; the same bytes in the end."""

import bz2
import contextlib
import functools
import json
import multiprocessing
import os
import random
import re
import signal
import subprocess
import sys
import tarfile
import threading
import time

import pytest
from dumps import contents, dump, page

import pyterrier_focused as ptf
from pyterrier_focused.collection import build
from pyterrier_focused.collection.database import ArticleWriter
from pyterrier_focused.collection.sources import find as sources
from pyterrier_focused.errors import CollectionError


def docnos(collection):
    return [article["docno"] for article in collection.articles()]


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A dump of 300 pages, cut into many blocks."""
    monkeypatch.setattr(sources, "GROUP_BYTES", 10_000)
    path = tmp_path / "dump.xml"
    path.write_text(dump(range(1, 301)))
    return path


def test_two_workers_build_the_same_collection_as_one(tmp_path, source):
    ptf.Collection.build(source, tmp_path / "one", verbose=False)
    ptf.Collection.build(source, tmp_path / "two", workers=2, verbose=False)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_a_finished_collection_is_opened_not_built_again(tmp_path, source):
    ptf.Collection.build(source, tmp_path / "c", verbose=False)
    before = {file: file.stat().st_mtime_ns for file in (tmp_path / "c").iterdir()}
    ptf.Collection.build(source, tmp_path / "c", verbose=False)
    assert before == {file: file.stat().st_mtime_ns for file in (tmp_path / "c").iterdir()}


BUILDER = """
import sys
import pyterrier_focused as ptf
from pyterrier_focused.collection.sources import find as sources
sources.GROUP_BYTES = 10_000
ptf.Collection.build(sys.argv[1], sys.argv[2], verbose=False)
"""


def kill_build(source, target, wait):
    """Start a build, kill it so long after its folder is there, and tell whether it was still running."""
    process = subprocess.Popen([sys.executable, "-c", BUILDER, str(source), str(target)])
    deadline = time.monotonic() + 30
    while not target.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    time.sleep(wait)
    process.send_signal(signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


def opens_whole(folder):
    """Tell whether a folder is a finished collection; one that is not says so."""
    try:
        return len(ptf.Collection(folder)) == 300
    except CollectionError as error:
        return bool(re.search(r"its build is not finished|no collection is here", str(error)))


def test_killed_again_and_again_it_ends_with_the_same_bytes(tmp_path, source):
    ptf.Collection.build(source, tmp_path / "whole", verbose=False)
    generator = random.Random(4)
    kills = [(kill_build(source, tmp_path / "c", generator.random() * 0.1), opens_whole(tmp_path / "c"))
             for _ in range(6)]  # fmt: skip
    assert any(killed for killed, _ in kills)
    assert all(told for _, told in kills)
    ptf.Collection.build(source, tmp_path / "c", verbose=False)
    assert contents(tmp_path / "c") == contents(tmp_path / "whole")


@pytest.fixture
def unfinished(tmp_path, source, monkeypatch):
    """The folder of a build that was interrupted before its manifest was written."""

    def interrupted(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(build._Build, "_finish", interrupted)
        with pytest.raises(KeyboardInterrupt):
            ptf.Collection.build(source, tmp_path / "c", verbose=False)
    return tmp_path / "c"


def test_it_says_what_is_already_there(source, unfinished, capsys):
    collection = ptf.Collection.build(source, unfinished)
    assert "300 articles are there already" in capsys.readouterr().out
    assert docnos(collection) == [str(n) for n in range(1, 301)]


def test_an_unfinished_build_of_a_changed_source_is_refused_with_the_reason(source, unfinished):
    os.utime(source, ns=(1, 1))
    with pytest.raises(CollectionError, match=r"unfinished build that does not fit: the source has changed"):
        ptf.Collection.build(source, unfinished, verbose=False)


def test_two_builds_at_once_in_one_folder_are_refused(source, unfinished):
    folder = unfinished
    with contextlib.closing(ArticleWriter(folder)), pytest.raises(CollectionError, match="another build is at work"):
        ptf.Collection.build(source, folder, verbose=False)
    assert len(ptf.Collection.build(source, folder, verbose=False)) == 300


def kill_a_worker(killed):
    """Wait for a process that parses, kill it and say so."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and not killed.is_set():
        for process in multiprocessing.active_children()[:1]:
            process.kill()
            killed.set()
        time.sleep(0.01)


def test_a_worker_that_dies_is_replaced_and_its_block_repeated(tmp_path, source):
    ptf.Collection.build(source, tmp_path / "whole", verbose=False)
    killed = threading.Event()
    killer = threading.Thread(target=kill_a_worker, args=[killed])
    killer.start()
    ptf.Collection.build(source, tmp_path / "c", workers=2, verbose=False)
    killer.join()
    assert killed.is_set()
    assert contents(tmp_path / "c") == contents(tmp_path / "whole")


def test_a_source_may_be_at_a_url_and_a_collection_is_on_a_local_disk(tmp_path, source):
    import fsspec

    whole = ptf.Collection.build(source, tmp_path / "whole", verbose=False)
    fsspec.filesystem("memory").pipe_file("/in.xml", source.read_bytes())
    collection = ptf.Collection.build("memory://in.xml", tmp_path / "c", verbose=False)
    assert list(collection.articles()) == list(whole.articles())
    with pytest.raises(CollectionError, match=r"memory://c: a collection is built on a local disk"):
        ptf.Collection.build(source, "memory://c", verbose=False)
    with pytest.raises(CollectionError, match="no such file"):
        ptf.Collection.build("memory://nothing.xml", tmp_path / "d", verbose=False)


def test_a_changed_source_or_option_is_refused_with_the_reason(tmp_path, source):
    ptf.Collection.build(source, tmp_path / "c", verbose=False)
    os.utime(source, ns=(1, 1))
    with pytest.raises(CollectionError, match=r"of something else .*files that have changed"):
        ptf.Collection.build(source, tmp_path / "c", verbose=False)


def test_a_folder_with_other_things_is_refused(tmp_path, source):
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "precious.txt").write_text("keep")
    with pytest.raises(CollectionError, match="not empty and holds no collection"):
        ptf.Collection.build(source, tmp_path / "c", verbose=False)


def test_a_second_article_of_an_id_is_rejected(tmp_path):
    path = tmp_path / "dump.xml"
    path.write_text(dump([1, 2, 1, 3]))
    collection = ptf.Collection.build(path, tmp_path / "c", max_rejected=1, verbose=False)
    assert docnos(collection) == ["1", "2", "3"]
    assert len(collection.lengths()) == len(collection) == 3
    (error,) = map(json.loads, (tmp_path / "c" / "errors.jsonl").read_text().splitlines())
    assert (error["id"], error["file"]) == ("1", "dump.xml")
    text = path.read_text()
    assert text[error["position"] :].startswith(page(1).strip())
    assert error["position"] > text.index("Page 2")
    assert "another article of this id came before" in error["reason"]


def test_a_file_cut_in_half_keeps_its_first_half(tmp_path):
    whole = bz2.compress(dump(range(1, 6001)).encode())  # more than one block of bz2
    path = tmp_path / "dump.xml.bz2"
    path.write_bytes(whole[: len(whole) // 2])
    collection = ptf.Collection.build(path, tmp_path / "c", max_rejected=1, verbose=False)
    assert len(collection) > 1000
    assert docnos(collection) == [str(n) for n in range(1, len(collection) + 1)]
    assert collection.meta["rejected"] >= 1


def test_a_page_without_an_end_is_rejected_and_the_next_one_taken(tmp_path):
    path = tmp_path / "dump.xml"
    path.write_text("<mediawiki>" + page(1) + page(2).replace("</page>", "") + page(3) + "</mediawiki>")
    collection = ptf.Collection.build(path, tmp_path / "c", max_rejected=1, verbose=False)
    assert docnos(collection) == ["1", "3"]
    assert "does not end before the next one" in (tmp_path / "c" / "errors.jsonl").read_text()


@functools.cache
def long_pages():
    return [page(n, words=2000) for n in range(1, 301)]


@functools.cache
def short_pages():
    return [page(n, words=600) for n in range(1, 6)]


@functools.cache
def make_dump(packed):
    """The bytes of a dump: five pages, or 300 long ones packed in one stream or in two, cut in the middle of a page."""
    pages = short_pages() if packed == "plain" else long_pages()
    data = f"<mediawiki>\n{''.join(pages)}</mediawiki>\n".encode()
    if packed == "plain":
        return data
    streams = [data] if packed == "one stream" else [data[: len(data) // 2], data[len(data) // 2 :]]
    return b"".join(bz2.compress(stream, 1) for stream in streams)


@pytest.fixture
def article_files(tmp_path):
    """A folder of five articles in XML."""
    folder = tmp_path / "articles" / "deep"
    folder.mkdir(parents=True)
    for n in range(5):
        (folder / f"{n}.xml").write_text(f"<article><name id='{n}'>Name {n}</name><body><p>Text</p></body></article>")
    return tmp_path / "articles"


@pytest.mark.parametrize("name", ["articles", "a.tar", "a.tar.gz"])
def test_a_folder_and_archives_of_article_xml(article_files, tmp_path, name):
    if name != "articles":
        with tarfile.open(tmp_path / name, "w:gz" if name.endswith("gz") else "w") as archive:
            archive.add(article_files)
    collection = ptf.Collection.build(tmp_path / name, tmp_path / "c", verbose=False)
    assert sorted(docnos(collection)) == [str(n) for n in range(5)]


def test_a_source_that_is_not_there(tmp_path):
    with pytest.raises(CollectionError, match="no such file or folder"):
        ptf.Collection.build(tmp_path / "nothing.xml", tmp_path / "c", verbose=False)
    (tmp_path / "empty").mkdir()
    with pytest.raises(CollectionError, match="the folder is empty"):
        ptf.Collection.build(tmp_path / "empty", tmp_path / "c", verbose=False)
    assert not (tmp_path / "c").exists()


SITEINFO = """<mediawiki xml:lang="DE"><siteinfo><namespaces><namespace key="-1">Spezial</namespace>
<namespace key="0"/><namespace key="4">Wiki &amp; Co</namespace><namespace key="6">Datei</namespace>
<namespace key="x">odd</namespace></namespaces></siteinfo>"""


@pytest.fixture
def namespaced(tmp_path):
    """A German dump of four pages, the second and third of them in the wiki's own namespace."""
    pages = [page(n) for n in (1, 2, 3, 4)]
    pages[1] = pages[1].replace("<ns>0</ns>", "<ns>4</ns>")
    pages[2] = pages[2].replace("<ns>0</ns>", "").replace("Page 3", "wiki &amp; co:Page")
    pages[3] = pages[3].replace("<ns>0</ns>", "").replace("Page 4", "Star Wars: Page")
    (tmp_path / "d.xml").write_text(SITEINFO + "".join(pages) + "</mediawiki>")
    return tmp_path / "d.xml"


@pytest.mark.parametrize(
    ("options", "docnos", "languages"),
    [
        ({}, ["1", "4"], ["de"]),
        ({"namespaces": (4, 0), "language": "fr"}, ["1", "2", "3", "4"], ["fr"]),
        ({"namespaces": [4]}, ["2", "3"], ["de"]),
    ],
    ids=str,
)
def test_namespaces_and_language_are_the_dump_s_or_those_asked_for(namespaced, tmp_path, options, docnos, languages):
    collection = ptf.Collection.build(namespaced, tmp_path / "c", verbose=False, **options)
    assert (collection.docnos(), collection.meta["languages"]) == (docnos, languages)


@pytest.mark.parametrize("namespaces", [[], ["0"], [True], [0.5], 0, "0", [[0]]], ids=repr)
def test_namespaces_are_numbers(namespaced, tmp_path, namespaces):
    with pytest.raises(ValueError, match="give the numbers of namespaces"):
        ptf.Collection.build(namespaced, tmp_path / "c", namespaces=namespaces, verbose=False)


def test_other_namespaces_than_before_are_refused(namespaced, tmp_path):
    ptf.Collection.build(namespaced, tmp_path / "c", verbose=False)
    with pytest.raises(CollectionError, match="namespaces was"):
        ptf.Collection.build(namespaced, tmp_path / "c", namespaces=(4,), verbose=False)


def test_a_language_that_is_a_path_is_none(tmp_path):
    hostile = SITEINFO.replace('"DE"', '"../../etc"') + page(1) + "</mediawiki>"
    (tmp_path / "e.xml").write_text(hostile, encoding="utf-8-sig")
    assert ptf.Collection.build(tmp_path / "e.xml", tmp_path / "e", verbose=False).meta["languages"] == []
