"""One thing that was retrieved, or a piece of evidence, as its fields describe it; `shapes` tells what they are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from ..collection.corpora import PageName, name_page
from ..frames.span_cells import is_blank, is_missing
from ..frames.spans import Span
from ..reading.json import Row
from ..reading.show import show_value
from ..reading.values import list_of, name_or_none, normalise_name, number_or_none, parse_dashed_id, whole_or_none
from .locate import Context
from .shapes import (
    EVIDENCE_NAME,
    Measure,
    Shape,
    Sources,
    Unit,
    as_fields,
    follow,
    is_place_name,
    is_told,
    list_sources,
    list_unknown,
    make_measure,
)

# Beyond the length of any text.
LARGEST = 2**48
_MOST_PAGES = 10_000
# A text of so many words beside a document is taken for evidence.
_MANY_WORDS = 5
_PAGE = ("page_label", "page_number", "page")
_RANGE = re.compile(r"\s*L?(?P<first>[0-9]{1,15})(?:\s*-\s*L?(?P<last>[0-9]{1,15}))?\s*")


class Fault(NamedTuple):
    """What is wrong with a text or place that is there; 'unfound' is -1, as str.find has it."""

    status: Literal["blank", "unfound", "outside"]
    detail: str


class Parts(NamedTuple):
    """The lines (the first and the last, from 1; -1: that of the text) or the pages of an article.

    columns: Where it begins in the first line, and ends in the last (-1: with it), in UTF-16 units from 0.
    """

    lines: Span | None = None
    pages: tuple[PageName, ...] = ()
    columns: Span | None = None


class Item(NamedTuple):
    """One thing that was retrieved, as it describes itself; None for what it does not say.

    `start` and `end` are in `unit`.
    `documents` are the names of its document, the most telling first; `ids` are names that may be passage ids; `parts`
    are the lines or pages of the document that it names. `fault` is of a text or place that is of no use. `beside` are
    fields of no known shape that may hold the text (as it is) or the place (""). `whole`: it says that it is all of it.
    """

    text: str | None = None
    start: int | None = None
    end: int | None = None
    documents: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    rank: int | None = None
    score: float | None = None
    parts: Parts | None = None
    unit: Unit = "characters"
    context: Context | None = None
    fault: Fault | None = None
    beside: tuple[tuple[str, str], ...] = ()
    whole: bool = False

    @property
    def has_place(self) -> bool:
        """Whether it has a text or place that may be found."""
        return bool(self.text and not self.text.isspace()) or self.start is not None or self.parts is not None

    def open_dashed(self) -> Item:
        """Return it as a span of its document, if it is known by a name `DOCNO-START-END` only."""
        is_named = not self.has_place or self.text in self.ids
        passages = [] if not is_named else map(parse_dashed_id, (*self.documents, *self.ids))
        passage = next((passage for passage in passages if passage is not None), None)
        return self if passage is None else Item(None, *passage[1], (passage[0],), score=self.score)

    def take_whole(self) -> Item:
        """Return it as the whole of its document, if it has neither text nor place."""
        return self if self.has_place else self._replace(text=None, end=None, fault=None, beside=(), whole=True)


_NOWHERE = Item()


def read_item(thing: object, columns: Mapping[str, str] | None = None) -> Item | None:
    """Read one thing that was retrieved; None if it is not one. *columns*: its names for our fields, if others."""
    if isinstance(thing, str):
        thing = drop_halves(thing)
        return Item(text=thing, ids=(thing,))
    if isinstance(thing, Item):
        return thing
    if isinstance(thing, tuple | list):
        return _read_tuple(list(thing), columns)
    sources = list_sources(thing)
    if columns:
        sources = list_sources({**_rename_fields(thing, sources, columns), "payload": thing})
    item = read_fields(sources)
    names_something = item.text is not None or item.end is not None or item.documents or item.ids
    item = item.take_whole() if item.whole else item
    if item.text is not None:
        item = item._replace(text=drop_halves(item.text))
    return item if names_something or item.fault or item.has_place else None


def _rename_fields(thing: object, sources: Sources, columns: Mapping[str, str]) -> Row:
    """Return the fields of a thing that have other names, by ours, with its own rank and score."""
    renamed = {role: sources.find_own(role) for role in ("rank", "score")}
    for ours, theirs in columns.items():
        value = next((row[theirs] for row in sources.rows if theirs in row and not is_missing(row[theirs])), None)
        value = getattr(thing, theirs, None) if value is None else value
        if value is not None:
            renamed[ours] = value
    return renamed


def drop_halves(text: str) -> str:
    """Leave out halves of surrogate pairs: splitters that count UTF-16 cut an emoji in two."""
    return text if text.isascii() else text.encode("utf-8", "ignore").decode()


def _read_tuple(values: list[object], columns: Mapping[str, str] | None) -> Item | None:
    """Read (docno, start, end), with a text or without, or a thing with its score, as searches return pairs."""
    numbers = [whole_or_none(value) for value in values[1:3]]
    if len(values) in (3, 4) and isinstance(values[0], str) and None not in numbers:
        text = values[3] if len(values) == 4 else None
        if text is None or isinstance(text, str):
            return Item(text, numbers[0], numbers[1], (values[0],))
    if len(values) in (3, 4) and isinstance(values[0], str) and any(map(is_blank, values[1:3])):
        return read_item(dict(zip(("docno", "start", "end", "text"), values, strict=False)))
    scored = len(values) == 2 and isinstance(values[1], int | float | np.number) and not isinstance(values[1], bool)
    return read_item(values[0], columns) if scored and not isinstance(values[0], tuple | list) else None


def read_fields(sources: Sources, is_evidence: bool = False) -> Item:
    """Read what fields say of a text and its place."""
    rows, plan = sources
    matched: list[tuple[Shape, Row]] = []
    if plan.typed:
        matched = [(shape, rows[number]) for number, shape in plan.typed if is_told(shape, rows[number])]
    text, fault = _find_text(sources, matched, "quote" if is_evidence else "text")
    is_there = bool(matched or plan.families or plan.pages or plan.roles["pages"])
    place = _read_place(sources, matched) if is_there else _NOWHERE
    is_placed = place.has_place
    if plan.roles["place"] and text is None and not is_placed:
        number, key = plan.roles["place"][0]
        fault = fault or Fault("blank", f"{key!r} is {show_value(rows[number][key])}")
    ids = () if is_evidence else sources.list_names("id")
    if text is None and fault is None and not is_there and not is_evidence:
        # Qdrant's payloads and Chroma's rows call the text so, and others the name.
        text, _ = _find_text(sources, [], "text_or_name")
        ids = ids if text is None else (*ids, text)
    names = sources.list_names("named" if is_evidence else "document")
    if matched:
        others = [name_or_none(follow(row, path)) for shape, row in matched for path in shape.document.split()]
        names = tuple(dict.fromkeys([*names, *(name for name in others if name is not None)]))
    rank = score = None
    if plan.roles["order"]:
        rank = whole_or_none(sources.find_own("rank"))
        score = number_or_none(sources.find_own("score"))
    is_whole = bool(plan.roles["whole"]) and str(sources.find("whole")).lower() == "true"
    around = [sources.find(role) for role in ("prefix", "suffix")] if plan.roles["around"] else []
    is_bare = not is_placed and not is_whole and (fault is not None or text is None) and not matched
    return Item(
        None if is_placed and fault is not None else text,
        place.start,
        place.end,
        names if is_evidence or text not in names else tuple(name for name in names if name != text),
        ids,
        rank,
        None if score is None else float(score),
        place.parts,
        place.unit,
        Context(*(text if isinstance(text, str) else "" for text in around)) if around else None,
        fault or place.fault,
        tuple(_list_beside(sources, is_evidence)) if is_bare else (),
        is_whole,
    )


def _find_text(sources: Sources, matched: Sequence[tuple[Shape, Row]], role: str) -> tuple[str | None, Fault | None]:
    """Find the text; a blank one, or what is wrong, if there is no other."""
    if matched:
        texts = [follow(row, path) for shape, row in matched for path in shape.text.split()]
        text = next((value for value in texts if isinstance(value, str) and value.strip()), None)
        answer = next((shape for shape, _ in matched if shape.indexes == "answer"), None)
        if text is not None:
            return text, None
        if answer is not None:
            return None, Fault("blank", f"it is {answer.name} without a text; its offsets count in the answer")
    blank: str | None = None
    fault = None
    roles = sources.plan.roles
    places = {path for shape, _ in matched for path in shape.list_places()}
    for number, key in roles[role]:
        if places and normalise_name(key) in places:
            continue
        value = sources.rows[number][key]
        if isinstance(value, str) and value and not value.isspace():
            return value, None
        if isinstance(value, list) and (parts := [part for each in value if (part := _text_of_part(each))]):
            return "\n".join(parts), None
        if number_or_none(value) is not None and not is_blank(value):
            return name_or_none(value) or str(value), None
        is_carrier = (number, key) in roles["carrier"] and not is_missing(value)
        if not is_carrier or not (isinstance(value, Mapping) or hasattr(value, "__dict__")):
            blank = value if isinstance(value, str) else blank
            fault = fault or Fault("blank", f"{key!r} is {show_value(value)}")
    for number, key in roles["payload"] if fault is None else ():
        if is_blank(sources.rows[number][key]) or sources.rows[number][key] == {}:
            fault = Fault("blank", f"{key!r} is {show_value(sources.rows[number][key])}")
    return blank, fault


def _text_of_part(part: object) -> str | None:
    """Return the text of a part of a content that is a list, as OpenAI's and Vertex' searches have it."""
    fields = as_fields(part)
    text = fields.get("text", fields.get("content"))
    return text if isinstance(text, str) and text else None


def _read_place(sources: Sources, matched: Sequence[tuple[Shape, Row]]) -> Item:
    """Read the offsets, lines, columns or pages that fields name; those in an answer are passed over."""
    measures = [(measure, sources.rows[number]) for number, measure in sources.plan.families]
    for shape, row in matched:
        values = {path: value for path in shape.list_places() if (value := follow(row, path)) is not None}
        # A field of the shape is of no family.
        taken = {path.rpartition(".")[2] for path in values}
        measures = [(_leave_out(measure, taken), row) for measure, row in measures]
        measures.insert(0, (make_measure(shape, {path: path for path in values}), values))
    start = None
    end = None
    unit: Unit = "characters"
    fault: Fault | None = None
    found: dict[Unit, Span] = {}
    for measure, row in measures:
        shape = measure.shape
        span = _read_span(measure, row) if shape.indexes == "document" else None
        if isinstance(span, Fault):
            fault = fault or span
        elif span is not None and shape.unit not in ("characters", "bytes", "utf16"):
            last = -1 if shape.unit == "columns" else span[0] + 1
            found.setdefault(shape.unit, (span[0], last if span[1] is None else span[1]))
        elif span is not None and start is None:
            start, end = span
            unit = shape.unit
    if "blocks" in found:
        fault = fault or Fault("blank", "it names blocks of its source, which only their text can place")
    parts = _read_parts(sources, found) if found or sources.plan.pages or sources.plan.roles["pages"] else None
    if isinstance(parts, Fault):
        fault = fault or parts
        parts = None
    return Item(None, start, end, parts=parts, unit=unit, fault=fault)


def _leave_out(measure: Measure, names: Collection[str]) -> Measure:
    """Return a measure without the keys of these names."""
    kept = (tuple(key for key in keys if normalise_name(key) not in names) for keys in measure[1:])
    return Measure(measure.shape, *kept)


def _read_span(measure: Measure, row: Row) -> tuple[int, int | None] | Fault | None:
    """Read a start and an end, from 0, the end excluded; an end of -1 is that of the text."""
    shape = measure.shape
    start: int | Fault | None
    end: int | Fault | None
    if measure.pair:
        key = measure.pair[0]
        pair = _read_pair(row[key])
        if isinstance(row[key], Mapping):
            return None
        if pair == (0, 0) and shape.unit == "characters":
            return Fault("outside", f"{key!r} is (0, 0): the text was not found")
        start, end = pair or (_blame(key, row[key], shape.unit), None)
    else:
        start = _read_number(row, measure.start, shape.unit)
        end = _read_number(row, measure.end, shape.unit)
    if isinstance(start, Fault):
        return start
    if isinstance(end, Fault):
        if end.status == "outside":
            return end
        end = None
    if start is None:
        return None if end is None else Fault("outside", f"{measure.end[0]!r} is {end}, and there is no start")
    count = _read_number(row, measure.length, shape.unit) if end is None and measure.length else None
    if isinstance(count, int):
        end = start + count - shape.inclusive
    if end is not None and -1 != end < start and shape.unit != "columns":
        names = " to ".join(repr(key) for key in (*measure.pair[:1], *measure.start[:1], *measure.end[:1]))
        return Fault("outside", f"{names} is {start} to {end}, which ends before it starts")
    if start < 0 and shape.unit not in ("lines", "pages"):
        return Fault("unfound" if start == -1 else "outside", f"'start' is {start}, before the text")
    return start - shape.first, end if end is None or end == -1 else end - shape.first + shape.inclusive


def _read_number(row: Row, keys: tuple[Any, ...], unit: Unit) -> int | Fault | None:
    """Read the first number that is there; None if no key is, or what is wrong."""
    fault = None
    for key in keys:
        value = row[key]
        number = value if type(value) is int else whole_or_none(value)
        if number is not None and abs(number) < LARGEST:
            return number
        if fault is None or fault.status == "blank":
            fault = _blame(key, value, unit)
    return fault


def _blame(key: object, value: object, unit: Unit) -> Fault:
    if is_blank(value):
        return Fault("blank", f"{key!r} is {show_value(value)}")
    return Fault("outside", f"{key!r} is {show_value(value)}, no whole number of {unit}")


def _read_pair(value: object) -> tuple[int, int] | None:
    """Read a start and an end: a list of two, "2-5", or one number, which is both."""
    if isinstance(value, str) and (match := _RANGE.fullmatch(value)):
        value = [match["first"], match["last"] or match["first"]]
    values = list_of(value)
    numbers = [whole_or_none(number) for number in ([value, value] if values is None else values)]
    return (numbers[0], numbers[1]) if len(numbers) == 2 and None not in numbers else None  # type: ignore[return-value]


def _read_parts(sources: Sources, found: Mapping[Unit, Span]) -> Parts | Fault | None:
    if "lines" in found:
        first, last = found["lines"]
        return Parts(lines=(first + 1, last), columns=found.get("columns"))
    if "pages" in found:
        return Parts(pages=tuple(PageName(number=number + 1) for number in range(*found["pages"])[:_MOST_PAGES]))
    roles = sources.plan.roles
    for number, key in (*roles["pages"], *roles["page"]):
        value = sources.rows[number][key]
        pages = _read_pair(value) if isinstance(value, str) and "-" in value else None
        values = list(range(pages[0], pages[1] + 1)[:_MOST_PAGES]) if pages else list_of(value)
        if values is None and (number, key) in roles["page"]:
            continue
        values = [value] if values is None and not is_blank(value) else values
        if not values:
            return Fault("blank", f"{key!r} is {show_value(value)}")
        return Parts(pages=tuple(name_page(str(page), is_counted=False) for page in values))
    page = read_page(sources)
    return page if page is None or isinstance(page, Fault) else Parts(pages=(page,))


def read_page(sources: Sources) -> PageName | Fault | None:
    """Read the page that fields name; None if they name none."""
    fault: Fault | None = None
    for place, keys in sources.plan.pages:
        row = sources.rows[place]
        named = {role: row[keys[role]] for role in _PAGE if role in keys and not is_blank(row[keys[role]])}
        if named:
            # Readers of LangChain's kind count from 0, and say so by what else they tell.
            page = name_page(named.get("page"), is_counted="total_pages" in keys or "page_label" in keys)
            label = str(named["page_label"]) if "page_label" in named else page.label
            number = whole_or_none(named.get("page_number"))
            return page._replace(label=label, number=number, is_element="category" in keys)
        key = next(iter(keys.values()))
        fault = fault or Fault("blank", f"{key!r} is {show_value(row[key])}")
    return fault


def advise_columns(field: str, text: str) -> str:
    """Say which of our fields a field may be: *text*, or a place, as its name tells."""
    if not is_place_name(normalise_name(field)):
        return f"{{{text!r}: {field!r}}}"
    return f"{{'start': {field!r}, 'end': ...}} (or call it start_line, end_line or page, if it is one)"


def _list_beside(sources: Sources, is_evidence: bool) -> Iterator[tuple[str, str]]:
    """Yield fields of no shape that may hold a text (with it) or a place ("")."""
    for row in sources.rows:
        for name, key in list_unknown(tuple(row), is_evidence):
            value = row[key]
            is_list = isinstance(value, Mapping) or list_of(value) is not None
            words = value.split() if isinstance(value, str) else []
            if is_evidence:
                is_telling = EVIDENCE_NAME.search(name) is not None
                is_suspect = is_place_name(name) or len(words) >= _MANY_WORDS
                is_suspect = is_suspect or (is_list and (is_telling or "position" in name or "location" in name))
                is_suspect = is_suspect or (is_telling and bool(words) and "_" not in name)
            else:
                parts = (value, *(list_of(value) or ())[:1])
                is_range = any(isinstance(part, Mapping) or _read_pair(part) is not None for part in parts)
                is_suspect = is_place_name(name) and is_range
            if is_suspect or len(words) > 1:
                yield str(key), "" if is_suspect else str(value)


def normalise_question(text: str) -> str:
    """Return the text of a question in one Unicode form, blanks as one."""
    return " ".join(unicodedata.normalize("NFC", text).split())
