"""What transformers over passages share: settings that make them equal, and one way to read and return rows.

A passage is one row (`qid`, `docno` = `ARTICLE#START-END`, `score`). Every transformer of this package reads its input
here, so all of them rank alike: by score, then by the rank of the passage's article, start and end.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
import pyterrier as pt

from ..collection import find_help_url
from ..frames import packing
from ..frames.packing import Parts


class PartsTransformer(pt.Transformer):
    """A transformer that equals another with the same settings, and that turns an empty frame into an empty frame."""

    @property
    def schematic(self) -> dict[str, str | None]:
        """What a schematic shows beyond the settings."""
        return {"help_url": find_help_url(type(self))}

    def settings(self) -> dict[str, Any]:
        """Return the arguments that make this transformer again."""
        return {name: getattr(self, name) for name in list(inspect.signature(type(self).__init__).parameters)[1:]}

    def transform_iter(self, inp: Iterable[dict[str, Any]]) -> Iterable[dict[str, Any]]:
        """Transform records as `transform` does frames; all of them are read before the first comes out."""
        records = list(inp)
        frame = self.transform(pd.DataFrame(records)) if records else pd.DataFrame()
        if "passages" in frame.columns:
            # Lists of dicts.
            frame["passages"] = pd.Series(frame["passages"].tolist(), index=frame.index, dtype=object)
        return cast("list[dict[str, Any]]", frame.to_dict(orient="records"))

    def __str__(self) -> str:
        """Write a short name for tables of an experiment: settings that are not the default, folders by name."""
        parameters = inspect.signature(type(self).__init__).parameters
        told = []
        for name, value in self.settings().items():
            if name not in parameters or parameters[name].default is inspect.Parameter.empty:
                told.append(_shorten_setting(value) if name in parameters else f"{name}={value!r}")
            elif value != parameters[name].default:
                told.append(f"{name}={_shorten_setting(value)}")
        return f"{type(self).__name__}({', '.join(told)})"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.settings().items())})"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.settings() == self.settings()

    def __hash__(self) -> int:
        return hash(repr(self))


def _shorten_setting(value: object) -> str:
    """Write a setting: what lies in a folder by that folder and the one around it, a transformer by its short name."""
    if isinstance(value, pt.Artifact):
        return "/".join(Path(str(value.path)).parts[-2:])
    return str(value) if isinstance(value, str | pt.Transformer) else repr(value)


def read_parts(frame: pd.DataFrame, transformer: pt.Transformer) -> Parts:
    """Read the passages of *frame*, ranked, for *transformer*, whom errors name.

    Raises pt.validate.InputValidationError for missing columns, ValueError for a docno without a span or no score.
    """
    pt.validate.result_frame(frame, extra_columns=["score"], context=transformer)
    return packing.read_parts(frame, repr(transformer))


def rows_of(frame: pd.DataFrame, parts: Parts) -> pd.DataFrame:
    """Return the rows of *frame* that *parts* holds, in its order, ranked again."""
    rows = frame.iloc[parts.row].reset_index(drop=True)
    rows["rank"] = parts.ranks()
    return rows


def overlap_advice(transformer: pt.Transformer) -> str:
    """Say what to do about passages that overlap, for the error of a task that refuses them."""
    return f"put RemoveOverlap() before {type(transformer).__name__}(), or ask for overlap='allow'"


def check_count(transformer: pt.Transformer, name: str, value: object, least: int, optional: bool = False) -> None:
    """Raise a ValueError unless the setting *name* is a whole number >= *least*, or None if it is *optional*."""
    if value is None and optional:
        return
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        none = " or None" if optional else ""
        raise ValueError(
            f"{type(transformer).__name__}: {name}={value!r}; give a whole number of at least {least}{none}"
        )
