"""Indexes on disk: damaged files, simultaneous and killed builds, read-only folders, threads and forked processes."""

import errno
import multiprocessing
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pytest
from hashing_encoder import HashingEncoder

from pyterrier_focused.collection.files import checksums
from pyterrier_focused.collection.files.checksums import describe_files, find_fault
from pyterrier_focused.collection.files.storage import StoragePath
from pyterrier_focused.errors import CollectionError
from pyterrier_focused.retrieval import PartIndex
from pyterrier_focused.retrieval.engines import pisa as pisa_engine

PARTS = [{"docno": f"{n}#0-9", "text": f"w{n % 7} w{n % 11} common"} for n in range(40)]
ENGINES = ("bm25s", "pisa", "dense")


def build(folder, engine="bm25s", parts=PARTS, **options):
    pytest.importorskip({"pisa": "pyterrier_pisa", "dense": "faiss"}.get(engine, engine))
    if engine == "dense":
        options["encoder"] = HashingEncoder()
    return PartIndex.from_parts(parts, folder, engine, **options)


def list_files(folder):
    """The size and the time of the last change of everything in a folder."""
    return {path: (path.stat().st_size, path.stat().st_mtime_ns) for path in [folder, *folder.rglob("*")]}


def end_with_zeros(data):
    """What a copy to a file that was allocated before holds if it ends early."""
    return data[: len(data) // 2] + bytes(len(data) - len(data) // 2)


DAMAGE = {
    "cut": lambda data: data[:-1],
    "empty": lambda data: b"",
    "longer": lambda data: data + b"\0",
    "half copied": end_with_zeros,
    "a byte": lambda data: data[:-1] + bytes([data[-1] ^ 1]),
}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_file_that_is_not_whole_is_told_at_opening(tmp_path, engine):
    path = tmp_path / "index"
    build(path, engine)
    files = [file for file in path.rglob("*") if file.is_file() and file.name != "SHA256SUMS"]
    for file in files:
        data = file.read_bytes()
        for damage in (*DAMAGE.values(), None):
            file.unlink()
            if damage:
                file.write_bytes(damage(data))
            with pytest.raises(CollectionError, match=re.escape(str(path))) as told:
                PartIndex(path)
            assert "\n" not in str(told.value)
            file.write_bytes(data)
    PartIndex(path)


def test_a_file_of_another_index_is_told_at_opening(tmp_path):
    build(tmp_path / "index")
    build(tmp_path / "other", parts=[{**part, "text": part["text"].replace("w1", "w9")} for part in PARTS])
    shutil.copy(tmp_path / "other" / "bm25s" / "terms.utf8", tmp_path / "index" / "bm25s" / "terms.utf8")
    with pytest.raises(CollectionError, match=r"bm25s/terms.utf8 .*pt-focused index COLLECTION .* --overwrite"):
        PartIndex(tmp_path / "index")


@pytest.mark.parametrize(
    ("offset", "found"), [(0, False), (2_999, False), (3_000, True), (3_999, True)]
)  # fmt: skip
def test_of_a_large_file_the_end_is_read_at_opening(tmp_path, monkeypatch, offset, found):
    monkeypatch.setattr(checksums, "_READ_WHOLE", 500)
    monkeypatch.setattr(checksums, "_READ_END", 1_000)
    (tmp_path / "large").write_bytes(bytes(4_000))
    (tmp_path / "small").write_bytes(bytes(400))
    described = describe_files(StoragePath(tmp_path))
    (tmp_path / "large").write_bytes(bytes(offset) + b"1" + bytes(3_999 - offset))
    assert bool(find_fault(StoragePath(tmp_path), described)) == found


@pytest.mark.parametrize("name", ["/etc/passwd", "../x", "a/../../x", "s3://bucket/x", "x::s3://bucket/x"])
def test_a_manifest_leads_to_no_file_elsewhere(tmp_path, name):
    assert find_fault(StoragePath(tmp_path), {name: (1, 1)}) == f"{name} is not a file of this folder"


def test_an_index_without_a_manifest_is_refused_with_the_command_that_builds_it(tmp_path):
    path = tmp_path / "index"
    build(path)
    (path / "pt_meta.json").unlink()
    with pytest.raises(CollectionError, match=rf"pt-focused index COLLECTION {re.escape(str(path))}"):
        PartIndex(path)


def test_a_damaged_index_can_be_built_again(tmp_path):
    path = tmp_path / "index"
    build(path)
    (path / "bm25s" / "terms.utf8").unlink()
    assert len(build(path, overwrite=True)) == len(PARTS)


# builds


def list_working(folder):
    return [path for path in folder.iterdir() if path.name.endswith(".building")]


def build_slowly(path, go_on, overwrite=False):
    """Build in a thread; the last part waits for an event. Returns what ends the build, and its started event."""
    started = threading.Event()

    def make_parts():
        yield from PARTS
        started.set()
        go_on.wait(60)

    pool = ThreadPoolExecutor(1)
    ended = pool.submit(PartIndex.from_parts, make_parts(), path, "bm25s", overwrite=overwrite)
    started.wait(60)
    return ended


@pytest.mark.parametrize("overwrite", [False, True])
def test_of_two_builds_at_once_what_stands_there_is_whole(tmp_path, overwrite):
    pytest.importorskip("bm25s")
    path = tmp_path / "index"
    go_on = threading.Event()
    first, second = (build_slowly(path, go_on, overwrite) for _ in range(2))
    go_on.set()
    errors = [build.exception() for build in (first, second) if build.exception()]
    assert [type(error) for error in errors] == ([] if overwrite else [CollectionError])
    assert all("another build was faster" in str(error) for error in errors)
    PartIndex(path).verify()
    assert list_working(tmp_path) == []


def test_four_builds_that_replace_an_index_all_end_well(tmp_path):
    pytest.importorskip("bm25s")
    build(tmp_path / "index")
    together = threading.Barrier(4)

    def replace_it(_):
        together.wait()
        return len(build(tmp_path / "index", overwrite=True))

    with ThreadPoolExecutor(4) as pool:
        assert len(list(pool.map(replace_it, range(4)))) == 4
    PartIndex(tmp_path / "index").verify()
    assert list_working(tmp_path) == []


@pytest.mark.parametrize("engine", ENGINES)
def test_an_index_that_was_replaced_after_it_was_opened_is_not_read_by_its_old_manifest(tmp_path, engine):
    build(tmp_path / "index", engine)
    index = PartIndex(tmp_path / "index")
    build(tmp_path / "index", engine, PARTS[:3], overwrite=True)
    with pytest.raises(CollectionError, match=r"index: files of this index were replaced or deleted .*; open it again"):
        index.engine_index()


def test_what_took_the_place_of_an_index_meanwhile_is_not_replaced(tmp_path):
    pytest.importorskip("bm25s")
    path = tmp_path / "index"
    go_on = threading.Event()
    ended = build_slowly(path, go_on, overwrite=True)
    path.mkdir()
    (path / "thesis.tex").write_text("words")
    go_on.set()
    assert isinstance(ended.exception(), CollectionError)
    assert (path / "thesis.tex").read_text() == "words"


def test_a_folder_that_another_program_made_is_never_touched(tmp_path):
    for name in ("index.building", f"index.{'0' * 32}.building"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "build.lock").write_text("mine")
    build(tmp_path / "index", overwrite=True)
    assert len(list_working(tmp_path)) == 2


def kill_in_fork(function, *arguments):
    """Call a function that kills its process in a copy of this one."""
    process = multiprocessing.get_context("fork").Process(target=function, args=arguments)
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL


def build_and_die(path):
    build(path, parts=(os.kill(os.getpid(), signal.SIGKILL) if n else PARTS[n] for n in range(2)))


@pytest.fixture
def killed(tmp_path):
    """The folder of an index whose build was killed."""
    pytest.importorskip("bm25s")
    kill_in_fork(build_and_die, tmp_path / "index")
    assert len(list_working(tmp_path)) == 1
    return tmp_path / "index"


def test_what_a_killed_build_left_is_told_by_the_next(killed):
    with pytest.warns(UserWarning, match="left of a build that was killed; overwrite=True removes it"):
        build(killed)
    assert len(list_working(killed.parent)) == 1


def test_what_a_killed_build_left_is_removed_with_overwrite(killed):
    build(killed, overwrite=True)
    assert list_working(killed.parent) == []


def replace_and_die(path, step):
    """Build an index of other parts in place of the one at *path*, killed before the given renaming or removal."""
    steps = iter(range(step))

    def die_in_time(function):
        def call(*arguments, **options):
            if next(steps, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments, **options)

        return call

    Path.rename = die_in_time(Path.rename)
    shutil.rmtree = die_in_time(shutil.rmtree)
    build(path, parts=PARTS[:9], overwrite=True)


# before: the new index takes the place of nothing, what was moved aside once is removed, the old index is moved aside,
# the new index takes its place, the working folder is removed
@pytest.mark.parametrize(("step", "parts"), [(0, 40), (1, 40), (2, 40), (3, 40), (4, 9)])
@pytest.mark.parametrize("action", ["open", "build", "replace"])
def test_a_build_that_is_killed_while_it_replaces_an_index_loses_none(tmp_path, step, parts, action):
    path = tmp_path / "index"
    build(path)
    kill_in_fork(replace_and_die, path, step)
    if action == "build":
        with pytest.raises(CollectionError, match="exists already"):
            build(path)
    if action == "replace":
        with pytest.raises(ValueError, match="holds white space"):
            build(path, parts=[{"docno": "no docno", "text": "words"}], overwrite=True)
        assert list_working(tmp_path) == []
    index = PartIndex(path)
    index.verify()
    assert len(index) == parts


def test_an_index_that_was_deleted_by_hand_stays_so(tmp_path):
    path = tmp_path / "index"
    build(path)
    kill_in_fork(replace_and_die, path, 4)
    shutil.rmtree(path)
    with pytest.raises(CollectionError, match="no index of parts is here"):
        PartIndex(path)


def test_a_build_at_work_is_left_alone_by_another_with_overwrite(tmp_path):
    pytest.importorskip("bm25s")
    path = tmp_path / "index"
    go_on = threading.Event()
    ended = build_slowly(path, go_on, overwrite=True)
    build(path, overwrite=True)
    go_on.set()
    assert len(ended.result()) == len(PARTS)


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("exists", [False, True])
def test_a_link_is_refused_before_the_build(tmp_path, overwrite, exists):
    if exists:
        build(tmp_path / "index")
    (tmp_path / "link").symlink_to(tmp_path / "index")

    def make_parts():
        raise AssertionError("the build has begun")
        yield

    with pytest.raises(CollectionError, match="is a link"):
        PartIndex.from_parts(make_parts(), tmp_path / "link", "bm25s", overwrite=overwrite)


@pytest.mark.parametrize("refusal", [errno.ENOLCK, errno.ENOSYS, errno.EBADF])
def test_builds_go_on_without_locks(tmp_path, monkeypatch, collection, refusal):
    fcntl = pytest.importorskip("fcntl")

    def refuse(*_):
        raise OSError(refusal, os.strerror(refusal))

    monkeypatch.setattr(fcntl, "flock", refuse)
    assert len(collection.index(tmp_path / "index", "bm25s")) > 0
    (tmp_path / "a.xml").write_text("<article><name id='1'>A</name><p>words</p></article>")
    assert len(type(collection).build(tmp_path / "a.xml", tmp_path / "collection", verbose=False)) == 1


# searching


MODELS = [("bm25", {}), ("bm25", {"k1": 1.5, "b": 0.6}), ("qld", {"mu": 300.0}), ("pl2", {"c": 2.0}), ("dph", {})]


@pytest.mark.parametrize("engine", ["pisa", "bm25s"])
def test_searching_writes_nothing_in_the_index(tmp_path, engine):
    index = build(tmp_path / "index", engine)
    before = list_files(tmp_path / "index")
    for model, parameters in MODELS:
        index.retriever(model, **parameters).search("w1 common")
        index.searcher(model, parameters).score(["w1"], [["1#0-9"]])
    assert list_files(tmp_path / "index") == before


def test_searching_with_pisa_waits_for_no_lock(tmp_path):
    fcntl = pytest.importorskip("fcntl")
    index = build(tmp_path / "index", "pisa")
    folder = os.open(index.engine_path, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    with ThreadPoolExecutor(1) as pool:
        assert len(pool.submit(index.retriever("qld", mu=7.0).search, "w1").result(60))
    os.close(folder)


def test_the_files_of_models_go_with_their_searchers(tmp_path, monkeypatch):
    index = build(tmp_path / "index", "pisa")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    for mu in range(1, 9):
        index.searcher("qld", {"mu": float(mu)})
    assert len(list((tmp_path / "temporary").iterdir())) == 4


def test_a_forked_process_leaves_the_files_of_models_alone(tmp_path):
    index = build(tmp_path / "index", "pisa")
    searcher = index.searcher("dph", {})
    process = multiprocessing.get_context("fork").Process(target=index._searchers.clear)
    process.start()
    process.join(60)
    assert len(searcher.search(["w1"], 5, 1).docno) == 5


@pytest.mark.parametrize("engine", ["pisa", "bm25s"])
def test_threads_share_an_index(tmp_path, engine):
    index = build(tmp_path / "index", engine)
    expected = [index.retriever(model, **parameters).search("w1 w2") for model, parameters in MODELS]
    opened = PartIndex(tmp_path / "index")

    def search(number):
        model, parameters = MODELS[number % len(MODELS)]
        return opened.retriever(model, **parameters).search("w1 w2")

    with ThreadPoolExecutor(16) as pool:
        for number, found in enumerate(pool.map(search, range(60))):
            pd.testing.assert_frame_equal(found, expected[number % len(MODELS)])


FORKED = """
import multiprocessing, sys
sys.path.insert(0, sys.argv[2])
from hashing_encoder import HashingEncoder
from pyterrier_focused.retrieval import PartIndex

parts = [{"docno": f"{n}#0-9", "text": f"w{n % 70} common"} for n in range(2000)]
index = PartIndex.from_parts(parts, sys.argv[1], "dense", encoder=HashingEncoder(), graph="hnsw")
process = multiprocessing.get_context("fork").Process(target=index.dense().search, args=("w1 w2",))
process.start()
process.join(60)
print(process.exitcode)
process.kill()
"""


def test_vectors_are_searched_in_a_process_that_was_forked_after_the_build(tmp_path):
    pytest.importorskip("faiss")
    support = Path(__file__).parent.parent / "support"
    done = subprocess.run(
        [sys.executable, "-c", FORKED, tmp_path / "index", support], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["0"]


# PISA ends with code 0 although the disk is full, and leaves files that do not fit each other
@pytest.mark.parametrize("name", ["fwd", "fwd.termlex", "fwd.doclex", "inv.docs", "inv.freqs", "inv.sizes"])
def test_what_pisa_wrote_to_a_full_disk_is_no_index(tmp_path, name):
    path = build(tmp_path / "index", "pisa").engine_path
    assert pisa_engine._is_whole(path, len(PARTS))
    (path / name).write_bytes((path / name).read_bytes()[:-4])
    assert not pisa_engine._is_whole(path, len(PARTS))


def test_a_pisa_that_dies_is_one_sentence(tmp_path, monkeypatch):
    pytest.importorskip("pyterrier_pisa")
    program = tmp_path / "dies.py"
    program.write_text(
        textwrap.dedent("""
        import sys
        print("[info] log of C++", file=sys.stderr)
        sys.exit(6)
    """)
    )
    monkeypatch.setattr(pisa_engine.pisa_process, "__file__", str(program))
    with pytest.raises(CollectionError, match=r"PISA ended early .* \(exit code 6\)") as told:
        build(tmp_path / "index", "pisa")
    assert "C++" not in str(told.value)


# collections at addresses


def test_a_collection_at_an_address_is_not_opened_unless_the_caller_names_it(tmp_path, collection):
    pytest.importorskip("fsspec")
    address = f"memory://anna:secret@{tmp_path.name}/articles"
    for file in Path(str(collection.path)).iterdir():
        StoragePath(f"{address}/{file.name}").write(file.read_bytes())
    remote = type(collection)(address)
    index = remote.index(tmp_path / "index", "bm25s")
    with pytest.raises(CollectionError, match=f"at memory://{tmp_path.name}/articles.*give collection="):
        index.search("oil")
    pd.testing.assert_frame_equal(
        index.search("oil", collection=remote), collection.index(tmp_path / "local", "bm25s").search("oil")
    )
    shown = f"{remote!r} {index!r} {index.meta} {(tmp_path / 'index' / 'pt_meta.json').read_text()}"
    assert "secret" not in shown
    assert len(pickle.loads(pickle.dumps(remote))) == len(remote)


@pytest.mark.parametrize("place", ["https://host/c", "s3://b/c", "//server/share", "\\\\server\\share", "x::s3://b"])
def test_an_index_leads_to_no_address(tmp_path, place):
    build(tmp_path / "index", meta={"collection": place, "elements": []})
    with pytest.raises(CollectionError, match="no address that an index holds is opened"):
        PartIndex(tmp_path / "index").collection()
