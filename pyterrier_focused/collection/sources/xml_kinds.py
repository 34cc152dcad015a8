"""The known kinds of XML, a row each: by what a file is recognised, and how it is read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from lxml import etree

from .xml_profile import XmlProfile, fit_profile, match_any_namespace
from .xml_roots import TOP, XmlRoot

# INEX's article XML, which is read to the letter, and unknown kinds.
INEX = "inex"
OTHER = "other"

# A page of HTML that is XML.
_XHTML = "http://www.w3.org/1999/xhtml"
XHTML = f"{{{_XHTML}}}html"

_DOCTYPE = re.compile(rb"<!DOCTYPE\s[^\[>]*")
_HEADS = ("front", "head", "info", "meta", "amendMeta", "header", "channel")
_TITLES = ("article-title", "invention-title", "docTitle", "official-title", "refname")
# Titles in these are those of other works, and of the journal.
_CITED = """ref ref-list citation element-citation mixed-citation nlm-citation product journal-meta related-article
    related-object biblioentry bibl biblStruct listBibl nplcit patcit""".split()


def _is_named(*names: str) -> str:
    return " or ".join(f"local-name()='{name}'" for name in names)


_IS_TITLE = f"[{_is_named('title', 'TITLE')}][normalize-space()]"
# Where a title is if no kind says where.
TITLE_FROM = (
    f"(*{_IS_TITLE} | *[{_is_named(*_HEADS)}]/*{_IS_TITLE})[1]",
    f"(.//*[{_is_named(*_TITLES)}][normalize-space()][not(ancestor::*[{_is_named(*_CITED)}])])[1]",
)


def _in_any_namespace(*paths: str) -> tuple[str, ...]:
    return tuple(map(match_any_namespace, paths))


@dataclass(frozen=True)
class XmlKind:
    """A kind of XML, recognised by any one of *roots*, *namespace*, *doctype* and *holds*.

    Attributes:
        name: its name for `profile=`.
        label: its name in messages.
        profile: which elements are articles, their ids and titles, omissions, and spaces.
        roots: names of root elements that no other kind has.
        namespace: that of the root.
        doctype: a text in its document type declaration.
        holds: an XPath that finds something in such a file; names match in any namespace.
    """

    name: str
    label: str
    profile: XmlProfile
    roots: tuple[str, ...] = ()
    namespace: str = ""
    doctype: bytes = b""
    holds: str = ""

    def is_told_by_root(self, name: str, namespace: str | None) -> bool:
        return name in self.roots or (self.namespace != "" and namespace == self.namespace)

    def is_told_by(self, root: etree._Element, doctype: bytes) -> bool:
        name = etree.QName(root)
        if self.is_told_by_root(name.localname, name.namespace) or (self.doctype and self.doctype in doctype):
            return True
        return self.holds != "" and bool(self._find_held(root))

    @cached_property
    def _find_held(self) -> etree.XPath:
        return etree.XPath(match_any_namespace(self.holds))


KINDS = (
    XmlKind(
        "jats",
        "JATS",
        XmlProfile(
            record="/article | /*[local-name() != 'article']/article",
            id_from=_in_any_namespace(
                "(.//article-meta/article-id[starts-with(@pub-id-type, 'pmc')])[1]",
                "(.//article-meta/article-id[@pub-id-type='pmid'])[1]",
                "(.//article-meta/article-id[@pub-id-type='doi'])[1]",
                "(.//article-meta/article-id)[1]",
            ),
            title_from=_in_any_namespace("(.//article-meta/title-group/article-title)[1]"),
            heading_tags=("title",),
            drop=tuple(
                """ref-list journal-meta permissions article-id journal-id contrib-group aff author-notes pub-date
                history article-meta/article-categories article-meta/article-version article-meta/volume
                article-meta/volume-id article-meta/issue article-meta/issue-id article-meta/fpage article-meta/lpage
                article-meta/page-range article-meta/elocation-id article-meta/counts article-meta/custom-meta-group
                article-meta/pub-history article-meta/related-article article-meta/product
                title-group/alt-title""".split()
            ),
            spaces="blocks",
        ),
        roots=("pmc-articleset",),
        holds="/article/front/article-meta",
    ),
    XmlKind(
        "tei",
        "TEI",
        XmlProfile(
            record="/*[local-name() != 'teiCorpus'] | /teiCorpus//TEI",
            id_from=("@xml:id",),
            title_from=_in_any_namespace("(.//teiHeader//titleStmt/title)[1]"),
            heading_tags=("head",),
            drop=("teiHeader",),
            spaces="even",
            reading="reg",
        ),
        roots=("TEI", "teiCorpus"),
    ),
    XmlKind(
        "docbook",
        "DocBook",
        XmlProfile(
            id_from=("@xml:id", "@id"),
            title_from=_in_any_namespace(
                "title", "refmeta/refentrytitle", "*[contains(local-name(), 'info')]/title", "(refnamediv/refname)[1]"
            ),
            heading_tags=("title",),
            spaces="blocks",
        ),
        roots=("refentry", "sect1"),
        namespace="http://docbook.org/ns/docbook",
        doctype=b"DocBook",
        holds="/*/bookinfo | /*/articleinfo | /*/chapterinfo | /*/setinfo | /*/partinfo",
    ),
    XmlKind(
        "dita",
        "DITA",
        XmlProfile(
            id_from=("@id",),
            title_from=_in_any_namespace("title", "glossterm", "booktitle/mainbooktitle", "(*/title)[1]", "@title"),
            heading_tags=("title",),
            drop=("prolog",),
            spaces="blocks",
        ),
        roots=("dita", "glossentry", "bookmap"),
        doctype=b"DITA",
        holds="/*/conbody | /*/taskbody | /*/refbody | /topic/body | /map/topicref",
    ),
    XmlKind(
        "medline",
        "MEDLINE",
        XmlProfile(
            record="//PubmedArticle | //PubmedBookArticle",
            id_from=("(MedlineCitation/PMID)[1]", "(BookDocument/PMID)[1]"),
            title_from=("(.//ArticleTitle)[1]", "(.//BookTitle)[1]"),
            drop=tuple(
                """PMID PubmedData PubmedBookData MedlineJournalInfo Journal DateCompleted DateRevised DateCreated
                ArticleDate Pagination ELocationID AuthorList InvestigatorList Language CitationSubset GrantList
                DataBankList CommentsCorrectionsList ArticleIdList OtherID""".split()
            ),
            spaces="blocks",
        ),
        roots=("PubmedArticleSet",),
    ),
    XmlKind(
        "rss",
        "RSS",
        XmlProfile(
            record="//item",
            id_from=_in_any_namespace("guid", "link"),
            title_from=_in_any_namespace("title"),
            drop=("guid", "link", "pubDate", "comments", "commentRss", "enclosure"),
            spaces="blocks",
            escaped="./description | ./encoded",
        ),
        roots=("rss",),
        holds="/RDF/item",
    ),
    XmlKind(
        "atom",
        "Atom",
        XmlProfile(
            record="//entry",
            id_from=_in_any_namespace("id"),
            title_from=_in_any_namespace("title"),
            drop=("id", "updated", "published", "uri", "email"),
            spaces="blocks",
            escaped=".//*[@type='html']",
        ),
        namespace="http://www.w3.org/2005/Atom",
    ),
    XmlKind("xhtml", "XHTML", XmlProfile(drop=("script", "style"), spaces="blocks"), namespace=_XHTML),
    XmlKind(
        "play",
        "plays",
        XmlProfile(title_from=("TITLE", "title"), heading_tags=("TITLE", "title"), spaces="blocks"),
    ),
)
PROFILES: Mapping[str, XmlProfile] = {kind.name: kind.profile for kind in KINDS}
# These are named by no option.
_UNNAMED: Mapping[str, XmlProfile] = {INEX: XmlProfile(), OTHER: XmlProfile(spaces="blocks")}
_LABELS: Mapping[str, str] = {kind.name: kind.label for kind in KINDS} | {INEX: "INEX", OTHER: "other XML"}


def tell_kind(root: etree._Element, data: bytes) -> str:
    """Return the name of a document's kind, of the table or INEX or OTHER, given its root and its bytes."""
    if _is_inex(root):
        return INEX
    doctype = _DOCTYPE.search(data, 0, TOP)
    declared = doctype[0] if doctype else b""
    return next((kind.name for kind in KINDS if kind.is_told_by(root, declared)), OTHER)


