"""What the readers make of one article or page, for tests."""

from pyterrier_focused.collection.sources.dump import WikiSite
from pyterrier_focused.collection.sources.mediawiki import PageReader
from pyterrier_focused.collection.sources.raw import RawArticle
from pyterrier_focused.collection.sources.xml_article import ArticleXmlParser
from pyterrier_focused.wikitext import ParsedArticle, WikitextReader


def parse_article_xml(data, name, id_from="auto"):
    """The article that a document becomes; raises RejectedArticle where it is refused."""
    return next(ArticleXmlParser(id_from)(RawArticle("file.xml", 0, name, data)))


def parse_page(data):
    """The article that a page becomes, None where it is none; raises RejectedArticle where it is refused."""
    article = next(PageReader(WikiSite())(RawArticle("file.xml", 0, "", data)), None)
    return article if isinstance(article, ParsedArticle) else None


def parse_many(documents):
    """Texts and spans of documents that are read together."""
    parse = ArticleXmlParser("file")
    found = [next(parse(RawArticle("file.xml", at, str(at), data))) for at, data in enumerate(documents)]
    return [(each.text, list(zip(each.tag, each.start, each.end, strict=True))) for each in found]


def parse_wikitext(docno, title, wikitext, **options):
    """Make an article of one page of wikitext, with the options of `WikitextReader`."""
    return WikitextReader(**options).read(docno, title, wikitext)
