"""The run and the qrels frame: passage ids, cells of spans, ranking, packing and checks.

A run frame has one row per topic and article (`qid, docno, score, rank`) with its retrieved parts in `passages`; a
qrels frame has one row per judged topic and article (`qid, docno, label`) with `highlights`, `bep` and `length`. A cell
of spans is a list of `(start, end)` or `(start, end, score)` tuples: half-open offsets in characters of the article.
"""

from __future__ import annotations

import marshal
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import SpanError
from .spans import Ints

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

RUN_COLUMNS = ["qid", "docno", "score", "rank", "passages"]
QRELS_COLUMNS = ["qid", "docno", "label", "highlights", "bep", "length"]

_ID = re.compile(r"(.*)#([0-9]+)-([0-9]+)", re.DOTALL)
_ADVICE = "give half-open offsets in characters as (start, end) or (start, end, score), with 0 <= start < end"


class Spans(NamedTuple):
    """A column of span cells, laid flat: entry i lies in cell `row[i]`. *score* is NaN where a span has none."""

    row: Ints
    start: Ints
    end: Ints
    score: Floats | None


def make_ids(docno: Iterable[str], start: ArrayLike, end: ArrayLike) -> list[str]:
    """Write the passage ids `ARTICLE#START-END` of whole columns."""
    offsets = zip(np.asarray(start).tolist(), np.asarray(end).tolist(), strict=True)
    return [f"{article}#{first}-{last}" for article, (first, last) in zip(docno, offsets, strict=True)]


def parse_ids(ids: Iterable[str]) -> tuple[NDArray[np.object_], Ints, Ints]:
    """Read whole columns of passage ids: (article, start, end).

    Ids are read from the right, so an article's own docno may hold `#`. An id without a span is an article's docno: its
    start and end are -1. Raises SpanError for a span that is empty, reversed or beyond 64 bits.
    """
    articles, starts, ends = [], [], []
    for name in ids:
        match = _ID.fullmatch(name)
        if match is None:
            articles.append(name)
            starts.append(-1)
            ends.append(-1)
            continue
        article, start, end = match[1], int(match[2]), int(match[3])
        if not start < end < 2**63:
            raise SpanError(f"passage id {name!r}: the span [{start}, {end}) holds nothing; ids are ARTICLE#START-END")
        articles.append(article)
        starts.append(start)
        ends.append(end)
    article_column = np.empty(len(articles), dtype=object)
    article_column[:] = articles
    return article_column, np.array(starts, dtype=np.int64), np.array(ends, dtype=np.int64)


def flatten(cells: Iterable[Any], column: str = "passages", frame: pd.DataFrame | None = None) -> Spans:
    """Lay a column of span cells flat, checked.

    A cell may be a list of tuples, an (n, 2) or (n, 3) array, a list of `{"start", "end"[, "score"]}` dicts, an Arrow
    list, or None, NaN or NA for no spans. Raises SpanError that names the *column* and, given the *frame* it is from,
    the topic and the article.
    """
    cells = list(cells)
    spans = _plain(cells) or _any(cells, column, frame)
    if (spans.end - spans.start).sum(dtype=np.float64) >= 2**62:
        raise SpanError(f"column {column!r}: the spans hold more characters than 64 bits count; {_ADVICE}")
    return spans


# A span as marshal writes it, in words of eight bytes, the first byte lowest: the kind of the tuple ("(" or "[") and
# its size, then the kind and value of each number ("i" and four bytes, "g" and eight):
#     ( s s s s i S S | S S i E E E E g | the score
_PAIR, _TRIPLE = 15, 24  # bytes of a span without and with a score
_HEAD = 5  # bytes before the items of a list: its kind and size


