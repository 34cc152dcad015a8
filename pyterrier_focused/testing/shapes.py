"""The check that a shape of fields passes, here or in a package of your own; no pytest is needed.

Put your `Shape`, or a list of them, into the entry point group `pyterrier_focused.shapes`; then evidence and results of
that shape are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..texts.corpus import Texts
from ..texts.items import read_item
from ..texts.place_retrieved import place_retrieved
from ..texts.shapes import Shape, is_told, list_shapes, normalise_name
from .require import require_that


def check_shape(shape: Shape, example: Mapping[str, Any], corpus: Mapping[str, str], text: str) -> None:
    """Check that a shape is known, told apart, and read.

    Args:
        example: A thing of that shape; it names a document of the *corpus*.
        text: The text of the corpus that it means, or "" if that cannot be placed.

    Example:
        >>> bytes_of = next(shape for shape in list_shapes() if shape.name == "bytes")
        >>> check_shape(bytes_of, {"file": "a", "start_byte": 4, "end_byte": 7}, {"a": "é: cat."}, "cat")
    """
    require_that(shape in list_shapes(), f"{shape.name}: name it by an entry point in pyterrier_focused.shapes")
    fields = (shape.text, shape.document, shape.start, shape.end, shape.length, shape.pair)
    for path in " ".join(fields).split():
        wrong = [name for name in path.split(".") if normalise_name(name) != name]
        require_that(not wrong, f"{shape.name}: write {wrong} in lower case, with _ between words")
    require_that(shape.text or shape.list_places(), f"{shape.name}: it has neither text nor place")
    others = [other.name for other in list_shapes() if other.tells and other != shape and is_told(other, example)]
    is_own = not shape.tells or is_told(shape, example)
    require_that(is_own and not others, f"{shape.name}: the example is told to be {others or 'none'}")
    item = read_item(example)
    require_that(item is not None, f"{shape.name}: nothing is read from the example")
    texts = Texts(corpus, None)
    (placed,) = place_retrieved([item] if item else [], texts)
    found = (
        "".join(texts.articles[docno].text[slice(*span)] for docno, span in placed.places[0]) if placed.places else ""
    )
    require_that(found == text, f"{shape.name}: {found!r} is found ({placed.status} {placed.detail}), not {text!r}")
