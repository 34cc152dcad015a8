"""How tools name a text, its document and its place: the one table of other people's fields, shapes and responses.

Names are compared as snake_case without case: `startLine`, "Start Line" and `start-line` are start_line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal, NamedTuple

from ..frames.span_cells import is_missing
from ..reading.json import JsonObject, Row, loads
from ..reading.tables import parsed_list
from ..reading.values import DOCUMENT, IDS, TEXT, list_of, map_names, name_or_none, normalise_name, whole_or_none

Unit = Literal["characters", "bytes", "utf16", "lines", "columns", "pages", "blocks"]


class Shape(NamedTuple):
    """How a shape says what it quotes, and where that is; fields are names or paths such as `range.start.line`.

    Args:
        tells: The fields that only this shape has, or `type=VALUE|OTHER`, all of which must be there (`to=NUMBER`,
            `span=PAIR`: with a whole number, or two); without, a family of fields that any row may have.
        text: The fields of the text that is quoted, the best first; those of any row without it.
        document: The fields that name its document.
        start: The field of the first, in *unit*, counted from *first*; *end* is that after the last, or of the last if
            *inclusive*; *length* how many there are in place of the end; *pair* a field of start and end.
        indexes: What the offsets count in: the document, or the answer, which places nothing in a document.
    """

    name: str
    tells: str = ""
    text: str = ""
    document: str = ""
    start: str = ""
    end: str = ""
    length: str = ""
    pair: str = ""
    unit: Unit = "characters"
    first: Literal[0, 1] = 0
    inclusive: bool = False
    indexes: Literal["document", "answer"] = "document"

    def list_told(self) -> set[str]:
        """List the names of the fields that tell the shape, the first of their paths."""
        return {re.split("[.=]", told)[0] for told in self.tells.split()}

    def list_places(self) -> list[str]:
        """List the paths of the fields of its place."""
        return " ".join((self.start, self.end, self.length, self.pair)).split()


def _split(names: str) -> tuple[str, ...]:
    return tuple(names.split())


# What fields are, the most telling first. A quote is of evidence, where `document` comes before `source`.
NAMED_QID = _split("qid query_id question_id task_id")
_PIECES = "references evidences evidence spans highlights quotes excerpts reference_contexts gold_ctx gold_context"
ROLES = {
    "text": TEXT,
    "quote": _split("quote content evidence evidence_text excerpt passage span highlight chunk_must_contain") + TEXT,
    "document": DOCUMENT,
    "docno": _split(
        "docno doc_id docid document_id document doc article corpus_id wikipedia_id file filename file_name doc_name "
        "source_file source path title"
    ),
    "id": IDS,
    "score": _split("score _score similarity relevance_score"),
    # In these a thing keeps what it found, or its metadata.
    "carrier": _split(
        "node payload _source fields properties entity document doc chunk content kwargs metadata meta attributes "
        "origin document_metadata derived_struct_data location s3_location citation url_citation retrieved_context web "
        "rag_chunk page_span delta tool_output resource tool_use_result file arguments args input physical_location "
        "artifact_location region snippet span target selector data web_location confluence_location "
        "salesforce_location share_point_location kendra_document_location"
    ),
    "text_or_name": ("document",),
    # A hit that lacks what is in these was forgotten.
    "payload": ("payload", "_source"),
    # Of places that are read by what is in them.
    "place": ("range", "selector", "document_offset", "region"),
    "page": ("page", "x_amz_bedrock_kb_document_page_number"),
    "pages": ("pages", "evidence_pages"),
    "named_qid": NAMED_QID,
    "qid": (*NAMED_QID, "instance_id", "id", "_id"),
    "query": _split("query question user_input input problem_statement"),
    # Pieces of evidence.
    "pieces": _split(_PIECES),
    **{name: (name,) for name in _split("rank whole prefix suffix page_label page_number total_pages category")},
    "alternative": ("alternative",),
    # In these a row of evidence has more than one piece.
    "rows": _split("answers context " + _PIECES),
    "around": ("prefix", "suffix"),
    "order": _split("rank score _score similarity relevance_score"),
    # Of no use here, but no place either.
    "ignored": _split(
        "type file_id document_index search_result_index encrypted_index st_sent ed_sent system total_lines "
        "evidence_sources nuggets cluster step"
    ),
}
SHAPES = (
    # Families of fields.
    Shape("a call that reads a file", "limit", start="offset", length="limit", unit="lines", first=1),
    Shape("LlamaIndex's node", start="start_char_idx", end="end_char_idx"),
    Shape("characters", length="length char_length",
          start="start start_index start_char start_character start_offset start_char_index split_idx_start "
          "answer_start begin begin_char char_start char_offset offset",
          end="end end_index end_char end_character end_offset end_char_index split_idx_end char_end"),
    Shape("AutoRAG's corpus", pair="start_end_idx", inclusive=True),
    Shape("bytes", start="start_byte byte_start byte_offset", end="end_byte byte_end", length="byte_length",
          unit="bytes"),
    Shape("lines", start="start_line line_start line_number line", end="end_line line_end", length="num_lines",
          pair="lines line_range view_range", unit="lines", first=1, inclusive=True),
    Shape("columns", start="start_column", end="end_column", unit="columns", first=1),
    Shape("pages", start="first_page start_page", end="last_page end_page", unit="pages", first=1, inclusive=True),
    Shape("Anthropic's pages", start="start_page_number", end="end_page_number", unit="pages", first=1),
    Shape("Anthropic's blocks", start="start_block_index", end="end_block_index", unit="blocks"),
    Shape("blocks of Copilot's SDK", start="start_block", end="end_block", unit="blocks"),
    # Places in a document.
    Shape("characters from one to another", "from=NUMBER to=NUMBER", start="from", end="to"),
    Shape("a span of two numbers", "span=PAIR", pair="span"),
    Shape("lines of the Language Server Protocol", "range.start.line", start="range.start.line", end="range.end.line",
          unit="lines", inclusive=True),
    Shape("columns of the Language Server Protocol", "range.start.character", start="range.start.character",
          end="range.end.character", unit="columns"),
    Shape("W3C's quote, beside which an annotation has a comment", "type=TextQuoteSelector", text="exact"),
    Shape("LlamaIndex's source", "relationships.1.node_id", document="relationships.1.node_id"),
    Shape("Haystack's answer", "data document", text="data", start="document_offset.start", end="document_offset.end"),
    Shape("what a tool printed for Codex", "type=function_call_output output", text="output"),
    Shape("ripgrep's match", "data.path data.lines", text="data.lines.text", document="data.path.text",
          start="data.line_number", unit="lines", first=1),
    Shape("ripgrep's offset", "data.path data.lines.text", start="data.absolute_offset", unit="bytes"),
    # Places in an answer.
    Shape("a chat's citation of an address", "url_citation", document="url_citation.url url_citation.title",
          start="url_citation.start_index", end="url_citation.end_index", indexes="answer"),
    Shape("a citation of an address", "type=url_citation", document="url title", start="start_index", end="end_index",
          indexes="answer"),
    Shape("a citation of a file", "type=file_citation|container_file_citation|file_path",
          document="file_citation.file_id file_path.file_id filename file_id", start="start_index index",
          end="end_index", indexes="answer"),
    Shape("LangChain's citation", "type=citation", text="cited_text", document="url title", start="start_index",
          end="end_index", indexes="answer"),
    Shape("Cohere's citation", "start text sources", text="sources.document.text sources.document.snippet",
          document="sources.document.id sources.id sources.document.title", start="start", end="end", indexes="answer"),
    Shape("Cohere's citation by its first version", "start text document_ids", start="start", end="end",
          indexes="answer"),
    Shape("Gemini's support", "segment.end_index", start="segment.start_index", end="segment.end_index", unit="bytes",
          indexes="answer"),
    Shape("Bedrock's citation", "generated_response_part", text="retrieved_references.content.text",
          document="retrieved_references.location.s3_location.uri",
          start="generated_response_part.text_response_part.span.start",
          end="generated_response_part.text_response_part.span.end", indexes="answer"),
)  # fmt: skip
# Where a response keeps what was retrieved: paths, the first of which there is, whose lists are joined.
ENVELOPES = tuple(
    tuple(path.split("."))
    for path in (
        "candidates.grounding_metadata.grounding_chunks grounding_metadata.grounding_chunks grounding_chunks "
        "message.citations.sources citations.retrieved_references citations.spans.references spans.references "
        "citations.sources runs.results.locations locations "
        "output.results output.content.annotations choices.message.annotations content.citations "
        "outputs.documents attributes.retrieval.documents attributes.reranker.output_documents retrieval.documents "
        "reranker.output_documents attributes.gen_ai.retrieval.documents gen_ai.retrieval.documents"
    ).split()
)
# Where an answer has the blocks of its text, what it cites, and the list that numbers count in: paths, the first of
# which there is. Of candidates and choices the first is the answer.
ANSWERS = _split("candidates choices")
ANSWER_BLOCKS = _split("content.parts message.content output.content output.text content answer response text output")
ANSWER_CITATIONS = _split(
    "grounding_metadata.grounding_supports message.citations message.annotations citations annotations text.annotations"
)
ANSWER_SOURCES = _split("grounding_metadata.grounding_chunks references")
# In a citation: what it cites, the number of that, the text of the answer that it is for, and the block of that.
CITED = _split("sources retrieved_references grounding_chunk_indices document_ids")
CITED_NUMBER = _split("document_index search_result_index")
CITED_FOR = _split("text segment.text generated_response_part.text_response_part.text")
CITED_BLOCK = _split("content_index segment.part_index")
# TREC's names of a question and a system.
TREC_ANSWER = {"qid": _split("topic_id narrative_id"), "query": _split("topic narrative"), "system": ("run_id",)}
# Fields that keep them by themselves, and those in which a row has a list.
LIST = _split(
    "retrieved results retrieved_contexts retrieval_context contexts ctxs source_nodes source_documents "
    "retrieved_documents search_results nodes documents docs passages chunks candidates hits context trajectory"
)
HITS = (
    *_split(
        "source_nodes source_documents points matches objects retrieval_results hits candidates contexts results "
        "result data body response"
    ),
    *LIST,
    "contents",
    "content",
)
# Lists in blocks of an answer, calls and citations, each with a field that only its things have.
BLOCKS = {
    "citations": "cited_text",
    "results": "file_id",
    "retrieved_references": "content",
    "sources": "document",
    "locations": "physical_location",
    "content": "source",
}
# Blocks have a type; of calls and citations each has its list.
_BLOCK_FIELDS = frozenset(BLOCKS) - {"content"} | {"type"}
# Things in lists that hold nothing: calls, and what ripgrep writes around what it finds.
_NOTHING = frozenset(_split("function_call begin end summary"))
# Where a row has its question, beside the fields of one.
QUESTIONS = ("inputs.question", "attributes.input.value", "input.value", "gen_ai.retrieval.query.text",
             "attributes.gen_ai.retrieval.query.text")  # fmt: skip
# A hit was forgotten if one of these is None; other attributes are None if they were left out.
_NOT_LEFT_OUT = frozenset(TEXT + ROLES["payload"])
# Words in names of places.
_PLACE = re.compile(r"(?:^|_)(?:start|end|begin|from|to|line|page|span|index|offset|char)s?(?:_|$)")
EVIDENCE_NAME = re.compile(r"evidence|support|span|snippet|highlight|quote|provenance|nugget|gold|selected")
# Names of spans by OpenInference and OpenTelemetry.
_TRACED = re.compile(r"(?:retrieval|reranker|gen_ai\.retrieval)\.\w*documents")
# What tells of a page, the most telling first.
_PAGE = ("page_label", "page_number", "page", "total_pages", "category")
# A thing may keep its document, whose metadata names its origin.
_DEPTH = 3


class Measure(NamedTuple):
    """A shape with the keys of a mapping in which it has its place."""

    shape: Shape
    start: tuple[Any, ...]
    end: tuple[Any, ...]
    length: tuple[Any, ...]
    pair: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Plan:
    """How a thing is read whose mappings have these keys: what is where, by the number of its mapping and its key."""

    roles: Mapping[str, tuple[tuple[int, Any], ...]]
    families: tuple[tuple[int, Measure], ...]
    typed: tuple[tuple[int, Shape], ...]
    # Of mappings that name a page their keys by role.
    pages: tuple[tuple[int, Mapping[str, Any]], ...]


class Sources(NamedTuple):
    """The mappings in which the fields of a thing are looked for, the outermost first."""

    rows: list[Row]
    plan: Plan

    def find(self, role: str) -> Any:
        """Return the first value of a role that is not missing; None if there is none."""
        for number, key in self.plan.roles[role]:
            value = self.rows[number][key]
            if not is_missing(value):
                return value
        return None

    def list_names(self, role: str) -> tuple[str, ...]:
        """List the names under a role, the most telling first."""
        names = [name_or_none(self.rows[number][key]) for number, key in self.plan.roles[role]]
        return tuple(dict.fromkeys([name for name in names if name is not None]))

    def find_own(self, role: str) -> Any:
        """Return the first value of a role in the outermost mapping; None if it has none."""
        places = self.plan.roles[role]
        return self.rows[0][places[0][1]] if places and places[0][0] == 0 else None

    def find_own_name(self, role: str) -> str | None:
        """Return the first name under a role in the outermost mapping."""
        for number, key in self.plan.roles[role]:
            name = name_or_none(self.rows[0][key]) if number == 0 else None
            if name is not None:
                return name
        return None


@cache
def _list_known_names() -> tuple[str, ...]:
    """List all the names that the tables know, of fields and along paths."""
    paths = [path for shape in SHAPES for field in shape[1:8] for path in field.split() if "=" not in path]
    steps = [step for path in paths for step in path.split(".")]
    hits = [*HITS, "ids", *(step for path in ENVELOPES for step in path)]
    return tuple(dict.fromkeys([*(name for names in ROLES.values() for name in names), *steps, *hits]))


@lru_cache(4096)
def list_unknown(keys: tuple[object, ...], is_evidence: bool) -> list[tuple[str, Any]]:
    """List the names and keys of fields that mean nothing beside a document."""
    return [(name, key) for name, key in map_names(keys).items() if name not in _list_known(is_evidence)]


@cache
def _list_known(is_evidence: bool) -> set[str]:
    # What carriers hold was opened; a text in one has a name that no shape knows.
    hidden = ("carrier", "rows") if is_evidence else ("carrier", "rows", "quote", "pieces")
    roles = (names for role, names in ROLES.items() if role not in hidden)
    places = (shape.list_places() for shape in SHAPES if not shape.tells)
    return {name for names in (*roles, *places) for name in names}


def make_measure(shape: Shape, names: Mapping[str, Any]) -> Measure:
    """Find the keys of a shape's place among those of a mapping, by their names."""
    fields = (shape.start, shape.end, shape.length, shape.pair)
    return Measure(shape, *(tuple(names[name] for name in field.split() if name in names) for field in fields))


