"""The checks of formats: ours pass them, as does a small one of another package; broken ones do not."""

import bz2
import gzip
import io
import subprocess
import sys
import warnings
from dataclasses import replace

import pytest
from xml_articles import ARTICLES, XmlArticles

from pyterrier_focused.errors import FormatError
from pyterrier_focused.io import known_formats, read_run
from pyterrier_focused.io.sniff import list_own_formats
from pyterrier_focused.testing.formats import check_format

COLLECTION = XmlArticles(ARTICLES)
PATHS = "1 Q0 7 1 9 t /article[1]/bdy[1]/sec[1]\n1 Q0 12 2 8 t /article[1]\n"
XML = """<inex-submission participant-id="12" run-id="R1" task="Focused" query="automatic" result-type="passage">
<topic topic-id="1"><result><file>7</file><fol offset="0" length="9"/><rank>1</rank></result>
<result><file>12</file><fol offset="3" length="7"/><rank>2</rank></result></topic></inex-submission>
"""
POOL = """<assessments pool="1" topic="401"><file name="7">
<best-entry-point path="/article[1]/bdy[1]/p[1]"/>
<passage start="/article[1]/bdy[1]/p[1]/text()[1].0" end="/article[1]/bdy[1]/p[1]/b[1]" size="7"/></file>
<file name="12"/></assessments>
"""
TASKS = """[{"id": 1, "data": {"qid": "7", "docno": "a", "text": "A lamp burns."}, "annotations": [{"completed_by": 1,
"result": [{"type": "labels", "value": {"start": 2, "end": 6, "text": "lamp", "labels": ["Relevant"]}}]}]}]
"""
TEXTS = {"a": "A lamp burns."}
LENGTHS = {"lengths": {"a": 40, "b": 60}}
EXAMPLES = {
    ("fol", "run"): (b"1 Q0 a 1 9.5 t 0 5\n1 Q0 b 2 8.5 t 3 4\n1 Q0 a 3 2 t 9 2\n2 Q0 a 1 1 t 4 4\n", "x.run", {}),
    ("paths", "run"): (PATHS.encode(), "x.run", {"collection": COLLECTION}),
    ("inex-xml", "run"): (XML.encode(), "x.xml", {}),
    ("trec", "run"): (b"1 Q0 a 1 9.5 t\n1 Q0 b 2 8.5 t\n2 Q0 a 1 1 t\n", "x.run", LENGTHS),
    ("msmarco", "run"): (b"1\ta\t1\n1\tb\t2\n2\ta\t1\n", "x.tsv", LENGTHS),
    ("inex", "qrels"): (b"1 Q0 a 5 40 3 3:5\n1 Q0 b 0 60\n2 Q0 a 7 40 0 0:3 9:4\n", "x.qrels", {}),
    ("inex-xml", "qrels"): (POOL.encode(), "x.xml", {"collection": COLLECTION}),
    ("trec", "qrels"): (b"1 0 a 1\n1 0 b 0\n2 0 a 1\n", "x.qrels", LENGTHS),
    ("spans", "qrels"): (b'{"qid": "1", "docno": "a", "start": 2, "end": 6}\n', "x.jsonl", {}),
    ("judgments", "qrels"): (
        b'{"qid": "7", "docno": "a", "assessor": "anna", "label": 1, "highlights": [[1, 4]], "length": 9}\n',
        "x.jsonl", {},
    ),
    ("label-studio", "qrels"): (TASKS.encode(), "x.json", {"collection": TEXTS}),
}  # fmt: skip
FOLDERS = {("judgments-db", "qrels")}  # tested with what the programs write


def test_every_format_has_an_example():
    ours = {(format.name, format.kind) for kind in ("run", "qrels") for format in list_own_formats(kind).values()}
    assert ours == {*EXAMPLES, *FOLDERS}


@pytest.mark.parametrize(("name", "kind"), EXAMPLES)
def test_our_formats_pass(name, kind):
    example, file, options = EXAMPLES[name, kind]
    check_format(known_formats(kind)[name], example, name=file, options=options)


OPENED = [(name, kind) for name, kind in EXAMPLES if not known_formats(kind)[name].by_path]


