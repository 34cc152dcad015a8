"""What all tests share: profiles of random cases, the data that lies beside the checkout."""

import gc
from collections.abc import Callable, Generator
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, settings
from random_cases import FEW, LONG, QUICK

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)

SLOW = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
# A change is judged by the same cases each time; `make test-all` draws new ones.
settings.register_profile("quick", deadline=None, max_examples=QUICK, suppress_health_check=SLOW, derandomize=True)
settings.register_profile("few", deadline=None, max_examples=FEW, suppress_health_check=SLOW, derandomize=True)
settings.register_profile("long", deadline=None, max_examples=LONG, suppress_health_check=SLOW)
settings.load_profile("quick")

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
NO_SHARED_DATA = "needs the real data beside the checkout (../shared/data), which is not part of the package"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--complete", action="store_true", help="fail if a test is skipped because something is missing")


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Spare the garbage collector thousands of tests, which stay until the end: a sixth of the time."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    return fail_if_skipped((yield), item.config)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    return fail_if_skipped((yield), collector.config)


def fail_if_skipped(report: Report, config: pytest.Config) -> Report:
    """Turn a skipped test into a failed one under `--complete`, unless it lacks only the real data."""
    excused = hasattr(report, "wasxfail") or NO_SHARED_DATA in str(report.longrepr)
    if config.getoption("--complete") and report.skipped and not excused:
        report.outcome, report.longrepr = "failed", f"skipped under --complete: {report.longrepr}"
    return report


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the checkout; the test is skipped where it is not there."""
    if not SHARED.is_dir():
        pytest.skip(NO_SHARED_DATA)
    return SHARED


@pytest.fixture(scope="session")
def inex_sample() -> Path:
    """Generated qrels and runs, and what releases 1.0 and 3.1 of the official INEX tool print for them."""
    return Path(__file__).parent / "golden" / "inex_eval_sample"


@pytest.fixture(scope="session")
def require() -> Callable[[str, object], None]:
    """`require("ray", found)` skips the test where *found* is false."""

    def require(name: str, found: object) -> None:
        if not found:
            pytest.skip(f"needs {name}, which is not installed here")

    return require


@pytest.fixture
def ray_nodes(require, monkeypatch):
    """A Ray cluster of two local nodes, and the one that the test does not run on."""
    require("ray", find_spec("ray"))
    monkeypatch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    other = cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    if ray.get_runtime_context().get_node_id() == other.node_id:  # the build itself would go with its node
        other = cluster.add_node(num_cpus=1)
    yield cluster, other
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture(scope="session")
def kept_demo(tmp_path_factory) -> Path:
    """The folder that `pt-focused demo --keep` makes; tests change copies of it only."""
    pytest.importorskip("pyterrier_pisa")
    from pyterrier_focused.cli import main

    folder = tmp_path_factory.mktemp("demo") / "my-demo"
    assert main(["demo", "--keep", str(folder)]) == 0
    return folder
