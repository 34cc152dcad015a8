"""What the tests of the report share."""

import pytest
from reports import hostile_report


@pytest.fixture(scope="session")
def report(tmp_path_factory):
    """A report with hostile names everywhere: (path, qrels, runs)."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    return path, *hostile_report(path)
