"""As on Windows and macOS: processes are spawned, and there is no PISA; for `pytest -p elsewhere`."""

import multiprocessing
import sys

sys.modules["pyterrier_pisa"] = None  # what Python itself takes for "not to be imported"
multiprocessing.set_start_method("spawn", force=True)
