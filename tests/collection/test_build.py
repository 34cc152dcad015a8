"""Building: any number of workers, killed and resumed, changed, duplicated; the same bytes in the end."""

import bz2
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import pyterrier_focused as ptf
from pyterrier_focused.collection import build, sources
from pyterrier_focused.errors import CollectionError

PAGE = """  <page>
    <title>Page {n}</title>
    <ns>0</ns>
    <id>{n}</id>
    <revision><text xml:space="preserve">Opening of {n}.\n\n== Part one ==
Words of {n}: {words}.\n\n* an item</text></revision>
  </page>
"""


def page(n, words=40):
    return PAGE.format(n=n, words=" ".join(f"w{(n * 7 + i) % 97}" for i in range(words)))


def dump(numbers):
    return "<mediawiki>\n<siteinfo/>\n" + "".join(page(n) for n in numbers) + "</mediawiki>\n"


def contents(folder):
    return {file.name: file.read_bytes() for file in sorted(Path(folder).iterdir())}


def docnos(collection):
    return [article["docno"] for article in collection.articles()]


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A dump of 300 pages, cut into many blocks."""
    monkeypatch.setattr(sources, "BLOCK_BYTES", 10_000)
    path = tmp_path / "dump.xml"
    path.write_text(dump(range(1, 301)))
    return path


def test_every_page_is_taken_once_whatever_the_blocks(tmp_path, source):
    collection = ptf.Collection.build(source, tmp_path / "c", verbose=False)
    assert collection.meta["shards"] > 5
    assert docnos(collection) == [str(n) for n in range(1, 301)]
    assert len(collection) == 300
    for article in collection.articles(["7", "300"]):
        assert article["text"].startswith(f"Page {article['docno']}\n\nOpening of {article['docno']}.\n\nPart one\n")


def test_two_workers_make_the_same_bytes_as_one(tmp_path, source):
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
from pyterrier_focused.collection import sources
sources.BLOCK_BYTES = 10_000
ptf.Collection.build(sys.argv[1], sys.argv[2], verbose=False)
"""


def test_killed_again_and_again_it_ends_with_the_same_bytes(tmp_path, source):
    ptf.Collection.build(source, tmp_path / "whole", verbose=False)
    killed = 0
    generator = random.Random(4)
    for _ in range(6):
        process = subprocess.Popen([sys.executable, "-c", BUILDER, str(source), str(tmp_path / "c")])
        deadline = time.monotonic() + 30
        while not (tmp_path / "c").exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(generator.random() * 0.1)
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
        if not (tmp_path / "c" / "pt_meta.json").exists():
            with pytest.raises(CollectionError, match=r"its build is not finished|no collection is here"):
                ptf.Collection(tmp_path / "c")
    assert killed
    ptf.Collection.build(source, tmp_path / "c", verbose=False)
    assert contents(tmp_path / "c") == contents(tmp_path / "whole")


def unfinished(source, folder):
    """A build that lacks its last shard and everything after it."""
    ptf.Collection.build(source, folder, verbose=False)
    manifest = json.loads((folder / "pt_meta.json").read_text())
    last = manifest["shards"] - 1
    for name in ("pt_meta.json", "docnos.arrow", "errors.jsonl", f"done-{last:05}.json"):
        (folder / name).unlink()
    return manifest


def test_it_says_what_is_already_there(tmp_path, source, capsys):
    manifest = unfinished(source, tmp_path / "c")
    _, work = sources.blocks(source)
    (tmp_path / "c" / "build.json").write_text(json.dumps(build._plan(work, "mediawiki", {})))
    ptf.Collection.build(source, tmp_path / "c")
    assert f"{manifest['shards'] - 1} of {manifest['shards']} blocks are there already" in capsys.readouterr().out


def test_a_changed_source_or_option_is_refused_with_the_reason(tmp_path, source):
    ptf.Collection.build(source, tmp_path / "c", verbose=False)
    os.utime(source, ns=(1, 1))
    with pytest.raises(CollectionError, match="another source or of other options"):
        ptf.Collection.build(source, tmp_path / "c", verbose=False)


def test_a_folder_with_other_things_is_refused(tmp_path, source):
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "precious.txt").write_text("keep")
    with pytest.raises(CollectionError, match="not empty and holds no collection"):
        ptf.Collection.build(source, tmp_path / "c", verbose=False)


def test_a_second_article_of_an_id_is_rejected(tmp_path):
    path = tmp_path / "dump.xml"
    path.write_text(dump([1, 2, 1, 3]))
    collection = ptf.Collection.build(path, tmp_path / "c", verbose=False)
    assert docnos(collection) == ["1", "2", "3"]
    assert len(collection.lengths()) == len(collection) == 3
    (error,) = map(json.loads, (tmp_path / "c" / "errors.jsonl").read_text().splitlines())
    assert error["name"] == "1"
    assert "another article of this id came before" in error["reason"]


