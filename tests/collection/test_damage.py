"""Damage on disk: every flipped bit is found by `verify`, none crashes Python, and what is noticed is an error."""

import itertools
import random
import shutil
import subprocess
import sys
from contextlib import suppress

import pytest
from dumps import dump

import pyterrier_focused as ptf
from pyterrier_focused.cli import main
from pyterrier_focused.collection.sources import find as sources
from pyterrier_focused.errors import CollectionError


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder of a collection of two shards with a rejected page."""
    folder = tmp_path_factory.mktemp("built")
    text = dump(range(1, 41)).replace("<title>Page 5</title>", "<title/>").replace("* an item", "* a [[page_2|link]]")
    for number in range(2, 41, 6):
        text = text.replace(f"Opening of {number}.", f"#REDIRECT [[Page {number + 1}]]")
    (folder / "dump.xml").write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "GROUP_BYTES", 12_000)
        ptf.Collection.build(folder / "dump.xml", folder / "c", max_rejected=1, verbose=False)
    return folder / "c"


@pytest.fixture
def folder(built, tmp_path):
    shutil.copytree(built, tmp_path / "c")
    return tmp_path / "c"


READ_ALL = """
import sys
from pathlib import Path
import pyterrier_focused as ptf
from pyterrier_focused.errors import CollectionError

def read(folder):
    collection = ptf.Collection(folder)
    collection.lengths()
    for docno in collection.docnos():
        collection.text([docno, f"{docno}#3-9"])
        collection.resolve([docno], ["/article[1]/section[1]/p[1]"])
        collection.elements(docno)
        collection.links(docno)
        collection.find(collection.article(docno)["title"])
    for alias in collection.redirects["alias"]:
        collection.find(alias)
    list(collection.articles())

for line in sys.stdin:
    file, at, bit = line.rstrip().rsplit("\\t", 2)
    with open(file, "r+b") as opened:
        data = bytearray(opened.read())
        data[int(at)] ^= 1 << int(bit)
        opened.seek(0)
        opened.write(data)
    folder, _, name = file.rpartition("/")
    try:
        read(folder)
        said = ""
    except CollectionError as error:
        said = "CollectionError"
    try:
        ptf.collection.files.checksums.verify_checksums(Path(folder))
        named = False
    except CollectionError as error:
        named = name in str(error)
    assert named, line
    data[int(at)] ^= 1 << int(bit)
    with open(file, "wb") as opened:
        opened.write(data)
    print(said or "read", flush=True)
"""


@pytest.mark.long
def test_flipped_bits_are_found_and_crash_nothing(folder):
    generator = random.Random(11)
    files = sorted(file for file in folder.iterdir() if file.stat().st_size)
    flips = [
        f"{file}\t{generator.randrange(file.stat().st_size)}\t{generator.randrange(8)}\n"
        for file in itertools.islice(itertools.cycle(files), 100)
    ]
    done = subprocess.run(
        [sys.executable, "-c", READ_ALL], input="".join(flips), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == len(flips)
    assert "CollectionError" in done.stdout


def test_a_sound_collection_is_verified_by_coreutils_too(folder):
    ptf.Collection(folder).verify()
    assert main(["verify", str(folder)]) == 0
    subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=folder, check=True, capture_output=True)


@pytest.mark.parametrize("name", ["pt_meta.json", "errors.jsonl", "collection.sqlite", "SHA256SUMS"])
@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"\xff\xfe", b"[" * 100_000, b'{"sha256": 3}', None])
def test_damaged_and_missing_files_are_named(folder, name, content, capsys):
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(content)
    assert main(["verify", str(folder)]) == 1
    assert name in capsys.readouterr().err
    if name in ("pt_meta.json", "collection.sqlite"):
        with pytest.raises(CollectionError):
            ptf.Collection(folder).text(["1"])


def flip(file, place, mask=1):
    data = bytearray(file.read_bytes())
    data[place] ^= mask
    file.write_bytes(data)


def test_every_damaged_file_is_named(folder):
    flip(folder / "collection.sqlite", -1)
    (folder / "errors.jsonl").unlink()
    with pytest.raises(CollectionError, match=r"(?s)2 damaged.*collection\.sqlite.*errors\.jsonl"):
        ptf.Collection(folder).verify()


@pytest.mark.parametrize("path", ["nothing", "empty"])
def test_what_is_no_folder_of_ours_is_bad_usage(tmp_path, path):
    (tmp_path / "empty").mkdir()
    assert main(["verify", str(tmp_path / path)]) == 2


def raise_interrupt(*arguments):
    raise KeyboardInterrupt


def read_everything(folder):
    """What a collection answers, as one value."""
    collection = ptf.Collection(folder)
    docnos = collection.docnos()
    found = [(collection.article(docno), collection.element_columns(docno)) for docno in docnos]
    redirects = collection.redirects.values.tolist()
    titles = [article["title"] for article, _ in found] + collection.redirects["alias"].tolist()
    by_title = [collection.find(title) for title in titles]
    is_there = [docno in collection for docno in (*docnos, "none")]
    return repr((found, collection.lengths().values.tolist(), redirects, docnos, by_title, is_there))


def read_damaged(folder, file, generator):
    """What a collection answers with one bit of a file flipped, None if it is refused; the bit is set right again."""
    place, mask = generator.randrange((folder / file).stat().st_size), 1 << generator.randrange(8)
    flip(folder / file, place, mask)
    try:
        return read_everything(folder)
    except CollectionError:
        return None
    finally:
        flip(folder / file, place, mask)


@pytest.mark.parametrize("seed", range(4))
def test_no_flipped_bit_changes_what_is_read(built, folder, seed):
    generator = random.Random(seed)
    files = itertools.islice(itertools.cycle(sorted(file.name for file in built.glob("*.sqlite"))), 40)
    found = {read_damaged(folder, file, generator) for file in files}
    assert found <= {None, read_everything(built)}


def find_pages_of_indexes(file):
    """The bytes of the pages whose first byte says that they are of an index: 2 and 10, in SQLite's file format."""
    data = file.read_bytes()
    size = int.from_bytes(data[16:18], "big")
    return [range(start, start + size) for start in range(size, len(data), size) if data[start] in (2, 10)]


@pytest.mark.parametrize("page", range(4))
def test_no_flipped_bit_of_an_index_hides_what_is_there(built, folder, page):
    expected = read_everything(built)
    file = folder / "collection.sqlite"
    pages = find_pages_of_indexes(file)
    assert len(pages) == 4
    # The keys fill a page from its end.
    places = [place for place in pages[page][-600:] if file.read_bytes()[place]]
    for place in random.Random(page).sample(places, min(len(places), 25)):
        flip(file, place, 4)
        with suppress(CollectionError):
            assert read_everything(folder) == expected
        flip(file, place, 4)


@pytest.mark.parametrize("name", ["pt_meta.json", "collection.sqlite"])
@pytest.mark.parametrize("change", [("Opening", "Opfning"), ("[[page_2|link]]", "link")])
def test_files_of_two_collections_are_not_read_together(built, folder, tmp_path, name, change):
    """The second change leaves all texts as they are, and takes away a link."""
    (tmp_path / "dump.xml").write_text((built.parent / "dump.xml").read_text().replace(*change))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "GROUP_BYTES", 12_000)
        ptf.Collection.build(tmp_path / "dump.xml", tmp_path / "other", max_rejected=1, verbose=False)
    for file in (tmp_path / "other").glob(name):
        shutil.copy(file, folder)
    with pytest.raises(CollectionError, match=r"collection\.sqlite is not the file that .*pt_meta\.json names"):
        ptf.Collection(folder).text(["1"])
