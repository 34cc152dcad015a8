"""How fast collections are built, beside the bare parsers: ratios of medians, in turns, in one process.

    python benchmarks/build.py [--runs 5] [--megabytes 80] [--dump FILE]

XML like that of INEX 2009 is generated: nested sections, paragraphs, semantic tags and links, about 85 bytes an
element; workers, Ray (where it is installed, started and warm) and opening are measured on six times as much. Of a
MediaWiki dump (FILE, or ../shared/data/enwiki-sample.xml.bz2 where it is) the whole build is compared with
mwparserfromhell's own parse of the same articles.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import shutil
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

from lxml import etree
from turns import in_turns

import pyterrier_focused as focused
from pyterrier_focused.collection.sources import find as sources
from pyterrier_focused.collection.sources.raw import ArticleColumns, RawArticle, TagNumbers
from pyterrier_focused.collection.sources.xml_article import ArticleXmlReader

WORDS = ["light", "tower", "lens", "keeper", "rock", "sea", "storm", "oil", "night", "harbour", "fog", "bell", "chart"]
TAGS = ("person", "it", "b", "link", "city", "event")


def make_articles(folder: Path, megabytes: float) -> list[Path]:
    """Write article XML of about so many megabytes, 20 kilobytes a file."""
    generator, files, written = random.Random(9), [], 0
    folder.mkdir(parents=True)
    while written < megabytes * 1e6:
        parts = [f"<article><header><title>Article {len(files)}</title><id>{len(files)}</id></header><bdy>"]
        size = 0
        while size < 20_000:
            text = ["<sec><st>Heading</st>"]
            for _ in range(generator.randint(2, 6)):
                words = []
                for _ in range(generator.randint(8, 20)):
                    tag = generator.choice(TAGS)
                    plain = " ".join(generator.choices(WORDS, k=10))
                    words.append(f'{plain} <{tag} confidence="0.8">{generator.choice(WORDS)}</{tag}>')
                text.append(f"<p>{' '.join(words)}.</p>")
            text.append("</sec>")
            parts.append("".join(text))
            size += len(parts[-1])
        file = folder / f"{len(files):06}.xml"
        file.write_text("".join(parts) + "</bdy></article>")
        files.append(file)
        written += file.stat().st_size
    return files


def built(source: Path, target: Path, **options: Any) -> None:
    focused.Collection.build(source, target, verbose=False, **options)


def peak_of(source: Path, target: Path) -> float:
    """Peak memory, in MB, of a process that builds (Linux)."""
    code = (
        "import sys, pyterrier_focused as f;"
        "f.Collection.build(sys.argv[1], sys.argv[2], verbose=False);"
        "print(*[line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')])"
    )
    shutil.rmtree(target, ignore_errors=True)
    printed = subprocess.run([sys.executable, "-c", code, source, target], capture_output=True, text=True, check=True)
    return int(printed.stdout.split()[-1]) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--megabytes", type=float, default=80)
    sample = Path(__file__).resolve().parents[2] / "shared" / "data" / "enwiki-sample.xml.bz2"
    parser.add_argument("--dump", type=Path, default=sample if sample.exists() else None)
    arguments = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="benchmark-build-"))
    try:
        _xml(arguments.runs, arguments.megabytes, work)
        if arguments.dump:
            _mediawiki(arguments.runs, arguments.dump, work)
    finally:
        shutil.rmtree(work)


def report(what: str, ours: float, theirs: float, unit: str = "s") -> None:
    print(f"{what:64}{ours:9.2f}{unit}{theirs:9.2f}{unit}{ours / theirs:8.2f}", flush=True)


def _xml(runs: int, megabytes: float, work: Path) -> None:
    files = make_articles(work / "articles", megabytes)
    make_articles(work / "tenth", megabytes / 10)
    documents = [file.read_bytes() for file in files]
    raws = [RawArticle(file.name, 0, file.stem, data) for file, data in zip(files, documents, strict=True)]

    def extracted() -> list[ArticleColumns]:
        read, codes = ArticleXmlReader().read, TagNumbers()
        return [read(group, codes)[0] for group in sources.grouped(raws)]

    elements = sum(len(articles.tag) for articles in extracted())
    size = sum(map(len, documents))
    print(
        f"{size / 1e6:.0f} MB of XML, {len(files):,} articles, {elements:,} elements ({size / elements:.0f} bytes each)"
    )

    def bare() -> None:
        parser = etree.XMLParser(huge_tree=True, resolve_entities=False)
        for data in documents:
            etree.fromstring(data, parser)

    print(f"{'':64}{'ours':>10}{'beside':>10}{'ratio':>8}")
    build_one = partial(built, work / "articles", work / "one")
    ours, theirs = in_turns(runs, extracted, bare, clock=time.process_time)
    report("extraction over a bare lxml parse, CPU", ours, theirs)
    whole, theirs = in_turns(runs, build_one, bare, clean=[work / "one"], clock=time.process_time)
    report("whole build over a bare lxml parse, CPU (at most 4.2)", whole, theirs)
    report("peak memory, 10 times the input over 1 time", peak_of(work / "articles", work / "m"),
           peak_of(work / "tenth", work / "n"), "M")  # fmt: skip
    print(f"disk: {sum(f.stat().st_size for f in (work / 'm').iterdir()) / size:.2f} bytes for each byte of XML")
    _larger(runs, files, work)


def _larger(runs: int, files: list[Path], work: Path) -> None:
    """Six times the articles: two workers, Ray, opening."""
    for copy in range(6):
        (work / "more" / str(copy)).mkdir(parents=True)
        for file in files:
            text = file.read_text().replace("<id>", f"<id>{copy}-", 1)
            (work / "more" / str(copy) / file.name).write_text(text)
    target = work / "from-more"

    def beside_one(name: str, **options: Any) -> None:
        one, other = in_turns(
            runs, *(partial(built, work / "more", target, **way) for way in ({}, options)), clean=[target]
        )
        report(f"one worker over {name} (higher is better)", one, other)

    beside_one("two workers", workers=2)
    if importlib.util.find_spec("ray"):
        import ray

        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        built(work / "tenth", work / "warm", engine="ray")
        beside_one("Ray with 2 CPUs", engine="ray")
    _opening(target)


def _opening(path: Path) -> None:
    generator = random.Random(3)
    collection = focused.Collection(path)
    lengths = collection.lengths()
    ids = []
    for docno, length in generator.choices(list(zip(lengths["docno"], lengths["length"], strict=True)), k=1000):
        start = generator.randrange(length - 100)
        ids.append(f"{docno}#{start}-{start + 100}")
    (seconds,) = in_turns(5, lambda: focused.Collection(path).text(ids))
    print(f"opening {collection.meta['elements']:,} elements and reading 1,000 random passages: {seconds:.3f} s")


def _mediawiki(runs: int, dump: Path, work: Path) -> None:
    import mwparserfromhell

    found = sources.find_sources(dump)
    texts = []
    for block in sources.blocks(found, "mediawiki"):
        for raw in sources.read(block, [str(source.folder) for source in found]):
            page = etree.fromstring(raw.data)
            if page.findtext("ns") == "0" and page.find("redirect") is None:
                texts.append(page.findtext("revision/text") or "")

    def bare() -> None:
        for text in texts:
            mwparserfromhell.parse(text, skip_style_tags=True)

    ours, theirs = in_turns(runs, lambda: built(dump, work / "wiki"), bare, clean=[work / "wiki"])
    report(f"MediaWiki build over mwparserfromhell's parse ({len(texts)} articles)", ours, theirs)
    tables = partial(built, dump, work / "wiki", templates="tables")
    ours, theirs = in_turns(runs, partial(built, dump, work / "wiki"), tables, clean=[work / "wiki"])
    report("MediaWiki build with the dump's own templates over tables only", ours, theirs)


if __name__ == "__main__":
    main()
