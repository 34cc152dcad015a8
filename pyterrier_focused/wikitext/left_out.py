"""Parts of a page that are not its text, known by class and role: the same in wikitext and in HTML."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache

_CLASSES = {
    "navigation": """navbox navbox-styles navbox-inner vertical-navbox NavFrame navigatie sidebar side-box sistersitebox
        portal portalbox catlinks toc authority-control mw-jump-link mw-headline-number navigation-not-searchable""",
    "metadata": """metadata noprint noexcerpt printfooter shortdescription Z3988 mw-editsection mw-empty-elt
        mw-indicators""",
    "notice": """ambox mbox tmbox mbox-small mbox-small-left stub Inline-Template bandeau bandeau-article
        bandeau-container bandeau-section""",
    "hatnote": "hatnote dablink rellink",
    "reference": """reference references reflist mw-references mw-references-wrap mw-ref mw-reflink-text
        mw-cite-backlink""",
    "media": """thumb gallery mw-file-description mwe-math-fallback-image-inline
        mwe-math-fallback-image-display""",
    "infobox": "infobox infobox_v2 infobox_v3 infobox-table sinottico taxobox",
}
KIND_OF_CLASS: Mapping[str, str] = {name: kind for kind, names in _CLASSES.items() for name in names.split()}
_NAMES = KIND_OF_CLASS.keys()
ROLES = frozenset(("navigation", "note", "search", "banner", "contentinfo", "complementary"))

_ATTRIBUTE = re.compile(r"\b(class|role)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_HIDDEN = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_OF_NAMES = {
    "reference": re.compile(r"^(?:cit[ae]|citation|sfn|harv|efn|refn?\b|reflist|references|r$|rp$)"),
    "metadata": re.compile(
        r"^(?:default(?:category)?sort|displaytitle|sortierung|seitentitel|デフォルトソート|ordena)"
    ),
    "navigation": re.compile(r"navbox|sidebar|^(?:s-|portal|commons|sister|succession)"),
}


def tell_kind(classes: Collection[str], role: str, infobox: bool) -> str:
    """Return why an element of these classes and this role is left out; "" if it is kept, such as *infobox*es."""
    if role in ROLES:
        return "navigation"
    if _NAMES.isdisjoint(classes):
        return ""
    kinds = (KIND_OF_CLASS.get(name, "") for name in classes)
    return next((kind for kind in kinds if kind and not (infobox and kind == "infobox")), "")


@lru_cache(maxsize=10_000)
def tell_kind_of_tag(attributes: str, infobox: bool) -> str:
    """Return why an element is left out, by its tag's attributes as written; "" if it is kept."""
    if _HIDDEN.search(attributes):
        return "hidden"
    given = {match[1].lower(): match[2] or match[3] or match[4] or "" for match in _ATTRIBUTE.finditer(attributes)}
    return tell_kind(given.get("class", "").split(), given.get("role", ""), infobox)


def tell_kind_of_name(name: str) -> str:
    """Return why a template is left out, if its name shows that it has no text."""
    return next((kind for kind, pattern in _OF_NAMES.items() if pattern.search(name)), "notice")
