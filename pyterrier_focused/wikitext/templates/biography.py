"""The first sentence that {{Bio}} writes in the Italian Wikipedia: name, days and places of birth and death, work."""

from __future__ import annotations

import re

from ..marks import without_marks
from .patterns import Arguments


def biography(given: Arguments, details: str, language: object) -> str:
    """{{Bio|Nome=Mario|...}}: Mario Rossi (Roma, 1º gennaio 1950 – Milano, 3 marzo 2000) è stato un attore italiano."""
    value = {key: "…" if words.strip() == "?" else words.strip() for key, words in given.items() if words.strip()}
    name = " ".join(value[key] for key in ("Titolo", "Nome", "Cognome") if key in value)
    if "Pseudonimo" in value:
        name = f"{value['Pseudonimo']}, pseudonimo di {name}"
    life = [_event(value, "Nascita"), _event(value, "Morte")]
    is_dead = bool(value.keys() & {"AnnoMorte", "GiornoMeseMorte", "LuogoMorte"})
    lived = " – ".join(filter(None, life)) if is_dead and life[0] else f"… – {life[1]}" if is_dead else life[0]
    lived = "; ".join(filter(None, (value.get("PreData"), lived)))
    if "PostCognomeVirgola" in value:
        name += f", {value['PostCognomeVirgola']}"
    ends = "," if value.keys() & {"Pseudonimo", "PostCognomeVirgola"} else ""
    shown = f"{name}{_then(value.get('PostCognome', ''))}{f' ({lived})' if lived else ''}{ends}"
    if "FineIncipit" in value:
        return _stop(f"{shown} {value['FineIncipit']}", value)
    work = _work(value)
    return _stop(f"{shown} {_is(value, is_dead)}{_article(work, value)}{work}", value) if work else shown


def _event(value: Arguments, what: str) -> str:
    """Roma, 1º gennaio 1950."""
    place = value.get(f"Luogo{what}Alt") or value.get(f"Luogo{what}", "")
    day = " ".join(value[key] for key in (f"GiornoMese{what}", f"Anno{what}") if key in value)
    return ", ".join(filter(None, (place, day)))


def _work(value: Arguments) -> str:
    """Attore e regista italiano."""
    kinds = [value[key] for key in ("Attività", "Attività2", "Attività3") if key in value]
    more = value.get("AttivitàAltre", "")
    last = f" e {kinds.pop()}" if len(kinds) > 1 and not more else ""
    nation = value.get("Nazionalità", "")
    if "NazionalitàNaturalizzato" in value:
        nation += f" naturalizzat{'a' if value.get('Sesso') == 'F' else 'o'} {value['NazionalitàNaturalizzato']}"
    if "Cittadinanza" in value:
        nation += f" con cittadinanza {value['Cittadinanza']}"
    ends = (_then(words) for words in (more, nation, value.get("PostNazionalità", "")))
    return f"{', '.join(kinds)}{last}{''.join(ends)}" if kinds else ""


def _then(words: str) -> str:
    """Put a space before words that go on, unless they begin with a stop."""
    return f" {words}" if words and words[0] not in ",;." else words


def _is(value: Arguments, is_dead: bool) -> str:
    is_woman = value.get("Sesso") == "F"
    return f"è {('stata ' if is_woman else 'stato ') if is_dead else ''}"


def _article(work: str, value: Arguments) -> str:
    """Un attore, un'attrice, uno scrittore, una cantante."""
    word = re.sub(r"[\[\]']", "", without_marks(work)).lower()
    if value.get("Sesso") == "F":
        return "un'" if word[:1] in "aeiou" else "una "
    return "uno " if re.match(r"s[^aeiou]|z|gn|ps|pn|x|y", word) else "un "


def _stop(sentence: str, value: Arguments) -> str:
    return sentence if value.get("Punto") == "no" or sentence.endswith(".") else f"{sentence}."
