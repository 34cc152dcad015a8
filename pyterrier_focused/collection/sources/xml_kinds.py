"""The known kinds of XML, a row each: by what a file is recognised, and how it is read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from lxml import etree

from ...errors import check_choice

SPACES = ("source", "blocks", "even")


def _is_any(axis: str, names: str) -> str:
    return " or ".join(f"{axis}::{name}" for name in names.split())


# Where a title is if no kind says where: at the top, or in a head; else in the text, but of no work that is cited.
_AT_TOP = f"*[{_is_any('self', 'title TITLE')}][normalize-space()]"
_HEADS = _is_any("self", "front head info meta amendMeta header channel")
_TITLES = _is_any("self", "article-title invention-title docTitle official-title refname")
_CITED = _is_any(
    "ancestor",
    """ref ref-list citation element-citation mixed-citation nlm-citation product journal-meta related-article
    related-object biblioentry bibl biblStruct listBibl nplcit patcit""",
)
_TITLE = (f"({_AT_TOP} | *[{_HEADS}]/{_AT_TOP})[1]", f"(.//*[{_TITLES}][normalize-space()][not({_CITED})])[1]")
# The reading of a choice that is text.
_READ = "self::reg or self::corr or self::expan"


@dataclass(frozen=True)
class XmlKind:
    """A kind of XML. XPaths name elements without prefixes, whatever their namespaces are.

    Attributes:
        name: its name for `profile=`.
        label: its name in messages.
        told_by: an XPath that is true for the document; $namespace is that of its root, $doctype what declares it.
        record: an XPath to the elements that are articles, "" for the root.
        id_from: XPaths, relative to the record, of which the first that finds something gives the id; else the file's
            name does, with a number if the file has several records. 'file' for the name only, 'path' for that with its
            folders.
        title_from: the same for titles.
        heading_tags: the tags of the headings of elements.
        drop: the elements that are left out, "a" or "a/b" for a `b` whose parent is an `a`, or another XPath.
        has_own_id: whether a document's only article is named by its id too, and not by its file.
        spaces: 'source' for text as it is in the source; 'blocks' for a space where an element of a block ends, if
            there is none: adjacent words are not glued; 'even' for these, and one space for longer white space.
        attributes: the names of the attributes that are kept with the elements.
        entities: the characters of entities by their names.
    """

    name: str
    label: str
    told_by: str
    record: str = ""
    id_from: tuple[str, ...] = ()
    title_from: tuple[str, ...] = _TITLE
    heading_tags: tuple[str, ...] = ("title", "st")
    drop: tuple[str, ...] = ()
    has_own_id: bool = False
    spaces: str = "blocks"
    attributes: tuple[str, ...] = ()
    entities: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ValueError for an XPath that is none, and for unknown spaces."""
        check_choice("spaces", self.spaces, SPACES)
        for option in ("record", "id_from", "title_from"):
            given = getattr(self, option)
            for path in (given,) if isinstance(given, str) else given:
                try:
                    etree.XPath(path or ".")
                except etree.XPathSyntaxError as error:
                    raise ValueError(f"{option}={path!r} is not a valid XPath ({error})") from error

    @cached_property
    def is_plain(self) -> bool:
        """Whether an article is the whole document, to the letter."""
        return not (self.record or self.drop or self.attributes or self.entities) and self.spaces == "source"

    def tells(self, root: etree._Element, namespace: str, doctype: str) -> bool:
        return bool(root.xpath(f"boolean({self.told_by})", namespace=namespace, doctype=doctype))


