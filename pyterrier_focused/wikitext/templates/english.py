"""Templates of the English Wikipedia that need more than a pattern: shares, goals, tags, characters, misspellings."""

from __future__ import annotations

import re
from collections.abc import Callable

from .patterns import Arguments, positional
from .template_language import Language

_LABELS = {
    "uk": "UK: ", "us": "US: ", "uk:": "UK: ", "us:": "US: ", "lang": "English: ", "pron": "pronounced ",
    "local": "locally ", "also": "also ", "ipa": "IPA: ", "or": "or ", "usalso": "US also ", "ukalso": "UK also ",
}  # fmt: skip
_UNSPOKEN = frozenset("en-us-berlin.ogg icon small".split())
_SOUNDS = {
    "D": "ð", "dh": "ð", "J": "dʒ", "dZ": "dʒ", "dzh": "dʒ", "g": "ɡ", "y": "j", "N": "ŋ", "ng": "ŋ", "ngg": "ŋɡ",
    "T": "θ", "th": "θ", "S": "ʃ", "sh": "ʃ", "tS": "tʃ", "ch": "tʃ", "wh": "hw", "Z": "ʒ", "zh": "ʒ", "kh": "x",
    "A:": "ɑː", "ah": "ɑː", "aa": "ɑː", "ɑ:": "ɑː", "Q": "ɒ", "ae": "æ", "&": "æ", "aI": "aɪ", "ai": "aɪ", "au": "aʊ",
    "aU": "aʊ", "ow": "aʊ", "E": "ɛ", "eI": "eɪ", "ei": "eɪ", "ay": "eɪ", "I": "ɪ", "i:": "iː", "ee": "iː", "O:": "ɔː",
    "aw": "ɔː", "ɔ:": "ɔː", "OI": "ɔɪ", "oi": "ɔɪ", "oy": "ɔɪ", "oU": "oʊ", "oh": "oʊ", "U": "ʊ", "uu": "ʊ", "u:": "uː",
    "oo": "uː", "ju:": "juː", "ew": "juː", "V": "ʌ", "@": "ə", "@r": "ər", "@l": "əl", "@n": "ən", "@m": "əm",
    "'": "ˈ", ",": "ˌ", "·": ".", "–": "-", "_": " ", ",_": ", ",
}  # fmt: skip


def _show_spoken(given: Arguments, details: str, language: Language) -> str:
    """{{IPAc-en|UK|b|ɜːr|ˈ|l|ɪ|n}}: UK: /bɜːrˈlɪn/, the sounds between slashes; other wikis leave the label out."""
    words = positional(given)
    label = "".join(_LABELS.get(word.lower(), "") for word in words)
    sounds = "".join(
        _SOUNDS.get(word, word) for word in words if word.lower() not in _LABELS and word.lower() not in _UNSPOKEN
    )
    return f"{label if language.table.get('code') == 'en' else ''}/{sounds}/"


def _show_japanese(given: Arguments, details: str, language: Language) -> str:
    """{{nihongo|Tokyo|東京|Tōkyō|lead=yes}}: Tokyo (Japanese: 東京, Hepburn: Tōkyō)."""
    english, kanji, romaji = (given.get(key, "").strip() for key in "123")
    more, after = ((given.get(key) or given.get(name, "")).strip() for key, name in (("4", "extra"), ("5", "extra2")))
    if given.get("lead", "").strip() == "yes":
        kanji = kanji and f"Japanese: {kanji}"
        romaji = romaji and f"Hepburn: {romaji}"
    within = ", ".join(filter(None, (kanji, romaji, more)))
    shown = f"{english} ({within})" if within and english else english or within
    return f"{shown} {after}".strip()


def _show_misspelt(given: Arguments, details: str, language: Language) -> str:
    """{{sic|hte}}: hte [sic]; with `hide` the words only; {{sic|?|hte}}: hte [sic?]."""
    parts = positional(given)
    doubt = "?" if parts[:1] == ["?"] else ""
    words = "".join(parts[len(doubt) :])
    return words if given.get("hide", "").strip() else f"{words} [sic{doubt}]".strip()


def _show_marriage(given: Arguments, details: str, language: Language) -> str:
    """{{marriage|Jane|May 1, 1990|2000|end=died}}: Jane (m. 1990; died 2000), the years of the days."""
    name, since, until = (given.get(key, "").strip() for key in "123")
    since, until = (year[0] if (year := re.findall(r"\d{4}", day)) else day for day in (since, until))
    reason = (given.get("end") or given.get("reason") or "div").strip()
    ended = f"; {_ENDS.get(reason.rstrip('.'), reason)} {until}" if until else ""
    return f"{name} (m. {since}{ended})" if since else name


_ENDS = {**dict.fromkeys(("div", "divorced"), "div."), **dict.fromkeys(("w", "wid", "widowed"), "wid.")}


def _show_native_name(given: Arguments, details: str, language: Language) -> str:
    """{{native name|de|Wort}}: Wort (German)."""
    label = "" if given.get("paren") in ("omit", "off", "no") else language.labels.get(given.get("1", "").strip(), "")
    return f"{given.get('2', '').strip()}{f' ({label})' if label else ''}"


_CHEMISTRY = {"<->": "⇌", "->": "→", "-": "−", "*": " · ", "\\d": "=", "\\t": "≡", "\\s": "–"}


def _show_formula(given: Arguments, details: str, language: Language) -> str:
    """{{chem2|CO3(2-) + ^{13}C}}: CO32− + 13C, with the signs of bonds and reactions."""
    words = re.sub(r"\((\d*[-+])\)|\^\{(.*?)\}", r"\1\2", given.get("1", "").strip())
    for mark, sign in _CHEMISTRY.items():
        words = words.replace(mark, sign)
    return words


ENGLISH: dict[str, Callable[[Arguments, str, Language], str]] = {
    "spoken": _show_spoken,
    "nihongo": _show_japanese,
    "misspelt": _show_misspelt,
    "marriage": _show_marriage,
    "native": _show_native_name,
    "formula": _show_formula,
}
