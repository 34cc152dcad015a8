"""What other rooms may take from wikitext: it could be a package of its own."""

import pyterrier_focused.wikitext as face

READERS = {"WikitextReader", "HtmlReader", "language_of", "names"}
RECORDS = {"ParsedArticle", "Link", "RejectedArticle"}
TITLES = {"as_title", "plain_title"}


def test_the_face_has_four_names_beside_records_and_titles():
    assert set(face.__all__) == READERS | RECORDS | TITLES


def test_no_file_is_public():
    assert "Public files:" not in face.__doc__
