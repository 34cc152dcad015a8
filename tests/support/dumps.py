"""Dumps of pages of MediaWiki, and what a collection of them answers."""

import pyterrier_focused as ptf

PAGE = """  <page>
    <title>Page {n}</title>
    <ns>0</ns>
    <id>{n}</id>
    <revision><text xml:space="preserve">Opening of {n}.\n\n== Part one ==
Words of {n}: {words}.\n\n* an item</text></revision>
  </page>
"""


def page(n, words=40):
    return PAGE.format(n=n, words=" ".join(f"w{(n * 7 + i) % 97}" for i in range(words)))


def dump(numbers):
    return "<mediawiki>\n<siteinfo/>\n" + "".join(page(n) for n in numbers) + "</mediawiki>\n"


def contents(folder):
    """Return all that a collection answers, and what was rejected."""
    collection = ptf.Collection(folder)
    articles = [
        (dict(collection.article(docno)), collection.elements(docno).to_dict(), collection.links(docno).to_dict())
        for docno in collection
    ]
    errors = (folder / "errors.jsonl").read_text(encoding="utf-8")
    return (
        collection.text_id,
        articles,
        collection.redirects.values.tolist(),
        collection.report().values.tolist(),
        errors,
    )
