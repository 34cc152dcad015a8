"""Rewritten texts: what is found of what was left out, replaced, joined or misread; what placing them costs.

    python benchmarks/rewritten_texts.py [--data ../shared/data/chunking]

Texts are made of real questions' references (questions.csv) and their articles (wikitexts.md, cut at its titles). What
should be found is known from how they were made. A text counts as found if half of its characters are in runs, and
"whole" if all are. Anonymous texts with boilerplate that all documents share are placed in 500 and in 2,000 documents.
Texts that name no document are placed in documents that resemble each other (`--shapes 2000x4000`: texts x documents)
beside a plain search in numpy for the document that has most of their words, four at a time; CharR is the share of
the passages that they were made of that is found.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import re
import resource
import time
from collections.abc import Callable, Iterator
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np

from pyterrier_focused.collection.corpora import CorpusArticle, Texts
from pyterrier_focused.rag.items import Item
from pyterrier_focused.rag.place import PlacedItem, place_retrieved

RNG = random.Random(0)
BESIDE = 200
# Sentences of a document that others have, too; words of a text that are left out, and replaced.
SHARED = 0.7
LEFT_OUT = 0.04
REPLACED = 0.06
# docno, start and end of a reference
Reference = tuple[str, int, int]


def read_references(data: Path) -> tuple[dict[str, str], list[Reference]]:
    text = (data / "wikitexts.md").read_text(encoding="utf-8")
    bounds = sorted({0, len(text), *(match.start() for match in re.finditer(r"(?m)^ ?= [^=\n]+ = ?$", text))})
    spans = list(pairwise(bounds))
    references = []
    with open(data / "questions.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for reference in json.loads(row["references"]):
                start, end = reference["start_index"], reference["end_index"]
                inside = ((f"d{i}", start - a, end - a) for i, (a, b) in enumerate(spans) if a <= start and end <= b)
                references.extend(inside)
    return {f"d{i}": text[a:b] for i, (a, b) in enumerate(spans)}, references


def share_found(found: PlacedItem, reference: Reference) -> float:
    docno, start, end = reference
    runs = found.places[0] if found.status in ("exact", "tolerant", "given", "rewritten") else []
    held = {
        i for place in runs if place.docno == docno for i in range(max(place.span[0], start), min(place.span[1], end))
    }
    return len(held) / (end - start)


def misread(text: str) -> str:
    letters = "abcdefghijklmnopqrstuvwxyz"
    return "".join(RNG.choice(letters) if c.isalpha() and RNG.random() < 0.04 else c for c in text)


def change_number(text: str) -> str:
    return re.sub(r"\d+", lambda match: str(int(match.group()) + RNG.randint(1, 99)), text, count=1)


WAYS: dict[str, tuple[Callable[[str], str], str]] = {
    "as it is, under a title": (lambda text: text, "whole 1"),
    "cut out": (lambda text: "", "found 0"),
    "[REDACTED]": (lambda text: " [REDACTED] ", "found 0"),
    "words scrambled": (lambda text: " ".join(RNG.sample(text.split(), len(text.split()))), "found 0"),
    "letters scrambled": (lambda text: "".join(RNG.sample(text, len(text))), "found 0"),
    "another number": (change_number, "whole 0"),
    "4% of letters misread": (misread, "found 1"),
}


def compare_ways(documents: dict[str, str], references: list[Reference]) -> Iterator[str]:
    texts = Texts([CorpusArticle(*article) for article in documents.items()], None)
    for name, (rewrite, expected) in WAYS.items():
        items = []
        kept = []
        for docno, start, end in references:
            text = documents[docno]
            if rewrite is change_number and not re.search(r"\d", text[start:end]):
                continue
            before, after = text[max(start - BESIDE, 0) : start], text[end : end + BESIDE]
            items.append(Item(text=f"Title > Section\n\n{before}{rewrite(text[start:end])}{after}"))
            kept.append((docno, start, end))
        began = time.process_time()
        shares = [share_found(*pair) for pair in zip(place_retrieved(items, texts), kept, strict=True)]
        seconds = time.process_time() - began
        found = sum(share >= 0.5 for share in shares) / len(shares)
        whole = sum(share == 1 for share in shares) / len(shares)
        yield f"| {name} | {len(items)} | {expected} | {found:.3f} | {whole:.3f} | {1000 * seconds / len(items):.1f} |"


def place_boilerplate(documents: int) -> float:
    words = ["".join(RNG.choices("abcdefghijklmnopqrstuvwxyz", k=RNG.randint(2, 9))) for _ in range(5000)]
    first, last = " ".join(RNG.choices(words, k=60)), " ".join(RNG.choices(words, k=60))
    corpus = {f"d{i}": f"{first} {' '.join(RNG.choices(words, k=60))} {last}" for i in range(documents)}
    items = [Item(text=f"Title\n{text.replace(RNG.choice(text.split()), 'zzz', 1)}") for text in corpus.values()]
    texts = Texts([CorpusArticle(*article) for article in corpus.items()], None)
    began = time.process_time()
    found = place_retrieved(items, texts)
    seconds = time.process_time() - began
    right = sum(placed.places[0][0].docno == docno for placed, docno in zip(found, corpus, strict=True))
    print(f"{right} of {documents} texts with shared boilerplate in their documents: {seconds:.2f} s of CPU")
    return seconds


def make_anonymous(texts: int, documents: int) -> tuple[dict[str, str], list[str], list[Reference]]:
    """Make documents that share 70% of their words with others, and texts of 60 to 80 of their words, rewritten.

    A document is 28 sentences, 70% of them from a stock of which each is in about ten documents. Of a text's words 4%
    are left out and 6% replaced, and a title stands before it. The third are the places of the texts.
    """
    words = ["".join(RNG.choices("abcdefghiklmnoprstuvw", k=RNG.randint(2, 9))) for _ in range(5000)]
    weights = list(accumulate(1 / (rank + 1) for rank in range(5000)))

    def write_sentence() -> str:
        return " ".join(RNG.choices(words, cum_weights=weights, k=RNG.randint(8, 14))) + "."

    stock = [write_sentence() for _ in range(2 * documents)]
    corpus = [
        [RNG.choice(stock) if RNG.random() < SHARED else write_sentence() for _ in range(28)] for _ in range(documents)
    ]
    items = []
    references = []
    for number in RNG.choices(range(documents), k=texts):
        sentences = corpus[number]
        first = RNG.randrange(22)
        start = sum(len(one) + 1 for one in sentences[:first])
        kept_text = " ".join(sentences[first : first + 6])
        references.append((f"d{number}", start, start + len(kept_text)))
        chances = [(word, RNG.random()) for word in kept_text.split()]
        kept = [
            RNG.choice(words) if chance < LEFT_OUT + REPLACED else word for word, chance in chances if chance > LEFT_OUT
        ]
        items.append(f"A title\n{' '.join(kept)}")
    return {f"d{number}": " ".join(sentences) for number, sentences in enumerate(corpus)}, items, references


def hash_plainly(text: str) -> np.ndarray:
    """Hash every four words that follow each other."""
    words = np.array([hash(word) for word in re.findall(r"[a-z0-9]+", text.lower())], dtype=np.int64).view(np.uint64)
    for width in (1, 2):
        words = words[:-width] * np.uint64(1099511628211 + width) + words[width:]
    return words


def search_plainly(texts: list[str], corpus: dict[str, str]) -> list[str]:
    """Return for each text the document that has most of its words, four in a row at a time."""
    seeds = [hash_plainly(text) for text in texts]
    hashes = np.concatenate(seeds)
    order = np.argsort(hashes, kind="stable")
    owner = np.repeat(np.arange(len(texts)), [len(of_text) for of_text in seeds])[order]
    hashes = hashes[order]
    most = np.zeros(len(texts), dtype=np.int64)
    best = np.zeros(len(texts), dtype=np.int64)
    for number, text in enumerate(corpus.values()):
        found = hash_plainly(text)
        low = np.searchsorted(hashes, found)
        count = np.searchsorted(hashes, found, side="right") - low
        hits = np.repeat(low - np.cumsum(count) + count, count) + np.arange(count.sum())
        holders, shared = np.unique(owner[hits], return_counts=True)
        better = shared > most[holders]
        most[holders[better]] = shared[better]
        best[holders[better]] = number
    docnos = list(corpus)
    return [docnos[number] for number in best.tolist()]


def place_anonymous(texts: int, documents: int) -> float:
    """Print how long texts that name no document take, and how many times that of a plain search for them."""
    corpus, items, references = make_anonymous(texts, documents)
    held = Texts([CorpusArticle(*article) for article in corpus.items()], None)
    began = time.process_time()
    found = place_retrieved([Item(text=text) for text in items], held)
    seconds = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    began = time.process_time()
    best = search_plainly(items, corpus)
    ratio = seconds / (time.process_time() - began)
    right = sum(docno == place[0] for docno, place in zip(best, references, strict=True))
    size = sum(end - start for _, start, end in references)
    pairs = zip(found, references, strict=True)
    recall = sum(share_found(one, place) * (place[2] - place[1]) for one, place in pairs) / size
    print(f"{texts:,} texts, {documents:,} documents: {seconds:.2f} s of CPU, {ratio:.1f} times a plain search", end="")
    print(f" (at most 6.5), which finds {right / texts:.1%} of the documents; CharR {recall:.4f}; ", end="")
    print(f"the process {peak:,.0f} MB")
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data/chunking"))
    parser.add_argument("--shapes", nargs="*", default=["2000x4000", "4000x8000"])
    arguments = parser.parse_args()
    print("| reference | texts | expected | found | whole | ms a text |\n| --- | ---: | --- | ---: | ---: | ---: |")
    for line in compare_ways(*read_references(arguments.data)):
        print(line)
    few, many = place_boilerplate(500), place_boilerplate(2000)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"2,000 take {many / few:.1f} times 500 (at most 6); the process {peak:.0f} MB (at most 400)")
    times = [place_anonymous(*map(int, shape.split("x"))) for shape in arguments.shapes]
    ratios = ", ".join(f"{b / a:.1f}" for a, b in pairwise(times))
    print(f"each of these takes {ratios} times the one before it (at most 2.3 for twice the texts and documents)")


if __name__ == "__main__":
    main()
