"""INEX XML runs against the submission formats of 2007 to 2010, whose schemas lie in `schemas/`."""

from __future__ import annotations

import html.entities
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lxml import etree

from ..reading.xml import line_of
from .problems import Problem

YEARS = ("2007", "2008", "2009", "2010")
# Every track asked for these elements.
EXPECTED = ("topic-fields", "description", "collections")
_KINDS = {"element": {"path"}, "passage": {"passage", "fol"}, "fol": {"fol"}}
_FACET = re.compile(r"\[facet '[a-zA-Z]+'\] ")


@dataclass(frozen=True)
class SchemaCheck:
    """A run held against the submission format of a *year*: what is wrong, in which lines, and what else to note."""

    year: str
    faults: list[tuple[int, str]]
    notes: list[str]


def check_schema(root: etree._Element, year: str | None) -> SchemaCheck:
    """Hold a run against the submission format of a *year*, or of the year whose format it fits best."""
    if root.getroottree().docinfo.internalDTD is not None:
        _write_out_entities(root)
    faults = {name: list(_list_violations(root, name)) for name in ([year] if year else reversed(YEARS))}
    best = min(faults, key=lambda name: len(faults[name]))
    notes = [f"no <{name}>; submissions had it" for name in EXPECTED if root.find(name) is None]
    notes += [f"no attribute {name}; submissions had it" for name in ("query", "result-type") if root.get(name) is None]
    return SchemaCheck(best, faults[best], notes)


def check_topic_elements(root: etree._Element) -> Iterator[Problem]:
    """Yield repeated and empty topics, and results that are not of the run's kind."""
    lines: dict[str, int] = {}
    for topic in root.iter("topic"):
        name = (topic.get("topic-id") or "").strip()
        if name in lines:
            yield Problem("repeated topic", line_of(topic), f"topic {name} is also in line {lines[name]}")
        elif name:
            lines[name] = line_of(topic)
        if topic.find("result") is None:
            yield Problem("empty topic", line_of(topic), f"topic {name} has no results")
    declared = (root.get("result-type") or "").strip()
    allowed = _KINDS.get(declared, {"path", "passage", "fol"})
    for result in root.iter("result"):
        for place in result.iter("path", "passage", "fol"):
            if place.tag not in allowed:
                detail = f'<{place.tag}> in a run with result-type="{declared}"'
                yield Problem("result of another kind than the run's", line_of(result), detail)
                break


def _list_violations(root: etree._Element, year: str) -> Iterator[tuple[int, str]]:
    schema = _load_schema(year)
    try:
        schema.validate(root)
    except etree.XMLSchemaValidateError as failed:
        yield line_of(root), f"the file cannot be checked: {failed}"
    for error in schema.error_log:  # type: ignore[attr-defined]
        yield error.line, _FACET.sub("", error.message)


def _write_out_entities(root: etree._Element) -> None:
    """Put text in the place of references to entities, which libxml2 cannot validate; unknown ones become nothing."""
    for element in root.iter(etree.Element):
        for name, value in element.items():
            element.set(name, value)
    for entity in list(root.iter(etree.Entity)):
        parent = entity.getparent()
        before = entity.getprevious()
        text = html.entities.html5.get(f"{entity.name};", "") + (entity.tail or "")  # type: ignore[attr-defined]
        if parent is None:
            continue
        parent.remove(entity)
        if before is None:
            parent.text = (parent.text or "") + text
        else:
            before.tail = (before.tail or "") + text


@cache
def _load_schema(year: str) -> etree.XMLSchema:
    return etree.XMLSchema(etree.parse(Path(__file__).parent / "schemas" / f"submission-{year}.xsd"))
