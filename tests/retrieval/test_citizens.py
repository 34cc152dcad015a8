"""The transformers as PyTerrier sees them: inspection, schematics, equality, plans, caches, empty frames."""

import os
import pickle

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest
from part_frames import frame

import pyterrier_focused as ptf
from pyterrier_focused.collection.help_links import _has_inventory
from pyterrier_focused.retrieval import (
    ArticleThenParts,
    BestInContext,
    Contextualise,
    Focused,
    MergeAdjacent,
    RelevantInContext,
    RemoveOverlap,
    Restrict,
    Snippets,
)

os.environ.setdefault("PT_TEST_TRANSFORMER_REPORTS", "0")

PARTS = frame([("1", "a", 0, 9, 1.0), ("1", "a", 3, 5, 2.0), ("2", "b", 0, 4, 1.0)]).assign(text="x", rank=0)
SOURCE = pt.Transformer.from_df(PARTS, uniform=True)
MAKERS = {
    "RemoveOverlap": lambda: RemoveOverlap("outer"),
    "MergeAdjacent": lambda: MergeAdjacent(3),
    "Restrict": lambda: Restrict(5, "topic"),
    "Contextualise": lambda: Contextualise(0.2),
    "Focused": lambda: Focused(k=7, overlap="allow"),
    "RelevantInContext": lambda: RelevantInContext("sum", per_article=2, overlap="allow"),
    "BestInContext": lambda: BestInContext("first"),
    "Snippets": lambda: Snippets(chars=50),
    "ArticleThenParts": lambda: ArticleThenParts(SOURCE, SOURCE, weight=0.2),
}
every = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)

TestRemoveOverlap = pt.testing.transformer_test_class(MAKERS["RemoveOverlap"])
TestMergeAdjacent = pt.testing.transformer_test_class(MAKERS["MergeAdjacent"])
TestRestrict = pt.testing.transformer_test_class(MAKERS["Restrict"])
TestContextualise = pt.testing.transformer_test_class(MAKERS["Contextualise"])
TestFocused = pt.testing.transformer_test_class(MAKERS["Focused"])
TestRelevantInContext = pt.testing.transformer_test_class(MAKERS["RelevantInContext"])
TestBestInContext = pt.testing.transformer_test_class(MAKERS["BestInContext"])
TestSnippets = pt.testing.transformer_test_class(MAKERS["Snippets"])


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    """PyTerrier looks for pages of documentation on its web site; ours must draw without."""

    def refuse(*_args, **_kwargs):
        raise OSError("no network")

    monkeypatch.setattr(pt.documentation, "objects_inv", refuse)
    _has_inventory.cache_clear()


@every
def test_equal_settings_make_equal_transformers(make):
    one, other = make(), make()
    assert one == other
    assert hash(one) == hash(other)
    assert repr(one) == repr(other)
    assert one != RemoveOverlap()
    assert type(one).__name__ in repr(one)


@every
def test_attributes_make_the_transformer_again(make):
    assert pt.inspect.transformer_apply_attributes(make()) == make()


@pytest.mark.parametrize(
    "transformer", [RemoveOverlap(), Focused(k=None), RelevantInContext("sum"), Restrict(9), Contextualise(0.1)]
)
def test_repr_is_the_call(transformer):
    assert eval(repr(transformer)) == transformer


@every
def test_outputs_are_as_inspected(make):
    transformer = make()
    outputs = pt.inspect.transformer_outputs(transformer, list(PARTS.columns))
    assert sorted(transformer(PARTS).columns) == sorted(outputs)


@every
def test_empty_frames_of_transformers(make):
    transformer = make()
    empty = transformer(PARTS.iloc[:0])
    if not isinstance(transformer, ArticleThenParts):
        assert len(empty) == 0
    assert sorted(empty.columns) == sorted(transformer(PARTS).columns)
    assert transformer([]) == []


def test_drawn_without_network(index, collection):
    retriever = index.bm25()
    made = [make() for name, make in MAKERS.items() if name != "ArticleThenParts"]
    drawn = [*made, retriever, ArticleThenParts(retriever, retriever)]
    assert [each for each in drawn if "<div" not in pt.schematic.draw(each)] == []
    labels = [pt.schematic.transformer_schematic(each)["label"] for each in drawn]
    assert [label for label in labels if len(label) > 20] == []


def test_schematics_link_to_the_documentation(collection, monkeypatch):
    documented = [RemoveOverlap(), collection.text_loader()]
    names = [("py:class", f"{type(each).__module__}.{type(each).__name__}") for each in documented]
    _has_inventory.cache_clear()
    monkeypatch.setattr(pt.documentation, "objects_inv", lambda: dict.fromkeys(names, ("https://example.org/p", "", 1)))
    links = [pt.schematic.transformer_schematic(each)["help_url"] for each in [*documented, Focused()]]
    assert links == ["https://example.org/p", "https://example.org/p", None]


