"""Hides PISA, as if it had no wheels: `PYTHONPATH=tests/support pytest -p without_pisa tests/retrieval`."""

import sys

sys.modules["pyterrier_pisa"] = None  # what Python itself takes for "not to be imported"
