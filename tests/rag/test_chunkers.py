"""compare_chunkers against brute force over sets of characters, with engines and without."""

import string

import brute_force
import brute_force_evidence as evidence
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_focused import cells, parse
from pyterrier_focused.evaluation.tokens import Tokens
from pyterrier_focused.rag.chunkers import compare_chunkers
from pyterrier_focused.rag.score import micro_averages
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


def compare_table(compared):
    """Hold the values of a table to those over sets of characters."""
    found = {row[0]: list(row[3:]) for row in compared.table.itertuples(index=False)}
    values = by_hand(compared, 2, 50)
    assert found == {name: pytest.approx(value.tolist(), abs=1e-12) for name, value in values.items()}


@pytest.mark.parametrize("retriever", [Counting, None], ids=["any retriever", "PISA"])
def test_the_table_is_that_of_brute_force(retriever):
    if retriever is None:
        pytest.importorskip("pyterrier_pisa")
    compared = compare_chunkers(CORPUS, EVIDENCE, SPLITTERS, retriever, measures=MEASURES)
    table = compared.table
    assert table.columns.tolist() == ["name", "chunks", "length", *map(str, parse(MEASURES))]
    compare_table(compared)
    expected = by_hand(compared, 2, 50)
    ranking = table.sort_values("CharR(chars=50,overlap='once')")["name"].tolist()
    assert ranking == sorted(expected, key=lambda name: expected[name][4])
    sizes = {name: [len(chunk["text"]) for chunk in cut] for name, cut in compared.chunks.items()}
    about = table.set_index("name")[["chunks", "length"]].T.to_dict("list")
    assert about == {name: pytest.approx([len(size), np.mean(size)]) for name, size in sizes.items()}


def read_to(compared, point, weight=lambda item: 1):
    """Mean recall and precision of the questions after reading so much, over sets of characters."""
    run, qrels = compared.runs[point.name], compared.qrels
    topics = [(rows(run, qid), qrels_rows(qrels, qid)) for qid in ("1", "2", "3")]
    values = [evidence.budget(*topic, point.budget, None, "once", weight) for topic in topics]
    return [np.mean([float(value[name]) for value in values]) for name in "rp"]


@pytest.mark.parametrize("budgets", [[1, 10, 37, 500], None])
def test_the_curve_is_that_of_brute_force(budgets):
    compared = compare_chunkers(CORPUS, EVIDENCE, SPLITTERS, Counting, budgets=budgets)
    curve = compared.points
    assert curve.columns.tolist() == ["name", "budget", "recall", "precision"]
    expected = np.array([read_to(compared, point) for point in curve.itertuples()])
    assert curve[["recall", "precision"]].to_numpy() == pytest.approx(expected, abs=1e-12)
    read = sum(map(len, CORPUS.values()))  # all chunks are retrieved for every question
    assert curve["budget"].max() == (500 if budgets else read)


def count_first(topic, judged):
    """What the first chunk has: evidence read, text read, all evidence, spans of it, spans found."""
    relevant, items = brute_force.highlighted(judged), evidence.read(topic, "once", 1, None)
    spans = len(evidence.evidence_spans(judged))
    return len(relevant & set(items)), len(items), len(relevant), spans, evidence.span_r(topic, judged, 0.5, 1) * spans


def divide_sums(run, qrels):
    counts = [count_first(rows(run, qid), qrels_rows(qrels, qid)) for qid in ("1", "2", "3")]
    both, size, total, spans, covered = map(sum, zip(*counts, strict=True))
    return [both / total, both / size, both / (size + total - both), float(covered / spans)]


def test_micro_averages_divide_sums():
    compared = compare_chunkers(CORPUS, EVIDENCE, SPLITTERS, Counting)
    found = compared.micro("CharR(overlap='once')@1 CharP(overlap='once')@1 CharIoU(overlap='once')@1 SpanR@1")
    assert found.columns[1] == "micro CharR(overlap='once')@1"
    assert found.set_index("name").T.to_dict("list") == {
        name: pytest.approx(divide_sums(run, compared.qrels)) for name, run in compared.runs.items()
    }


