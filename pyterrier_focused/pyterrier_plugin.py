"""What PyTerrier's entry points call: the package becomes `pt.focused`, and saved runs keep their passages."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pyterrier as pt

from .io import save_format


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

    A TREC file has no place for passages: they are written beside it, in PATH.passages.jsonl, and read from there.
    """

    def read_results(filename: str) -> Any:
        run = read(filename)
        return run if "://" in filename else save_format.read_rows_beside(filename, run)

    def write_results(res: Any, filename: str, *arguments: Any, append: bool = False, **options: object) -> None:
        if "passages" in res.columns and not arguments:
            options.setdefault("run_name", save_format.RUN_NAME)
        goes_on = append and Path(filename).exists()
        write(res, filename, *arguments, append=append, **options)
        save_format.write_rows_beside(res, filename, append=goes_on)

    return read_results, write_results