def test_multistream_dumps_are_cut_between_streams(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "BLOCK_BYTES", 4_000)
    streams = ["<mediawiki>\n<siteinfo/>\n", *("".join(page(n) for n in range(i, i + 10)) for i in range(1, 101, 10))]
    packed = b"".join(bz2.compress(stream.encode()) for stream in [*streams, "</mediawiki>\n"])
    path = tmp_path / "dump-multistream.xml.bz2"
    path.write_bytes(packed)
    (tmp_path / "dump-multistream-index.txt.bz2").write_bytes(bz2.compress(b"600:1:Page: 1\n"))
    collection = ptf.Collection.build(path, tmp_path / "c", verbose=False)
    assert collection.meta["shards"] > 2
    assert docnos(collection) == [str(n) for n in range(1, 101)]
    assert docnos(ptf.Collection.build(tmp_path, tmp_path / "d", format="mediawiki", verbose=False)) == docnos(
        collection
    )


def test_a_broken_block_costs_its_pages_and_no_others(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "BLOCK_BYTES", 4_000)
    streams = [bz2.compress("".join(page(n) for n in range(i, i + 10)).encode()) for i in range(1, 101, 10)]
    broken = bytearray(streams[4])
    broken[len(broken) // 2] ^= 0xFF
    streams[4] = bytes(broken)
    path = tmp_path / "dump.xml.bz2"
    path.write_bytes(bz2.compress(b"<mediawiki>\n") + b"".join(streams) + bz2.compress(b"</mediawiki>\n"))
    collection = ptf.Collection.build(path, tmp_path / "c", verbose=False)
    found = [int(docno) for docno in docnos(collection)]
    assert found == [n for n in range(1, 101) if not 41 <= n <= 50]
    errors = [json.loads(line) for line in (tmp_path / "c" / "errors.jsonl").read_text().splitlines()]
    assert any("cannot be read" in error["reason"] for error in errors)
    assert all(error["file"].endswith("dump.xml.bz2") for error in errors)


def test_a_file_cut_in_half_keeps_its_first_half(tmp_path):
    whole = bz2.compress(dump(range(1, 6001)).encode())  # more than one block of bz2
    path = tmp_path / "dump.xml.bz2"
    path.write_bytes(whole[: len(whole) // 2])
    collection = ptf.Collection.build(path, tmp_path / "c", verbose=False)
    assert len(collection) > 1000
    assert docnos(collection) == [str(n) for n in range(1, len(collection) + 1)]
    assert collection.meta["rejected"] >= 1


def test_a_page_without_an_end_is_rejected_and_the_next_one_taken(tmp_path):
    path = tmp_path / "dump.xml"
    path.write_text("<mediawiki>" + page(1) + page(2).replace("</page>", "") + page(3) + "</mediawiki>")
    collection = ptf.Collection.build(path, tmp_path / "c", verbose=False)
    assert docnos(collection) == ["1", "3"]
    assert "does not end before the next one" in (tmp_path / "c" / "errors.jsonl").read_text()


@pytest.mark.parametrize("chunk", [1, 7, 64, 1000])
def test_pages_are_found_wherever_the_chunks_end(tmp_path, monkeypatch, chunk):
    monkeypatch.setattr(sources, "_CHUNK", chunk)
    path = tmp_path / "dump.xml"
    path.write_text(dump([1, 2, 3]))
    _, (block,) = sources.blocks(path)
    assert [raw.data.decode() for raw in sources.read(block)] == [page(n).strip() for n in (1, 2, 3)]


def test_archives_and_folders_of_article_xml(tmp_path):
    import tarfile

    folder = tmp_path / "articles" / "deep"
    folder.mkdir(parents=True)
    for n in range(5):
        (folder / f"{n}.xml").write_text(f"<article><name id='{n}'>Name {n}</name><body><p>Text</p></body></article>")
    for mode, name in (("w", "a.tar"), ("w:gz", "a.tar.gz")):
        with tarfile.open(tmp_path / name, mode) as archive:
            archive.add(folder, "deep")
    plain = ptf.Collection.build(tmp_path / "articles", tmp_path / "plain", verbose=False)
    assert docnos(plain) == [str(n) for n in range(5)]
    for name in ("a.tar", "a.tar.gz"):
        packed = ptf.Collection.build(tmp_path / name, tmp_path / f"from-{name}", verbose=False)
        assert sorted(docnos(packed)) == docnos(plain)


def test_a_source_that_is_not_there(tmp_path):
    with pytest.raises(CollectionError, match="no such file or folder"):
        ptf.Collection.build(tmp_path / "nothing.xml", tmp_path / "c", verbose=False)
    (tmp_path / "empty").mkdir()
    with pytest.raises(CollectionError, match=r"no \.xml files"):
        ptf.Collection.build(tmp_path / "empty", tmp_path / "c", verbose=False)
    assert not (tmp_path / "c").exists()
