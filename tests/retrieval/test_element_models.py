"""The baselines of element retrieval, against their formulas in plain loops."""

import math
import pickle

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

import pyterrier_focused as ptf
from pyterrier_focused.collection import heading_topics
from pyterrier_focused.retrieval import (
    ArticleThenParts,
    Contextualise,
    Focused,
    MixtureModel,
    Propagate,
    RemoveOverlap,
    part_texts,
)
from pyterrier_focused.retrieval.engines.terms import Terms, fold


def terms(text):
    """The terms as PISA's tokenizer makes them, but for stop words."""
    return [term for term in Terms("english").of(fold(text)) if term]


@pytest.mark.parametrize(
    ("element", "article", "prior"), [(0.3, 0.1, 0.5), (0.5, 0.0, 0.0), (0.0, 0.4, 1.0), (0.2, 0.2, -1)]
)
def test_the_mixture_by_its_formula(index, collection, element, article, prior):
    topics = pd.DataFrame({"qid": ["1", "2"], "query": ["lens of glass", "whale oil lamp lamps"]})
    candidates = index.bm25()(topics)
    parts = {part["docno"]: terms(part["text"]) for part in part_texts(collection, "*")}
    texts = {part["docno"].split("#")[0]: terms(part["text"]) for part in part_texts(collection, "article")}
    everything = [term for words in texts.values() for term in words]
    found = MixtureModel(collection, element, article, prior)(candidates)
    assert set(found["docno"]) == set(candidates["docno"])
    checked = 0
    for qid, query, docno, score in zip(found["qid"], found["query"], found["docno"], found["score"], strict=True):
        name = docno.split("#")[0]
        inside, around = parts[docno], texts[name]
        expected = prior * math.log(max(len(inside), 1))
        for term in terms(query):
            of_element = inside.count(term) / max(len(inside), 1)
            of_article = around.count(term) / len(around)
            of_all = everything.count(term) / len(everything)
            mixed = element * of_element + article * of_article + (1 - element - article) * of_all
            expected += math.log(mixed / ((1 - element - article) * of_all))
        assert score == pytest.approx(expected), (qid, docno)
        checked += 1
    assert checked > 10
    for _, rows in found.groupby("qid"):
        assert rows["score"].is_monotonic_decreasing
        assert rows["rank"].tolist() == list(range(len(rows)))


def test_headings_can_be_left_out(index, collection):
    parts = index.bm25().search("lenses")
    kept, dropped = (MixtureModel(collection, prior=0, headings=how)(parts) for how in ("keep", "drop"))
    # "Lenses" is a heading of the first article; the paragraph below it says "lens"
    heading = next(docno for docno in parts["docno"] if collection.text([docno])[0] == "Lenses")
    assert kept.set_index("docno")["score"][heading] > dropped.set_index("docno")["score"][heading]


def test_words_that_nothing_holds_and_no_words(collection):
    parts = pd.DataFrame({"qid": "1", "docno": ["1#0-9", "4#0-20"], "score": 1.0, "rank": 0})
    for query in ("zeppelin", "the of", "", "?!"):
        found = MixtureModel(collection)(parts.assign(query=query))
        assert np.isfinite(found["score"]).all()
    assert len(MixtureModel(collection)(parts.assign(query="x").iloc[:0])) == 0


def test_propagation_by_hand(collection):
    """In the first article's section on lamps: two paragraphs, a subsection with one, each found."""
    rows = collection.elements("1")
    spans = {row.path.removeprefix("/article[1]/bdy[1]"): f"1#{row.start}-{row.end}" for row in rows.itertuples()}
    one, two, below = spans["/sec[1]/p[1]"], spans["/sec[1]/p[2]"], spans["/sec[1]/ss1[1]/p[1]"]
    parts = pd.DataFrame({"qid": "1", "query": "q", "docno": [one, two, below], "score": [4.0, 2.0, 8.0], "rank": 0})
    found = Propagate(collection, one=0.5, many=0.25)(parts).set_index("docno")["score"]
    subsection = 0.5 * 8
    section = 0.25 * (4 + 2 + subsection)
    assert found[[one, two, below]].tolist() == [4, 2, 8]
    assert found[spans["/sec[1]/ss1[1]"]] == subsection
    assert found[spans["/sec[1]"]] == section
    assert found[spans[""]] == 0.5 * section
    assert len(found) == 7
    # what scored itself keeps that besides
    both = pd.concat([parts, parts.iloc[:1].assign(docno=spans["/sec[1]"], score=1.0)])
    assert Propagate(collection, 0.5, 0.25)(both).set_index("docno")["score"][spans["/sec[1]"]] == 1 + section
    # a window is a child of the element that holds it
    start, end = map(int, below.split("#")[1].split("-"))
    window = parts.iloc[:1].assign(docno=f"1#{start + 1}-{end - 1}", score=8.0)
    found = Propagate(collection, 0.5, 0.25)(window).set_index("docno")["score"]
    assert found[window["docno"].iloc[0]] == 8
    assert found[below] == 4
    assert found[spans["/sec[1]/ss1[1]"]] == 2


