"""Write INEX XML runs, which `xml_run` describes and reads."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from html import escape
from typing import Any

import pandas as pd

from ...errors import warn_caller
from ...frames.articles import ArticleCollection
from ...reading.files import Source, write_bytes
from .fol import rank_passages, ranked_fields, refuse_missing
from .paths import name_passages

# Written for a run that does not say them.
_SUBMISSION = {"participant-id": "0", "task": "Focused", "query": "automatic"}


def write_xml_run(
    run: pd.DataFrame,
    target: Source,
    *,
    tag: str | None = None,
    order: str = "passages",
    submission: dict[str, str] | None = None,
    collection: ArticleCollection | None = None,
) -> None:
    """Write a run frame as an INEX XML run, with ranks and scores.

    Topic fields, description and collections are kept from the file that the run was read from.

    Args:
        submission: Attributes of `<inex-submission>`; by default those of the file that the run was read from. A
            warning names attributes that are neither given nor known, and were filled in.
        collection: The articles: passages are written as element paths if every passage is an element, else as passages
            from point to point. Without a collection they are written as `<fol>`.
    """
    ranking = rank_passages(run, order)
    refuse_missing(run, ranking, "an INEX XML run")
    rows = list(ranked_fields(run, ranking))
    parts, kind = _write_parts(
        [docno for _, docno, _, _ in rows], ranking.start.tolist(), ranking.end.tolist(), collection
    )
    lines = [*_write_head(run.attrs, submission or {}, kind, tag)]
    topic = None
    for (qid, docno, rank, score), part in zip(rows, parts, strict=True):
        if qid != topic:
            lines.append(("" if topic is None else "</topic>\n") + f"<topic topic-id={_quote_attribute(qid)}>\n")
            topic = qid
        lines.append(
            f"<result><file>{_escape_text(docno)}</file>{part}<rank>{rank}</rank><rsv>{score}</rsv></result>\n"
        )
    lines.append(("</topic>\n" if topic is not None else "") + "</inex-submission>\n")
    write_bytes(target, "".join(lines).encode())


def _escape_text(text: str) -> str:
    return escape(text, quote=False)


def _quote_attribute(text: str) -> str:
    """Write an attribute's value; line ends and tabs are kept as they are."""
    for character in "\n\r\t":
        text = text.replace(character, f"\0{ord(character)};")
    return f'"{escape(text)}"'.replace("\0", "&#")


def _write_parts(
    docnos: list[str], start: list[int], end: list[int], collection: ArticleCollection | None
) -> tuple[list[str], str]:
    """Write each passage as an element of XML; also return the kind of results."""
    if collection is None:
        return [f'<fol offset="{a}" length="{b - a}"/>' for a, b in zip(start, end, strict=True)], "passage"
    named = name_passages(collection, docnos, start, end)
    parts = [
        f"<passage start={_quote_attribute(path)} end={_quote_attribute(end_path)}/>"
        if end_path
        else f"<path>{_escape_text(path)}</path>"
        for path, end_path in named
    ]
    return parts, "element" if all(end_path == "" for _, end_path in named) else "passage"


def _write_head(attrs: Mapping[Hashable, Any], submission: dict[str, str], kind: str, tag: str | None) -> Iterator[str]:
    """Write the lines before the topics; warn of attributes that are filled in."""
    attributes = {**attrs.get("submission", {}), "result-type": kind, **submission}
    attributes["run-id"] = tag or attributes.get("run-id") or attrs.get("tag") or "focused"
    unknown = {name: value for name, value in _SUBMISSION.items() if name not in attributes}
    if unknown:
        written = ", ".join(f'{name}="{value}"' for name, value in unknown.items())
        warn_caller(f"the run has no such attributes of a submission; wrote these defaults: {written}")
    text = " ".join(f"{name}={_quote_attribute(str(value))}" for name, value in {**_SUBMISSION, **attributes}.items())
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<inex-submission {text}>\n'
    elements = attrs.get("submission_elements", {})
    if "topic-fields" in elements:
        fields = "".join(f" {name}={_quote_attribute(value)}" for name, value in elements["topic-fields"].items())
        yield f"<topic-fields{fields}/>\n"
    if "description" in elements:
        yield f"<description>{_escape_text(elements['description'])}</description>\n"
    if elements.get("collections"):
        names = "".join(f"<collection>{_escape_text(name)}</collection>" for name in elements["collections"])
        yield f"<collections>{names}</collections>\n"
