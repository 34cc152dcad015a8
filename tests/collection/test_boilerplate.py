"""Sections that are boilerplate are known by their headings, in the languages of Wikipedia."""

import pandas as pd
import pytest

from pyterrier_focused.collection.boilerplate import inside_boilerplate, is_boilerplate

HEADINGS = {
    "en": ("References", "See also", "External links:", "Further reading"),
    "de": ("Einzelnachweise", "Weblinks", "Siehe auch", "Literatur"),
    "fr": ("Notes et références", "Voir aussi", "Liens externes", "Bibliographie"),
    "es": ("Referencias", "Véase también", "Enlaces externos"),
    "it": ("Note", "Voci correlate", "Altri progetti", "Collegamenti esterni"),
    "pt": ("Referências", "Ver também", "Ligações externas"),
    "nl": ("Zie ook", "Externe links", "Bronnen, noten en/of referenties"),
    "ru": ("Примечания", "См. также", "Ссылки", "Литература"),
    "uk": ("Примітки", "Див. також", "Посилання", "Джерела"),
    "pl": ("Przypisy", "Zobacz też", "Linki zewnętrzne", "Bibliografia"),
    "sv": ("Referenser", "Se även", "Externa länkar"),
    "ja": ("脚注", "関連項目", "外部リンク", "参考文献"),
    "zh": ("参考文献", "參見", "外部链接", "外部連結"),
    "ko": ("각주", "같이 보기", "외부 링크"),
    "ar": ("مراجع", "انظر أيضًا", "وصلات خارجية"),
}


@pytest.mark.parametrize("language", HEADINGS)
def test_headings_of_boilerplate_by_language(language):
    assert [heading for heading in HEADINGS[language] if not is_boilerplate(heading, language)] == []
    assert [heading for heading in HEADINGS[language] if not is_boilerplate(heading.upper())] == []
    assert not is_boilerplate("History", language)


def test_a_language_has_its_own_headings():
    assert not is_boilerplate("Weblinks", "fr")
    assert is_boilerplate("Weblinks", "xx")  # without a table all are known
    assert is_boilerplate("Jegyzetek", "hu")
    assert not is_boilerplate("")


def test_what_is_inside_a_section_of_boilerplate_is_boilerplate():
    rows = [("References", -1), ("History", 0), ("", 1), ("Notes", 0), ("Deeper", 3), ("", 4), ("", 3), ("More", 0)]
    table = pd.DataFrame(rows, columns=["title", "parent"])
    assert inside_boilerplate(table, "en").tolist() == [False, False, False, True, True, True, True, False]
    assert inside_boilerplate(table[:0]).tolist() == []
