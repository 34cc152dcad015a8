"""Real pages in nine languages: the plain text, the headings and the links that mwparserfromhell finds are in ours."""

import bz2
import re
from collections import Counter

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


def pages(path):
    dump = re.sub(r'xmlns="[^"]*"', "", bz2.decompress(path.read_bytes()).decode())
    for page in re.findall(r"<page>.*?</page>", dump, re.DOTALL):
        tree = etree.fromstring(page)
        text = tree.findtext("revision/text") or ""
        if tree.findtext("ns") == "0" and tree.find("redirect") is None and text:
            yield tree.findtext("title"), text


@pytest.mark.long
@pytest.mark.parametrize("name", DUMPS)
def test_real_pages(name, shared_data):
    language = name.rpartition("/")[2][:2]
    reader, rules = WikitextReader(language), LinkRules()
    words = missing = 0
    for title, wikitext in list(pages(shared_data / f"{name}.xml.bz2"))[:MAX_PAGES]:
        article = reader.read("1", title, wikitext)
        ours = Counter(OURS.findall(article.text))
        tree = mwparserfromhell.parse(wikitext, skip_style_tags=True)
        texts = (re.sub(r"__\w+__|-\{.*?\}-", " ", str(node)) for node in tree.nodes if isinstance(node, Text))
        theirs = Counter(word for text in texts for word in WORD.findall(text))
        words += sum(theirs.values())
        missing += sum((theirs - ours).values())
        headings = [node for node in tree.nodes if isinstance(node, Heading)]
        assert article.tag.count("section") == len(headings)
        links = [node for node in tree.nodes if isinstance(node, Wikilink)]
        shown = [rules.read(str(n.title), None if n.text is None else "x") for n in links if "{" not in str(n.title)]
        wanted = Counter(link.target for link in shown if link.target)
        assert not wanted - Counter(link.target for link in article.links)
    assert words > 700
    assert missing < 0.001 * words