def _plain(cells: list[Any]) -> Spans | None:
    """Read good cells of the plain form: lists of tuples of Python's numbers, all of one width; None for any other.

    marshal lays the cells out as bytes in a third of the time in which Python would walk them, and tells the types.
    """
    if not set(map(type, cells)) <= {list}:
        return None
    counts = np.fromiter(map(len, cells), dtype=np.int64, count=len(cells))
    total = int(counts.sum())
    row = np.repeat(np.arange(len(cells)), counts)
    if total == 0:
        return Spans(row, row, row, None)
    try:
        data = marshal.dumps(cells, 2)
    except ValueError:  # something in a cell is not of Python's own types
        return None
    size, rest = divmod(len(data) - _HEAD * (1 + len(cells)), total)
    if size not in (_PAIR, _TRIPLE) or rest:
        return None
    at = _HEAD * (2 + row) + size * np.arange(total)
    data += b"\0"  # the last pair is a byte short of two words
    words: NDArray[np.uint64] = np.ndarray(len(data) - 7, dtype="<u8", buffer=data, strides=(1,))
    one, two = words[at], words[at + 8]
    width = 2 if size == _PAIR else 3
    kind = _bits(one, 0, 8)
    good = np.all((kind == ord("(")) | (kind == ord("["))) and np.all(_bits(one, 8, 40) == width + (ord("i") << 32))
    start, end = _bits(one, 48, 16) | (_bits(two, 0, 16) << 16), _bits(two, 24, 32)
    if not good or np.any(_bits(two, 16, 8) != ord("i")) or np.any((start | end) >= 2**31) or not np.all(start < end):
        return None  # marshal's numbers have a sign in their highest bit
    if size == _PAIR:
        return Spans(row, start, end, None)
    score = words[at + 16].view(np.float64)
    if np.any(_bits(two, 56, 8) != ord("g")) or np.isnan(score).any():
        return None
    return Spans(row, start, end, score)


def _bits(words: NDArray[np.uint64], first: int, count: int) -> Ints:
    """Cut *count* bits out of each word, from the *first* lowest one."""
    return ((words >> np.uint64(first)) & np.uint64((1 << count) - 1)).view(np.int64)


def _any(cells: list[Any], column: str, frame: pd.DataFrame | None) -> Spans:
    """Read cells of any accepted form, one by one; the first that is none is the error."""
    found: list[tuple[Any, ...]] = []
    counts = []
    for at, cell in enumerate(cells):
        spans = [_tuple(span, column, frame, at) for span in _cell(cell, column, frame, at)]
        for span in spans:
            fault = _fault(span)
            if fault:
                raise _span_error(column, frame, at, f"{span!r} {fault}")
        found += spans
        counts.append(len(spans))
    start, end = (np.array([int(span[side]) for span in found], dtype=np.int64) for side in (0, 1))
    scored = any(len(span) == 3 for span in found)
    score = np.array([span[2] if len(span) == 3 else np.nan for span in found], dtype=np.float64) if scored else None
    return Spans(np.repeat(np.arange(len(cells)), counts), start, end, score)


def to_cells(
    row: ArrayLike, n_rows: int, start: ArrayLike, end: ArrayLike, score: ArrayLike | None = None
) -> list[list[tuple]]:
    """Make *n_rows* cells, lists of tuples of Python numbers, from flat spans in ascending order of *row*."""
    columns = [np.asarray(start).tolist(), np.asarray(end).tolist()]
    if score is not None:
        columns.append(np.asarray(score, dtype=np.float64).tolist())
    spans = list(zip(*columns, strict=True))
    bounds = np.searchsorted(np.asarray(row), np.arange(n_rows + 1)).tolist()
    return [spans[a:b] for a, b in pairwise(bounds)]


def article_order(topic: ArrayLike, score: ArrayLike, docno: Sequence[str] | NDArray[np.object_]) -> Ints:
    """Rank articles as trec_eval does: by topic code, then float32(score), descending, then docno, descending."""
    topic = np.asarray(topic, dtype=np.int64)
    with np.errstate(over="ignore"):
        score = np.asarray(score, dtype=np.float64).astype(np.float32)
    order = _by_score(topic, score.astype(np.float64))
    tied = (topic[order[1:]] == topic[order[:-1]]) & (score[order[1:]] == score[order[:-1]])
    if not tied.any():
        return order
    # only the tied rows need their names compared, and often they stand right already
    names = np.asarray(docno, dtype=object)
    first = np.flatnonzero(tied)
    if np.all(names[order[first]] >= names[order[first + 1]]):
        return order
    run = np.cumsum(np.concatenate(([True], ~tied))) - 1
    members = np.flatnonzero(np.concatenate((tied, [False])) | np.concatenate(([False], tied)))
    names = names[order[members]]
    name_rank = np.empty(len(members), dtype=np.int64)
    name_rank[sorted(range(len(members)), key=names.__getitem__)] = np.arange(len(members))
    order[members] = order[members][np.argsort(run[members] * len(members) - name_rank)]
    return order


