"""`pt-focused inex-eval`: the official INEX evaluation tool (inex_eval 1.0), option for option and line for line.

Recall levels are compared exactly; the official tool takes floor(100 * recall) in floating point, which now and then
puts a rank one level too low (29 of 100 relevant characters count as level 0.28 there).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

from ..errors import FormatError
from ..frames import Spans
from ..io.fol import MISSING_START, FolColumns, read_fol_columns
from ..io.inex_qrels import InexQrelsColumns, read_inex_qrels_columns
from ..measures import AgP, gP, gR
from ..measures.focused import interpolated
from ..measures.ranking import Judgments, Passages, Ranking
from ..spans import Ints

LEVELS = (0, 1, 5, 10)  # percent of recall
RANKS = (1, 2, 3, 5, 10, 25, 50)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-f", dest="task", action="store_const", const="f", help="focused task")
    parser.add_argument("-r", dest="task", action="store_const", const="r", help="relevant in context task")
    parser.add_argument("-b", dest="task", action="store_const", const="b", help="best in context task")
    parser.add_argument("-c", dest="complete", action="store_true", help="average over all topics of the qrels")
    parser.add_argument("-q", dest="detail", action="store_true", help="print per-topic scores")
    parser.add_argument("-n", type=int, default=500, help="-b: maximal distance to the best entry point (default 500)")
    parser.add_argument("-beta", type=float, default=0.25, help="-r: weight of recall in F (default 0.25)")
    parser.add_argument("qrels", help="INEX qrels")
    parser.add_argument(
        "runs", nargs="+", metavar="run", help="FOL runs: topic Q0 article rank score tag offset length"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the evaluation of each run; 2 where a run was rejected."""
    if arguments.task is None:
        raise ValueError("no task given: -f (focused), -r (relevant in context) or -b (best in context)")
    judgments = official_judgments(read_inex_qrels_columns(arguments.qrels))
    rejected = 0
    for path in arguments.runs:
        try:
            columns = read_fol_columns(path, missing="official")
            fault = _fault(columns, judgments, arguments.task)
        except (FormatError, OSError) as error:
            fault = str(error)
        if fault:
            print(f"ERROR *** ({path}) {fault}")
            rejected += 1
            continue
        ranking = official_ranking(columns, judgments)
        lines = _focused(ranking) if arguments.task == "f" else _in_context(ranking, arguments)
        print("\n".join(_report(lines, ranking, arguments, f'<eval run-id="{columns.tag}" file="{path}">')))
    return 2 if rejected else 0


def official_judgments(qrels: InexQrelsColumns) -> Judgments:
    """The qrels as the official tool takes them: relevant is what has a relevant_size, and that size is the total."""
    names = np.argsort(np.array(qrels.topics, dtype=object)).tolist()  # topics are averaged in the order of their names
    code = np.empty(len(names), dtype=np.int64)
    code[names] = np.arange(len(names))
    relevant = qrels.relevant_size > 0
    kept = relevant[qrels.row]
    marked = np.zeros(len(qrels.topic), dtype=bool)
    marked[qrels.row] = True
    articles = np.array(qrels.articles, dtype=object)
    return Judgments(
        topics=[qrels.topics[at] for at in names],
        topic=code[qrels.topic],
        docno=articles[qrels.article] if len(articles) else articles,
        highlight_spans=Spans(qrels.row[kept], qrels.start[kept], qrels.end[kept], None),
        beps=np.where(marked, qrels.bep, -1),  # an entry point without passages is not read
        assessed_sizes=qrels.relevant_size,
    )


