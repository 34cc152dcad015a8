"""Every reader of files, each with a small good file of its format in `good/`, for the fuzzer."""

import bz2
import gzip
import io
import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from xml_articles import ARTICLES, XmlArticles

import pyterrier_focused as ptf
from pyterrier_focused.collection import read_corpus
from pyterrier_focused.io.save_format import read_saved_run, write_saved_run
from pyterrier_focused.io.validate import validate_run
from pyterrier_focused.rag import load_result
from pyterrier_focused.rag.results import read_retrieved

GOOD = Path(__file__).parent / "good"
ELEMENTS = XmlArticles(ARTICLES)
LENGTHS = {"7": 66, "12": 27}
CORPUS = {"a": "Cats sleep. Cats eat fish.", "b": "Whales sing. No fish at all."}


@dataclass(frozen=True)
class Reader:
    """A file to damage, what it is called when it is read, and what reads it."""

    good: Path | bytes
    read: Callable[[Path], object]
    name: str = ""

    @property
    def content(self) -> bytes:
        return self.good if isinstance(self.good, bytes) else self.good.read_bytes()


def build(path: Path, **options: object) -> None:
    """Build a collection of a source and read all of it."""
    with tempfile.TemporaryDirectory() as folder:
        collection = ptf.Collection.build(path, Path(folder) / "collection", verbose=False, max_rejected=1.0, **options)
        read_collection(collection)


def read_collection(collection: ptf.Collection) -> None:
    for article in collection.articles():
        collection.elements(article["docno"])


def build_folder(path: Path) -> None:
    build(path.parent)


def read_judged_passages(path: Path) -> None:
    """Read judgments of passages as BEIR has them, beside the passages."""
    with tempfile.TemporaryDirectory() as folder:
        good = {"qrels/test.tsv": GOOD / "judged_passages.tsv", "corpus.jsonl": GOOD / "passages.jsonl"}
        good["corpus.jsonl" if path.suffix == ".jsonl" else "qrels/test.tsv"] = path
        (Path(folder) / "qrels").mkdir()
        for name, file in good.items():
            shutil.copy(file, Path(folder) / name)
        ptf.read_spans(folder)


def open_collection(member: str) -> Callable[[Path], None]:
    """Return what reads a collection one file of which is that of a path."""

    def read(path: Path) -> None:
        with tempfile.TemporaryDirectory() as folder:
            opened = Path(folder) / "collection"
            with zipfile.ZipFile(io.BytesIO(COLLECTION)) as archive:
                archive.extractall(opened)
            shutil.copy(path, opened / member)
            read_collection(ptf.Collection(opened))

    return read


def make_archive() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name in ("7.xml", "deep/8.xml"):
            tar.add(GOOD / "article.xml", name)
    return buffer.getvalue()


def make_collection() -> bytes:
    """Return a collection of two articles as a zip archive."""
    buffer = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        documents = ({"docno": docno, "title": docno.upper(), "text": text} for docno, text in CORPUS.items())
        built = Path(folder) / "collection"
        ptf.Collection.from_iter(documents, built)
        with zipfile.ZipFile(buffer, "w") as archive:
            for file in sorted(file for file in built.rglob("*") if file.is_file()):
                archive.write(file, file.relative_to(built))
    return buffer.getvalue()


def make_result() -> bytes:
    """Return a saved result of one question."""
    with tempfile.TemporaryDirectory() as folder:
        qrels = ptf.read_spans(GOOD / "spans.jsonl", corpus=CORPUS)
        result = ptf.evaluate_retrieved(qrels, {"a": {"1": ["Cats eat fish."], "2": []}}, corpus=CORPUS)
        result.save(Path(folder) / "result.zip")
        return (Path(folder) / "result.zip").read_bytes()


def make_saved() -> bytes:
    """Return a saved run whose weighted terms are JSON."""
    buffer = io.BytesIO()
    run = ptf.read_run(GOOD / "fol.txt")
    write_saved_run(run.assign(query_toks=[{"fish": 1.5}] * len(run)), buffer)
    return buffer.getvalue()


