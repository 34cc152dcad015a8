"""The baselines of element retrieval, against their formulas in plain loops."""

import functools
import math
import pickle
from dataclasses import dataclass

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
    PartIndex,
    Propagate,
    RemoveOverlap,
    part_texts,
)
from pyterrier_focused.retrieval.engines.terms import Terms, fold


def terms(text):
    """The terms as PISA's tokenizer makes them, but for stop words."""
    return [term for term in Terms("english").of(fold(text)) if term]


@dataclass
class PlainMixture:
    """The mixture over the terms of parts and articles, by docno."""

    parts: dict
    articles: dict

    def score(self, query, docno, element, article, prior):
        inside, around = self.parts[docno], self.articles[docno.split("#")[0]]
        everything = [term for words in self.articles.values() for term in words]
        total = prior * math.log(max(len(inside), 1))
        for term in terms(query):
            of_element = inside.count(term) / max(len(inside), 1)
            of_article = around.count(term) / len(around)
            of_all = everything.count(term) / len(everything)
            mixed = element * of_element + article * of_article + (1 - element - article) * of_all
            total += math.log(mixed / ((1 - element - article) * of_all))
        return total


@pytest.mark.parametrize(
    ("element", "article", "prior"), [(0.3, 0.1, 0.5), (0.5, 0.0, 0.0), (0.0, 0.4, 1.0), (0.2, 0.2, -1)]
)
def test_the_mixture_by_its_formula(index, collection, element, article, prior):
    topics = pd.DataFrame({"qid": ["1", "2"], "query": ["lens of glass", "whale oil lamp lamps"]})
    candidates = index.bm25()(topics)
    plain = PlainMixture(
        {part["docno"]: terms(part["text"]) for part in part_texts(collection, "*")},
        {part["docno"].split("#")[0]: terms(part["text"]) for part in part_texts(collection, "article")},
    )
    found = MixtureModel(collection, element, article, prior)(candidates)
    assert set(found["docno"]) == set(candidates["docno"])
    assert len(found) > 10
    expected = [plain.score(row.query, row.docno, element, article, prior) for row in found.itertuples()]
    assert found["score"].tolist() == pytest.approx(expected)
    assert found.groupby("qid")["score"].is_monotonic_decreasing.all()
    assert found["rank"].tolist() == found.groupby("qid").cumcount().tolist()


def test_headings_can_be_left_out(index, collection):
    parts = index.bm25().search("lenses")
    kept, dropped = (MixtureModel(collection, prior=0, headings=how)(parts) for how in ("keep", "drop"))
    # "Lenses" is a heading of the first article; the paragraph below it says "lens"
    heading = next(docno for docno in parts["docno"] if collection.text([docno])[0] == "Lenses")
    assert kept.set_index("docno")["score"][heading] > dropped.set_index("docno")["score"][heading]


@pytest.mark.parametrize("query", ["zeppelin", "the of", "", "?!"])
def test_words_that_nothing_holds_and_no_words(collection, query):
    parts = pd.DataFrame({"qid": "1", "query": query, "docno": ["1#0-9", "4#0-20"], "score": 1.0, "rank": 0})
    assert np.isfinite(MixtureModel(collection)(parts)["score"]).all()
    assert len(MixtureModel(collection)(parts.iloc[:0])) == 0


@pytest.fixture
def lamps(collection):
    """{path: docno} of the first article's elements, from its body on."""
    rows = collection.elements("1")
    return {row.path.removeprefix("/article[1]/bdy[1]"): f"1#{row.start}-{row.end}" for row in rows.itertuples()}


def propagate(collection, docnos, scores):
    parts = pd.DataFrame({"qid": "1", "query": "q", "docno": docnos, "score": scores, "rank": 0})
    return Propagate(collection, one=0.5, many=0.25)(parts).set_index("docno")["score"]


FOUND = ["/sec[1]/p[1]", "/sec[1]/p[2]", "/sec[1]/ss1[1]/p[1]"]
SECTION = 0.25 * (4 + 2 + 0.5 * 8)


def test_propagation_by_hand(collection, lamps):
    """In the first article's section on lamps: two paragraphs, a subsection with one, each found."""
    found = propagate(collection, [lamps[path] for path in FOUND], [4.0, 2.0, 8.0])
    paths = [*FOUND, "/sec[1]/ss1[1]", "/sec[1]", ""]
    assert found[[lamps[path] for path in paths]].tolist() == [4, 2, 8, 0.5 * 8, SECTION, 0.5 * SECTION]
    assert len(found) == 7


def test_what_scored_itself_keeps_its_score_when_parts_propagate(collection, lamps):
    found = propagate(collection, [lamps[path] for path in [*FOUND, "/sec[1]"]], [4.0, 2.0, 8.0, 1.0])
    assert found[lamps["/sec[1]"]] == 1 + SECTION


