"""What the readers make of one article or page, for tests."""

from pyterrier_focused.collection.sources.dump import WikiSite
from pyterrier_focused.collection.sources.mediawiki import PageReader
from pyterrier_focused.collection.sources.raw import RawArticle, TagNumbers
from pyterrier_focused.collection.sources.xml_article import ArticleXmlReader
from pyterrier_focused.wikitext import ParsedArticle, RejectedArticle, WikitextReader


def parse_article_xml(data, name, id_from="auto"):
    """The article that a document becomes; raises RejectedArticle where it is refused."""
    return _parse(ArticleXmlReader(id_from), data, name)


def parse_page(data):
    """The article that a page becomes, None where it is none; raises RejectedArticle where it is refused."""
    return _parse(PageReader(WikiSite()), data, "")


def _parse(reader, data, name):
    codes = TagNumbers()
    articles, rejected = reader.read([RawArticle("file.xml", 0, name, data)], codes)
    for entry in rejected:
        raise RejectedArticle(entry.reason)
    if not articles.docno:
        return None
    tags = [tag.decode() if isinstance(tag, bytes) else tag for tag in codes]
    columns = (articles.parent.tolist(), articles.start.tolist(), articles.end.tolist())
    (docno,), (title,), (text,) = articles.docno, articles.title, articles.text
    return ParsedArticle(docno, title, text.decode(), [tags[code] for code in articles.tag.tolist()], *columns)


def parse_many(documents):
    """Texts and spans of documents that are read together."""
    codes = TagNumbers()
    articles, rejected = ArticleXmlReader("file").read(
        [RawArticle("file.xml", at, str(at), data) for at, data in enumerate(documents)], codes
    )
    assert not rejected
    tags, first, found = [tag.decode() for tag in codes], 0, []
    for text, count in zip(articles.text, articles.elements.tolist(), strict=True):
        part = slice(first, first + count)
        names = [tags[code] for code in articles.tag[part].tolist()]
        found.append(
            (text.decode(), list(zip(names, articles.start[part].tolist(), articles.end[part].tolist(), strict=True)))
        )
        first += count
    return found


def parse_wikitext(docno, title, wikitext, **options):
    """Make an article of one page of wikitext, with the options of `WikitextReader`."""
    return WikitextReader(**options).read(docno, title, wikitext)