def list_sources(thing: object) -> Sources:
    """List the mappings in which the fields of a thing are looked for."""
    rows = [as_fields(thing)]
    keys = [tuple(rows[0])]
    first = 0
    for _ in range(_DEPTH):
        last = len(rows)
        for number in range(first, last):
            for key in _list_carriers(keys[number]):
                rows += _open(rows[number][key])
        if len(rows) == last:
            break
        keys += map(tuple, rows[last:])
        first = last
    return Sources(rows, _make_plan(tuple(keys)))


@lru_cache(4096)
def _list_carriers(keys: tuple[object, ...]) -> list[Any]:
    names = map_names(keys)
    return [names[name] for name in ROLES["carrier"] if name in names]


@lru_cache(4096)
def _make_plan(keys: tuple[tuple[object, ...], ...]) -> Plan:
    """Plan how to read a thing; made once for each set of keys."""
    numbered = list(enumerate(map(map_names, keys)))
    roles = {
        role: tuple((i, names[name]) for i, names in numbered for name in of_role if name in names)
        for role, of_role in ROLES.items()
    }
    roles["named"] = tuple(dict.fromkeys((*roles["docno"], *roles["document"])))
    shapes = [(i, names, shape) for i, names in numbered for shape in SHAPES]
    measures = [(i, make_measure(shape, names)) for i, names, shape in shapes if not shape.tells]
    families = tuple((i, measure) for i, measure in measures if any(measure[1:]))
    typed = tuple((i, shape) for i, names, shape in shapes if shape.tells and names.keys() >= shape.list_told())
    pages = [(i, {role: key for role in _PAGE for j, key in roles[role] if j == i}) for i, _ in numbered]
    return Plan(roles, families, typed, tuple(page for page in pages if page[1].keys() - {"total_pages", "category"}))


