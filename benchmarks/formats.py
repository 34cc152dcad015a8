"""How long reading takes, beside what a user would have used: ir_measures' readers in a data frame, a bare iterparse.

    python benchmarks/formats.py [--runs 9]

Each pair is read in turns in one process, the garbage collector left alone; medians and their ratios. All checks are
on. FOL runs of 160,500 lines (107 topics; with an article a line, and with 1 to 5 parts an article) are held against
the same lines without spans; INEX qrels of 64,000 lines (7,600 with highlights) against their labels; XML runs of
160,500 results against lxml's iterparse of the same bytes, which does nothing with them.
"""

from __future__ import annotations

import argparse
import io
import random
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ir_measures
import pandas as pd
from lxml import etree
from turns import in_turns

from pyterrier_focused.io import read_qrels, read_run
from pyterrier_focused.io.inex.xml_run import parse_submission
from pyterrier_focused.reading.lines import Faults

TOPICS, RESULTS = 107, 1500


def make_runs(folder: Path) -> None:
    """Write focused.fol, ric.fol, trec.run, fol.xml and paths.xml."""
    rng = random.Random(1)
    files = {name: (folder / name).open("w") for name in ("focused.fol", "ric.fol", "trec.run", "fol.xml", "paths.xml")}
    for name in ("fol.xml", "paths.xml"):
        files[name].write('<?xml version="1.0"?>\n<inex-submission participant-id="1" run-id="r" task="Focused">\n')
    for topic in range(2009001, 2009001 + TOPICS):
        articles = rng.sample(range(10_000, 30_000_000), RESULTS)
        for name in ("fol.xml", "paths.xml"):
            files[name].write(f'<topic topic-id="{topic}">\n')
        article, left, offset = 0, 0, 0
        for rank, single in enumerate(articles, start=1):
            start, length = rng.randrange(60_000), rng.randrange(1, 9_000)
            line = f"{topic} Q0 {single} {rank} {RESULTS - rank + 0.5} tag"
            files["trec.run"].write(f"{line}\n")
            files["focused.fol"].write(f"{line} {start} {length}\n")
            if left == 0:
                article, left, offset = single, rng.randrange(1, 6), 0
            files["ric.fol"].write(f"{topic} Q0 {article} {rank} {RESULTS - rank + 0.5} tag {offset} {length}\n")
            left, offset = left - 1, offset + length + rng.randrange(5_000)
            head = f"<result>\n<file>{single}</file>\n"
            files["fol.xml"].write(f'{head}<fol offset="{start}" length="{length}"/>\n<rank>{rank}</rank>\n</result>\n')
            path = f"/article[1]/bdy[1]/sec[{rng.randrange(1, 9)}]/p[{rng.randrange(1, 9)}]"
            files["paths.xml"].write(f"{head}<path>{path}</path>\n<rsv>{RESULTS - rank + 0.5}</rsv>\n</result>\n")
        for name in ("fol.xml", "paths.xml"):
            files[name].write("</topic>\n")
    for name in ("fol.xml", "paths.xml"):
        files[name].write("</inex-submission>\n")
    for file in files.values():
        file.close()


def make_qrels(folder: Path) -> None:
    """Write inex.qrels and trec.qrels: 100 topics, 640 articles each, 76 of them with highlights."""
    rng = random.Random(2)
    with (folder / "inex.qrels").open("w") as inex, (folder / "trec.qrels").open("w") as trec:
        for topic in range(2009001, 2009101):
            for nth, article in enumerate(rng.sample(range(10_000, 30_000_000), 640)):
                marks = [(k * 2_000 + rng.randrange(900), rng.randrange(1, 900)) for k in range(rng.randrange(1, 6))]
                marks = marks if nth < 76 else []
                tail = f" {marks[0][0]} " + " ".join(f"{start}:{length}" for start, length in marks) if marks else ""
                size = sum(length for _, length in marks)
                inex.write(f"{topic} Q0 {article} {size} {rng.randrange(12_000, 60_000)}{tail}\n")
                trec.write(f"{topic} 0 {article} {int(bool(marks))}\n")


def bare_iterparse(data: bytes) -> None:
    for _ in etree.iterparse(io.BytesIO(data)):
        pass


def parse(data: bytes) -> Any:
    return parse_submission(io.BytesIO(data), Faults("run", "raise"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=9)
    runs = parser.parse_args().runs
    with TemporaryDirectory() as name:
        folder = Path(name)
        make_runs(folder)
        make_qrels(folder)
        trec_run = partial(lambda file: pd.DataFrame(ir_measures.read_trec_run(file)), str(folder / "trec.run"))
        trec_qrels = partial(lambda file: pd.DataFrame(ir_measures.read_trec_qrels(file)), str(folder / "trec.qrels"))
        xml, paths = (folder / "fol.xml").read_bytes(), (folder / "paths.xml").read_bytes()
        pairs = [
            ("FOL run, an article a line", partial(read_run, folder / "focused.fol"), trec_run, 1.0),
            ("FOL run, 1 to 5 parts an article", partial(read_run, folder / "ric.fol"), trec_run, 1.0),
            ("INEX qrels", partial(read_qrels, folder / "inex.qrels"), trec_qrels, 1.2),
            ("XML run of offsets", partial(read_run, folder / "fol.xml"), partial(bare_iterparse, xml), 3.0),
            ("XML run of paths, not looked up", partial(parse, paths), partial(bare_iterparse, paths), 3.0),
        ]
        print(f"{'':34}{'ours':>9}{'peer':>9}{'ratio':>8}{'bar':>6}")
        for label, ours, theirs, bar in pairs:
            mine, other = in_turns(runs, ours, theirs)
            print(f"{label:34}{mine * 1000:6.0f} ms{other * 1000:6.0f} ms{mine / other:8.2f}{bar:6.1f}")


if __name__ == "__main__":
    main()
