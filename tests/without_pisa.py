"""Hides PISA, as where it has no wheels: `PYTHONPATH=tests python -m pytest -p without_pisa tests/retrieval`."""

import sys

sys.modules["pyterrier_pisa"] = None  # what Python itself takes for "not to be imported"