def _open(value: object) -> list[Row]:
    """List the mappings that a field holds: an object, one as JSON, or selectors."""
    if isinstance(value, str):
        return [opened] if value.startswith("{") and isinstance(opened := parse_json(value), dict) else []
    if isinstance(value, list):
        return [part for part in value if isinstance(part, Mapping) and ("selector" in part or _is_selector(part))]
    row = as_fields(value)
    return [row] if row and _is_selector(row) is not False else []


def _is_selector(row: Row) -> bool | None:
    """Tell a selector that quotes or counts a text from others, by paths or queries; None for what is none."""
    kind = row.get("type")
    is_other = not isinstance(kind, str) or not kind.endswith("Selector")
    return None if is_other else kind in ("TextQuoteSelector", "TextPositionSelector")


def parse_json(text: str) -> object:
    """Parse JSON; None for other text."""
    try:
        return loads(text)
    except ValueError:
        return None


@cache
def _list_attributes(kind: type) -> tuple[str, ...]:
    """List the known names that objects of a class have, or may make up."""
    makes_up = hasattr(kind, "__getattr__") and not hasattr(kind, "model_fields")
    return tuple(name for name in _list_known_names() if makes_up or hasattr(kind, name))


def as_fields(thing: object) -> Row:
    """Return a thing's fields by name: its items if it is a mapping, else its attributes."""
    if isinstance(thing, dict):
        return thing
    if isinstance(thing, Mapping):
        return dict(thing)
    if thing is None or isinstance(thing, str | bytes | int | float | list | tuple | type):
        return {}
    names = _list_attributes(type(thing))  # type: ignore[arg-type]
    values = {name: value for name in names if (value := getattr(thing, name, None)) is not None}
    held = {**(getattr(thing, "__dict__", None) or {}), **(getattr(thing, "model_extra", None) or {})}
    values |= {name: value for name, value in held.items() if value is not None or name in _NOT_LEFT_OUT}
    return {name: value for name, value in values.items() if name[0] != "_" and not callable(value)}