def passage_order(topic: ArrayLike, article_rank: ArrayLike, start: ArrayLike, end: ArrayLike, score: Any) -> Ints:
    """Rank passages by topic code, then score (float64), descending, then the rank of their article, start and end.

    *score* may be None, or NaN for all passages of a topic: these take the article's rank, then the start.
    """
    topic, article_rank = np.asarray(topic, dtype=np.int64), np.asarray(article_rank, dtype=np.int64)
    start, end = np.asarray(start, dtype=np.int64), np.asarray(end, dtype=np.int64)
    keys = (end, start, article_rank, topic)
    order = None if _in_order(keys) else np.lexsort(keys)
    if score is None:
        return np.arange(len(topic)) if order is None else order
    score = np.asarray(score, dtype=np.float64)
    score = np.where(np.isnan(score), 0.0, score)
    return _by_score(topic, score) if order is None else order[_by_score(topic[order], score[order])]


def _in_order(keys: Sequence[NDArray[Any]]) -> bool:
    """Tell whether np.lexsort(keys) would leave everything where it is."""
    tied = np.ones(max(len(keys[0]) - 1, 0), dtype=bool)
    for key in reversed(keys):
        if np.any(tied & (key[1:] < key[:-1])):
            return False
        tied &= key[1:] == key[:-1]
    return True


def _by_score(topic: Ints, score: Floats) -> Ints:
    """Order by topic code and score, descending, equal ones as they come: np.lexsort((-score, topic)), but faster."""
    # one 64-bit key: the topic, then the upper bits of the score, whose pattern is made to ascend as the score falls
    pattern = (0.0 - score).view(np.int64)
    ascending = (pattern ^ ((pattern >> 63) & np.int64(2**63 - 1))).view(np.uint64) ^ np.uint64(1 << 63)
    bits = np.uint64(int(topic.max(initial=0)).bit_length())
    key = ascending if bits == 0 else (topic.astype(np.uint64) << (np.uint64(64) - bits)) | (ascending >> bits)
    # topics that follow each other are sorted some at a time, as much as a processor's cache holds
    ascending_topics = bool(np.all(topic[1:] >= topic[:-1]))
    cuts = np.unique(np.searchsorted(topic, topic[:: 1 << 16])) if ascending_topics else np.zeros(1, np.int64)
    order = np.concatenate([a + np.argsort(key[a:b]) for a, b in pairwise([*cuts.tolist(), len(key)])] or [cuts])
    key = key[order]
    same = key[1:] == key[:-1]
    if same.any():  # the lower bits, or the order of the input, decide
        run = np.cumsum(np.concatenate(([True], ~same)))
        members = np.flatnonzero(np.concatenate((same, [False])) | np.concatenate(([False], same)))
        rows = order[members]
        order[members] = rows[np.lexsort((rows, -score[rows], run[members]))]
    return order


def pack(parts: pd.DataFrame) -> pd.DataFrame:
    """Turn rows whose docno is a passage id into the run frame: one row per topic and article.

    An article's `passages` are its parts as (start, end, score), in document order; its score is its best part's, and
    foreign columns are those of that part. Raises ValueError for a docno without a span.
    """
    import pandas as pd

    _need(parts, ["qid", "docno", "score"], "a frame of parts")
    article, start, end = parse_ids(parts["docno"])
    if (start < 0).any():
        bad = parts["docno"].iloc[int(np.argmax(start < 0))]
        raise ValueError(f"docno {bad!r} is no passage id; parts are named ARTICLE#START-END")
    score = _scores(parts)
    topic = pd.factorize(parts["qid"].to_numpy(dtype=object))[0]
    row = (
        pd.DataFrame({"topic": topic, "article": article}).groupby(["topic", "article"], sort=False).ngroup().to_numpy()
    )
    n_rows = int(row.max()) + 1 if len(row) else 0
    by_score = np.lexsort((end, start, -score, row))
    best = by_score[np.searchsorted(row[by_score], np.arange(n_rows))]
    inside = np.lexsort((end, start, row))
    packed = parts.iloc[best].drop(columns=["rank", "passages"], errors="ignore").assign(docno=article[best])
    packed["passages"] = _object_column(to_cells(row[inside], n_rows, start[inside], end[inside], score[inside]))
    return ranked(packed)


