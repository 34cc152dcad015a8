"""Pages tell their language where the dump around them does not."""

import bz2
import re

import pytest

from pyterrier_focused.wikitext.language import language_of

LANGUAGES = ("de", "fr", "es", "it", "ja", "ru", "zh", "en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_real_pages_tell_their_language(language, shared_data):
    dump = bz2.decompress((shared_data / "wikipedia-languages" / f"{language}.xml.bz2").read_bytes()).decode()
    assert 'xml:lang="en"' in dump  # whatever the language is
    pages = [text for text in re.findall(r"<text[^>]*>([^<]+)</text>", dump) if len(text) > 5000]
    assert pages
    assert {language_of(text, "en") for text in pages} == {language}


@pytest.mark.parametrize(
    ("text", "told", "language"),
    [
        ("[[Kategorie:A]] und der und die ist", "cs", "cs"),
        ("words", "en", "en"),
        ("words", "", ""),
        ("[[Kategorie:A]] je to", "en", "en"),
        ("Це місто на їхній землі", "", "uk"),
        ("서울은 도시이다", "", "ko"),
        ("برلين عاصمة", "", "ar"),
        ("پاریس پایتخت فرانسه و شهر بزرگ", "", "fa"),
        ("Горад быў заснаваны ў", "", "be"),
        ("Это город, и он большой", "", "ru"),
        pytest.param("Градът е голям, а реката е дълга", "en", "en", id="Bulgarian: no letter tells it"),
    ],
)
def test_what_the_dump_tells_is_believed_unless_it_is_english(text, told, language):
    assert language_of(text, told) == language


def test_letters_count_not_signs():
    assert language_of("。。。。、、、、" * 50 + "東京は都市") == "ja"
    assert language_of("。、" * 50) == ""
    assert language_of("城市" * 50 + "の") == "zh"  # a kana in a hundred letters
    assert language_of("[[Category:Towns]] Zürich, Kraków, Łódź and Ålesund are towns", "en") == "en"


def test_three_common_words_make_a_language():
    assert language_of("[[Datei:A.jpg]] der Turm und") == ""
    assert language_of("[[Datei:A.jpg]] der Turm und das ist") == "de"
    assert language_of("[[Datei:A.jpg]] der Turm und das ist [[Category:Türme]]") == "de"
    assert language_of("[[Datei:A.jpg]] der Turm und das ist [[Category:Türme]]", "en") == "en"