def follow(value: object, path: str) -> object:
    """Return what is at the end of a path of names, of lists in the first; None if there is nothing."""
    for name in path.split("."):
        value = value[0] if isinstance(value, list | tuple) and value else value
        row = as_fields(value)
        value = next((row[key] for key in row if normalise_name(key) == name), None)
        if value is None:
            return None
    return value


def follow_all(value: object, path: Iterable[str]) -> list[object] | None:
    """Return all that is at the end of a path, through all lists; None if there is nothing."""
    values = [value]
    for name in path:
        rows = [as_fields(value) for value in values]
        inner = [row[key] for row in rows for key in row if normalise_name(key) == name and not is_missing(row[key])]
        inner = [parsed if isinstance(v, str) and (parsed := parsed_list(v)) is not None else v for v in inner]
        values = [part for v in inner for part in (v if isinstance(v, list | tuple) else [v])]
        if not inner:
            return None
    return values


def open_blocks(things: list[object]) -> list[object]:
    """Return what the blocks of an answer, calls or citations in a list hold; other lists as they are."""
    first = things[0] if things else None
    keys = first if isinstance(first, dict) else getattr(first, "__dict__", ())
    if _BLOCK_FIELDS.isdisjoint(map(normalise_name, keys)):
        return things
    for name, told in BLOCKS.items():
        if follow_all({name: things}, (name, name, told)) is not None:
            return follow_all({name: things}, (name, name)) or things
    return things


