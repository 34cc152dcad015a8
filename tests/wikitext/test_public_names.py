"""What the rest of the package may take from wikitext: it could be a package of its own."""

from pyterrier_focused import wikitext

READERS = {"WikitextReader", "HtmlReader", "language_of", "names"}
RECORDS = {"ParsedArticle", "Link", "RejectedArticle"}
TITLES = {"as_title", "plain_title"}


def test_there_are_four_functions_and_classes_beside_records_and_titles():
    assert set(wikitext.__all__) == READERS | RECORDS | TITLES
