"""What all tests share: the hypothesis profile and the data that lies beside the checkout."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("focused", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
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
