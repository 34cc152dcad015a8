"""A stand-in for a Collection, by other means: articles as XML in memory, paths looked up by lxml's own XPath."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
from lxml import etree

_POINT = re.compile(r"(.*)/text\(\)\[(\d+)\]\.(\d+)")


class XmlArticles:
    """Articles {docno: XML}; offsets count characters of all text in document order."""

    def __init__(self, articles: dict[str, str]):
        self._roots = {docno: etree.fromstring(source) for docno, source in articles.items()}

    def __contains__(self, docno: object) -> bool:
        return docno in self._roots

    def lengths(self, docnos: list[str] | None = None) -> pd.DataFrame:
        wanted = list(self._roots) if docnos is None else docnos
        if not set(wanted) <= set(self._roots):
            raise ValueError("no such article")
        texts = {docno: "".join(self._roots[docno].itertext()) for docno in wanted}
        return pd.DataFrame(
            {
                "docno": list(texts),
                "length": [len(text) for text in texts.values()],
                "bytes": [len(text.encode()) for text in texts.values()],
            }
        )

    def text(self, ids: list[str]) -> list[str]:
        return ["".join(self._roots[docno].itertext()) for docno in ids]

    def resolve(self, docnos: list[str], paths: list[str]) -> tuple[np.ndarray, np.ndarray]:
        found = [self._resolve(docno, path) for docno, path in zip(docnos, paths, strict=True)]
        return np.array([start for start, _ in found]), np.array([end for _, end in found])

    def elements(self, docno: str) -> pd.DataFrame:
        root = self._roots[docno]
        tree, rows, number = root.getroottree(), [], {}
        for element in root.iter():
            start = self._before(root, element)
            number[element] = len(rows)
            parent = element.getparent()
            path = re.sub(r"(?<![\]])(?=/|$)", "[1]", tree.getpath(element))[3:]
            end = start + len("".join(element.itertext()))
            rows.append((path, element.tag, start, end, -1 if parent is None else number[parent]))
        return pd.DataFrame(rows, columns=["path", "tag", "start", "end", "parent"])

    def _resolve(self, docno: str, path: str) -> tuple[int, int]:
        root = self._roots.get(docno)
        if root is None:
            return -1, -1
        point = _POINT.fullmatch(path)
        try:
            found = root.xpath(f"{point[1]}/text()[{point[2]}]" if point else path)
        except etree.XPathEvalError:
            return -1, -1
        if not isinstance(found, list) or len(found) != 1 or (isinstance(found[0], str) and not point):
            return -1, -1
        if not point:
            start = self._before(root, found[0])
            return start, start + len("".join(found[0].itertext()))
        if int(point[3]) > len(found[0]):
            return -1, -1
        texts = root.xpath("//text()")
        at = next(
            i
            for i, text in enumerate(texts)
            if text.getparent() is found[0].getparent() and text.is_tail == found[0].is_tail
        )
        offset = sum(map(len, texts[:at])) + int(point[3])
        return offset, offset

    def _before(self, root: etree._Element, element: etree._Element) -> int:
        """Count the characters before an element: text whose owner starts earlier, and is not its ancestor's tail."""
        count = 0
        for event, node in etree.iterwalk(root, events=("start", "end")):
            if event == "start":
                if node is element:
                    return count
                count += len(node.text or "")
            else:
                count += len(node.tail or "")
        raise AssertionError


ARTICLES = {
    "7": "<article><header><title>Alchemy &amp; lead</title></header><bdy>Intro <p>of <b>gold</b> and lead.</p>"
    "<sec><st>Stages</st><p>Nigredo.</p><p>Albedo.</p></sec><sec><st>End</st><p/></sec></bdy></article>",
    "12": "<article><bdy><p>Čapek, Zürich, 東京.</p><p>naïve</p></bdy></article>",
    "13": "<article><bdy><p>Plain text.</p></bdy></article>",
}