def test_pipelines_and_settings(index, collection):
    topics = pd.DataFrame({"qid": ["1", "2", "3"], "query": ["whale oil lamp", "glass lens", "zeppelin"]})
    for model in (MixtureModel(collection), Propagate(collection, many=0.1)):
        run = (index.bm25() >> model >> RemoveOverlap() >> Focused())(topics)
        ptf.check_run(run)
        assert set(run["qid"]) == {"1", "2"}
        assert pickle.loads(pickle.dumps(model)) == model
        assert len(model(index.bm25()(topics.iloc[2:]))) == 0
    for make, message in (
        (lambda: MixtureModel(collection, element=0.0, article=0.0), "give more than 0, less than 1"),
        (lambda: MixtureModel(collection, element=0.7, article=0.3), "give more than 0, less than 1"),
        (lambda: MixtureModel(collection, element=2), "element=2; give a number from 0 to 1"),
        (lambda: MixtureModel(collection, prior=float("nan")), "prior=nan"),
        (lambda: MixtureModel(collection, headings="add"), "headings='add'"),
        (lambda: Propagate(collection, one=2), "one=2; give a number from 0 to 1"),
        (lambda: Propagate(collection, num_results=0), "num_results=0"),
    ):
        with pytest.raises(ValueError, match=message):
            make()
    parts = pd.DataFrame({"qid": "1", "query": "q", "docno": ["1#0-9"], "score": [-1.0], "rank": 0})
    with pytest.raises(ValueError, match="the score -1 is below 0"):
        Propagate(collection)(parts)
    with pytest.raises(ValueError, match="'1#0-99999' reaches beyond its article"):
        Propagate(collection)(parts.assign(docno="1#0-99999", score=1.0))


def describe_system(name, index, articles, collection):
    """Return a shipped model over an index of sections and paragraphs, with its defaults."""
    bm25 = index.bm25()
    systems = {
        "mixture": lambda: bm25 >> MixtureModel(collection),
        "propagation": lambda: bm25 >> Propagate(collection),
        "context": lambda: bm25 >> Contextualise(),
        "article and part": lambda: ArticleThenParts(articles.bm25(), bm25),
        "RM3": lambda: bm25 >> index.rewriter("RM3") >> bm25,
        "Bo1": lambda: bm25 >> index.rewriter("Bo1") >> bm25,
        "nexi": lambda: index.nexi(collection=collection),
    }
    return systems[name]()


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The demo's data set, its collection, and the indexes of its parts and of its articles."""
    work = tmp_path_factory.mktemp("demo")
    dataset = pt.get_dataset("focused:demo")
    collection = dataset.collection(work / "collection")
    parts = collection.index(work / "parts", "bm25s")
    return dataset, collection, parts, collection.index(work / "articles", "bm25s", elements="article")


SYSTEMS = ["mixture", "propagation", "context", "article and part", "RM3", "Bo1", "nexi"]


def compare_with_baseline(name, collection, parts, articles, topics, qrels):
    """Return AiP of plain BM25 and of a shipped model."""
    systems = [parts.bm25(), describe_system(name, parts, articles, collection)]
    runs = [system >> RemoveOverlap() >> Focused() for system in systems]
    return pt.Experiment(runs, topics, qrels, ptf.parse("AiP"))["AiP"].tolist()


@pytest.mark.parametrize("name", SYSTEMS)
def test_defaults_are_not_below_their_baseline(demo, name):
    """AiP on the demo is at least that of plain BM25, but for .02."""
    dataset, collection, parts, articles = demo
    topics = dataset.get_topics().drop(columns="castitle", errors="ignore")
    baseline, value = compare_with_baseline(name, collection, parts, articles, topics, dataset.get_qrels())
    assert value >= baseline - 0.02


@pytest.fixture(scope="module")
def sample(shared_data, tmp_path_factory):
    """The sample of Wikipedia, its indexes, and 500 of its heading topics with their qrels."""
    work = tmp_path_factory.mktemp("sample")
    collection = ptf.Collection.build(shared_data / "enwiki-sample.xml.bz2", work / "collection", verbose=False)
    topics, qrels = heading_topics(collection)
    topics = topics.sample(500, random_state=2)
    parts = collection.index(work / "parts", "bm25s", headings="drop")
    articles = collection.index(work / "articles", "bm25s", elements="article", headings="drop")
    return collection, parts, articles, topics, qrels[qrels["qid"].isin(topics["qid"])]


@pytest.mark.long
@pytest.mark.parametrize("name", SYSTEMS)
def test_defaults_are_not_below_their_baseline_on_wikipedia(sample, name):
    baseline, value = compare_with_baseline(name, *sample)
    assert value >= baseline - 0.02
