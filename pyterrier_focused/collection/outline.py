"""An article as a dict that a notebook shows as an outline."""

from __future__ import annotations

from html import escape
from typing import Any

from ..frames.articles import ArticleCollection
from ..frames.show import html_facts
from ..reading.json import JsonObject

# Lines of an outline.
MOST = 40
_SHOWN = frozenset(("article", "section", "sec", "ss1", "ss2", "ss3", "ss4", "bdy"))


class ArticleRecord(dict[str, Any]):
    """An article and its metadata: a dict, which a notebook shows with the article's outline."""

    def __init__(self, collection: ArticleCollection, facts: JsonObject):
        super().__init__(facts)
        self._collection = collection

    def _repr_html_(self) -> str:
        elements = self._collection.elements(self["docno"])
        elements = elements[elements["tag"].isin(_SHOWN)]
        shown = elements.head(MOST)
        lines = []
        for path, tag, title, start, end in zip(
            *(shown[name].tolist() for name in ("path", "tag", "title", "start", "end")), strict=True
        ):
            name = f"{self['docno']}#{start}-{end}"
            lines.append(
                f'<li style="margin-left:{path.count("/") - 1}em"><code>{escape(name)}</code> {escape(title or tag)} '
                f"<small>{end - start:,} characters</small></li>"
            )
        if len(elements) > MOST:
            lines.append(f"<li>and {len(elements) - MOST:,} more</li>")
        facts = {"docno": self["docno"], "characters": f"{len(self['text']):,}"}
        facts |= {name: self[name] for name in ("url", "language", "timestamp") if self[name]}
        return html_facts(self["title"] or self["docno"], facts, f'<ul style="list-style:none">{"".join(lines)}</ul>')

    def __reduce__(self) -> tuple[object, ...]:
        return ArticleRecord, (self._collection, dict(self))


def describe_collection(collection: ArticleCollection) -> str:
    """Return HTML for a notebook: what the collection holds, and an example."""
    meta = collection.meta
    facts: dict[str, Any] = {name: f"{meta[name]:,}" for name in ("articles", "elements") if name in meta}
    facts["source"] = meta.get("source_format", "")
    first = next(collection.articles(), None)
    if first is not None:
        facts["for example"] = f"collection[{first['docno']!r}]: {first['title']}"
    return html_facts(repr(collection), facts)