KINDS = (
    XmlKind(
        "inex", "INEX", "/article[name/@id or fno or .//header/id or .//header/title]",
        id_from=("(//header/id)[1]", "/*/name/@id"),
        title_from=("(//header/title)[1]", "/*/name", "(//title)[1]"),
        has_own_id=True,
        spaces="source",
    ),
    XmlKind(
        "jats", "JATS", "/pmc-articleset or /article/front/article-meta",
        record="/article | /*[not(self::article)]/article",
        id_from=tuple(
            f"(.//article-meta/article-id{kind})[1]"
            for kind in ("[starts-with(@pub-id-type, 'pmc')]", "[@pub-id-type='pmid']", "[@pub-id-type='doi']", "")
        ),
        heading_tags=("title",),
        title_from=("(.//article-meta/title-group/article-title)[1]",),
        drop=tuple(
            """ref-list journal-meta permissions article-id journal-id contrib-group aff author-notes pub-date history
            article-meta/article-categories article-meta/article-version article-meta/volume article-meta/volume-id
            article-meta/issue article-meta/issue-id article-meta/fpage article-meta/lpage article-meta/page-range
            article-meta/elocation-id article-meta/counts article-meta/custom-meta-group article-meta/pub-history
            article-meta/related-article article-meta/product title-group/alt-title
            alternatives[math]/tex-math""".split()
        ),
    ),
    XmlKind(
        "tei", "TEI", "/TEI or /teiCorpus",
        record="/*[not(self::teiCorpus)] | /teiCorpus//TEI",
        id_from=("@xml:id",),
        title_from=("(.//teiHeader//titleStmt/title)[1]",),
        heading_tags=("head",),
        drop=(
            "teiHeader", "fw", "del", "app[lem]/rdg", "app[not(lem)]/rdg[preceding-sibling::rdg]",
            f"choice[reg or corr or expan]/*[not({_READ}) or preceding-sibling::*[{_READ}]]",
            "choice[not(reg or corr or expan)]/*[preceding-sibling::*]",
        ),
        spaces="even",
    ),
    XmlKind(
        "docbook", "DocBook",
        """$namespace = 'http://docbook.org/ns/docbook' or contains($doctype, 'DocBook') or /refentry or /sect1
        or /*/bookinfo or /*/articleinfo or /*/chapterinfo or /*/setinfo or /*/partinfo""",
        id_from=("@xml:id", "@id"),
        heading_tags=("title",),
        title_from=(
            "title", "refmeta/refentrytitle", "*[contains(local-name(), 'info')]/title", "(refnamediv/refname)[1]",
        ),
    ),
    XmlKind(
        "dita", "DITA",
        """/dita or /glossentry or /bookmap or contains($doctype, 'DITA') or /*/conbody or /*/taskbody or /*/refbody
        or /topic/body or /map/topicref""",
        id_from=("@id",),
        heading_tags=("title",),
        title_from=("title", "glossterm", "booktitle/mainbooktitle", "(*/title)[1]", "@title"),
        drop=("prolog",),
    ),
    XmlKind(
        "medline", "MEDLINE", "/PubmedArticleSet",
        record="//PubmedArticle | //PubmedBookArticle",
        id_from=("(MedlineCitation/PMID)[1]", "(BookDocument/PMID)[1]"),
        title_from=("(.//ArticleTitle)[1]", "(.//BookTitle)[1]"),
        drop=tuple(
            """PMID PubmedData PubmedBookData MedlineJournalInfo Journal DateCompleted DateRevised DateCreated
            ArticleDate Pagination ELocationID AuthorList InvestigatorList Language CitationSubset GrantList
            DataBankList CommentsCorrectionsList ArticleIdList OtherID""".split()
        ),
    ),
    XmlKind(
        "xhtml", "XHTML", "/html",
        drop=("script", "style"),
    ),
    XmlKind(
        "other", "other XML", "true()",
        id_from=("(//header/id)[1]", "/*/name/@id"),
        drop=("binary", "binary-data", "alternatives[math]/tex-math"),
        has_own_id=True,
    ),
)  # fmt: skip
INEX = KINDS[0].name
OTHER = KINDS[-1].name
PROFILES: Mapping[str, XmlKind] = {kind.name: kind for kind in KINDS}
_OPTIONS = tuple(option.name for option in fields(XmlKind))


def tell_kind(root: etree._Element, namespace: str = "", doctype: str = "") -> XmlKind:
    return next(kind for kind in KINDS if kind.tells(root, namespace, doctype))


def find_profile(kind: str, given: Mapping[str, Any]) -> XmlKind:
    """Return the row of a kind, with the *given* options in place of its own; `drop` adds to it. Raises ValueError."""
    own: dict[str, Any] = {}
    for name, value in given.items():
        if name in _OPTIONS and value:
            many = name in ("id_from", "title_from", "heading_tags", "drop", "attributes")
            own[name] = ((value,) if isinstance(value, str) else tuple(value)) if many else value
    if "id_from" in own:
        own["id_from"] = tuple(map(_search_anywhere, own["id_from"]))
    row = PROFILES[kind]
    if kind != INEX:
        own["title_from"] = (*own.get("title_from", row.title_from), *_TITLE)
    if "drop" in own:
        own["drop"] = (*row.drop, *own["drop"])
    return replace(row, **own)


def _search_anywhere(path: str) -> str:
    """Let names that an id is looked up by, such as "header/id", be anywhere in an article."""
    return path if path[:1] in ("/", "(", "@", ".", "*") or "::" in path else f".//{path}"


def describe_kinds(kinds: Mapping[str, int]) -> str:
    """Return in words how many files are of which kind.

    Example:
        >>> describe_kinds({"jats": 28, "other": 2})
        '28 files of JATS, 2 of other XML'
    """
    counted = sorted(kinds.items(), key=lambda entry: (-entry[1], entry[0]))
    words = [f"{count:,} of {PROFILES[kind].label}" for kind, count in counted]
    if words:
        files = "file" if counted[0][1] == 1 else "files"
        words[0] = re.sub(" of ", f" {files} of ", words[0], count=1)
    return ", ".join(words)
