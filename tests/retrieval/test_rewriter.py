"""Query expansion on the embedded engines, by the papers' formulas over the parts' own words."""

import math
import pickle
from collections import Counter

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_focused.retrieval import Focused, PartIndex, RemoveOverlap, Snippets
from pyterrier_focused.retrieval.engines.terms import Terms, fold

WORDS = "lamp oil whale keeper night storm pier stone glass lens light harbour ship sea sand wheel brass clock".split()
# Words of so few parts that RM3 takes them.
RARE = ["anchor buoy anchor", "buoy rope anchor", "buoy rope", "rope"]
TEXTS = [
    " ".join(WORDS[(3 * i + j * j) % len(WORDS)] for j in range(4 + i % 5))
    + (f" lamp oil lamp {RARE[i]}" if i < len(RARE) else "")
    for i in range(40)
]


@pytest.fixture(scope="module", params=["bm25s", "pisa"])
def index(request, tmp_path_factory):
    if request.param == "pisa":
        request.getfixturevalue("pisa")
    parts = [{"docno": f"d{i}#0-{len(text)}", "text": text} for i, text in enumerate(TEXTS)]
    return PartIndex.from_parts(parts, tmp_path_factory.mktemp("expansion") / "index", request.param)


def vectors():
    terms = Terms("english")
    return [Counter(terms.of(fold(text))) for text in TEXTS]


def feedback(docnos):
    rows = [("1", "lamp oil", f"d{i}#0-{len(TEXTS[i])}", 5.0 - n, n) for n, i in enumerate(docnos)]
    return pd.DataFrame(rows, columns=["qid", "query", "docno", "score", "rank"])


def information(tf, mean):
    return tf * math.log2((1 + mean) / mean) + math.log2(1 + mean)


def choose_best(scores, count):
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:count])


def add_to_query(weight, expansion):
    """The weights of the two words of the query and of those that expand it."""
    return {term: weight * (term in ("lamp", "oil")) + expansion.get(term, 0) for term in {"lamp", "oil", *expansion}}


def test_bo1(index):
    """Amati's Bo1: tf * log2((1 + P) / P) + log2(1 + P), with P the mean occurrences in a part."""
    counts, asked = vectors(), [0, 1, 2]
    inside = sum((counts[i] for i in asked), Counter())
    held = Counter(term for i in asked for term in counts[i])
    score = {
        term: information(tf, sum(vector[term] for vector in counts) / len(counts))
        for term, tf in inside.items()
        if held[term] > 1 or term in ("lamp", "oil")
    }
    best = choose_best(score, 4)
    first = inside[max(best, key=best.get)]
    norm = information(first, first / len(counts))
    out = index.rewriter("Bo1", fb_terms=4)(feedback([0, 1, 2, 7]))
    expected = add_to_query(1.0, {term: value / norm for term, value in best.items()})
    assert out["query_toks"].iloc[0] == pytest.approx(expected)
    assert out["query_0"].tolist() == ["lamp oil"]


def test_rm3(index):
    """The mean of the parts' language models by the softmax of their scores, mixed with the query's."""
    counts, asked = vectors(), [0, 1, 2]
    weights = [math.exp(-n) for n in range(3)]
    shares = [(weight / sum(weights) / counts[i].total(), counts[i]) for weight, i in zip(weights, asked, strict=True)]
    holds = Counter(term for vector in counts for term in vector)
    terms = {term for _, vector in shares for term in vector if 2 <= holds[term] < 0.1 * len(counts)}
    best = choose_best({term: sum(share * vector[term] for share, vector in shares) for term in terms}, 5)
    assert best
    expected = add_to_query(0.7 / 2, {term: 0.3 * value / sum(best.values()) for term, value in best.items()})
    out = index.rewriter("RM3", fb_terms=5, fb_lambda=0.7)(feedback(asked))
    assert out["query_toks"].iloc[0] == pytest.approx(expected)


@pytest.mark.filterwarnings("ignore:.*RM3 adds no term")
@pytest.mark.parametrize("method", ["RM3", "Bo1"])
def test_rewriters_stand_in_pipelines(index, method):
    topics = pd.DataFrame({"qid": ["1", "2", "3"], "query": ["lamp", "brass clock", "zeppelin"]})
    bm25, rewriter = index.bm25(), index.rewriter(method)
    found = (bm25 >> rewriter >> bm25)(topics)
    assert set(found["qid"]) == {"1", "2"}
    assert len(found) >= len(bm25(topics))
    assert pickle.loads(pickle.dumps(rewriter)) == rewriter
    run = (bm25 >> rewriter >> bm25 >> RemoveOverlap() >> Focused())(topics)
    assert run["passages"].notna().all()


