"""Which text offsets count in: qrels, indexes and databases of judgments keep the id of the text they were made on.

An id is that of a collection's text, its checksum and the options that made it: `3f2a9c..., mediawiki, drop=['table']`.
"""

from __future__ import annotations

import re

import pandas as pd

from ..errors import CollectionError

# An attribute of collections, and a key of the attrs of frames and of what indexes and databases tell of themselves.
TEXT_ID = "text_id"


def find_text_id(collection: object) -> str:
    """Return the id of a collection's text; "" for what has none, such as a folder of files."""
    return str(getattr(collection, TEXT_ID, ""))


def check_text(made_on: str, name: str, collection: object, otherwise: object = "make it again") -> None:
    """Raise CollectionError if the object called *name* was made on another text; one without a text id is accepted.

    otherwise: what else can be done.
    """
    given = find_text_id(collection)
    if made_on and given and made_on.partition(",")[0] != given.partition(",")[0]:
        if "inex" in made_on.split(", ") and _find_spaces(made_on) != _find_spaces(given):
            otherwise = (
                "build one with the spaces of the source, spaces='source' (--spaces source), move what was made to the "
                f"new text with pt-focused move, or {otherwise}"
            )
        raise CollectionError(
            f"{name}: its offsets count in another text ({made_on}) than that of {collection!r} ({given}); give the "
            f"collection that it was made on, or {otherwise}"
        )


def _find_spaces(text_id: str) -> str:
    spaces = re.search(r", spaces='([^']*)'", text_id)
    return spaces[1] if spaces else "source"


def mark_qrels(qrels: pd.DataFrame, name: str, collection: object) -> pd.DataFrame:
    """Return qrels that keep the id of the text of *collection*."""
    check_text(qrels.attrs.get(TEXT_ID, ""), name, collection)
    if find_text_id(collection):
        qrels.attrs[TEXT_ID] = find_text_id(collection)
    return qrels
