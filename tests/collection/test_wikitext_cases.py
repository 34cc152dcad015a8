"""Small wikitext in fifteen languages reads as the rendered page does."""

import pytest
from wikitext_cases import BY_LANGUAGE, MARKUP

from pyterrier_focused.collection.wikitext import parse_wikitext

CASES = [
    *(("", wikitext, shown) for wikitext, shown in MARKUP.items()),
    *((language, wikitext, shown) for language, cases in BY_LANGUAGE.items() for wikitext, shown in cases.items()),
]


@pytest.mark.parametrize(("language", "wikitext", "shown"), CASES)
def test_wikitext_reads_as_its_page_does(language, wikitext, shown):
    text = parse_wikitext("1", "T", wikitext, language=language).text
    assert " ".join(text.removeprefix("T").split()) == shown
