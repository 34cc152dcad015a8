"""Every reader of files, each with a small good file of its format in `good/`, for the fuzzer."""

import bz2
import gzip
import io
import tarfile
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from assess_pages import articles
from xml_articles import ARTICLES, XmlArticles

import pyterrier_focused as ptf
from pyterrier_focused.assessment.progress import read_progress
from pyterrier_focused.assessment.single_file import write_page
from pyterrier_focused.assessment.store import Store
from pyterrier_focused.io import read_corpus
from pyterrier_focused.io.inex.checks import validate_run
from pyterrier_focused.io.inex.official_files import read_official_qrels, read_official_run
from pyterrier_focused.io.save_format import read_saved_run
from pyterrier_focused.io.texts.retrieved import read_retrieved
from pyterrier_focused.retrieval.elements.nexi import parse as parse_nexi

GOOD = Path(__file__).parent / "good"
CAMPAIGNS = Path(ptf.__file__).parent / "data" / "campaigns"
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


def build(path: Path) -> None:
    """Build a collection of a source and read all of it."""
    with tempfile.TemporaryDirectory() as folder:
        collection = ptf.Collection.build(path, Path(folder) / "collection", verbose=False, max_rejected=1.0)
        for article in collection.articles():
            collection.elements(article["docno"])


def build_folder(path: Path) -> None:
    build(path.parent)


def read_brat(path: Path) -> None:
    path.with_suffix(".txt").write_bytes((GOOD / "brat.txt").read_bytes())
    ptf.read_qrels(path.parent, collection=CORPUS)


def read_database(path: Path) -> None:
    """Read what the page of an assessor and the view of who has done what show."""
    read_progress(path)
    write_page(path, path.with_suffix(".html"))


def read_query(path: Path) -> None:
    parse_nexi(path.read_text(encoding="utf-8", errors="replace"))


def make_archive() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name in ("7.xml", "deep/8.xml"):
            tar.add(GOOD / "article.xml", name)
    return buffer.getvalue()


def make_database() -> bytes:
    """Return a database with a pool of articles."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "judgments.sqlite", create=True)
        store.add_topics([("1", "what do cats eat", {"narrative": "All of it."})])
        found = articles()
        store.add_pool([("1", article.docno) for article in found], found, 0.5)
        store.add_assessor("anna")
        store.close()
        return (Path(folder) / "judgments.sqlite").read_bytes()


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
    "saved run": Reader(GOOD / "saved.jsonl", read_saved_run),
    "BioASQ run": Reader(CAMPAIGNS / "bioasq-submission.json", run(**skipping)),
    "Genomics run": Reader(CAMPAIGNS / "genomics-run.txt", run(**skipping)),
    "hyperlinking run": Reader(CAMPAIGNS / "hyperlinking-run.txt", run(**skipping)),
    "KILT run": Reader(CAMPAIGNS / "kilt-guess.jsonl", run(**skipping)),
    "official run": Reader(GOOD / "fol.txt", lambda path: read_official_run(str(path), {"1", "2"}, "f")),
    "validate FOL": Reader(GOOD / "fol.txt", partial(validate_run, task="bic", collection=ELEMENTS)),
    "validate XML": Reader(GOOD / "run.xml", partial(validate_run, topics={"1"}, collection=ELEMENTS, year="any")),
    "validate BioASQ": Reader(CAMPAIGNS / "bioasq-submission.json", validate_run),
    "validate Genomics": Reader(CAMPAIGNS / "genomics-run.txt", validate_run),
    "validate hyperlinking": Reader(CAMPAIGNS / "hyperlinking-run.txt", validate_run),
    "validate KILT": Reader(CAMPAIGNS / "kilt-guess.jsonl", validate_run),
    "INEX qrels": Reader(GOOD / "qrels.txt", qrels(collection=ELEMENTS)),
    "INEX qrels, faults left out": Reader(GOOD / "qrels.txt", qrels(**skipping)),
    "official qrels": Reader(GOOD / "qrels.txt", lambda path: read_official_qrels(str(path))),
    "INEX assessments": Reader(GOOD / "pool.xml", qrels(collection=ELEMENTS)),
    "TREC qrels": Reader(GOOD / "labels.txt", qrels(lengths=LENGTHS)),
    "BioASQ qrels": Reader(CAMPAIGNS / "bioasq-golden.json", qrels()),
    "Genomics qrels": Reader(CAMPAIGNS / "genomics-gold.tsv", qrels()),
    "hyperlinking qrels": Reader(CAMPAIGNS / "hyperlinking.qrel", qrels(), "qrels.txt"),
    "KILT qrels": Reader(CAMPAIGNS / "kilt-gold.jsonl", qrels()),
    "judgments": Reader(GOOD / "judgments.jsonl", qrels()),
    "Label Studio": Reader(GOOD / "label_studio.json", qrels(collection=CORPUS)),
    "doccano": Reader(GOOD / "doccano.jsonl", qrels(collection=CORPUS)),
    "brat": Reader(GOOD / "brat.ann", read_brat, "a.ann"),
    "database of judgments": Reader(make_database(), qrels(), "judgments.sqlite"),
    "page of a database": Reader(make_database(), read_database, "judgments.sqlite"),
    "topics": Reader(GOOD / "topics.xml", ptf.read_topics),
    "topics in a table": Reader(GOOD / "topics.tsv", ptf.read_topics),
    "topics in JSON": Reader(GOOD / "topics.jsonl", ptf.read_topics),
    "NEXI": Reader(GOOD / "nexi.txt", read_query),
    "spans": Reader(GOOD / "spans.jsonl", spans(corpus=CORPUS)),
    "spans, faults left out": Reader(GOOD / "spans.jsonl", spans(corpus=CORPUS, **skipping)),
    "spans in a table": Reader(GOOD / "spans.csv", spans(corpus=CORPUS)),
    "references": Reader(GOOD / "references.json", spans(corpus=CORPUS)),
    "SQuAD": Reader(GOOD / "squad.json", spans()),
    "SQuAD's rows": Reader(GOOD / "squad_rows.jsonl", spans(corpus={"T": "Some words of text."})),
    "Natural Questions": Reader(GOOD / "natural_questions.jsonl", spans()),
    "HotpotQA": Reader(GOOD / "hotpot.json", spans()),
    "HotpotQA's rows": Reader(GOOD / "hotpot_rows.jsonl", spans()),
    "MultiHop-RAG": Reader(GOOD / "multi_hop.json", spans(corpus=CORPUS)),
    "RAGAS": Reader(GOOD / "ragas.jsonl", spans(corpus=CORPUS)),
    "retrieved": Reader(GOOD / "ragas.jsonl", read_retrieved),
    "retrieved in a table": Reader(GOOD / "results.csv", read_retrieved),
    "BEIR's corpus": Reader(GOOD / "beir.jsonl", read_corpus),
    "segments": Reader(GOOD / "segments.jsonl", read_corpus),
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
}