def unpack(run: pd.DataFrame) -> pd.DataFrame:
    """Turn a run frame into one row per passage, ranked, whose docno is the passage id; foreign columns are repeated.

    A passage's score is its own, or its article's where it has none.
    """
    import pandas as pd

    _need(run, ["qid", "docno", "score", "passages"], "a run")
    scores = _scores(run)
    topic = pd.factorize(run["qid"].to_numpy(dtype=object))[0]
    order = article_order(topic, scores, run["docno"].to_numpy(dtype=object))
    spans = flatten(run["passages"].iloc[order], "passages", run.iloc[order])
    check_scored(topic[order][spans.row], spans.score, run["qid"].to_numpy(dtype=object)[order][spans.row])
    ranking = passage_order(topic[order][spans.row], spans.row, spans.start, spans.end, spans.score)
    row = order[spans.row[ranking]]
    parts = run.iloc[row].drop(columns=["passages", "rank"], errors="ignore")
    parts["docno"] = make_ids(run["docno"].to_numpy(dtype=object)[row], spans.start[ranking], spans.end[ranking])
    if spans.score is not None:
        own = spans.score[ranking]
        parts["score"] = np.where(np.isnan(own), scores[row], own)
    parts["rank"] = _ranks(topic[row])
    return parts.reset_index(drop=True)


def ranked(run: pd.DataFrame) -> pd.DataFrame:
    """Sort a frame by topic (in order of appearance) and rank of its rows, and number the ranks from 0."""
    import pandas as pd

    topic = pd.factorize(run["qid"].to_numpy(dtype=object))[0]
    order = article_order(topic, _scores(run), run["docno"].to_numpy(dtype=object))
    return run.iloc[order].assign(rank=_ranks(topic[order])).reset_index(drop=True)


def check_run(run: pd.DataFrame) -> None:
    """Raise a ValueError that says what is wrong where *run* is no run frame: columns, scores, duplicates, spans."""
    _need(run, ["qid", "docno", "score", "passages"], "a run")
    _scores(run)
    check_unique(run["qid"].to_numpy(dtype=object), run["docno"].to_numpy(dtype=object), "run")
    spans = flatten(run["passages"], "passages", run)
    qid = run["qid"].to_numpy(dtype=object)[spans.row]
    import pandas as pd

    check_scored(pd.factorize(qid)[0], spans.score, qid)


def check_qrels(qrels: pd.DataFrame) -> None:
    """Raise a ValueError that says what is wrong where *qrels* is no qrels frame with highlights."""
    _need(qrels, ["qid", "docno", "label", "highlights"], "qrels")
    check_unique(qrels["qid"].to_numpy(dtype=object), qrels["docno"].to_numpy(dtype=object), "qrels")
    flatten(qrels["highlights"], "highlights", qrels)


def check_unique(qid: NDArray[np.object_], docno: NDArray[np.object_], what: str) -> None:
    """Raise a ValueError that names the first (topic, article) that stands twice in the *what*."""
    import pandas as pd

    topic, article = pd.factorize(qid)[0], pd.factorize(docno)[0]
    twice = pd.Series(topic * (int(article.max(initial=0)) + 1) + article).duplicated().to_numpy()
    if twice.any():
        at = int(np.argmax(twice))
        advice = (
            "keep all parts of an article in the passages of one row" if what == "run" else "judge each article once"
        )
        raise ValueError(f"topic {qid[at]!r}, article {docno[at]!r} stands more than once in the {what}; {advice}")


