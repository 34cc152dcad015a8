"""Real pages in nine languages: the plain text, the headings and the links that mwparserfromhell finds are in ours."""

import bz2
import itertools
import re
from collections import Counter
from dataclasses import dataclass

import mwparserfromhell
import pytest
from lxml import etree
from mwparserfromhell.nodes import Heading, Text, Wikilink

from pyterrier_focused.wikitext import WikitextReader
from pyterrier_focused.wikitext.links import LinkRules

DUMPS = [*(f"wikipedia-languages/{name}" for name in "ar de en-tables es fr it ja ru zh".split()), "enwiki-sample"]
# a word with space around it: others may go on in the next node; of scripts without spaces a character
WORD = re.compile(r"(?<=\s)[^\W_]+(?=[\s.,;:)])|[\u3040-\u30ff\u4e00-\u9fff]")
OURS = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]|[^\W_\u3040-\u30ff\u4e00-\u9fff]+")
MAX_PAGES = 25


RULES = LinkRules()


def pages(path):
    dump = re.sub(r'xmlns="[^"]*"', "", bz2.decompress(path.read_bytes()).decode())
    for page in re.findall(r"<page>.*?</page>", dump, re.DOTALL):
        tree = etree.fromstring(page)
        text = tree.findtext("revision/text") or ""
        if tree.findtext("ns") == "0" and tree.find("redirect") is None and text:
            yield tree.findtext("title"), text


@dataclass
class PageOfTheirs:
    """What mwparserfromhell finds in a page."""

    words: Counter[str]
    headings: int
    links: Counter[str]


def read_page(wikitext):
    tree = mwparserfromhell.parse(wikitext, skip_style_tags=True)
    texts = (re.sub(r"__\w+__|-\{.*?\}-", " ", str(node)) for node in tree.nodes if isinstance(node, Text))
    links = [node for node in tree.nodes if isinstance(node, Wikilink)]
    shown = [RULES.read(str(n.title), None if n.text is None else "x") for n in links if "{" not in str(n.title)]
    return PageOfTheirs(
        Counter(word for text in texts for word in WORD.findall(text)),
        sum(isinstance(node, Heading) for node in tree.nodes),
        Counter(link.target for link in shown if link.target),
    )


@pytest.fixture(scope="module", params=DUMPS)
def articles(request, shared_data):
    """(our article, their page) of each title."""
    reader = WikitextReader(request.param.rpartition("/")[2][:2])
    some = itertools.islice(pages(shared_data / f"{request.param}.xml.bz2"), MAX_PAGES)
    return {title: (reader.read("1", title, wikitext), read_page(wikitext)) for title, wikitext in some}


@pytest.mark.long
def test_real_pages_have_the_same_words(articles):
    missing = sum(
        ((page.words - Counter(OURS.findall(article.text))) for article, page in articles.values()), Counter()
    )
    words = sum(page.words.total() for _, page in articles.values())
    assert words > 700
    assert missing.total() < 0.001 * words


@pytest.mark.long
def test_real_pages_have_the_same_number_of_sections(articles):
    found = {title: article.tag.count("section") for title, (article, _) in articles.items()}
    assert found == {title: page.headings for title, (_, page) in articles.items()}


@pytest.mark.long
def test_real_pages_have_all_their_links(articles):
    missing = {
        title: page.links - Counter(link.target for link in article.links)
        for title, (article, page) in articles.items()
    }
    assert {title: links for title, links in missing.items() if links} == {}
