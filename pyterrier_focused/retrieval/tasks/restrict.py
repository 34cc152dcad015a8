"""Runs of limited length: the reader's time is counted in characters."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...errors import check_choice
from ...frames.articles import ShownText
from ...frames.ids import make_ids
from ...frames.items import rank_items
from ...frames.ranking_rule import positions
from ...frames.span_attributes import AROUND, ITEMS, read_row_numbers
from ...frames.spans import Ints
from ..transformer import PartsTransformer, check_count, read_parts, rows_of


class Restrict(PartsTransformer):
    """Keep the best parts up to a number of characters, and cut the one that goes beyond.

    Input: a frame of parts (`qid`, `docno` = passage id, `score`). Remove overlap first: characters that two parts
    share count twice. A column `around` counts characters that are read before each part. Parts of one item (column
    `items`) are read together, at the rank of its best one.
    Output: the rows that stay, ranked again. The part that crosses the limit ends there, by its docno, and its `text`,
    if there is one as long as the part, is cut with it.

    Args:
        chars: The number of characters to keep, per topic or per article of each topic. INEX 2010 gave a topic 1,000 in
            its Restricted Focused task, and an article 500 in Restricted Relevant in Context.
        per: 'article' or 'topic'.

    Example:
        >>> parts = pd.DataFrame({"qid": "q1", "docno": ["7#0-80", "7#90-120"], "score": [3.0, 2.0]})
        >>> Restrict(chars=100)(parts)["docno"].tolist()
        ['7#0-80', '7#90-110']
    """

    def __init__(self, chars: int = 500, per: str = "article"):
        check_count(self, "chars", chars, 1)
        check_choice("Restrict: per", per, ("article", "topic"))
        self.chars = chars
        self.per = per

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Cut the ranking to size."""
        parts = read_parts(inp, self)
        around = read_row_numbers(inp, AROUND)
        before = np.zeros_like(parts.start) if around is None else around[parts.row]
        length = before + parts.end - parts.start
        items = read_row_numbers(inp, ITEMS)
        order = np.arange(len(length)) if items is None else rank_items(parts.topic, items[parts.row])[0]
        owner = parts.topic if self.per == "topic" else parts.group
        order = order[np.argsort(owner[order], kind="stable")]
        room = np.empty(len(order), dtype=np.int64)
        room[order] = _measure_room(owner[order], length[order], self.chars) - before[order]
        stays = room > 0
        kept = parts.take(stays)
        room = room[stays]
        rows = rows_of(inp, kept)
        end = np.minimum(kept.end, kept.start + room)
        cut = np.flatnonzero(end < kept.end)
        docno = rows["docno"].to_numpy(dtype=object, copy=True)
        docno[cut] = make_ids(kept.names[kept.group[cut]], kept.start[cut], end[cut])
        rows["docno"] = docno
        if "text" in rows.columns:
            text = rows["text"].to_numpy(dtype=object, copy=True)
            for row in cut.tolist():
                text[row] = text[row].own if isinstance(text[row], ShownText) else text[row]
                if isinstance(text[row], str) and len(text[row]) == kept.end[row] - kept.start[row]:
                    text[row] = text[row][: end[row] - kept.start[row]]
            rows["text"] = text
        return rows


def _measure_room(owner: Ints, length: Ints, chars: int) -> Ints:
    """Return how many characters are left before each part; the parts of an owner are together, best first.

    chars = 500    owner    0    0    1
                   length   300  400  100
                   room     500  200  500
    """
    if not len(owner):
        return np.zeros(0, dtype=np.int64)
    # past the limit, the true sum no longer matters: capped lengths keep it within 64 bits
    before = np.cumsum(np.minimum(length, chars)) - np.minimum(length, chars)
    first = np.arange(len(owner)) - positions(owner)
    room: Ints = chars - (before - before[first])
    return room