@pytest.mark.parametrize("name", [name for name in MAKERS if name != "ArticleThenParts"])
def test_pickled(name):
    transformer = MAKERS[name]()
    assert pickle.loads(pickle.dumps(transformer)) == transformer


def test_subtransformers_are_seen():
    both = ArticleThenParts(RemoveOverlap(), MergeAdjacent())
    found = pt.inspect.subtransformers(both)
    assert found == {"article_retriever": RemoveOverlap(), "part_retriever": MergeAdjacent()}


def test_a_pipeline_is_inspected_and_drawn_as_a_whole(index, monkeypatch):
    pipeline = index.bm25() >> RemoveOverlap() >> RelevantInContext()
    assert pt.inspect.transformer_inputs(pipeline) == [
        ["qid", "query"],
        ["qid", "query_toks"],
    ]
    outputs = pt.inspect.transformer_outputs(pipeline, ["qid", "query"])
    assert sorted(outputs) == ["docno", "passages", "qid", "query", "rank", "score"]
    assert "RelevantInContext" in pipeline._repr_html_()


TOPICS = pd.DataFrame({"qid": ["1", "2"], "query": ["whale oil lamp", "glass lens"]})


@pytest.fixture(scope="module")
def qrels(collection):
    """The third article for whales and oil, the fourth for lenses: their whole text."""
    lengths = collection.lengths(["3", "4"])["length"].tolist()
    return pd.DataFrame(
        {
            "qid": ["1", "2"],
            "docno": ["3", "4"],
            "label": [1, 1],
            "highlights": [[(0, length)] for length in lengths],
            "bep": [0, 0],
            "length": lengths,
        }
    )


@pytest.mark.parametrize(
    "options", [{}, {"plan": "linear"}, {"plan": "tree"}, {"batch_size": 1}, {"validate": "error"}]
)
def test_experiments_give_the_same_however_they_are_run(index, collection, qrels, options):
    parts = index.bm25() >> RemoveOverlap()
    systems = [
        parts >> Focused(),
        parts >> RelevantInContext(),
        parts >> BestInContext(),
        ArticleThenParts(index.bm25(), index.bm25()) >> RemoveOverlap() >> Focused(),
        index.bm25() >> Contextualise() >> RemoveOverlap() >> Restrict(50) >> RelevantInContext(),
    ]
    measures = [*ptf.parse("AiP iP@0.01 AgP AgP(task='bic')"), ir_measures.AP, ir_measures.nDCG @ 10]
    names = list("abcde")
    plain = pt.Experiment(systems, TOPICS, qrels, measures, names=names, plan="linear").set_index("name")
    result = pt.Experiment(systems, TOPICS, qrels, measures, names=names, **options).set_index("name")
    pd.testing.assert_frame_equal(result, plain)


def test_a_tree_runs_a_shared_prefix_once(index, qrels, monkeypatch):
    calls = []
    search = type(index.bm25()).transform
    monkeypatch.setattr(type(index.bm25()), "transform", lambda self, inp: calls.append(len(inp)) or search(self, inp))
    systems = [index.bm25() >> RemoveOverlap() >> task for task in (Focused(), RelevantInContext(), BestInContext())]
    pt.Experiment(systems, TOPICS, qrels, [ir_measures.AP], plan="tree")
    assert sum(calls) == len(TOPICS)


def test_results_are_cached(index, tmp_path):
    caching = pytest.importorskip("pyterrier_caching")
    pipeline = index.bm25() >> RemoveOverlap()
    cached = caching.RetrieverCache(tmp_path / "cache", pipeline)
    expected = pipeline(TOPICS)
    first, second = cached(TOPICS), cached(TOPICS)
    pd.testing.assert_frame_equal(first[expected.columns], expected, check_dtype=False)
    pd.testing.assert_frame_equal(second[expected.columns], expected, check_dtype=False)


def test_text_is_loaded_for_parts(index, collection):
    results = (index.bm25() % 3 >> collection.text_loader() >> Snippets())(TOPICS)
    assert results["snippet"].str.contains("**", regex=False).all()


def test_names_are_short(index, collection):
    """Tables of an experiment name systems by what is not the default, and by folders without their path."""
    parts = "/".join(str(index.path).split("/")[-2:])
    assert str(index.bm25()) == f"PartRetriever({parts}, k1=0.9, b=0.4)"
    assert str(index.retriever("dph", num_results=5)) == f"PartRetriever({parts}, model=dph, num_results=5)"
    assert str(RemoveOverlap() >> Focused(k=3)) == "(RemoveOverlap() >> Focused(k=3))"
    assert eval(repr(Focused(k=3)), {"Focused": Focused}) == Focused(k=3)
