"""The base of transformers over passages: settings that make them equal, and one way to read and return rows.

A passage is one row (`qid`, `docno` = `ARTICLE#START-END`, `score`). Every transformer of this package reads its input
here, so all of them rank alike: by score, then by the rank of the passage's article, start and end.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import cast

import numpy as np
import pandas as pd
import pyterrier as pt

from ..collection import find_help_url
from ..errors import check_choice
from ..frames import packing
from ..frames.ids import name_id
from ..frames.packing import Parts
from ..frames.ranking_rule import positions
from ..frames.span_attributes import PASSAGE_COLUMNS
from ..frames.spans import Floats, Ints
from ..reading.json import JsonObject


class PartsTransformer(pt.Transformer):
    """A transformer that equals another with the same settings, and returns an empty frame for an empty one."""

    @property
    def schematic(self) -> dict[str, str | None]:
        return {"help_url": find_help_url(type(self))}

    def settings(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in list(inspect.signature(type(self).__init__).parameters)[1:]}

    def _change_settings(self, **changed: object) -> pt.Transformer:
        make: Callable[..., pt.Transformer] = type(self)
        return make(**(self.settings() | changed))

    def _limit_results(self, name: str, k: int) -> pt.Transformer | None:
        """Take a following `% k` into the setting *name*, the most results of a topic; None if that cannot be."""
        most = getattr(self, name)
        if most is not None and most <= k:
            return self
        return self._change_settings(**{name: k}) if k >= 1 else None

    def transform_iter(self, inp: Iterable[JsonObject]) -> Iterable[JsonObject]:
        """Transform records as `transform` does frames; all of them are read before the first comes out."""
        records = list(inp)
        frame = self.transform(pd.DataFrame(records)) if records else pd.DataFrame()
        for column in {"passages", *(column.name for column in PASSAGE_COLUMNS)} & set(frame.columns):
            # Lists of dicts, and of numbers.
            frame[column] = pd.Series(frame[column].tolist(), index=frame.index, dtype=object)
        return cast("list[JsonObject]", frame.to_dict(orient="records"))

    def __str__(self) -> str:
        """Write a short name for tables of an experiment: settings that are not the default, folders by name."""
        parameters = inspect.signature(type(self).__init__).parameters
        shown = []
        for name, value in self.settings().items():
            if name not in parameters:
                shown.append(f"{name}={value!r}")
            elif parameters[name].default is inspect.Parameter.empty:
                shown.append(_shorten_setting(value))
            elif value != parameters[name].default:
                shown.append(f"{name}={_shorten_setting(value)}")
        return f"{type(self).__name__}({', '.join(shown)})"

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


def keep_best(parts: Parts, count: int) -> Parts:
    """Keep the *count* best parts of each topic and article, in their order."""
    by_article = np.argsort(parts.group, kind="stable")
    keep = np.zeros(len(by_article), dtype=bool)
    keep[by_article] = positions(parts.group[by_article]) < count
    return parts.take(keep)


def rank_rows(rows: pd.DataFrame, topic: Ints, score: Floats) -> pd.DataFrame:
    """Return rows with these scores, best first within their topics (numbers), ranked again.

    topic  score           topic  score  rank
    0      1.0             0      2.0    0
    1      3.0      ->     0      1.0    1
    0      2.0             1      3.0    0
    """
    order = np.lexsort((-score, topic))
    rows = rows.iloc[order].reset_index(drop=True)
    rows["score"] = score[order]
    rows["rank"] = positions(topic[order])
    return rows


def check_topics(frame: pd.DataFrame, transformer: pt.Transformer) -> None:
    """Raise a ValueError if a topic is there twice: nothing could tell the results of its queries apart."""
    again = frame["qid"].duplicated().to_numpy()
    if again.any():
        qid = frame["qid"].iloc[int(np.argmax(again))]
        raise ValueError(f"{transformer}: topic {name_id(qid)} occurs more than once; give each query a qid of its own")


def check_text_field(reader: str, fields: str | Sequence[str]) -> None:
    """Raise a ValueError unless *fields*, as of `pt.text.get_text`, asks for the text and no more."""
    for field in fields if isinstance(fields, Sequence) and not isinstance(fields, str) else [fields]:
        check_choice(f"{reader}: fields", field, ("text", "*"))


def overlap_advice(transformer: pt.Transformer) -> str:
    """Return the advice on overlapping passages, for the error of a task that refuses them."""
    return f"leave out overlap='error' of {type(transformer).__name__}(), which then drops one, or say overlap='allow'"


def check_count(transformer: pt.Transformer, name: str, value: object, least: int, optional: bool = False) -> None:
    """Raise a ValueError unless the setting *name* is a whole number >= *least*, or None if it is *optional*."""
    if value is None and optional:
        return
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        none = " or None" if optional else ""
        raise ValueError(
            f"{type(transformer).__name__}: {name}={value!r}; give a whole number of at least {least}{none}"
        )


def check_share(transformer: pt.Transformer, name: str, value: object) -> None:
    """Raise a ValueError unless the setting *name* is a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"{type(transformer).__name__}: {name}={value!r}; give a number from 0 to 1")
