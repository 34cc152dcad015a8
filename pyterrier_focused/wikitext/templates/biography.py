"""The first sentence that {{Bio}} writes in the Italian Wikipedia: name, days and places of birth and death, work."""

from __future__ import annotations

import re

from ..marks import without_marks
from .patterns import Arguments


def show_biography(given: Arguments, details: str, language: object) -> str:
    """{{Bio|Nome=Mario|...}}: Mario Rossi (Roma, 1º gennaio 1950 – Milano, 3 marzo 2000) è stato un attore italiano."""
    value = {key: "…" if words.strip() == "?" else words.strip() for key, words in given.items() if words.strip()}
    name = " ".join(value[key] for key in ("Titolo", "Nome", "Cognome") if key in value)
    if "Pseudonimo" in value:
        name = f"{value['Pseudonimo']}, pseudonimo di {name}"
    life = [_write_event(value, "Nascita"), _write_event(value, "Morte")]
    is_dead = bool(value.keys() & {"AnnoMorte", "GiornoMeseMorte", "LuogoMorte"})
    lived = life[0]
    if is_dead:
        lived = " – ".join(filter(None, life)) if life[0] else f"… – {life[1]}"
    lived = "; ".join(filter(None, (value.get("PreData"), lived)))
    if "PostCognomeVirgola" in value:
        name += f", {value['PostCognomeVirgola']}"
    ends = "," if value.keys() & {"Pseudonimo", "PostCognomeVirgola"} else ""
    shown = f"{name}{_join_words(value.get('PostCognome', ''))}{f' ({lived})' if lived else ''}{ends}"
    if "FineIncipit" in value:
        return _end_sentence(f"{shown} {value['FineIncipit']}", value)
    work = _write_work(value)
    return (
        _end_sentence(f"{shown} {_write_verb(value, is_dead)}{_write_article(work, value)}{work}", value)
        if work
        else shown
    )


def _write_event(value: Arguments, what: str) -> str:
    """Roma, 1º gennaio 1950."""
    place = value.get(f"Luogo{what}Alt") or value.get(f"Luogo{what}", "")
    day = " ".join(value[key] for key in (f"GiornoMese{what}", f"Anno{what}") if key in value)
    return ", ".join(filter(None, (place, day)))


def _write_work(value: Arguments) -> str:
    """Attore e regista italiano."""
    kinds = [value[key] for key in ("Attività", "Attività2", "Attività3") if key in value]
    more = value.get("AttivitàAltre", "")
    last = f" e {kinds.pop()}" if len(kinds) > 1 and not more else ""
    nation = value.get("Nazionalità", "")
    if "NazionalitàNaturalizzato" in value:
        nation += f" naturalizzat{'a' if value.get('Sesso') == 'F' else 'o'} {value['NazionalitàNaturalizzato']}"
    if "Cittadinanza" in value:
        nation += f" con cittadinanza {value['Cittadinanza']}"
    ends = (_join_words(words) for words in (more, nation, value.get("PostNazionalità", "")))
    return f"{', '.join(kinds)}{last}{''.join(ends)}" if kinds else ""


def _join_words(words: str) -> str:
    """Put a space before words that go on, unless they begin with a stop."""
    return f" {words}" if words and words[0] not in ",;." else words


def _write_verb(value: Arguments, is_dead: bool) -> str:
    is_woman = value.get("Sesso") == "F"
    if not is_dead:
        return "è "
    return "è stata " if is_woman else "è stato "


def _write_article(work: str, value: Arguments) -> str:
    """Un attore, un'attrice, uno scrittore, una cantante."""
    word = re.sub(r"[\[\]']", "", without_marks(work)).lower()
    if value.get("Sesso") == "F":
        return "un'" if word[:1] in "aeiou" else "una "
    return "uno " if re.match(r"s[^aeiou]|z|gn|ps|pn|x|y", word) else "un "


def _end_sentence(sentence: str, value: Arguments) -> str:
    return sentence if value.get("Punto") == "no" or sentence.endswith(".") else f"{sentence}."
