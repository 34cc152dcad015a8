"""Where a report comes from: when it was made, by what, from which files and with which parameters."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

import pandas as pd

from .._version import __version__
from ..reading.checksum import compute_checksum

_PACKAGES = ("pyterrier", "python-terrier", "ir_measures", "pandas", "numpy", "scipy")


def provenance(command: str, sources: Mapping[str, object], parameters: Mapping[str, object]) -> list[tuple[str, str]]:
    """List what a reader needs to make a report again, as (name, value).

    sources: the inputs by name: paths are listed with size and SHA-256, frames with their rows, others with their type.
    The date is that of SOURCE_DATE_EPOCH if it is set, so that a report can be made again byte for byte.
    """
    seconds = float(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    rows = [
        ("made", time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds))),
        ("by", command),
        ("pyterrier_focused", __version__),
    ]
    rows += [(name, found) for name in _PACKAGES if (found := _find_version(name))]
    rows.append(("Python", platform.python_version()))
    rows += [(name, _describe_source(source)) for name, source in sources.items()]
    return rows + [(name, str(value)) for name, value in parameters.items()]


def _describe_source(source: object) -> str:
    if isinstance(source, pd.DataFrame):
        return f"a frame of {len(source)} rows"
    if not isinstance(source, str | os.PathLike):
        return f"{type(source).__name__} {getattr(source, 'path', '')}".strip()
    path = os.fspath(source)
    if not os.path.isfile(path):
        return str(path)
    with open(path, "rb") as file:
        return f"{path}, {os.path.getsize(path)} bytes, SHA-256 {compute_checksum(file)}"


def _find_version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