def test_micro_averages_of_one_run():
    compared = compare_chunkers(CORPUS, EVIDENCE, SPLITTERS, Counting)
    measure = "CharR(overlap='once')@1"
    (run, *_) = compared.runs.values()
    assert micro_averages(compared.qrels, run, measure).iloc[0, 1] == compared.micro(measure).iloc[0, 1]


def test_micro_averages_are_of_ratios():
    compared = compare_chunkers(CORPUS, EVIDENCE, SPLITTERS, Counting)
    with pytest.raises(ValueError, match="AiP is not a ratio of sums"):
        micro_averages(compared.qrels, compared.runs, "AiP")


def test_the_curve_in_tokens_is_that_of_brute_force():
    compared = compare_chunkers(CORPUS, EVIDENCE, SPLITTERS, Counting, unit=str.split)
    assert "CharR(chars=500)" in compared.table.columns
    starts = {docno: set(Tokens(CORPUS, str.split).starts(docno).tolist()) for docno in CORPUS}
    curve = compared.points[compared.points["budget"] <= 60]
    expected = [
        read_to(compared, point, lambda item: int(item[1] in starts[item[0]]))[0] for point in curve.itertuples()
    ]
    assert curve["recall"].tolist() == pytest.approx(expected, abs=1e-12)


def embed(texts):
    """Letters as embeddings."""
    return np.array([[text.lower().count(letter) for letter in string.ascii_lowercase] for text in texts])


def dense(chunks):
    """Rank by matrix product: what matters is that the docno is the passage id."""
    ids, texts = chunks.docnos(), [chunk["text"] for chunk in chunks]
    matrix = embed(texts).astype(float)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)

    def retrieve(topics):
        scores = embed(topics["query"].tolist()) @ matrix.T
        pairs = zip(topics["qid"], scores, strict=True)
        return pd.concat([pd.DataFrame({"qid": qid, "docno": ids, "score": row}) for qid, row in pairs])

    return pt.apply.generic(lambda topics: pt.model.add_ranks(retrieve(topics)))


