"""Every reader, given damaged files: it reads them or says why not, in time and memory that their size explains.

FOCUSED_FUZZ_SECONDS is how long all readers take together (60); FOCUSED_FUZZ_SEED repeats a run.
"""

import os
import time
import traceback
from pathlib import Path
from random import Random

import pytest
from damage import damage
from readers import READERS, Reader

import pyterrier_focused
from pyterrier_focused import FocusedError

SECONDS = float(os.environ.get("FOCUSED_FUZZ_SECONDS", "60"))
SEED = os.environ.get("FOCUSED_FUZZ_SEED") or str(time.time_ns())
PACKAGE = Path(pyterrier_focused.__file__).parent
MEMORY, MEMORY_FACTOR = 200e6, 20
TIME, TIME_FACTOR = 0.5, 10
LINEAR = 1e-6  # seconds a byte


@pytest.fixture(autouse=True)
def memory_limit():
    """Let a reader that takes gigabytes fail, and not the machine."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (read_status("VmSize") + 2_000_000_000, hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def read_status(name: str) -> int:
    """Return an entry of the process's status, in bytes."""
    return int(Path("/proc/self/status").read_text().partition(f"{name}:")[2].split()[0]) * 1024


def is_raised_on_purpose(error: Exception) -> bool:
    """Return whether an error is the package's own, or a ValueError of one of its `raise` statements."""
    if isinstance(error, FocusedError):
        return True
    place = traceback.extract_tb(error.__traceback__)[-1]
    return isinstance(error, ValueError) and is_of_package(place) and (place.line or "").startswith("raise")


def is_of_package(place: traceback.FrameSummary) -> bool:
    return PACKAGE in Path(place.filename).parents


def tell_kind(error: Exception) -> str:
    """Return the type of an error and the last line of the package that it came through."""
    places = [place for place in traceback.extract_tb(error.__traceback__) if is_of_package(place)]
    return f"{type(error).__name__} at {Path(places[-1].filename).name}:{places[-1].lineno}"


def find_fault(reader: Reader, path: Path) -> tuple[str, str]:
    """Read a file; return what kind of fault that shows and what it says of itself, ('', '') if none."""
    size = path.stat().st_size
    kind = told = ""
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before, began = read_status("VmHWM"), time.process_time()
    try:
        reader.read(path)
    except Exception as error:
        if not is_raised_on_purpose(error):
            kind, told = tell_kind(error), f"{error!r:.200}"
    seconds, memory = time.process_time() - began, read_status("VmHWM") - before
    if seconds > TIME + TIME_FACTOR * LINEAR * size:
        return "time", f"{seconds:.1f} s for {size:,} bytes; {kind}"
    if memory > MEMORY + MEMORY_FACTOR * size:
        return "memory", f"{memory / 1e6:,.0f} MB for {size:,} bytes; {kind}"
    return kind, told


def search_faults(reader: Reader, path: Path, random: Random) -> dict[str, str]:
    """Read a file with ever new damage for a while; return a fault of each kind, whose file is kept."""
    faults: dict[str, str] = {}
    began = time.process_time()
    while time.process_time() - began < SECONDS / len(READERS):
        path.write_bytes(damage(reader.content, path.suffix, random))
        kind, told = find_fault(reader, path)
        if kind == "time":  # a collection of all tests' garbage may have come between
            kind, told = find_fault(reader, path)
        if kind and kind not in faults:
            kept = path.parents[1] / f"{len(faults)}{path.suffix}"
            kept.write_bytes(path.read_bytes())
            faults[kind] = f"{kept}: {told}"
    return faults


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux, which tells the peak of memory")
@pytest.mark.parametrize("name", READERS)
def test_damaged_files_are_read_or_refused_in_time_and_memory_of_their_size(name, tmp_path):
    reader = READERS[name]
    path = tmp_path / "read" / (reader.name or Path(str(reader.good)).name)
    path.parent.mkdir()
    path.write_bytes(reader.content)
    reader.read(path)  # undamaged
    assert search_faults(reader, path, Random(f"{SEED} {name}")) == {}, f"seed {SEED}"
