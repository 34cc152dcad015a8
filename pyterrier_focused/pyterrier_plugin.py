"""What `import pyterrier` runs: the package becomes `pt.focused`, and runs that PyTerrier saves keep their passages."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pyterrier as pt


def attach() -> ModuleType:
    """Make this package a part of PyTerrier; returns the package. Doing so again does no harm."""
    read, write = pt.io.SUPPORTED_RESULTS_FORMATS["trec"]
    if getattr(read, "__module__", "") != __name__ and read is not None and write is not None:
        pt.io.SUPPORTED_RESULTS_FORMATS["trec"] = _with_passages(read, write)
    return sys.modules[__package__]


def _with_passages(
    read: Callable[..., Any], write: Callable[..., Any]
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Wrap PyTerrier's reader and writer of runs, which `pt.Experiment(save_dir=...)` uses unless told otherwise.

    A TREC file has no place for passages: a frame that has them is written as JSON lines under the same name. All other
    frames are written as they always were.
    """

    def read_results(filename: str) -> Any:
        from .io.save_format import read_saved_run

        with pt.io.autoopen(filename, "rb") as file:
            if file.read(1) != b"{":
                return read(filename)
        with pt.io.autoopen(filename, "rb") as file:
            return read_saved_run(file)

    def write_results(res: Any, filename: str, *arguments: Any, append: bool = False, **options: Any) -> None:
        from .io.save_format import write_saved_run

        if "passages" not in res.columns:
            write(res, filename, *arguments, append=append, **options)
            return
        with pt.io.autoopen(filename, "ab" if append else "wb") as file:
            write_saved_run(res, file)

    return read_results, write_results