def _is_inex(root: etree._Element) -> bool:
    """Tell whether a document is an `article` with name/@id, fno, header/id or header/title."""
    if root.tag != "article":
        return False
    if root.find("name[@id]") is not None or root.find("fno") is not None:
        return True
    header = next(root.iter("header"), None)
    return header is not None and (header.find("id") is not None or header.find("title") is not None)


def tell_record(root: XmlRoot | None) -> str:
    """Return the XPath of a document's records by its root: more is not read at first of a large one."""
    if root is None:
        return ""
    return next((kind.profile.record for kind in KINDS if kind.is_told_by_root(root.name, root.namespace)), "")


def find_profile(kind: str, given: Mapping[str, object]) -> XmlProfile:
    """Return the profile of a kind, with the *given* options in place of its own."""
    own = {name: value for name, value in given.items() if name != "profile"}
    return fit_profile({**PROFILES, **_UNNAMED}[kind], own)


def describe_kinds(kinds: Mapping[str, int]) -> str:
    """Return in words how many files are of which kind.

    Example:
        >>> describe_kinds({"jats": 28, "other": 2})
        '28 files of JATS, 2 of other XML'
    """
    counted = sorted(kinds.items(), key=lambda entry: (-entry[1], entry[0]))
    words = [f"{count:,} of {_LABELS[kind]}" for kind, count in counted]
    if words:
        files = "file" if counted[0][1] == 1 else "files"
        words[0] = words[0].replace(" of ", f" {files} of ", 1)
    return ", ".join(words)
