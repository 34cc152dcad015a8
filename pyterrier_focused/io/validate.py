"""What the rules of INEX's tasks say of a run: the violations, each with topic, article and line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

import pandas as pd

from ..errors import FormatError, check_choice
from ..frames.articles import ArticleCollection
from ..reading.files import Source, source_name
from ..reading.lines import Faults
from .formats import open_and_look, tell_by_head
from .inex.fol import parse_lines
from .inex.parts import look_up
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
        [['12', 3, 'overlaps line 1'], ['12', 3, 'other articles lie between the parts of this one']]
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
        first = parts[is_element != is_element.iloc[0]].iloc[0]
        problems.append((first["qid"], first["docno"], first["line"], "elements and passages are mixed in the run"))
    for _, topic in parts.groupby("qid", sort=False, observed=True):
        problems += _check_topic(topic, task, limit)
    return pd.DataFrame(problems, columns=["qid", "docno", "line", "problem"])


def _check_topic(topic: pd.DataFrame, task: str, limit: int) -> Iterator[tuple[str, str, int, str]]:
    rows = list(topic.itertuples(index=False))
    if len(rows) > limit:
        yield rows[limit].qid, rows[limit].docno, rows[limit].line, f"the topic has {len(rows)} parts, over {limit}"
    if task in ("focused", "ric"):
        for _, article in topic.groupby("docno", sort=False, observed=True):
            yield from _find_overlaps(article)
    seen: set[str] = set()
    for docno, group in groupby(rows, key=lambda row: row.docno):
        first, *others = group
        if task == "ric" and docno in seen:
            yield first.qid, docno, first.line, "other articles lie between the parts of this one"
        if task == "bic":
            for row in [first, *others] if docno in seen else others:
                yield row.qid, docno, row.line, "another part of an article, where one is asked for"
        seen.add(docno)


def _find_overlaps(article: pd.DataFrame) -> Iterator[tuple[str, str, int, str]]:
    """Yield the parts of an article that begin before one that begins earlier, or with it, ends."""
    paths = article[(article["start"] < 0) & (article["end_path"] == "")]
    # An element's text is between its path with / and its path with the character after / at the end.
    named = [(_STEP.sub(r"\g<0>[1]", row.path), row) for row in paths.itertuples(index=False)]
    spans = [(f"{path}/", f"{path}0", row) for path, row in named]
    filled = article[(article["start"] >= 0) & (article["start"] < article["end"])]
    for places in (spans, [(row.start, row.end, row) for row in filled.itertuples(index=False)]):
        last = None
        for place in sorted(places, key=lambda place: place[:2]):
            if last and place[0] < last[1]:
                earlier, later = sorted((last[2], place[2]), key=lambda row: row.line)
                yield later.qid, later.docno, later.line, f"overlaps line {earlier.line}"
            last = max(last, place, key=lambda place: place[1]) if last else place
