"""The libraries that are slow to import: each is loaded when something of it is first used.

    from .libraries import pd

    pd.DataFrame()  # imports pandas

Modules whose classes derive from a library's own import that library itself, and are imported late in their turn.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__all__ = [
    "LazyModule",
    "arrow_csv",
    "arrow_json",
    "arrow_parquet",
    "difflib",
    "json",
    "lz4_frame",
    "multitest",
    "pa",
    "pathlib",
    "pc",
    "pd",
    "pt",
    "scipy_sparse",
    "scipy_stats",
    "tqdm",
    "unicodedata",
]


class LazyModule:
    """A module by its name: imported at the first use of one of its attributes, and from then on as fast as itself."""

    # What a module is called stands beside its attributes, which become this object's own.
    __slots__ = ("__dict__", "_module")

    def __init__(self, module: str):
        self._module = module

    def __getattr__(self, name: str) -> object:
        module = import_module(self._module)
        self.__dict__ = module.__dict__
        return getattr(module, name)

    def __reduce__(self) -> tuple[type[LazyModule], tuple[str]]:
        return LazyModule, (self._module,)

    def __repr__(self) -> str:
        return f"LazyModule({self._module!r})"


if TYPE_CHECKING:
    import difflib
    import json
    import pathlib
    import unicodedata

    import lz4.frame as lz4_frame
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyterrier as pt
    import scipy.sparse as scipy_sparse
    import scipy.stats as scipy_stats
    import tqdm
    from pyarrow import csv as arrow_csv
    from pyarrow import json as arrow_json
    from pyarrow import parquet as arrow_parquet
    from statsmodels.stats import multitest
else:
    arrow_csv = LazyModule("pyarrow.csv")
    arrow_json = LazyModule("pyarrow.json")
    arrow_parquet = LazyModule("pyarrow.parquet")
    difflib = LazyModule("difflib")
    json = LazyModule("json")
    lz4_frame = LazyModule("lz4.frame")
    multitest = LazyModule("statsmodels.stats.multitest")
    pa = LazyModule("pyarrow")
    pathlib = LazyModule("pathlib")
    pc = LazyModule("pyarrow.compute")
    pd = LazyModule("pandas")
    pt = LazyModule("pyterrier")
    scipy_sparse = LazyModule("scipy.sparse")
    scipy_stats = LazyModule("scipy.stats")
    tqdm = LazyModule("tqdm")
    unicodedata = LazyModule("unicodedata")
