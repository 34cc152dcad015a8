"""Which templates stand for words of a sentence, by language; all others are left out of an article's text.

The tables are in data/templates, one file a language. A name is looked for in the user's own table, in the wiki's
language, among what wikis share, and in English; of a wiki whose language is not known in all languages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass

from ..facts import function_named, wikis
from ..marks import without_marks
from .functions import FUNCTIONS
from .language_files import LANGUAGES, SHARED, table
from .parser_functions import MAGIC_WORDS, TITLES, parser_function
from .patterns import Template, compile_pattern
from .template_language import Language

_SPACE = re.compile(r"[\s_]+")
# If the language is not known, shorter names are not looked up: they mean something else in each language.
_MIN_BORROWED = 4
_MAX_KNOWN = 100_000


@dataclass(frozen=True, slots=True)
class KnownTemplate:
    """A template or function: its *name* in small letters, and the text that it *says*, if that is known.

    *is_silent*: it shows no words of the text, such as notes, maintenance, links to other wikis. *is_infobox*: it is an
    information box.
    """

    name: str
    says: Template | None
    is_silent: bool
    is_infobox: bool


class Templates:
    """The templates of a wiki, a user's *own* by name, and names of their namespace."""

    def __init__(
        self,
        language: str = "",
        own: Mapping[str, str] | None = None,
        prefixes: Set[str] = frozenset(),
    ):
        self.prefixes = wikis()["template"] | prefixes
        order = dict.fromkeys((language, SHARED, "en") if language else (SHARED, *LANGUAGES))
        self._tables = [table(name) for name in order if name in (*LANGUAGES, SHARED)]
        # What wikis share, and English.
        self._own_tables = len(self._tables) if language else 2
        self._language = Language(table(language) if language in LANGUAGES else {}, language)
        self._own = {self._normalize_name(name): compile_pattern(says) for name, says in (own or {}).items()}
        families = {**self._language.table.get("families", {}), **table(SHARED)["families"]}
        self._families = [(re.compile(name, re.IGNORECASE), says) for name, says in families.items()]
        self._silent_families = re.compile(table(SHARED)["silent families"])
        self._infoboxes = re.compile(table(SHARED)["infoboxes"])
        self._known: dict[str, KnownTemplate] = {}

    def describe(self, name: str) -> KnownTemplate:
        described = self._known.get(name)
        if described is None:
            if len(self._known) > _MAX_KNOWN:
                self._known.clear()
            normal = self._normalize_name(name)
            is_infobox = self._infoboxes.search(normal) is not None
            described = KnownTemplate(normal, self._resolve_name(name), self._is_silent(normal), is_infobox)
            self._known[name] = described
        return described

    def _normalize_name(self, name: str) -> str:
        """Return a template's name in small letters, without its namespace."""
        name = _SPACE.sub(" ", without_marks(name)).strip().lower()
        prefix, colon, rest = name.partition(":")
        return rest.strip() if colon and prefix.strip() in self.prefixes else name

    def _is_silent(self, name: str) -> bool:
        known = any(name in names["silent"] for names in (table(SHARED), *self._tables))
        return known or self._silent_families.search(name) is not None

    def _resolve_name(self, name: str) -> Template | None:
        normal = self._normalize_name(name)
        written = " ".join(without_marks(name).replace("_", " ").split())
        if normal in self._own:
            return self._own[normal]
        if ":" in normal:
            function, _, first = _SPACE.sub(" ", name).strip().partition(":")
            if function.strip().lower() in ("subst", "safesubst", "msg"):
                return self._resolve_name(first)
            if (says := parser_function(function.strip().lower(), first.strip(), self._language)) is not None:
                return says
        if written in MAGIC_WORDS:
            return lambda given: MAGIC_WORDS[written]
        if function_named(normal) in TITLES:
            return compile_pattern("{pagename}")
        is_code = len(written) == 3 and written.isupper() and normal in self._language.countries
        if is_code or written in self._language.countries.values():
            # {{ESP}}, beside {{esp}}, and {{España}}; {{FRA|#}} shows a flag only.
            country = self._language.countries[normal] if is_code else written
            return lambda given: (
                "" if given.get("1") == "#" else given.get("name") or given.get("1") or given.get("Ziel") or country
            )
        is_short = normal.isascii() and len(normal) < _MIN_BORROWED
        for language_table in self._tables[: self._own_tables] if is_short else self._tables:
            if normal in language_table["by name"]:
                return self._compile_template(language_table["by name"][normal], name)
            if normal in language_table["silent"]:
                return None
        for family, says in self._families:
            if match := family.fullmatch(written):
                return self._compile_template(says.replace("%1", match[1] if match.groups() else ""), name)
        return None

    def _compile_template(self, pattern: str, name: str) -> Template:
        if pattern[:1] == "@":
            function, _, details = pattern[1:].partition(":")
            return lambda given: FUNCTIONS[function](given, details, self._language)
        words = " ".join(name.split())
        says = compile_pattern(pattern)
        if "{name}" not in pattern:
            return says
        return lambda given: says({"name": words, **given})
