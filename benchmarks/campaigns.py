"""How long `pt-focused bioasq-eval` takes for a task of INEX's size, beside `pt-focused inex-eval`.

    python benchmarks/campaigns.py [--runs 9]

107 topics with 1,500 results and 600 judgments each, 12% of them relevant, written in each campaign's format. Each
command is a process of its own, start-up included, in turns with `inex-eval -f`; medians and their ratio. Then CharMAP,
once by a walk, character by character, and once as it is.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from turns import in_turns

from pyterrier_focused.campaigns.bioasq.files import read_bioasq_qrels, read_bioasq_run
from pyterrier_focused.evaluation.provider import NAMES, FocusedEvaluator
from pyterrier_focused.measures import CharMAP
from pyterrier_focused.measures.ranking import Ranking

TOPICS, RESULTS, JUDGED, RELEVANT = 107, 1500, 600, 0.12


def judged_documents(rng: random.Random) -> list[tuple[int, list[int], list[tuple[int, int]]]]:
    """Of each topic: its number, the judged documents, and the relevant passages of those that have some."""
    topics = []
    for topic in range(200, 200 + TOPICS):
        documents = rng.sample(range(10_000_000, 30_000_000), JUDGED)
        topics.append((topic, documents, [(at, rng.randrange(1, 5)) for at in range(int(JUDGED * RELEVANT))]))
    return topics


def write_all(folder: Path) -> None:
    """Write judgments and a run in each format."""
    rng = random.Random(1)
    lines: dict[str, list[str]] = {name: [] for name in ("inex.qrels", "inex.run")}
    golden, submitted = [], []
    for topic, documents, relevant in judged_documents(rng):
        marks = {
            documents[at]: [(k * 3000 + rng.randrange(900), rng.randrange(1, 900)) for k in range(n)]
            for at, n in relevant
        }
        for document in documents:
            spans = marks.get(document, [])
            tail = f" {spans[0][0]} " + " ".join(f"{a}:{n}" for a, n in spans) if spans else ""
            lines["inex.qrels"].append(f"{topic} Q0 {document} {sum(n for _, n in spans)} 60000{tail}")
        pool = [*rng.sample(documents, RESULTS // 10), *rng.sample(range(10_000_000, 30_000_000), RESULTS // 3)]
        snippets = []
        seen = set()
        for rank in range(1, RESULTS + 1):
            document, start, length = rng.choice(pool), rng.randrange(40) * 300, rng.randrange(1, 300)
            score = RESULTS - rank + 0.5
            if (document, start) not in seen:  # INEX allows no overlap
                lines["inex.run"].append(f"{topic} Q0 {document} {rank} {score} tag {start} {length}")
                seen.add((document, start))
            snippets.append(_snippet(document, start, length))
        golden.append({"id": str(topic), "documents": [_address(document) for document in marks], "snippets": [
            _snippet(document, a, n) for document, spans in marks.items() for a, n in spans]})  # fmt: skip
        submitted.append(
            {"id": str(topic), "documents": [_address(document) for document in pool], "snippets": snippets}
        )
    for name, content in lines.items():
        (folder / name).write_text("\n".join(content) + "\n")
    (folder / "golden.json").write_text(json.dumps({"questions": golden}))
    (folder / "submitted.json").write_text(json.dumps({"questions": submitted}))


def _address(document: int) -> str:
    return f"http://www.ncbi.nlm.nih.gov/pubmed/{document}"


def _snippet(document: int, start: int, length: int) -> dict[str, Any]:
    place = {"offsetInBeginSection": start, "offsetInEndSection": start + length - 1}
    section = {"beginSection": "abstract", "endSection": "abstract"}
    return {"document": _address(document), "text": "words of the snippet", **section, **place}


def command(folder: Path, *arguments: str) -> Callable[[], None]:
    """A call of `pt-focused` in a process of its own."""

    def run() -> None:
        call = [sys.executable, "-m", "pyterrier_focused.cli", *arguments]
        done = subprocess.run(call, cwd=folder, capture_output=True)
        if done.returncode:
            raise SystemExit(done.stderr.decode())

    return run


def walk(ranking: Ranking) -> list[float]:
    """CharMAP character by character, over the same passages."""
    judgments, parts = ranking.judgments, ranking.passages
    characters: dict[int, set[int]] = {}
    for row, start, end in zip(*(column.tolist() for column in judgments.highlights[:3]), strict=True):
        characters.setdefault(row, set()).update(range(start, end))
    unseen = {row: set(found) for row, found in characters.items()}
    totals, hits, read = ([0.0] * len(judgments.topics) for _ in range(3))
    for at in ranking.passage_ranking.tolist():
        topic, row = int(ranking.topic[parts.row[at]]), int(ranking.judged[parts.row[at]])
        relevant, new = characters.get(row, set()), unseen.get(row, set())
        for character in range(int(parts.start[at]), int(parts.end[at])):
            if character in new:
                new.remove(character)
                hits[topic] += 1
                read[topic] += 1
                totals[topic] += hits[topic] / read[topic]
            elif character not in relevant:
                read[topic] += 1
    return [total / size for total, size in zip(totals, judgments.topic_size.tolist(), strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=9)
    runs = parser.parse_args().runs
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_all(folder)
        inex = command(folder, "inex-eval", "-f", "inex.qrels", "inex.run")
        bioasq = command(folder, "bioasq-eval", "-e", "8", "golden.json", "submitted.json")
        mine, other = in_turns(runs, bioasq, inex)
        print(f"bioasq-eval {mine * 1000:.0f} ms, inex-eval {other * 1000:.0f} ms, ratio {mine / other:.2f}")
        evaluator = FocusedEvaluator([CharMAP], read_bioasq_qrels(folder / "golden.json").rename(columns=NAMES))
        rank = partial(evaluator.join, read_bioasq_run(folder / "submitted.json").rename(columns=NAMES))
        ranking = rank()
        began = time.perf_counter()
        theirs = walk(ranking)
        walked = time.perf_counter() - began
        began = time.perf_counter()
        ours = CharMAP.calculate(rank())
        counted = time.perf_counter() - began
        worst = max(abs(a - b) for a, b in zip(theirs, ours.tolist(), strict=True))
        print(
            f"CharMAP: walk {walked:.2f} s, ours {counted:.3f} s, {walked / counted:.0f} times"
            f" as fast; difference {worst:.0e}"
        )


if __name__ == "__main__":
    main()
