"""compare_chunkers against brute force over sets of characters, with engines and without."""

import brute_force
import brute_force_evidence as evidence
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_focused import cells, parse
from pyterrier_focused.evaluation.rag.chunkers import compare_chunkers, micro_averages
from pyterrier_focused.evaluation.tokens import Tokens
from pyterrier_focused.retrieval.passages.selectors import Windows
from pyterrier_focused.retrieval.tasks.overlap import MergeAdjacent

CORPUS = {
    "a": "Cats sleep all day. Cats eat fish at noon.\n\nDogs run in the park. Dogs bark at the moon, loudly.",
    "b": "Fish swim in the sea. A whale is no fish at all, they say. Whales sing.",
}
EVIDENCE = [
    {"question": "what do cats eat", "docno": "a", "quote": "eat fish at noon"},
    {"question": "where do dogs run", "docno": "a", "quote": "run in the park."},
    {"question": "is a whale a fish", "docno": "b", "quote": "A whale is no fish"},
    {"question": "is a whale a fish", "docno": "b", "quote": "Whales sing"},
]
SPLITTERS = {
    "sentences": lambda text: [piece + "." for piece in text.split(".") if piece.strip()],
    "windows": Windows(30, 20),
    "words": Windows(4, unit="words"),
}


class Counting(pt.Transformer):
    """Rank chunks by the letters they share with the query: any retriever over passage ids will do."""

    def __init__(self, chunks):
        self.rows = list(chunks)

    def transform(self, topics):
        found = []
        for topic in topics.itertuples():
            for row in self.rows:
                score = float(len(set(topic.query.split()) & set(row["text"].lower().split())))
                found.append({"qid": topic.qid, "query": topic.query, "docno": row["docno"], "score": score})
        return pt.model.add_ranks(pd.DataFrame(found))


def rows(frame, qid):
    """A run frame's rows of a topic as the brute force takes them."""
    part = frame[frame["qid"] == qid]
    return list(zip(part["docno"], part["score"], cells(part["passages"]), strict=True))


def qrels_rows(qrels, qid):
    part = qrels[qrels["qid"] == qid]
    return list(zip(part["docno"], part["label"], cells(part["highlights"]), strict=True))


def by_hand(compared, k, chars):
    """Each splitter's values over sets of characters."""
    values = {}
    for name, run in compared.runs.items():
        scores = []
        for qid in dict.fromkeys(compared.qrels["qid"]):
            topic, judged = rows(run, qid), qrels_rows(compared.qrels, qid)
            read = evidence.budget(topic, judged, None, k, "once")
            cut = evidence.budget(topic, judged, chars, None, "once")
            found = evidence.span_hit(topic, judged, 0.5, k), evidence.span_rr(topic, judged, 0.5)
            ranked = brute_force.a_ip(topic, judged, 101, "once"), evidence.char_map(topic, judged, "passage2")
            scores.append([*found, read["r"], read["p"], cut["r"], cut["iou"], *ranked])
        values[name] = np.array(scores, dtype=float).mean(axis=0)
    return values


MEASURES = (
    "SpanHit@2 SpanRR CharR(overlap='once')@2 CharP(overlap='once')@2 CharR(chars=50,overlap='once') "
    "CharIoU(chars=50,overlap='once') AiP(overlap='once') CharMAP"
)


@pytest.mark.parametrize("retriever", [Counting, None], ids=["any retriever", "PISA"])
def test_the_table_is_that_of_brute_force(retriever):
    if retriever is None:
        pytest.importorskip("pyterrier_pisa")
    compared = compare_chunkers(CORPUS, EVIDENCE, SPLITTERS, retriever, measures=MEASURES)
    table = compared.table
    assert table.columns.tolist() == ["name", "chunks", "length", *map(str, parse(MEASURES))]
    expected = by_hand(compared, 2, 50)
    for row in table.itertuples(index=False):
        assert list(row[3:]) == pytest.approx(expected[row.name].tolist(), abs=1e-12)
    ranking = table.sort_values("CharR(chars=50,overlap='once')")["name"].tolist()
    assert ranking == sorted(expected, key=lambda name: expected[name][4])
    for name, cut in compared.chunks.items():
        about = table[table["name"] == name].iloc[0]
        assert about["chunks"] == len(cut)
        assert about["length"] == pytest.approx(np.mean([len(chunk["text"]) for chunk in cut]))


def read_to(compared, point):
    """Recall and precision of each question after reading so much, over sets of characters."""
    run = compared.runs[point.name]
    for qid in ("1", "2", "3"):
        yield evidence.budget(rows(run, qid), qrels_rows(compared.qrels, qid), point.budget, None, "once")