def check_scored(topic: Ints, score: Floats | None, qid: NDArray[np.object_]) -> None:
    """Raise a ValueError where scored and unscored passages meet in one topic (codes *topic*, names *qid*)."""
    if score is None or not len(topic):
        return
    missing = np.isnan(score)
    if not missing.any():
        return
    unscored = np.bincount(topic, missing)
    mixed = (unscored > 0) & (unscored < np.bincount(topic))
    if mixed.any():
        name = qid[int(np.argmax(mixed[topic]))]
        raise ValueError(
            f"topic {name!r} has passages with and without scores; score all of a topic's passages or none"
        )


def _need(frame: pd.DataFrame, columns: list[str], what: str) -> None:
    missing = [column for column in columns if column not in frame.columns]
    if missing:
        raise ValueError(f"{what} needs the columns {columns}; missing: {missing}, found: {list(frame.columns)}")


def _scores(frame: pd.DataFrame) -> Floats:
    score = frame["score"].to_numpy(dtype=np.float64)
    if np.isnan(score).any():
        row = frame.iloc[int(np.argmax(np.isnan(score)))]
        raise ValueError(f"column 'score', topic {row['qid']!r}, docno {row['docno']!r}: the score is missing (NaN)")
    return score


def _ranks(topic: Ints) -> Ints:
    """Number the rows of each topic from 0; equal codes stand together."""
    first = np.flatnonzero(np.concatenate(([True], topic[1:] != topic[:-1]))) if len(topic) else np.zeros(0, np.int64)
    return np.arange(len(topic)) - np.repeat(first, np.diff(np.append(first, len(topic))))


def _object_column(cells: list[Any]) -> NDArray[np.object_]:
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    return column


def _cell(cell: Any, column: str, frame: pd.DataFrame | None, row: int) -> list[Any]:
    """Read one cell as a list of spans."""
    if isinstance(cell, list):
        return cell
    if hasattr(cell, "as_py"):  # an Arrow scalar
        cell = cell.as_py()
    if cell is None or type(cell).__name__ in ("NAType", "NaTType") or (isinstance(cell, float) and cell != cell):
        return []
    if isinstance(cell, np.ndarray) and cell.ndim == 2 and cell.size == 0:
        return []
    if isinstance(cell, np.ndarray | list | tuple):
        return cell.tolist() if isinstance(cell, np.ndarray) and cell.dtype != object else list(cell)
    raise _span_error(column, frame, row, f"{cell!r} is no list of spans")


def _tuple(span: Any, column: str, frame: pd.DataFrame | None, row: int) -> tuple[Any, ...]:
    """Read one span as a tuple."""
    if isinstance(span, dict):
        if not {"start", "end"} <= span.keys():
            raise _span_error(column, frame, row, f"{span!r} lacks 'start' or 'end'")
        score = span.get("score")
        return (span["start"], span["end"]) if score is None else (span["start"], span["end"], score)
    if isinstance(span, np.ndarray):
        return tuple(span.tolist())
    if isinstance(span, tuple | list):
        return tuple(span)
    raise _span_error(column, frame, row, f"{span!r} is no span")


def _fault(span: tuple[Any, ...]) -> str:
    """Say what is wrong with a span; nothing where it is right."""
    if len(span) not in (2, 3):
        return "is no pair or triple"
    if any(isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating) for value in span):
        return "holds something that is no number"
    if not all(float(value).is_integer() and abs(value) < 2**63 for value in span[:2]):
        return "holds an offset that is no whole 64-bit number"
    if span[0] < 0 or span[1] <= span[0]:
        return "is no span of characters"
    return "has no score (NaN)" if len(span) == 3 and span[2] != span[2] else ""


def _span_error(column: str, frame: pd.DataFrame | None, row: int, what: str) -> SpanError:
    where = f"column {column!r}, row {row}"
    if frame is not None:
        for topic, article in (("qid", "docno"), ("query_id", "doc_id")):
            if topic in frame.columns and article in frame.columns:
                where = f"column {column!r}, topic {frame[topic].iloc[row]!r}, article {frame[article].iloc[row]!r}"
    return SpanError(f"{where}: {what}; {_ADVICE}")
