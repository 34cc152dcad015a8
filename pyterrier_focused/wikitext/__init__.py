"""Pages of MediaWiki (wikitext, HTML) to text and elements; imports nothing of this package.

`WikitextReader(language, ...).read(docno, title, wikitext)` and `HtmlReader(...).read(docno, title, html)` make a
`ParsedArticle` with its `Link`s, or raise `RejectedArticle`. `language_of(wikitext, told)` tells a page's language,
`names(kind, language)` gives names of namespaces, redirects and boilerplate sections. `as_title` and `plain_title`
write titles as MediaWiki does, for those who look up what links lead to.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "article": ["Link", "ParsedArticle", "RejectedArticle"],
        "facts": ["names"],
        "html": ["HtmlReader"],
        "language": ["language_of"],
        "reader": ["WikitextReader"],
        "titles": ["as_title", "plain_title"],
    },
)