@pytest.mark.parametrize("budgets", [[1, 10, 37, 500], None])
def test_the_curve_is_that_of_brute_force(budgets):
    compared = compare_chunkers(CORPUS, EVIDENCE, SPLITTERS, Counting, budgets=budgets)
    assert compared.curve.columns.tolist() == ["name", "budget", "recall", "precision"]
    for point in compared.curve.itertuples():
        values = list(read_to(compared, point))
        assert point.recall == pytest.approx(np.mean([float(value["r"]) for value in values]), abs=1e-12)
        assert point.precision == pytest.approx(np.mean([float(value["p"]) for value in values]), abs=1e-12)
    read = sum(map(len, CORPUS.values()))  # all chunks are retrieved for every question
    assert compared.curve["budget"].max() == (500 if budgets else read)


def test_micro_averages_divide_sums():
    compared = compare_chunkers(CORPUS, EVIDENCE, SPLITTERS, Counting)
    found = compared.micro("CharR(overlap='once')@1 CharP(overlap='once')@1 CharIoU(overlap='once')@1 SpanR@1")
    for name, run in compared.runs.items():
        both = size = total = spans = covered = 0
        for qid in ("1", "2", "3"):
            topic, judged = rows(run, qid), qrels_rows(compared.qrels, qid)
            relevant = brute_force.highlighted(judged)
            items = evidence.read(topic, "once", 1, None)
            both += len(relevant & set(items))
            size += len(items)
            total += len(relevant)
            spans += len(evidence.evidence_spans(judged))
            covered += evidence.span_r(topic, judged, 0.5, 1) * len(evidence.evidence_spans(judged))
        expected = [both / total, both / size, both / (size + total - both), float(covered / spans)]
        assert found[found["name"] == name].iloc[0, 1:].tolist() == pytest.approx(expected)
    assert found.columns[1] == "micro CharR(overlap='once')@1"
    with pytest.raises(ValueError, match="AiP is not a ratio of sums"):
        micro_averages(compared.qrels, compared.runs, "AiP")


def test_in_tokens():
    compared = compare_chunkers(CORPUS, EVIDENCE, SPLITTERS, Counting, unit=str.split)
    assert "CharR(chars=500,overlap='once',unit=Tokens('str.split'))" in compared.table.columns
    starts = {docno: set(Tokens(CORPUS, str.split).starts(docno).tolist()) for docno in CORPUS}
    for point in compared.curve[compared.curve["budget"] <= 60].itertuples():
        recalls = []
        for qid in ("1", "2", "3"):
            topic, judged = rows(compared.runs[point.name], qid), qrels_rows(compared.qrels, qid)
            value = evidence.budget(
                topic, judged, point.budget, None, "once", lambda item: int(item[1] in starts[item[0]])
            )
            recalls.append(float(value["r"]))
        assert point.recall == pytest.approx(np.mean(recalls), abs=1e-12)


def test_a_dense_retriever_by_matrix_product():
    """Letters as embeddings: what matters is that the docno is the passage id."""

    def dense(chunks):
        ids, texts = chunks.docnos(), [chunk["text"] for chunk in chunks]

        def embed(texts):
            return np.array([[text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts])

        matrix = embed(texts).astype(float)
        matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)

        def retrieve(topics):
            scores = embed(topics["query"].tolist()) @ matrix.T
            pairs = zip(topics["qid"], scores, strict=True)
            return pd.concat([pd.DataFrame({"qid": qid, "docno": ids, "score": row}) for qid, row in pairs])

        return pt.apply.generic(lambda topics: pt.model.add_ranks(retrieve(topics)))

    compared = compare_chunkers(CORPUS, EVIDENCE, SPLITTERS, dense, measures=MEASURES, k=3)
    expected = by_hand(compared, 2, 50)
    for row in compared.table.itertuples(index=False):
        assert list(row[3:]) == pytest.approx(expected[row.name].tolist(), abs=1e-12)
    assert all(run["passages"].list.len().groupby(run["qid"]).sum().max() == 3 for run in compared.runs.values())


def test_reranking_with_text():
    pytest.importorskip("pyterrier_pisa")

    def shortest(chunks):
        rerank = pt.apply.doc_score(lambda row: -len(row["text"]))
        return chunks.bm25(num_results=10) >> chunks.text_loader() >> rerank

    compared = compare_chunkers(CORPUS, EVIDENCE, {"w": Windows(30)}, shortest, measures="SpanHit@1")
    first = cells(compared.runs["w"]["passages"])[0]
    best = max(first, key=lambda part: part[2])
    assert best[1] - best[0] == min(end - start for start, end, _ in first)


