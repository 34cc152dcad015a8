"""Any well-formed article XML to text and elements: INEX 2006 and 2009 Wikipedia, and others of no fixed tag set.

The text is all text nodes in document order, white space kept, entities resolved; offsets count code points. expat
parses: no entity is expanded, no DTD loaded, nothing fetched.
"""

from __future__ import annotations

from html.entities import html5
from xml.parsers import expat

from .article import Article, RejectedArticle

MAX_BYTES = 2**26
MAX_DEPTH = 2048
MAX_ELEMENTS = 2_000_000
IDS = "auto"  # header/id, then name/@id, then the file's name


def parse_article_xml(data: bytes, name: str, id_from: str = IDS) -> Article:
    """Make an article of an XML document. *name* is the file's, without its ending; *id_from* where the id is found:
    'auto', 'file', or a path such as 'header/id' or 'name/@id'. Raises RejectedArticle with the reason and position."""
    if len(data) > MAX_BYTES:
        raise RejectedArticle(f"{len(data)} bytes; {MAX_BYTES} are the limit")
    tag: list[str] = []
    parent: list[int] = []
    start: list[int] = []
    end: list[int] = []
    text: list[str] = []
    open_rows: list[int] = [-1]
    name_id: list[str] = []
    position = 0

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.buffer_size = 65536
    parser.UseForeignDTD(True)  # entities that no DTD declares are then passed to us

    def on_start(element: str, attributes: dict[str, str]) -> None:
        parent.append(open_rows[-1])
        open_rows.append(len(tag))
        tag.append(element)
        start.append(position)
        end.append(0)
        if element == "name" and "id" in attributes:
            name_id.append(attributes["id"])
        if len(open_rows) > MAX_DEPTH:
            raise RejectedArticle(f"elements nested over {MAX_DEPTH} deep")

    def on_end(element: str) -> None:
        end[open_rows.pop()] = position

    def on_text(characters: str) -> None:
        nonlocal position
        text.append(characters)
        position += len(characters)

    def on_entity_declaration(entity: str, *rest: object) -> None:
        raise RejectedArticle(f"declares an entity, {entity!r}; entities are not expanded")

    def on_skipped_entity(entity: str, is_parameter: bool) -> None:
        if is_parameter:
            return
        if f"{entity};" not in html5:
            raise RejectedArticle(f"refers to an unknown entity, {entity!r}")
        on_text(html5[f"{entity};"])

    parser.StartElementHandler = on_start
    parser.EndElementHandler = on_end
    parser.CharacterDataHandler = on_text
    parser.EntityDeclHandler = on_entity_declaration
    parser.SkippedEntityHandler = on_skipped_entity
    parser.ExternalEntityRefHandler = lambda *reference: 1  # a DTD that is named is not there
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise RejectedArticle(f"not well-formed XML: {error}") from error
    except (ValueError, LookupError) as error:
        if isinstance(error, RejectedArticle):
            raise RejectedArticle(f"{error} (line {parser.CurrentLineNumber})") from None
        raise RejectedArticle(f"encoding: {error}") from error
    article = Article("", "", "".join(text), tag, parent, start, end)
    article.docno = _find_id(article, name, id_from, name_id)
    article.title = _find_title(article)
    return article


def _find_id(article: Article, name: str, id_from: str, name_id: list[str]) -> str:
    if id_from == "file":
        return name
    paths = ["header/id", "name/@id"] if id_from == "auto" else [id_from]
    for path in paths:
        if path == "name/@id":
            found = name_id[0].strip() if name_id else ""
        else:
            found = _first_text(article, path.strip("/").split("/"))
        if found:
            if any(character.isspace() for character in found):
                raise RejectedArticle(f"its id {found!r} holds white space")
            return found
    if id_from != "auto":
        raise RejectedArticle(f"has no id at {id_from!r}")
    return name


def _first_text(article: Article, tags: list[str]) -> str:
    """The text of the first element whose tag and ancestors' tags end in *tags*."""
    for row, tag in enumerate(article.tag):
        at, wanted = row, len(tags) - 1
        while tag == tags[-1] and at >= 0 and wanted >= 0 and article.tag[at] == tags[wanted]:
            at, wanted = article.parent[at], wanted - 1
        if wanted < 0:
            return article.text[article.start[row] : article.end[row]].strip()
    return ""


def _find_title(article: Article) -> str:
    for tags in (["header", "title"], ["name"], ["title"]):
        found = _first_text(article, tags)
        if found:
            return " ".join(found.split())
    return ""
