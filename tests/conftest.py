"""What all tests share: the hypothesis profile, the data that lies beside the checkout, a browser."""

import os
import shutil
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

EXAMPLES = int(os.environ.get("FOCUSED_EXAMPLES", "60"))  # random cases a test
settings.register_profile("focused", deadline=None, max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("focused")

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the checkout; the test is skipped where it is not there."""
    if not SHARED.is_dir():
        pytest.skip("needs the real data beside the checkout (../shared/data), which is not part of the package")
    return SHARED


@pytest.fixture(scope="session")
def require() -> Callable[[str, object], None]:
    """`require("ray", found)` skips the test where *found* is false, unless FOCUSED_REQUIRE names it: then it fails."""

    def require(name: str, found: object) -> None:
        if not found:
            if name in os.environ.get("FOCUSED_REQUIRE", "").split(","):
                pytest.fail(f"{name} is required here and is missing")
            pytest.skip(f"needs {name}, which is not installed here")

    return require


@pytest.fixture(scope="session")
def browser(require, tmp_path_factory):
    """Headless Chromium, driven by selenium; it shuts down what would reach the network on its own."""
    binary = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    require("chromium", binary and driver and find_spec("selenium"))
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in (
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync", "--window-size=1280,900",
        f"--user-data-dir={tmp_path_factory.mktemp('chromium')}",
    ):  # fmt: skip
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    session = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield session
    session.quit()