def test_what_experiment_takes_is_handed_on():
    compared = compare_chunkers(
        CORPUS, EVIDENCE, SPLITTERS, Counting, measures="SpanRR", baseline=0, correction="holm", round=2
    )
    assert "SpanRR p-value corrected" in compared.table.columns
    per_query = compare_chunkers(CORPUS, EVIDENCE, SPLITTERS, Counting, measures="SpanRR", perquery=True).table
    assert len(per_query) == 9


def test_topics_of_their_own():
    topics = pd.DataFrame({"qid": ["1", "2", "3"], "query": ["cats", "dogs", "whale"]})
    compared = compare_chunkers(CORPUS, EVIDENCE, SPLITTERS, Counting, topics=topics)
    assert compared.runs["words"]["query"].unique().tolist() == ["cats", "dogs", "whale"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"splitters": {}}, "give {name: splitter} with at least one"),
        ({"splitters": [Windows(3)]}, "give {name: splitter}"),
        ({"retriever": pt.apply.generic(lambda rows: rows)}, "not a function of the chunks"),
        ({"retriever": 3}, "not a function of the chunks"),
        ({"k": 0}, "k=0; give a whole number"),
        ({"qrels": [{"qid": "q", "docno": "a", "start": 0, "end": 2}]}, "no column 'query'"),
        ({"topics": pd.DataFrame({"qid": ["1"]})}, r"missing: \['query'\]"),
        ({"measures": "Nothing@3"}, "no measure is called 'Nothing'"),
        ({"retriever": lambda chunks: pt.apply.generic(lambda topics: topics.assign(docno="x", score=1.0, rank=0))},
         "returned 'x', which lies in none of the corpus' articles"),
        ({"retriever": lambda chunks: pt.apply.generic(
            lambda topics: topics.assign(docno="a#0-999", score=1.0, rank=0))}, "returned 'a#0-999', which"),
        ({"retriever": lambda chunks: pt.apply.generic(lambda topics: topics)}, "returned no frame"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared(changes, message):
    arguments = {"corpus": CORPUS, "qrels": EVIDENCE, "splitters": SPLITTERS, "retriever": Counting, **changes}
    with pytest.raises(ValueError, match=message):
        compare_chunkers(**arguments)


def test_qrels_of_another_corpus():
    qrels = pd.DataFrame({"qid": ["1"], "query": ["x"], "docno": ["z"], "label": [1], "highlights": [[(0, 2)]]})
    with pytest.raises(ValueError, match="1 articles that are not in the corpus, such as 'z'"):
        compare_chunkers(CORPUS, qrels, SPLITTERS, Counting)


def test_the_plot():
    pytest.importorskip("matplotlib").use("Agg")
    ax = compare_chunkers(CORPUS, EVIDENCE, SPLITTERS, Counting).plot()
    assert [line.get_label() for line in ax.get_lines()] == list(SPLITTERS)
    assert ax.get_xlabel() == "Characters read"
    assert (
        compare_chunkers(CORPUS, EVIDENCE, SPLITTERS, Counting, unit=str.split).plot().get_xlabel().startswith("Tokens")
    )


def test_retrievers_that_return_other_spans():
    """Neighbours merged, and parents of what was found, against brute force over what was returned."""

    def merged(chunks):
        return Counting(chunks) % 3 >> pt.apply.generic(pt.model.add_ranks) >> MergeAdjacent(gap=2)

    def parents(chunks):
        def whole(rows):
            article = rows["docno"].str.rpartition("#")[0]
            ids = [f"{docno}#0-{len(CORPUS[docno])}" for docno in article]
            return pt.model.add_ranks(rows.assign(docno=ids).drop_duplicates(["qid", "docno"]))

        return Counting(chunks) >> pt.apply.generic(whole)

    for retriever in (merged, parents):
        compared = compare_chunkers(CORPUS, EVIDENCE, SPLITTERS, retriever, measures=MEASURES)
        expected = by_hand(compared, 2, 50)
        for row in compared.table.itertuples(index=False):
            assert list(row[3:]) == pytest.approx(expected[row.name].tolist(), abs=1e-12)
    assert compared.runs["words"]["passages"].list.len().max() == 1
    assert "sentences" in repr(compared)


def test_questions_without_evidence_are_scored_by_abstain_alone():
    rows = [*EVIDENCE, {"question": "who flies", "docno": "a", "references": []}]
    with pytest.warns(UserWarning, match="no evidence"):
        compared = compare_chunkers(CORPUS, rows, SPLITTERS, Counting, measures="SpanRR")
    plain = compare_chunkers(CORPUS, EVIDENCE, SPLITTERS, Counting, measures="SpanRR")
    assert compared.table.equals(plain.table)
    with pytest.warns(UserWarning, match="no evidence"):
        compared = compare_chunkers(CORPUS, rows, SPLITTERS, Counting, measures="Abstain", perquery=True)
    assert set(compared.table["qid"]) == {"1", "2", "3", "4"}