@pytest.mark.parametrize("method", ["RM3", "Bo1"])
def test_rewritten_queries_are_text_beside_their_weights(index, method):
    out = index.rewriter(method, fb_terms=4)(feedback([0, 1, 2]))
    assert sorted(out["query"][0].split()) == sorted(out["query_toks"][0])
    assert out["query_0"].tolist() == ["lamp oil"]
    again = index.rewriter(method)(index.bm25()(out))
    assert again[["query_0", "query_1"]].values.tolist() == [[out["query"][0], "lamp oil"]]


@pytest.mark.filterwarnings("ignore:.*RM3 adds no term")
def test_reset_queries_are_searched_as_they_were(index):
    """Also where the expansion wrote the same words: their weights are others."""
    bm25 = index.bm25()
    topics = pd.DataFrame({"qid": ["1", "2"], "query": ["lamp", "brass clock"]})
    expanded = (bm25 >> index.rewriter("RM3", fb_lambda=1, fb_terms=1))(topics)
    back = pt.rewrite.reset()(expanded)
    pd.testing.assert_frame_equal(bm25(back)[["qid", "docno", "score"]], bm25(topics)[["qid", "docno", "score"]])


def test_a_query_that_changes_counts_beside_weights_that_do_not(index):
    bm25 = index.bm25()
    topics = pd.DataFrame({"qid": ["1", "2", "3"], "query": ["lamp", "brass clock", "sea"]})
    expanded = (bm25 >> index.rewriter("Bo1"))(topics)
    changed = expanded.assign(query=expanded["query"].where(expanded["qid"] != "2", "storm"))
    expected = pd.concat([bm25(expanded[:1]), bm25.search("storm", "2"), bm25(expanded[2:])], ignore_index=True)
    found = bm25(changed)
    assert found["docno"].tolist() == expected["docno"].tolist()
    assert found["score"].tolist() == pytest.approx(expected["score"].tolist())
    candidates = bm25(changed.merge(found[["qid", "docno"]].groupby("qid").head(3)))
    assert candidates["score"].tolist() == pytest.approx(expected.groupby("qid").head(3)["score"].tolist())


def test_snippets_read_the_rewritten_query(index):
    parts = feedback([0, 1]).assign(text=[TEXTS[0], TEXTS[1]])
    rewritten = index.rewriter("Bo1")(parts)
    rows = parts.drop(columns="query").merge(rewritten, on="qid")
    assert all("**lamp**" in snippet for snippet in Snippets()(rows)["snippet"])


def test_no_topics_are_rewritten_to_none(index):
    bm25 = index.bm25()
    empty = index.rewriter("RM3")(bm25(pd.DataFrame({"qid": [], "query": []}, dtype=object)))
    assert len(empty) == 0
    assert len(bm25(empty)) == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "KL"}, "method='KL'; choose one of 'RM3', 'Bo1', 'SDM'"),
        ({"method": "RM3", "fb_docs": 0}, "fb_docs=0"),
        ({"method": "RM3", "fb_lambda": 2}, "fb_lambda=2; give a number from 0 to 1"),
        ({"method": "SDM"}, "needs the positions of words; index with engine='terrier', blocks=True"),
    ],
)
def test_settings_of_rewriters_are_checked(index, settings, message):
    with pytest.raises(ValueError, match=message):
        index.rewriter(**settings)


def test_feedback_that_is_not_in_the_index_is_named(index):
    with pytest.raises(ValueError, match="docno 'd0#3-9' is not in the index"):
        index.rewriter("Bo1")(feedback([0]).assign(docno="d0#3-9"))


def test_rm3_over_few_parts_says_once_that_it_adds_nothing(tmp_path):
    parts = [{"docno": f"{number}#0-9", "text": f"lamp oil w{number % 3}"} for number in range(12)]
    few = PartIndex.from_parts(parts, tmp_path / "few", engine="bm25s")
    rewriter = few.rewriter("RM3")
    topics = pd.DataFrame({"qid": ["1", "2"], "query": ["lamp", "oil"]})
    with pytest.warns(UserWarning, match="RM3 adds no term to a query: .* the index has 12 parts") as told:
        out = [rewriter(few.bm25()(topics)) for _ in range(2)]
    assert len(told) == 1
    assert out[0]["query"].tolist() == ["lamp", "oil"]
