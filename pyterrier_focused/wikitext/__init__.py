"""Pages of MediaWiki (wikitext, HTML) to text and elements; imports nothing of this package.

`WikitextReader(language, ...).read(docno, title, wikitext)` and `HtmlReader(...).read(docno, title, html)` make a
`ParsedArticle` with its `Link`s, or raise `RejectedArticle`. `language_of(wikitext, told)` tells a page's language,
`names(kind, language)` gives names of namespaces, redirects and boilerplate sections. `as_title` and `plain_title`
write titles as MediaWiki does, to look up the targets of links.
"""

from .article import Link, ParsedArticle, RejectedArticle
from .facts import names
from .html import HtmlReader
from .language import language_of
from .reader import WikitextReader
from .titles import as_title, plain_title

__all__ = [
    "HtmlReader",
    "Link",
    "ParsedArticle",
    "RejectedArticle",
    "WikitextReader",
    "as_title",
    "language_of",
    "names",
    "plain_title",
]
