"""The options of a build, checked; and those on which the collection's content depends."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import check_choice
from ..reading.json import JsonObject
from ..wikitext import WikitextReader
from .sources.dump import LANGUAGE
from .sources.find import FORMATS
from .sources.xml_article import ArticleXmlParser

# Of what is stored, and of how text is made.
VERSION = 6
DOCNOS = ("id", "title")
TEXT_FORMATS = ("mediawiki", "html")
ENGINES = ("local", "ray")


@dataclass(frozen=True)
class BuildOptions:
    """How a source becomes a collection.

    Attributes:
        format: 'mediawiki', 'html', 'inex' (any article XML), 'text' (.txt and .md, with .html beside them) or 'auto'.
        docno: the docno of MediaWiki's pages: 'id', their number, or 'title', their title with underscores.
            Of two pages with one title the second is rejected.
        id_from: where article XML has its id: 'auto' (`header/id`, else `name/@id`, else the file's name), 'file',
            'path' (the file's name with its folders), or an XPath such as 'header/id'. A dump's pages bring theirs.
        language: the code of a dump's language, such as 'de', if the dump does not tell or is wrong.
        namespaces: the numbers of a dump's namespaces whose pages are taken; None for the articles only, (0,).
        templates: the text that templates show, before what tables of Wikipedia's say: from a name to a pattern such as
            '{1} ({2})' (see `wikitext/templates/patterns.py`). A template that is in neither shows nothing, and
            `report()` counts it.
        drop: elements to leave out of the text: any of 'table', 'caption' (of tables and figures), 'figure', 'math';
            of XML, the tags of elements, beside those that its kind leaves out.
        infobox: whether to keep information boxes, as elements of rows of label and value.
        profile: the kind of XML as which all files are read: 'inex', 'jats', 'tei', 'docbook', 'dita', 'medline',
            'xhtml' or 'other'; by default each file tells its own. The options below replace a field of it.
        record: an XPath to the elements of XML that are articles, if a file has several.
        title_from: where the title of an article of XML is, XPaths relative to the record, as `id_from` is then.
        heading_tags: the tags of headings in XML ('title' and 'st' if nothing is said).
        spaces: 'source' for the text of XML as it is (INEX's is, unasked), 'blocks' for a space where blocks touch,
            'even' for that, and one space for longer white space, such as the indentation between elements.
        entities: the characters of XML's entities, such as {'hellip': '…'}; HTML's are known, references to others are
            left out and counted.
        attributes: the names of XML attributes to keep, such as 'type' or 'xml:id', so that an index can take the
            elements that `//div[@type='act']` names; choose those with few values.
        max_rejected: the largest share of articles, from 0 to 1, that may be rejected. 1 also accepts the readable part
            of a source that is broken or cut short.
        workers: local processes.
        engine: 'local', or 'ray' to run on the Ray cluster (extra [ray]).
    """

    format: str = "auto"
    docno: str = "id"
    id_from: str = "auto"
    language: str = ""
    namespaces: Sequence[int] | None = None
    templates: Mapping[str, str] = field(default_factory=dict, hash=False)
    drop: Sequence[str] = ()
    infobox: bool = False
    profile: str = ""
    record: str = ""
    title_from: str | Sequence[str] = ()
    heading_tags: str | Sequence[str] = ()
    spaces: str = ""
    entities: Mapping[str, str] = field(default_factory=dict, hash=False)
    attributes: str | Sequence[str] = ()
    max_rejected: float = 0.01
    workers: int = 1
    engine: str = "local"

    def __post_init__(self) -> None:
        """Raise ValueError for values that are wrong for every source."""
        check_choice("engine", self.engine, ENGINES)
        check_choice("format", self.format, ("auto", *FORMATS))
        check_choice("docno", self.docno, DOCNOS)
        if isinstance(self.workers, bool) or not isinstance(self.workers, int) or self.workers < 1:
            raise ValueError(f"workers={self.workers!r}; give a whole number of at least 1")
        if self.engine == "ray" and self.workers != 1:
            raise ValueError(f"workers={self.workers!r} is for engine='local'; Ray uses all CPUs of its cluster")
        share = self.max_rejected
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share <= 1:
            raise ValueError(f"max_rejected={share!r}; give a share from 0 to 1")

    @property
    def is_article_xml(self) -> bool:
        """Whether options on reading XML are set, so that a source of XML is not taken for a dump."""
        return bool(self.profile or self.record)

    def describe(self, format: str) -> JsonObject:
        """Return all but the source that the collection's content depends on: format, options, and parsers."""
        about = {"version": VERSION, "format": format, **self._describe_reading(format)}
        if format != "inex" and any(self._list_xml_options().values()):
            given = [name for name, value in self._list_xml_options().items() if value]
            raise ValueError(f"{given[0]}={getattr(self, given[0])!r} is for XML; this source is of format {format!r}")
        if format in TEXT_FORMATS:
            return about | self._describe_text()
        if self.docno != "id":
            raise ValueError(
                f"docno={self.docno!r} is for MediaWiki dumps and HTML; id_from names the id of article XML"
            )
        if self.templates or self.infobox:
            raise ValueError("templates and infobox are for MediaWiki dumps and HTML")
        if self.drop and format != "inex":
            raise ValueError("drop is for MediaWiki dumps, HTML and XML; other sources are read as they are")
        return about

    def _describe_reading(self, format: str) -> JsonObject:
        if format == "mediawiki":
            if self.id_from != "auto":
                raise ValueError(f"id_from={self.id_from!r} is for article XML; the pages of a dump bring their ids")
            if not isinstance(self.language, str) or (self.language and not LANGUAGE.fullmatch(self.language)):
                raise ValueError(f"language={self.language!r}; give the code of a language, such as 'de' or 'zh-yue'")
            return {"language": self.language, "namespaces": _sort_namespaces(self.namespaces)}
        for name, value in (("language", self.language), ("namespaces", self.namespaces)):
            if value:
                raise ValueError(f"{name}={value!r} is for MediaWiki dumps; other sources have none")
        if format in ("text", "records") and self.id_from != "auto":
            raise ValueError(f"id_from={self.id_from!r} is for article XML; texts are named by their files")
        if format in ("html", "text", "records"):
            return {}
        given = {name: value for name, value in {**self._list_xml_options(), "drop": self.drop}.items() if value}
        # Raises for an invalid XPath, and for what is no profile.
        ArticleXmlParser(self.id_from, given)
        return {"id_from": self.id_from, **({"xml": json.loads(json.dumps(given))} if given else {})}

    def _list_xml_options(self) -> JsonObject:
        names = ("profile", "record", "title_from", "heading_tags", "spaces", "entities", "attributes")
        return {name: getattr(self, name) for name in names}

    def _describe_text(self) -> JsonObject:
        if not isinstance(self.templates, Mapping):
            raise ValueError(f"templates={self.templates!r}; give a dict of patterns such as '{{1}} ({{2}})'")
        # Raises for what cannot be left out, and for what is no pattern.
        WikitextReader(drop=self.drop, templates=self.templates)
        text = {
            "templates": dict(sorted(self.templates.items())),
            "drop": sorted(set(self.drop)),
            "infobox": bool(self.infobox),
        }
        return {"docno": self.docno, "text": text}


def describe_text(manifest: JsonObject) -> str:
    """Describe in words the options of a build that the text depends on, and the spaces of kinds of XML."""
    about = manifest["about"]
    told = {**about, **about.get("xml", {}), **about.get("text", {}), **manifest.get("xml", {})}
    names = ("language", "id_from", "docno", "templates", "drop", "infobox", "spaces")
    usual = {"id_from": "auto", "docno": "id", "spaces": "source"}
    chosen = [f"{name}={told[name]!r}" for name in names if told.get(name) not in (None, False, "", usual.get(name))]
    return ", ".join([about["format"], *(words for words in chosen if not words.endswith(("=[]", "={}")))])


def _sort_namespaces(namespaces: Sequence[int] | None) -> list[int]:
    if namespaces is None:
        return [0]
    given: list[Any] = list(namespaces) if isinstance(namespaces, Iterable) else []
    if not given or any(isinstance(number, bool) or not isinstance(number, int) for number in given):
        raise ValueError(f"namespaces={namespaces!r}; give the numbers of namespaces, such as (0,)")
    return sorted(set(given))
