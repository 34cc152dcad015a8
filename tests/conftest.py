"""What all tests share: profiles of random cases, the data that lies beside the checkout, a browser."""

import gc
import os
import shutil
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
EXCUSED = (NO_SHARED_DATA, "the patch is for")  # the second: another package has a new release


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--complete", action="store_true", help="fail if a test is skipped because something is missing")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs a browser as long."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.long)


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
    """Turn a skipped test into a failed one under `--complete`, unless no machine need have what it lacks."""
    excused = hasattr(report, "wasxfail") or any(reason in str(report.longrepr) for reason in EXCUSED)
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
def browser(require, tmp_path_factory):
    """A browser without a window: Chromium, or what FOCUSED_BROWSER names (see `make test-browsers`)."""
    name = os.environ.get("FOCUSED_BROWSER", "chromium")
    require("selenium", find_spec("selenium"))
    session = BROWSERS[name](require, tmp_path_factory.mktemp(name))
    session.set_window_size(1280, 900)
    yield session
    session.quit()


def start_chromium(require, profile):
    """Chromium, which is kept from reaching the network on its own."""
    from selenium import webdriver

    binary = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    require("chromium", binary and driver)
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in (
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync", "--window-size=1280,900",
        f"--user-data-dir={profile}",
    ):  # fmt: skip
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))


def start_firefox(require, profile):
    from selenium import webdriver

    binary = shutil.which("firefox") or shutil.which("firefox-esr")
    driver = shutil.which("geckodriver")
    require("firefox", binary and driver)
    options = webdriver.FirefoxOptions()
    options.binary_location = binary
    options.add_argument("--headless")
    return webdriver.Firefox(options=options, service=webdriver.FirefoxService(driver))


def start_webkit(require, profile):
    """WebKitGTK's own small browser; it needs a display, such as that of xvfb-run."""
    from selenium import webdriver

    driver = shutil.which("WebKitWebDriver")
    binary = next(iter(sorted(Path("/usr").glob("lib*/**/webkit2gtk-4.*/MiniBrowser"))), None)
    require("webkit", driver and binary)
    options = webdriver.WebKitGTKOptions()
    options.binary_location = str(binary)
    options.add_argument("--automation")
    return webdriver.WebKitGTK(options=options, service=webdriver.WebKitGTKService(driver))


@pytest.fixture
def devtools(browser, require):
    """What only Chromium does for tests: touch, colour schemes, downloads, the log of errors."""
    require("chromium", browser.name == "chrome")
    return browser.execute_cdp_cmd


BROWSERS = {"chromium": start_chromium, "firefox": start_firefox, "webkit": start_webkit}


@pytest.fixture(scope="session")
def kept_demo(tmp_path_factory) -> Path:
    """The folder that `pt-focused demo --keep` makes; tests change copies of it only."""
    pytest.importorskip("pyterrier_pisa")
    from pyterrier_focused.cli import main

    folder = tmp_path_factory.mktemp("demo") / "my-demo"
    assert main(["demo", "--keep", str(folder)]) == 0
    return folder