def official_ranking(run: FolColumns, judgments: Judgments) -> Ranking:
    """The run's judged topics, articles and parts in the order of its lines."""
    topics = {name: code for code, name in enumerate(judgments.topics)}
    topic = np.array([topics.get(name, -1) for name in run.topics], dtype=np.int64)[run.topic]
    lines = np.flatnonzero(topic >= 0)
    topic, article = topic[lines], run.article[lines]
    pair = topic * len(run.articles) + article
    _, first, inverse = np.unique(pair, return_index=True, return_inverse=True)
    order = np.lexsort((first, topic[first]))  # of the articles: by topic, then first line
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    row = place[inverse]
    by_row = np.argsort(row, kind="stable")
    head = first[order]
    docno = np.array(run.articles, dtype=object)[article[head]] if len(head) else np.zeros(0, dtype=object)
    rows = zip(judgments.topic.tolist(), judgments.docno.tolist(), strict=True)
    judged = {key: at for at, key in enumerate(rows)}
    pairs = zip(topic[head].tolist(), docno.tolist(), strict=True)
    start, end = run.start[lines][by_row], run.end[lines][by_row]
    return Ranking(
        judgments,
        topic[head],
        docno,
        -head.astype(np.float64),
        np.array([judged.get(key, -1) for key in pairs], dtype=np.int64),
        Spans(row[by_row], start, end, -by_row.astype(np.float64)),
    )


def _fault(run: FolColumns, judgments: Judgments, task: str) -> str:
    """Say why the official tool rejects a run, at the first line that makes it; nothing where it takes it."""
    judged = set(judgments.topics)
    seen: dict[tuple[int, int], list[tuple[int, int]]] = {}
    last: dict[int, int] = {}
    if _is_clean(run, task):
        return ""
    columns = (run.topic, run.article, run.start, run.end, run.line)
    for topic, article, start, end, line in zip(*(column.tolist() for column in columns), strict=True):
        if run.topics[topic] not in judged:
            continue
        where = f"in topic {run.topics[topic]}\tarticle id: {run.articles[article]}\tin line: {line}"
        parts = seen.setdefault((topic, article), [])
        if task in "rb" and parts and last[topic] != article:
            return f"article results are interleaved {where}; in-context tasks do not allow it"
        if task == "b" and parts:
            return f"multiple results from single article {where}"
        if start < MISSING_START and any(a < end and start < b for a, b in parts):
            return f"passage overlaps with previously retrieved passages {where}"
        parts.append((start, end))
        last[topic] = article
    return ""


def _is_clean(run: FolColumns, task: str) -> bool:
    """Whether no line can be at fault; quick, as nearly all runs are."""
    key = run.topic * max(len(run.articles), 1) + run.article
    order = np.lexsort((run.start, key))
    same = key[order][1:] == key[order][:-1]
    if task == "b" and same.any():
        return False
    if np.any(same & (run.start[order][1:] < run.end[order][:-1])):
        return False
    by_topic = np.argsort(run.topic, kind="stable")
    blocks = 1 + np.count_nonzero(key[by_topic][1:] != key[by_topic][:-1]) if len(key) else 0
    return task == "f" or bool(blocks == len(key) - np.count_nonzero(same))


Lines = list[
    tuple[str, str, np.ndarray]
]  # name per topic, name over all topics ("" where not printed), value per topic


def _counts(ranking: Ranking, sizes: Passages | None) -> dict[str, Ints]:
    judgments, n = ranking.judgments, len(ranking.judgments.topics)
    nothing = np.zeros(n, dtype=np.int64)
    retrieved, relevant = sizes.totals(None) if sizes is not None else (nothing, nothing)
    return {
        "num_ret\t\t": np.diff(ranking.bounds),
        "num_rel\t\t": judgments.count(judgments.highlighted),
        "num_rel_ret\t": np.bincount(ranking.topic[ranking.highlighted], minlength=n),
        "ret_size\t": retrieved,
        "rel_size\t": judgments.topic_size,
        "rel_ret_size\t": relevant,
    }


