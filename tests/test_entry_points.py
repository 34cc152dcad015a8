"""What entry points of other packages name is joined; what fails is told once, and everything else goes on."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from page_examples import python_blocks

import pyterrier_focused

PACKAGE = Path(pyterrier_focused.__file__).parent


@pytest.fixture
def run(tmp_path):
    """Run Python code beside a package `other`, as pip installs it, with entry points; return what it printed."""

    def run(entry_points, code, module=""):
        (tmp_path / "other.py").write_text(module)
        info = tmp_path / "other-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(entry_points)
        path = os.pathsep.join([str(tmp_path), str(PACKAGE.parent)])
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}
        )
        assert done.returncode == 0, done.stderr
        return done.stdout, done.stderr

    return run


EXAMPLES = dict(zip(("measure", "command", "format", "engine", "shape"), python_blocks("contributing.md"), strict=True))


def test_a_measure_of_another_package_is_known_by_its_name(run):
    code = (
        "import sys, pyterrier, ir_measures, pyterrier_focused as ptf\n"
        "assert 'other' not in sys.modules\n"
        "print(ptf.parse('Ones'), ir_measures.parse_measure('Ones'), pyterrier.measures.Ones)"
    )
    assert run("[pyterrier_focused.measures]\nOnes = other:Ones\n", code, EXAMPLES["measure"]) == (
        "[Ones] Ones Ones\n",
        "",
    )


def test_a_command_of_another_package_is_listed_and_called(run):
    code = "from pyterrier_focused.cli import main; main(['--help']); main(['greet', '--name', 'you'])"
    shown, _ = run("[pyterrier_focused.commands]\ngreet = other\n", code, EXAMPLES["command"])
    assert "\nOf others:\n  greet " in shown
    assert shown.endswith("\nhello you\n")


def test_a_format_of_another_package_is_known_by_its_name(run):
    code = (
        "from pyterrier_focused.io import known_formats\n"
        "from pyterrier_focused.testing.formats import check_format\n"
        "check_format(known_formats('run')['bars'], b'1|a|0|5\\n')"
    )
    assert run("[pyterrier_focused.formats]\nbars = other:FORMAT\n", code, EXAMPLES["format"]) == ("", "")


def test_a_shape_of_another_package_is_read(run):
    code = (
        "from pyterrier_focused.testing.shapes import check_shape\n"
        "from other import SHAPE\n"
        "thing = {'kind': 'extract', 'doc': {'key': 'a'}, 'fromByte': 4, 'toByte': 6}\n"
        "check_shape(SHAPE, thing, {'a': 'é: cat.', 'b': 'none'}, 'cat')"
    )
    assert run("[pyterrier_focused.shapes]\ntheirs = other:SHAPE\n", code, EXAMPLES["shape"]) == ("", "")


def test_what_is_no_shape_is_told(run):
    code = "from pyterrier_focused.texts.shapes import list_shapes; list_shapes()"
    _, told = run("[pyterrier_focused.shapes]\ntheirs = other:__name__\n", code, "")
    assert "the shape other:__name__ is 'other'; give a Shape, or a list of them" in told


def test_an_engine_of_another_package_takes_its_own_options(run, tmp_path):
    code = (
        "from pyterrier_focused.retrieval import PartIndex\n"
        f"index, place = [{{'docno': 'a#0-3', 'text': 'cat'}}], {str(tmp_path)!r} + '/index'\n"
        "try:\n    PartIndex.from_parts(index, place, 'theirs', shards=3)\n"
        "except ValueError as error:\n    print(error)\n"
        "PartIndex.from_parts(index, place, 'theirs', shards_of_theirs=3)\n"
    )
    shown, _ = run("[pyterrier_focused.engines]\ntheirs = other:ENGINE\n", code, EXAMPLES["engine"])
    assert shown.startswith("shards=3: Theirs has no such option; it has shards_of_theirs, and as all engines ")
    assert shown.endswith("\nshards: 3\n")


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_examples_have_at_most_15_lines(example):
    assert len([line for line in example.splitlines() if line]) <= 15


BROKEN = "[pyterrier_focused.{0}s]\nbroken = other:NOTHING\n"
ALL_BROKEN = "".join(map(BROKEN.format, ("measure", "format", "command")))
# twice, and told once
LIST_ALL = """
import pyterrier
from pyterrier_focused.cli import list_commands
from pyterrier_focused.evaluation.measure_registry import list_measures
from pyterrier_focused.io import known_formats
for _ in range(2):
    list_measures(), known_formats("run"), known_formats("qrels"), list_commands()
"""


@pytest.mark.parametrize(
    "module",
    [
        pytest.param("", id="missing"),
        pytest.param("raise RuntimeError('bad')", id="raises", marks=pytest.mark.long),
        pytest.param("1 +", id="syntax", marks=pytest.mark.long),
    ],
)
def test_what_cannot_be_imported_is_one_warning_that_names_its_distribution(run, module):
    _, told = run(ALL_BROKEN, LIST_ALL, module)
    assert told.count("Warning: ") == 3
    assert re.findall(r"other: the (\w+) other:NOTHING cannot be loaded \(", told) == ["measure", "format", "command"]


def test_a_broken_command_is_an_error_when_it_is_called(run):
    code = "from pyterrier_focused.cli import main; print(main(['broken'])); print(main(['measures']) == 0)"
    shown, told = run(BROKEN.format("command"), code)
    assert shown.startswith("2\n")
    assert told.startswith("pt-focused: other: the command other:NOTHING cannot be loaded (AttributeError")


def test_what_is_something_else_is_a_warning(run):
    _, told = run(ALL_BROKEN, LIST_ALL, "NOTHING = 7")
    assert "other: the measure other:NOTHING is not a measure of the name broken" in told
    assert "other: the format other:NOTHING is neither a Format nor a tuple of them" in told
    assert "other: the command other:NOTHING is not a module with GROUP, SUMMARY, add_arguments and run" in told


WITHOUT_CAMPAIGNS = """
import io
import pyterrier as pt
import pyterrier_focused as ptf
from pyterrier_focused.cli import main
from pyterrier_focused.io import read_run

run = read_run(io.BytesIO(b"1 Q0 12 1 9.5 mine 0 50\\n"))
qrels = ptf.read_qrels(io.BytesIO(b"1 Q0 12 25 900 0 0:25\\n"))
print(ptf.__file__, pt.Evaluate(run, qrels, metrics=ptf.parse("CharP AP")))
assert main(["--help"]) == main(["measures"]) == 0
"""


def test_everything_else_works_without_the_campaigns(tmp_path):
    """A copy of the package without the folder; its entry points are still there, and nothing is said of them."""
    shutil.copytree(PACKAGE, tmp_path / "pyterrier_focused", ignore=shutil.ignore_patterns("campaigns"))
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    code = [sys.executable, "-c", WITHOUT_CAMPAIGNS]
    done = subprocess.run(code, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(tmp_path))
    assert "'CharP': 0.5" in done.stdout
    assert "inex-eval" in done.stdout
    assert done.stderr == ""
    assert "bioasq-eval" not in done.stdout