def take(archive: bytes, member: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return opened.read(member)


PASSAGES_RUN = b"1 Q0 7 0 1 pyterrier-passages\n"
COLLECTION = make_collection()
run = partial(partial, ptf.read_run)
qrels = partial(partial, ptf.read_qrels)
spans = partial(partial, ptf.read_spans)
skipping = {"errors": "skip"}

READERS = {
    "FOL": Reader(GOOD / "fol.txt", run(missing="official")),
    "FOL, faults left out": Reader(GOOD / "fol.txt", run(**skipping)),
    "FOL with a collection": Reader(GOOD / "fol.txt", run(file_fields=True, collection=ELEMENTS)),
    "FOL in gzip": Reader(gzip.compress((GOOD / "fol.txt").read_bytes()), run(), "fol.gz"),
    "FOL in bzip2": Reader(bz2.compress((GOOD / "fol.txt").read_bytes()), run(), "fol.bz2"),
    "paths": Reader(GOOD / "paths.txt", run(collection=ELEMENTS)),
    "XML run": Reader(GOOD / "run.xml", run(collection=ELEMENTS)),
    "XML run, faults left out": Reader(GOOD / "run.xml", run(collection=ELEMENTS, **skipping)),
    "TREC run": Reader(GOOD / "trec.txt", run(lengths=LENGTHS)),
    "TREC run of passages": Reader(GOOD / "passages.txt", run()),
    "TREC run of documents": Reader(GOOD / "trec.txt", run(documents=True)),
    "saved run": Reader(make_saved(), read_saved_run, "saved.parquet"),
    "validate FOL": Reader(GOOD / "fol.txt", partial(validate_run, task="bic", collection=ELEMENTS)),
    "validate XML": Reader(GOOD / "run.xml", partial(validate_run, task="ric", collection=ELEMENTS)),
    "INEX qrels": Reader(GOOD / "qrels.txt", qrels(collection=ELEMENTS)),
    "INEX qrels, faults left out": Reader(GOOD / "qrels.txt", qrels(**skipping)),
    "INEX assessments": Reader(GOOD / "pool.xml", qrels(collection=ELEMENTS)),
    "TREC qrels": Reader(GOOD / "labels.txt", qrels(lengths=LENGTHS)),
    "Label Studio": Reader(GOOD / "label_studio.json", qrels(collection=CORPUS)),
    "topics": Reader(GOOD / "topics.xml", ptf.read_topics),
    "topics in a table": Reader(GOOD / "topics.tsv", ptf.read_topics),
    "topics in JSON": Reader(GOOD / "topics.jsonl", ptf.read_topics),
    "spans": Reader(GOOD / "spans.jsonl", spans(corpus=CORPUS)),
    "spans, faults left out": Reader(GOOD / "spans.jsonl", spans(corpus=CORPUS, **skipping)),
    "spans in a table": Reader(GOOD / "spans.csv", spans(corpus=CORPUS)),
    "references": Reader(GOOD / "references.json", spans(corpus=CORPUS)),
    "SQuAD": Reader(GOOD / "squad.json", spans()),
    "SQuAD's rows": Reader(GOOD / "squad_rows.jsonl", spans(corpus={"T": "Some words of text."})),
    "RAGAS": Reader(GOOD / "ragas.jsonl", spans(corpus=CORPUS)),
    "retrieved": Reader(GOOD / "ragas.jsonl", read_retrieved),
    "retrieved in a table": Reader(GOOD / "results.csv", read_retrieved),
    "BEIR's corpus": Reader(GOOD / "beir.jsonl", read_corpus),
    "SQuAD's corpus": Reader(GOOD / "squad.json", read_corpus),
    "texts": Reader(GOOD / "text.txt", lambda path: read_corpus(path.parent)),
    "dump": Reader(GOOD / "dump.xml", build),
    "dump in bzip2": Reader(bz2.compress((GOOD / "dump.xml").read_bytes()), build, "dump.xml.bz2"),
    "dump in gzip": Reader(gzip.compress((GOOD / "dump.xml").read_bytes()), build, "dump.xml.gz"),
    "article": Reader(GOOD / "article.xml", build_folder),
    "archive": Reader(make_archive(), build, "articles.tar"),
    "archive in gzip": Reader(gzip.compress(make_archive()), build, "articles.tar.gz"),
    "page": Reader(GOOD / "page.html", build_folder),
    "lines of pages": Reader(GOOD / "enterprise.ndjson", build),
    "saved result": Reader(make_result(), load_result, "result.zip"),
    "judged passages": Reader(GOOD / "judged_passages.tsv", read_judged_passages),
    "passages that are judged": Reader(GOOD / "passages.jsonl", read_judged_passages),
    "KILT as evidence": Reader(GOOD / "kilt.jsonl", spans(corpus={"1": "Cats sleep.\nCats eat fish.\n"})),
    "JATS": Reader(GOOD / "jats.xml", partial(build, profile="jats")),
    "Markdown": Reader(GOOD / "page.md", build_folder),
    "articles of a collection": Reader(
        take(COLLECTION, "collection.sqlite"), open_collection("collection.sqlite"), "collection.sqlite"
    ),
    "facts of a collection": Reader(take(COLLECTION, "pt_meta.json"), open_collection("pt_meta.json"), "pt_meta.json"),
}