@pytest.mark.parametrize(("ending", "compress"), [("", bytes), (".gz", gzip.compress), (".bz2", bz2.compress)])
@pytest.mark.parametrize(("name", "kind"), OPENED)
def test_open_and_compressed_files_are_read_alike(tmp_path, name, kind, ending, compress):
    example, file, options = EXAMPLES[name, kind]
    read = known_formats(kind)[name].read
    plain = tmp_path / file
    plain.write_bytes(example)
    packed = tmp_path / f"{file}{ending}"
    packed.write_bytes(compress(example))
    source = packed if ending else io.BytesIO(example)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert read(source, **options).equals(read(plain, **options))


FOL = known_formats("run")["fol"]


def read_loosely(source, collection=None):
    raise KeyError("topic")


@pytest.mark.parametrize(
    ("format", "fault"),
    [
        (replace(FOL, name="Fol 2"), "use a-z"),
        (replace(FOL, layout=""), "layout is one line"),
        (replace(FOL, name="mine", read=lambda source, collection=None, colour=1: None), "the reader takes colour"),
        (replace(FOL, name="trec"), "another format 'trec'"),
    ],
)
def test_a_format_that_breaks_the_contract_is_told_how(format, fault):
    with pytest.raises(AssertionError, match=fault):
        check_format(format, EXAMPLES["fol", "run"][0])


def test_an_exception_of_another_kind_is_a_fault():
    def read(source, collection=None):
        run = FOL.read(source, collection, errors="skip")
        return run if len(run) == 3 else read_loosely(source)

    with pytest.raises(AssertionError, match="KeyError for a damaged file"):
        check_format(replace(FOL, name="mine", read=read, write=None), EXAMPLES["fol", "run"][0])


PACKAGE = '''
import io

from pyterrier_focused.io import Format
from pyterrier_focused.io.inex.fol import read_fol


def read(source, collection=None, *, errors="raise"):
    """Lines of a topic, an article, an offset and a length, separated by bars."""
    from pyterrier_focused.reading import read_bytes, source_name

    lines = [line.split(b"|") for line in read_bytes(source).split(b"\\n") if line.strip()]
    text = b"".join(b"%s Q0 %s 1 1 bars %s\\n" % (f[0], f[1], b" ".join(f[2:])) for f in lines if len(f) > 1)
    handle = io.BytesIO(text + b"".join(b"".join(f) + b"\\n" for f in lines if len(f) < 2))
    handle.name = source_name(source)
    return read_fol(handle, collection, errors=errors)


FORMAT = Format("bars", "run", "topic|article|offset|length", lambda head: head.data.count(b"|") >= 3, read)
'''


def test_a_format_of_another_package_is_known_and_passes(tmp_path):
    """Installed as pip does: a module, and a dist-info folder that names the entry point."""
    (tmp_path / "bars.py").write_text(PACKAGE)
    info = tmp_path / "bars-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bars\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[pyterrier_focused.formats]\nbars = bars:FORMAT\n")
    (tmp_path / "run.txt").write_text("1|a|0|5\n1|b|3|9\n")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "from bars import FORMAT\n"
        "from pyterrier_focused.io import read_run\n"
        "from pyterrier_focused.testing.formats import check_format\n"
        "check_format(FORMAT, b'1|a|0|5\\n1|b|3|9\\n')\n"
        f"print(read_run({str(tmp_path / 'run.txt')!r})['docno'].tolist())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "['a', 'b']\n", done.stderr


def test_a_format_that_cannot_be_loaded_is_a_warning(tmp_path):
    info = tmp_path / "broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[pyterrier_focused.formats]\nbroken = no_such_module:FORMAT\n")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "from pyterrier_focused.io import known_formats\n"
        "print('fol' in known_formats('run'))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "True\n"
    assert "broken: the format no_such_module:FORMAT cannot be loaded" in done.stderr


def test_msmarco_s_runs_are_in_the_order_of_their_ranks_and_errors_name_the_line(tmp_path):
    path = tmp_path / "run.tsv"
    path.write_text("7\ta\t2\n\n7\tb\t10\n7\tc\t1\n")
    assert read_run(path, documents=True)["docno"].tolist() == ["c", "a", "b"]
    path.write_text("7\ta\t2\n\n7\ta\t10\n")
    with pytest.raises(FormatError, match=r"run\.tsv:3: an article that occurs twice .*or line 1"):
        read_run(path, documents=True)
