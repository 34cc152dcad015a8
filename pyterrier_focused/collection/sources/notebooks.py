"""Jupyter notebooks: the text of their cells, without JSON and pictures."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ...reading.json import JsonObject
from ...wikitext import HtmlReader, RejectedArticle

# Colours of a terminal, and what a carriage return writes over.
_UNSEEN = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[^\n]*\r(?=[^\r\n])")
_PICTURE = re.compile(r"data:image/[\w.+-]+;base64,[\w+/=]*")
_OBJECT = re.compile(r"<IPython\.core\.display\.\w+ object>")
# Of the third version too, which has no types of media.
_PICTURES = ("image/", "png", "jpeg", "svg")


def read_cells(data: bytes) -> list[tuple[str, str]]:
    """Return the kind ('markdown', 'code', 'raw', 'output') and text of each cell and output that is not blank."""
    try:
        notebook = json.loads(data)
        cells = notebook["cells"] if "cells" in notebook else notebook["worksheets"][0]["cells"]
        texts = [text for cell in cells for text in _read_cell(cell)]
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise RejectedArticle(f"it is not a notebook of Jupyter: {error}") from error
    return [(kind, text.strip("\r\n").replace("\r\n", "\n")) for kind, text in texts if text.strip()]


def _read_cell(cell: JsonObject) -> Iterator[tuple[str, str]]:
    source = "".join(cell["source"] if "source" in cell else cell["input"])
    kind = cell["cell_type"]
    if kind == "heading":
        yield "markdown", f"{'#' * cell.get('level', 1)} {source}"
    else:
        yield kind, _PICTURE.sub("", source) if kind == "markdown" else source
    for output in cell.get("outputs", ()):
        yield "output", _UNSEEN.sub("", _read_output(output))


def _read_output(output: JsonObject) -> str:
    if "traceback" in output:
        return "\n".join(output["traceback"]) or f"{output['ename']}: {output['evalue']}"
    shown = output.get("data", output)
    if any(name.startswith(_PICTURES) for name in shown):
        return ""
    plain = "".join(shown.get("text/plain", shown.get("text", "")))
    if plain and not _OBJECT.fullmatch(plain):
        return plain
    page = "".join(shown.get("text/html", ""))
    if page.strip():
        return HtmlReader().read("", "", page.encode("utf-8", "replace"), is_wiki=False).text
    return "".join(shown.get("text/markdown", ""))
