"""The language of a page whose dump names none, or English, as excerpts often do wrongly; and its variants."""

from __future__ import annotations

import re

# The variants that readers see who did not choose one.
_PREFERRED = ("zh", "zh-hans", "zh-hant", "zh-cn", "zh-tw", "zh-hk")
_VARIANT_CODE = re.compile(r"[a-z]{2,3}(?:-[a-z]+)*")
_SAMPLE = 20_000
_LETTERS = re.compile(r"[^\W\d_]")
# The letters that other languages of the script do without come first.
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]"), 0.1),
    ("ko", re.compile("[\uac00-\ud7af]"), 0.3),
    ("zh", re.compile("[\u4e00-\u9fff]"), 0.3),
    ("fa", re.compile("[پچژگک]"), 0.02),
    ("ar", re.compile("[\u0600-\u06ff]"), 0.3),
    ("uk", re.compile("[їєґЇЄҐ]"), 0.002),
    ("be", re.compile("[ўЎ]"), 0.002),
    ("ru", re.compile("[ыэЫЭ]"), 0.01),
)
_CATEGORY = re.compile(
    r"""
    \[\[ [ ]* (
        kategorie | catégorie | categoría | categoria | categorie | kategoria | kategori
        | datei | bild | fichier | archivo | ficheiro | imagem | bestand | afbeelding | plik | grafika | fil | immagine
    ) [ ]* :
    """,
    re.IGNORECASE | re.VERBOSE,
)
# The words for categories and files that a language uses, and some of its commonest words.
_LATIN = {
    "de": (("kategorie", "datei", "bild"), re.compile(r"\b(?:und|der|ist|wurde)\b")),
    "fr": (("catégorie", "fichier"), re.compile(r"\b(?:les|des|est|dans)\b")),
    "es": (("categoría", "archivo"), re.compile(r"\b(?:los|las|del|que)\b")),
    "it": (("categoria", "immagine"), re.compile(r"\b(?:della|degli|che|è)\b")),
    "pt": (("categoria", "ficheiro", "imagem"), re.compile(r"\b(?:não|dos|uma|são)\b")),
    "nl": (("categorie", "bestand", "afbeelding"), re.compile(r"\b(?:het|een|van|zijn)\b")),
    "pl": (("kategoria", "plik", "grafika"), re.compile(r"\b(?:się|jest|oraz|został)\b")),
    "sv": (("kategori", "fil", "bild"), re.compile(r"\b(?:och|är|som|för)\b")),
}


def language_of(wikitext: str, told: str = "") -> str:
    """Return the code of a page's language.

    Args:
        told: The dump's language; it holds unless it is "" or English and the page shows another.

    Returns:
        The code, such as 'de'; *told* if the page does not show its language.

    Example:
        >>> language_of("Это маяк на мысе, который построили в 1823 году.", "en")
        'ru'
    """
    if told not in ("", "en"):
        return told
    sample = wikitext[:_SAMPLE]
    is_latin = len(sample.encode("utf-8", "replace")) < 1.2 * len(sample)
    if is_latin and told and "[[Category:" in wikitext:
        return told
    if not is_latin:
        letters = len(_LETTERS.findall(sample)) or 1
        for language, letter, share in _SCRIPTS:
            if len(letter.findall(sample)) > share * letters:
                return language
    used = {name.lower() for name in _CATEGORY.findall(wikitext)}
    if not used:
        return told
    counts = {
        language: len(words.findall(sample))
        for language, (names, words) in _LATIN.items()
        if not used.isdisjoint(names)
    }
    best = max(counts, key=lambda language: counts[language], default=told)
    return best if counts.get(best, 0) > 2 else told


def choose_variant(body: str) -> str:
    """Choose one variant of -{zh-hans:A;zh-hant:B}-; -{A}- is A, and rules with the flag H show nothing."""
    flags, bar, words = body.partition("|")
    if not bar:
        flags = ""
        words = body
    named = {flag.strip() for flag in flags.split(";")}
    if named & set("HTD-"):
        return ""
    if "R" in named:
        return words
    variants = {
        code.strip().lower(): shown.strip()
        for code, colon, shown in (variant.partition(":") for variant in words.split(";"))
        if colon
    }
    if not variants or not all(_VARIANT_CODE.fullmatch(code.rpartition("=>")[2]) for code in variants):
        return words
    return next((variants[code] for code in _PREFERRED if code in variants), next(iter(variants.values())))