def is_told(shape: Shape, row: Row) -> bool:
    """Tell whether a row has all that only this shape has."""
    for told in shape.tells.split():
        path, _, wanted = told.partition("=")
        value = follow(row, path)
        if value is None or (wanted and not _is_wanted(value, wanted)):
            return False
    return True


def _is_wanted(value: object, wanted: str) -> bool:
    if wanted in ("NUMBER", "PAIR"):
        values = [value] if wanted == "NUMBER" else list_of(value) or []
        return len(values) == (1 if wanted == "NUMBER" else 2) and None not in map(whole_or_none, values)
    return value in wanted.split("|")


def is_nothing(thing: object) -> bool:
    """Tell a thing that holds nothing from others."""
    if not isinstance(thing, dict):
        return False
    return any(isinstance(of, dict) and str(of.get("type")) in _NOTHING for of in (thing, thing.get("payload")))


def is_place_name(name: str) -> bool:
    """Tell whether a normalised name has a word of a place."""
    return _PLACE.search(name) is not None


def unflatten(row: Row) -> JsonObject:
    """Return a span of a trace, whose names may be paths, as objects and lists; another row as it is."""
    attributes = row.get("attributes")
    if isinstance(attributes, Mapping):
        return {**row, "attributes": unflatten(attributes)}
    if not any(_TRACED.match(str(name)) for name in row):
        return dict(row)
    nested: JsonObject = {}
    for name, value in row.items():
        *steps, last = str(name).split(".")
        inner = nested
        for step in steps:
            inner = inner.setdefault(step, {})
        inner[last] = value
    return {name: _list_numbered(value) for name, value in nested.items()}


def _list_numbered(value: object) -> object:
    if not isinstance(value, dict):
        return value
    inner = {name: _list_numbered(part) for name, part in value.items()}
    return list(inner.values()) if inner and all(str(name).isdigit() for name in inner) else inner
