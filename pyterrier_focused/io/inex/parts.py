"""The parts that a file of a run lists, as the file has them, and the run frame that is made of them.

The table of parts has a row for each retrieved part, in the order of the ranking, with the fields of `Part`; `qid` and
`docno` are categorical, the categories in order of appearance.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from ...errors import COUNT_ABSENT, GIVE_COLLECTION, warn_caller
from ...frames.articles import ArticleCollection
from ...frames.columns import span_column
from ...frames.ranking_rule import positions
from ...reading.lines import BadLine, Faults
from .offset_units import MISSING_LENGTH, MISSING_START


class Part(NamedTuple):
    """A retrieved part.

    Args:
        start: Where it starts, in characters; -1 if it is named by a path.
        end: Where it ends, excluded.
        line: The line of the file, from 1.
        rank: The file's own rank, -1 if it has none; so is *score*, or NaN.
        path: The path of an element, or of the passage's start; '' if offsets are given.
        end_path: The path of the passage's end; '' for a single element.
    """

    qid: str
    docno: str
    start: int
    end: int
    line: int
    rank: int
    score: float
    path: str
    end_path: str

    def name(self) -> str:
        """Name topic and article, for errors."""
        return f"topic {self.qid!r}, article {self.docno!r}"

    def show_path(self) -> str:
        """Show the path of a part, or the two that it lies between."""
        return " to ".join(filter(None, (self.path, self.end_path)))


def list_parts(parts: pd.DataFrame) -> list[Part]:
    """Return the rows of a table of parts."""
    return [Part(*row) for row in parts[list(Part._fields)].itertuples(index=False, name=None)]


def make_run(parts: pd.DataFrame, *, file_fields: bool) -> pd.DataFrame:
    """Make the run frame of a table of parts: a row for each topic and article, its passages in document order.

    Scores are whole numbers that fall with each part of a topic.

        qid docno start end        qid docno score rank passages
        1   b     0     5          1   b     3     0    [(0, 5, 3)]
        1   a     9     12   ->    1   a     2     1    [(2, 4, 1), (9, 12, 2)]
        1   a     2     4
    """
    topic = pd.factorize(parts["qid"].cat.codes)[0].astype(np.int64)
    by_topic = np.argsort(topic, kind="stable")
    topic = topic[by_topic]
    nth = positions(topic)
    score = (np.bincount(topic)[topic] - nth).astype(np.float64)
    qid = parts["qid"].cat.codes.to_numpy(dtype=np.int64)[by_topic]
    docno = parts["docno"].cat.codes.to_numpy(dtype=np.int64)[by_topic]
    row = pd.factorize(topic * (docno.max(initial=0) + 1) + docno)[0]
    # The first part of each row
    head = np.flatnonzero(np.diff(np.maximum.accumulate(row), prepend=-1)) if len(row) else row
    columns = {name: parts[name].to_numpy()[by_topic] for name in ("start", "end", "rank", "score")}
    inside = np.lexsort((columns["end"], columns["start"], row))
    row = row[inside]
    spans = span_column(row, len(head), columns["start"][inside], columns["end"][inside], score[inside])
    frame = {
        "qid": _list_names(parts["qid"]).array.take(qid[head]),
        "docno": _list_names(parts["docno"]).array.take(docno[head]),
        "score": score[head],
        "rank": positions(topic[head]),
        "passages": spans,
    }
    if file_fields:
        bounds = np.searchsorted(row, np.arange(len(head) + 1)).astype(np.int32)
        for name in ("rank", "score"):
            lists = pa.ListArray.from_arrays(bounds, pa.array(columns[name][inside]))
            frame[f"file_{name}"] = pd.arrays.ArrowExtensionArray(lists)
    run = pd.DataFrame(frame)
    run.attrs.update(parts.attrs)
    if divided := _find_divided_topics(parts):
        run.attrs["divided_topics"] = divided
    return run


def _list_names(names: pd.Series) -> pd.Series:
    return pd.Series(names.cat.categories.tolist(), dtype=None if len(names) else object)


def name_codes(names: pa.Array) -> pd.Categorical:
    """Return names as a categorical column, its categories in order of appearance."""
    encoded = names.dictionary_encode()
    dtype = pd.CategoricalDtype(pd.Index(encoded.dictionary.to_pylist(), dtype=object))
    return pd.Categorical.from_codes(encoded.indices.to_numpy(), dtype=dtype, validate=False)


def warn_of_order(parts: pd.DataFrame, file: str) -> None:
    """Warn if the file's ranks and scores agree on another order than that of the lines, which counts.

    One of the two fields is often wrong. Both say the same if the lines were sorted by something else afterwards:

        1 Q0 a 1 9.0 t 0 50
        1 Q0 a 3 7.0 t 60 20
        1 Q0 b 2 8.0 t 0 40     rank 2 follows rank 3, and score 8.0 follows 7.0
    """
    # The lines of a topic may be apart.
    sorted_parts = parts.sort_values("qid", kind="stable")
    topic, rank, score = (sorted_parts[name].to_numpy() for name in ("qid", "rank", "score"))
    codes = sorted_parts["qid"].cat.codes.to_numpy()
    risen = (codes[1:] == codes[:-1]) & (rank[1:] < rank[:-1]) & (score[1:] > score[:-1])
    if risen.any():
        first = int(np.argmax(risen)) + 1
        warn_caller(
            f"{file}: the lines are the ranking, as for the official tool, but ranks and scores say another order "
            f"in {len(np.unique(codes[1:][risen]))} of {parts['qid'].nunique()} topics (first: line "
            f"{sorted_parts['line'].iloc[first]}, topic {topic[first]!r}: rank {rank[first]} follows "
            f"{rank[first - 1]}); if they are right, sort the lines by topic and rank"
        )


def resolve(parts: pd.DataFrame, collection: ArticleCollection | None, missing: str, faults: Faults) -> pd.DataFrame:
    """Turn paths into offsets, in bulk.

    A path that the article does not have is a fault that names topic, article and path; with missing='official' it
    becomes 18 characters beyond any text, and a warning counts them. A passage that ends before it starts is a fault.
    """
    if not (parts["path"] != "").any():
        return parts
    fault = pd.Series("", index=parts.index, dtype=object)
    if collection is None:
        fault[parts["path"] != ""] = "element paths without a collection"
        advice = f"; {GIVE_COLLECTION}, whose elements give the paths offsets"
    else:
        parts = look_up(parts, collection)
        absent = parts["start"] < 0
        unknown = [docno for docno in parts["docno"][absent].unique() if docno not in collection]
        fault[absent] = "a path that the article does not have"
        fault[absent & parts["docno"].isin(unknown)] = "an article that is not in the collection"
        fault[~absent & (parts["end"] < parts["start"])] = "a passage that ends before it starts"
        advice = "; check that the collection is the run's own" + f"; {COUNT_ABSENT} counts it as INEX's tool does"
        if missing == "official" and absent.any():
            fault[absent] = ""
            place_absent(parts, absent.to_numpy())
            first = list_parts(parts[absent])[0]
            warn_caller(
                f"{faults.file}: {absent.sum()} passages do not exist; each counts as {MISSING_LENGTH} characters, not "
                f"relevant (first: line {first.line}, {first.name()}, {first.show_path()})"
            )
    bad = fault != ""
    for part, reason in zip(list_parts(parts[bad]), fault[bad], strict=True):
        place = f"{part.name()} ({bad.sum()} such passages in the file)"
        faults.add(BadLine(reason, f"{place}{advice}"), part.line, part.show_path())
    return parts[~bad]


def look_up(parts: pd.DataFrame, collection: ArticleCollection) -> pd.DataFrame:
    """Return the parts with the offsets of their paths: -1 if the collection does not have one."""
    start = parts["start"].to_numpy(copy=True)
    end = parts["end"].to_numpy(copy=True)
    for column in ("path", "end_path"):
        named = np.flatnonzero(parts[column] != "")
        if len(named):
            found = parts.iloc[named]
            starts, ends = collection.resolve(found["docno"].tolist(), found[column].tolist())
            if column == "path":
                start[named] = starts
            end[named] = ends
    absent = (start < 0) | (end < 0)
    return parts.assign(start=np.where(absent, -1, start), end=np.where(absent, -1, end))


def place_absent(parts: pd.DataFrame, absent: np.ndarray) -> None:
    """Place parts that do not exist beyond any text, those of a topic and article one after the other."""
    nth = parts[absent].groupby(["qid", "docno"], observed=True).cumcount().to_numpy(dtype=np.int64)
    start = MISSING_START + nth * MISSING_LENGTH
    parts.loc[absent, "start"] = start
    parts.loc[absent, "end"] = start + MISSING_LENGTH


def _find_divided_topics(parts: pd.DataFrame) -> dict[str, tuple[int, int]]:
    """Find the topics whose lines are not together: the lines at which they break off and go on."""
    codes = parts["qid"].cat.codes.to_numpy()
    begins = np.flatnonzero(np.diff(codes, prepend=-1))
    if len(begins) <= len(np.unique(codes)):
        return {}
    ends = np.append(begins[1:], len(codes)) - 1
    line = parts["line"].to_numpy()
    last: dict[int, int] = {}
    divided: dict[str, tuple[int, int]] = {}
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        topic = int(codes[begin])
        if topic in last:
            divided.setdefault(str(parts["qid"].iloc[begin]), (last[topic], int(line[begin])))
        last[topic] = int(line[end])
    return divided