def _focused(ranking: Ranking) -> Lines:
    passages, size = ranking.ranked_passages("error"), ranking.judgments.topic_size
    # where more was found than there is, by relevant_size, the official tool says so and leaves the rank out
    beyond = 100 * (passages.found - passages.found_before[passages.topic]) >= 101 * size[passages.topic]
    beyond &= size[passages.topic] > 0
    for topic, found in zip(passages.topic[beyond], passages.found[beyond], strict=True):
        print(f"Impossible recall point: {100 * (found - passages.found_before[topic]) // size[topic]}")
    taken = Passages(passages.bounds, np.where(beyond, 0, passages.size), np.where(beyond, 0, passages.relevant_size))
    values = interpolated(taken, size, list(range(101)), 100)
    lines: Lines = [(f"iP[{level / 100:.2f}]\t",) * 2 + (values[:, level],) for level in LEVELS]
    lines.append(("AiP\t\t", "MAiP\t\t", values.mean(axis=1)))
    return lines + [("", f"ircl_prn.{level / 100:.2f}\t", values[:, level]) for level in range(101)]


def _in_context(ranking: Ranking, arguments: argparse.Namespace) -> Lines:
    task = {"task": "bic", "n": arguments.n} if arguments.task == "b" else {"beta": arguments.beta}
    lines: Lines = []
    judgments = ranking.judgments
    relevant = judgments.count(judgments.highlighted)
    retrieved = np.diff(ranking.bounds)
    undefined = np.where(relevant > 0, 0.0, np.nan)  # the official tool divides by the number of relevant articles
    for rank in RANKS:
        lines.append((f"gP[{rank}]\t\t",) * 2 + (gP(**task, last=True, cutoff=rank).calculate(ranking),))
        recall = gR(**task, cutoff=rank).calculate(ranking) + np.where(retrieved > 0, undefined, 0.0)
        lines.append((f"gR[{rank}]\t\t",) * 2 + (recall,))
    lines.insert(0, ("AgP\t\t", "MAgP\t\t", AgP(**task).calculate(ranking) + undefined))
    curve = _interpolated_gp(ranking, AgP(**task).article_scores(ranking), relevant)
    return lines + [("", f"ircl_prn.{level / 10:.2f}\t", curve[:, level]) for level in range(11)]


def _interpolated_gp(ranking: Ranking, scores: np.ndarray, relevant: Ints) -> np.ndarray:
    """The highest gP at any rank whose gR is at least 0.0, 0.1, ... 1.0: topics by levels."""
    values = np.zeros((len(relevant), 11))
    for topic, part in ranking.slices():
        precision = np.cumsum(scores[part]) / np.arange(1, part.stop - part.start + 1)
        best = np.maximum.accumulate(precision[::-1])[::-1]
        found = np.cumsum(ranking.highlighted[part])
        at = np.searchsorted(10 * found, np.arange(11) * relevant[topic])
        reached = at < len(best)
        values[topic, reached] = best[at[reached]]
    return values


def _report(lines: Lines, ranking: Ranking, arguments: argparse.Namespace, head: str) -> Iterator[str]:
    topics = ranking.judgments.topics
    passages = ranking.ranked_passages("error") if arguments.task != "b" else None
    counts = _counts(ranking, passages)
    scored = [at for at in range(len(topics)) if arguments.complete or counts["num_ret\t\t"][at]]
    yield head
    if arguments.detail:
        per_topic = [line for line in lines if line[0]]
        per_topic = per_topic if arguments.task == "f" else [*per_topic[1:], per_topic[0]]  # AgP comes last
        for at in scored:
            yield from (f"{name}{topics[at]}\t{values[at]}" for name, values in counts.items())
            yield from (f"{name}{topics[at]}\t{_number(values[at])}" for name, _, values in per_topic)
    yield f"num_q\t\tall\t{len(scored)}"
    yield from (f"{name}all\t{values.sum()}" for name, values in counts.items())
    for _, name, values in lines:
        mean = sum(values[scored].tolist()) / len(scored) if scored else float("nan")
        yield f"{name}all\t{_number(mean)}"
    yield "</eval>"


def _number(value: float) -> str:
    return "NaN" if value != value else repr(float(value))