def test_a_dense_retriever_by_matrix_product():
    compared = compare_chunkers(CORPUS, EVIDENCE, SPLITTERS, dense, measures=MEASURES, k=3)
    compare_table(compared)
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
    compared = compare_chunkers(CORPUS, EVIDENCE, SPLITTERS, Counting, measures="SpanRR", baseline=0, correction="holm")
    assert "SpanRR p-value corrected" in compared.table.columns
    assert "p: paired t-test of pt.Experiment" in repr(compared)
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
        ({"measures": ""}, "no measures given; name some"),
        ({"measures": "Nothing@3"}, "no measure is called 'Nothing'"),
        ({"retriever": lambda chunks: pt.apply.generic(lambda topics: topics.assign(docno="x", score=1.0, rank=0))},
         "returned 'x', which lies in none of the corpus' articles"),
        ({"retriever": lambda chunks: pt.apply.generic(
            lambda topics: topics.assign(docno="a#0-999", score=1.0, rank=0))}, "returned 'a#0-999', which"),
        ({"retriever": lambda chunks: pt.apply.generic(lambda topics: topics)}, "returned no frame"),
        ({"retriever": lambda chunks: pt.apply.generic(
            lambda topics: topics.assign(docno="a#0-9", score=1.0, rank=0).iloc[:0])},
         r"splitter '\w+': nothing was retrieved for any of \d+ questions \(first: '"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared(changes, message):
    arguments = {"corpus": CORPUS, "qrels": EVIDENCE, "splitters": SPLITTERS, "retriever": Counting, **changes}
    with pytest.raises(ValueError, match=message):
        compare_chunkers(**arguments)


@pytest.mark.filterwarnings("ignore:the evidence. 1 questions have no evidence")
def test_questions_that_all_lack_evidence_are_told():
    with pytest.raises(ValueError, match="no question has evidence"):
        compare_chunkers(CORPUS, [{"qid": "9", "query": "cats?", "quotes": []}], SPLITTERS, Counting)


def test_qrels_of_another_corpus():
    qrels = pd.DataFrame({"qid": ["1"], "query": ["x"], "docno": ["z"], "label": [1], "highlights": [[(0, 2)]]})
    with pytest.raises(ValueError, match="1 articles that are not in the corpus, such as 'z'"):
        compare_chunkers(CORPUS, qrels, SPLITTERS, Counting)


def test_the_plot():
    pytest.importorskip("matplotlib").use("Agg")
    ax = compare_chunkers(CORPUS, EVIDENCE, SPLITTERS, Counting).plot(confidence=0.95)
    assert [line.get_label() for line in ax.get_lines()][: len(SPLITTERS)] == list(SPLITTERS)
    assert len(ax.collections) == len(SPLITTERS)
    assert ax.get_xlabel() == "Characters read"
    assert (
        compare_chunkers(CORPUS, EVIDENCE, SPLITTERS, Counting, unit=str.split).plot().get_xlabel().startswith("Tokens")
    )


def test_bands_are_exact_where_every_question_has_all_its_evidence():
    compared = compare_chunkers(CORPUS, EVIDENCE, {"windows": Windows(30, 20)}, Counting, budgets=[1000])
    (band,) = compared.plot(confidence=0.9).collections
    # Clopper and Pearson's interval of three hits in three.
    assert band.get_datalim(band.axes.transData).intervaly.tolist() == pytest.approx([0.05 ** (1 / 3), 1.0])


def test_a_band_of_one_question_is_refused():
    compared = compare_chunkers(CORPUS, EVIDENCE[:1], {"windows": Windows(30, 20)}, Counting)
    with pytest.raises(ValueError, match="a band of confidence is made over topics and needs at least 2"):
        compared.plot(confidence=0.9)


def merge_neighbours(chunks):
    return Counting(chunks) % 3 >> pt.apply.generic(pt.model.add_ranks) >> MergeAdjacent(gap=2)


def take_parents(chunks):
    def whole(rows):
        article = rows["docno"].str.rpartition("#")[0]
        ids = [f"{docno}#0-{len(CORPUS[docno])}" for docno in article]
        return pt.model.add_ranks(rows.assign(docno=ids).drop_duplicates(["qid", "docno"]))

    return Counting(chunks) >> pt.apply.generic(whole)


@pytest.mark.parametrize("retriever", [merge_neighbours, take_parents])
def test_retrievers_that_return_other_spans(retriever):
    compare_table(compare_chunkers(CORPUS, EVIDENCE, SPLITTERS, retriever, measures=MEASURES))


def test_parents_are_one_passage_an_article():
    compared = compare_chunkers(CORPUS, EVIDENCE, SPLITTERS, take_parents, measures=MEASURES)
    assert compared.runs["words"]["passages"].list.len().max() == 1
    assert "sentences" in repr(compared)


def test_questions_without_evidence_are_scored_only_by_abstain():
    rows = [*EVIDENCE, {"question": "who flies", "docno": "a", "references": []}]
    with pytest.warns(UserWarning, match="no evidence"):
        compared = compare_chunkers(CORPUS, rows, SPLITTERS, Counting, measures="SpanRR")
    plain = compare_chunkers(CORPUS, EVIDENCE, SPLITTERS, Counting, measures="SpanRR")
    assert compared.table.equals(plain.table)
    with pytest.warns(UserWarning, match="no evidence"):
        compared = compare_chunkers(CORPUS, rows, SPLITTERS, Counting, measures="Abstain", perquery=True)
    assert set(compared.table["qid"]) == {"1", "2", "3", "4"}


def test_pages_that_were_given_are_counted():
    """One of two pages is evidence, and both are retrieved."""
    corpus = [{"docno": "a", "page": 1, "text": "Whales sing."}, {"docno": "a", "page": 2, "text": "Cats sleep."}]
    asked = [{"question": "cats or whales", "docno": "a", "quote": "Cats sleep."}]
    splitters = {"pages": lambda text: text.split("\n\n")}
    compared = compare_chunkers(corpus, asked, splitters, Counting, measures="CharP", unit="pages")
    assert compared.table[["chunks", "CharP"]].values.tolist() == [[2, 0.5]]
