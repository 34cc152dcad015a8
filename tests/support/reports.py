"""What the tests of the report share: qrels, runs and articles that are made up, and a page taken apart."""

import base64
import gzip
import json
from functools import cache

import numpy as np
import pandas as pd
from lxml import html as lxml_html

EVIL = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"


UNKNOWN = "2009001-0"  # to the collection


class Library:
    """The part of a Collection that the report reads: articles of words and sections, made from their docno."""

    def __init__(self, docnos, words=120):
        self.docnos, self.words = set(docnos), words
        self._text = cache(self._text)

    def __contains__(self, docno):
        return docno in self.docnos

    def articles(self, docnos):
        for docno in docnos:
            yield {"docno": docno, "title": f"Title {docno} {EVIL}", "text": self._text(docno)}

    def _text(self, docno):
        rng = np.random.default_rng(sum(map(ord, docno)))
        letters = np.array(list("      etaoinshrdlucmfwypvbgk"))
        return f"Title {docno} {EVIL}\n\n" + "".join(letters[rng.integers(0, len(letters), 6 * self.words)])

    def elements(self, docno):
        n = len(self._text(docno))
        rows = [("/article[1]", "article", docno, 0, n, -1)]
        rows += [(f"/article[1]/p[{i}]", "p", "", a, min(a + 200, n), 0) for i, a in enumerate(range(120, n, 200))]
        return pd.DataFrame(rows, columns=["path", "tag", "title", "start", "end", "parent"])


def study(topics=4, runs=3, docs=12, relevant=5, seed=0):
    """Qrels and runs over articles of which the later runs find more."""
    rng = np.random.default_rng(seed)
    judged, retrieved = [], {f"run {k}": [] for k in range(runs)}
    for t in range(topics):
        qid = str(2009001 + t)
        for d in range(docs):
            spans = [(130, 400), (500, 520)] if d < relevant else []
            judged.append((qid, f"{qid}-{d}", int(d < relevant), spans, 130 if spans else -1, 700))
        for k, rows in enumerate(retrieved.values()):
            for d in rng.choice(docs, 8, replace=False):
                score = rng.random() + k * 0.3 * (d < relevant)
                rows.append((qid, f"{qid}-{d}", score, 0, [(100 + 10 * k, 300, score), (600, 650, score / 2)]))
    qrels = pd.DataFrame(judged, columns=["qid", "docno", "label", "highlights", "bep", "length"])
    columns = ["qid", "docno", "score", "rank", "passages"]
    return qrels, {name: pd.DataFrame(rows, columns=columns) for name, rows in retrieved.items()}


def opened(path):
    """The page as a tree, its data, and its topics unpacked."""
    page = lxml_html.document_fromstring(path.read_text(encoding="utf-8"))
    scripts = {script.get("id"): script.text for script in page.iter("script")}
    topics = [
        gzip.decompress(base64.b64decode(text)).decode()
        for name, text in scripts.items()
        if (name or "").startswith("topic-")
    ]
    return page, json.loads(scripts["data"]), [lxml_html.fragment_fromstring(t, create_parent="div") for t in topics]


def hostile_report(path):
    """Write a report with hostile names everywhere; returns its qrels and runs."""
    from pyterrier_focused.report import write_report

    qrels, runs = study()
    runs = {"plain": runs["run 0"], EVIL: runs["run 1"], "third & last": runs["run 2"]}
    topics = pd.DataFrame({"qid": qrels["qid"].unique(), "query": EVIL, "narrative": EVIL})
    library = Library(set(qrels["docno"]) - {UNKNOWN})
    write_report(path, qrels, runs, topics=topics, collection=library, title=f"A title {EVIL}")
    return qrels, runs