def test_a_window_propagates_to_the_element_that_holds_it(collection, lamps):
    below = lamps["/sec[1]/ss1[1]/p[1]"]
    start, end = map(int, below.split("#")[1].split("-"))
    window = f"1#{start + 1}-{end - 1}"
    found = propagate(collection, [window], [8.0])
    assert found[[window, below, lamps["/sec[1]/ss1[1]"]]].tolist() == [8, 4, 2]


@pytest.mark.parametrize("make", [MixtureModel, functools.partial(Propagate, many=0.1)], ids=["mixture", "propagation"])
def test_element_models_stand_in_pipelines(index, collection, make):
    topics = pd.DataFrame({"qid": ["1", "2", "3"], "query": ["whale oil lamp", "glass lens", "zeppelin"]})
    model = make(collection)
    run = (index.bm25() >> model >> RemoveOverlap() >> Focused())(topics)
    ptf.check_run(run)
    assert set(run["qid"]) == {"1", "2"}
    assert pickle.loads(pickle.dumps(model)) == model
    assert len(model(index.bm25()(topics.iloc[2:]))) == 0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda collection: MixtureModel(collection, element=0.0, article=0.0), "give more than 0, less than 1"),
        (lambda collection: MixtureModel(collection, element=0.7, article=0.3), "give more than 0, less than 1"),
        (lambda collection: MixtureModel(collection, element=2), "element=2; give a number from 0 to 1"),
        (lambda collection: MixtureModel(collection, prior=float("nan")), "prior=nan"),
        (lambda collection: MixtureModel(collection, headings="add"), "headings='add'"),
        (lambda collection: Propagate(collection, one=2), "one=2; give a number from 0 to 1"),
        (lambda collection: Propagate(collection, num_results=0), "num_results=0"),
        (lambda collection: propagate(collection, ["1#0-9"], [-1.0]), "the score -1 is below 0"),
        (lambda collection: propagate(collection, ["1#0-99999"], [1.0]), "'1#0-99999' reaches beyond its article"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_settings_and_parts_of_element_models_are_checked(collection, make, message):
    with pytest.raises(ValueError, match=message):
        make(collection)


@dataclass
class Judged:
    """A collection, the indexes of its parts and of its articles, and topics with their qrels."""

    collection: ptf.Collection
    parts: PartIndex
    articles: PartIndex
    topics: pd.DataFrame
    qrels: pd.DataFrame

    def make_system(self, name):
        """A shipped model over an index of sections and paragraphs, with its defaults."""
        bm25 = self.parts.bm25()
        systems = {
            "mixture": lambda: bm25 >> MixtureModel(self.collection),
            "propagation": lambda: bm25 >> Propagate(self.collection),
            "context": lambda: bm25 >> Contextualise(),
            "article and part": lambda: ArticleThenParts(self.articles.bm25(), bm25),
            "RM3": lambda: bm25 >> self.parts.rewriter("RM3") >> bm25,
            "Bo1": lambda: bm25 >> self.parts.rewriter("Bo1") >> bm25,
            "nexi": lambda: self.parts.nexi(collection=self.collection),
        }
        return systems[name]()

    def score(self, system):
        """AiP of a system's parts without overlap."""
        run = system >> RemoveOverlap() >> Focused()
        return pt.Experiment([run], self.topics, self.qrels, ptf.parse("AiP"))["AiP"].iloc[0]

    @functools.cached_property
    def baseline(self):
        return self.score(self.parts.bm25())


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The demo, whose topics are searched by their titles."""
    work = tmp_path_factory.mktemp("demo")
    dataset = pt.get_dataset("focused:demo")
    collection = dataset.collection(work / "collection")
    parts = collection.index(work / "parts", "bm25s")
    articles = collection.index(work / "articles", "bm25s", elements="article")
    topics = dataset.get_topics().drop(columns="castitle", errors="ignore")
    return Judged(collection, parts, articles, topics, dataset.get_qrels())


SYSTEMS = ["mixture", "propagation", "context", "article and part", "RM3", "Bo1", "nexi"]


@pytest.mark.parametrize("name", SYSTEMS)
def test_defaults_are_not_below_their_baseline(demo, name):
    """AiP on the demo is at least that of plain BM25, but for .02."""
    assert demo.score(demo.make_system(name)) >= demo.baseline - 0.02


@pytest.fixture(scope="module")
def sample(shared_data, tmp_path_factory):
    """The sample of Wikipedia with 500 of its heading topics."""
    work = tmp_path_factory.mktemp("sample")
    collection = ptf.Collection.build(shared_data / "enwiki-sample.xml.bz2", work / "collection", verbose=False)
    topics, qrels = heading_topics(collection)
    topics = topics.sample(500, random_state=2)
    parts = collection.index(work / "parts", "bm25s", headings="drop")
    articles = collection.index(work / "articles", "bm25s", elements="article", headings="drop")
    return Judged(collection, parts, articles, topics, qrels[qrels["qid"].isin(topics["qid"])])


@pytest.mark.long
@pytest.mark.parametrize("name", SYSTEMS)
def test_defaults_are_not_below_their_baseline_on_wikipedia(sample, name):
    assert sample.score(sample.make_system(name)) >= sample.baseline - 0.02
