"""What all tests share: the hypothesis profile and the data that lies beside the checkout."""

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
