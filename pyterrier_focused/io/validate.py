"""What the rules of INEX's tasks say of a run: the violations, each with topic, article and line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import pandas as pd

from ..errors import FormatError, check_choice
from ..frames.articles import ArticleCollection
from ..reading.files import Source, source_name
from ..reading.lines import Faults
from .formats import open_and_look, tell_by_head
from .inex.fol import parse_lines
from .inex.parts import Part, list_parts, look_up
from .inex.xml_run import parse_submission

TASKS = ("thorough", "focused", "ric", "bic")
# A step of a path without its number, which is 1
_STEP = re.compile(r"[^/\]]+(?=/|$)")
_PARSERS = {"fol": parse_lines, "paths": parse_lines, "inex-xml": parse_submission}


def validate_run(
    source: Source, task: str, *, collection: ArticleCollection | None = None, limit: int = 1500
) -> pd.DataFrame:
    """List what in a run of parts breaks the rules of an INEX task.

    Args:
        source: A run in lines with offsets or paths, or an INEX XML run.
        task: 'thorough', 'focused' (no overlap), 'ric' (relevant in context: no overlap, the parts of an article
            together) or 'bic' (best in context: one part an article).
        collection: The articles, which give element paths offsets. Without it, elements are compared by their paths,
            and overlap of passages from one path to another is not seen.
        limit: The most parts of a topic.

    Returns:
        A row for each violation, by topic: `qid, docno, line, problem`; empty if the run is valid.

    Example:
        >>> import io
        >>> run = b"7 Q0 12 1 9 mine 0 50\\n7 Q0 13 2 8 mine 0 9\\n7 Q0 12 3 7 mine 40 50\\n"
        >>> validate_run(io.BytesIO(run), "ric")[["docno", "line", "problem"]].values.tolist()
        [['12', 3, 'other articles lie between the parts of this one'], ['12', 3, 'overlaps line 1']]
    """
    check_choice("task", task, TASKS)
    with open_and_look(source) as (opened, head):
        format = tell_by_head(head, "run").name
        if format not in _PARSERS:
            raise FormatError(f"a run in the format {format} holds whole articles; nothing to check", file=head.name)
        parts = _PARSERS[format](opened, Faults(source_name(source), "raise"))
    is_element = (parts["path"] != "") & (parts["end_path"] == "")
    if collection is not None:
        parts = look_up(parts, collection)
    problems: list[tuple[str, str, int, str]] = []
    if is_element.nunique() > 1:
        first = list_parts(parts[is_element != is_element.iloc[0]])[0]
        problems.append((first.qid, first.docno, first.line, "elements and passages are mixed in the run"))
    for _, topic in parts.groupby("qid", sort=False, observed=True):
        problems += _check_topic(list_parts(topic), task, limit)
    return pd.DataFrame(problems, columns=["qid", "docno", "line", "problem"])


def _check_topic(parts: list[Part], task: str, limit: int) -> Iterator[tuple[str, str, int, str]]:
    if len(parts) > limit:
        yield *_name(parts[limit]), f"the topic has {len(parts)} parts, over {limit}"
    articles: dict[str, list[Part]] = {}
    for docno, group in groupby(parts, key=lambda part: part.docno):
        together = list(group)
        if docno in articles and task == "ric":
            yield *_name(together[0]), "other articles lie between the parts of this one"
        articles.setdefault(docno, []).extend(together)
    for article in articles.values():
        if task in ("focused", "ric"):
            yield from _find_overlaps(article)
        if task == "bic":
            for part in article[1:]:
                yield *_name(part), "another part of an article, where one is asked for"


def _find_overlaps(article: list[Part]) -> Iterator[tuple[str, str, int, str]]:
    """Yield the parts of an article that overlap one that begins before them, or with them."""
    named = [(_STEP.sub(r"\g<0>[1]", part.path), part) for part in article if part.start < 0 and not part.end_path]
    # An element's text lies between its path with / and its path with the character after / at the end.
    elements: list[tuple[Any, Any, Part]] = [(f"{path}/", f"{path}0", part) for path, part in named]
    passages = [(part.start, part.end, part) for part in article if 0 <= part.start < part.end]
    for places in (elements, passages):
        last: tuple[Any, Any, Part] | None = None
        for place in sorted(places, key=lambda place: place[:2]):
            if last and place[0] < last[1]:
                earlier, later = sorted((last[2], place[2]), key=lambda part: part.line)
                yield *_name(later), f"overlaps line {earlier.line}"
            last = max(last, place, key=lambda place: place[1]) if last else place


def _name(part: Part) -> tuple[str, str, int]:
    return part.qid, part.docno, part.line
