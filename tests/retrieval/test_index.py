import pickle
import subprocess
import sys

import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pyterrier_focused as ptf
from pyterrier_focused import cells
from pyterrier_focused.errors import CollectionError
from pyterrier_focused.retrieval import PartIndex, PartRetriever, RelevantInContext, RemoveOverlap, Windows

TOPICS = pd.DataFrame({"qid": ["1", "2"], "query": ["whale oil lamp", "glass lens"], "user": ["x", "y"]})


def found(index, query, **options):
    return index.bm25(**options).search(query)["docno"].tolist()


def test_parts_are_found_by_their_ids(index, collection):
    results = index.bm25()(TOPICS)
    assert list(results.columns) == ["qid", "query", "user", "docno", "score", "rank"]
    assert set(results["docno"]) <= {part["docno"] for part in collection.parts("*")}
    texts = collection.text(results.loc[results["qid"] == "2", "docno"])
    assert all("glass" in text.lower() or "lens" in text.lower() for text in texts)
    assert results["rank"].tolist() == results.groupby("qid").cumcount().tolist()
    assert results.groupby("qid")["score"].is_monotonic_decreasing.all()


def test_pyterrier_inspects_the_parameters_of_a_model(index):
    retriever = index.bm25(k1=0.7, num_results=5)
    found = {setting.name: setting.value for setting in pt.inspect.transformer_attributes(retriever)}
    assert found == {"index": index, "model": "bm25", "num_results": 5, "k1": 0.7, "b": 0.4}


CHANGES = [
    ({}, "bm25", {"k1": 0.7}),
    ({"k1": 1.3}, "bm25", {"k1": 1.3}),
    ({"num_results": 3}, "bm25", {"k1": 0.7, "num_results": 3}),
    ({"model": "bm25"}, "bm25", {"k1": 0.7}),
]


@pytest.mark.parametrize(("changed", "model", "settings"), CHANGES, ids=str)
def test_pyterrier_applies_the_parameters_of_a_model(index, changed, model, settings):
    changed = pt.inspect.transformer_apply_attributes(index.bm25(k1=0.7), **changed)
    assert changed == PartRetriever(index, model, **{"b": 0.4, **settings})


@pytest.mark.parametrize("query", ["cafe", "CAFÉ", "ελληνικα", "Ελληνικά", "東京", "喫茶", "Ærø", "ærø"])
def test_words_of_any_script_are_found(index, query):
    assert {name.split("#")[0] for name in found(index, query)} == {"3"}


def test_words_of_a_script_that_no_part_has_find_nothing(index):
    assert not found(index, "русский")


@pytest.mark.parametrize("query", ["", "  ", "the of", "\0", '"', "'", "c++", "a:b", "^2 ~ fox*", "x" * 100_000])
def test_any_text_is_a_query_to_an_index(index, query):
    assert found(index, f"{query} whale")
    assert isinstance(found(index, query), list)


def test_half_a_character_is_no_query_word(index):
    """A lone surrogate, which no encoding can write."""
    topics = pd.DataFrame({"qid": ["1"], "query": pd.Series(["\ud800 whale"], dtype=object)})
    assert len(index.bm25()(topics))


@given(st.text(max_size=30))
def test_no_query_breaks_the_engine(index, query):
    assert found(index, query) == found(index, query)


def test_headings_that_are_dropped_find_nothing(collection, index, tmp_path):
    assert found(index, "Lenses Keepers")
    without = collection.index(tmp_path / "dropped", elements=("sec", "ss1"), headings="drop")
    assert not found(without, "Hunting")
    assert found(without, "Whalers")


def test_granularities_in_one_index_or_apart(collection, tmp_path):
    both = collection.index(tmp_path / "both", elements=("article", Windows(6, 3, unit="words")))
    apart = [
        collection.index(tmp_path / name, elements=elements)
        for name, elements in (("articles", "article"), ("windows", Windows(6, 3, unit="words")))
    ]
    assert len(both) == sum(map(len, apart))
    assert set(found(both, "lamp")) == set(found(apart[0], "lamp")) | set(found(apart[1], "lamp"))
    # fused before they are packed, as any two systems
    fused = apart[0].bm25() + apart[1].bm25() >> RemoveOverlap() >> RelevantInContext()
    ptf.check_run(fused.search("lamp"))


@pytest.mark.parametrize("k", [1, 2, 5, 2000])
def test_a_cutoff_goes_to_the_engine_of_an_index(index, k):
    fused = (index.bm25() % k).compile()
    assert isinstance(fused, PartRetriever)
    assert fused.num_results == min(k, 1000)
    expected = (index.bm25() % k)(TOPICS)
    pd.testing.assert_frame_equal(fused(TOPICS), expected)


def test_equal_retrievers_are_one(index):
    again = PartIndex(index.path)
    assert again == index
    assert again.bm25() == index.bm25()
    assert hash(again.bm25()) == hash(index.bm25())
    assert again.bm25(k1=1.2) != index.bm25()
    assert again.bm25(num_results=5) != index.bm25()
    assert pickle.loads(pickle.dumps(index.bm25())) == index.bm25()


@pytest.mark.parametrize(("model", "parameters"), [("qld", {"mu": 500.0}), ("pl2", {"c": 2.0}), ("dph", {})])
def test_other_models(index, model, parameters):
    pytest.importorskip("pyterrier_pisa")
    assert len(index.retriever(model, **parameters)(TOPICS))


class TestErrors:
    def test_a_path_that_is_taken(self, collection, index):
        with pytest.raises(CollectionError, match="exists already"):
            PartIndex.from_parts(collection.parts(), index.path)

    def test_overwriting_takes_only_an_index_of_parts(self, collection, tmp_path):
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine" / "thesis.txt").write_text("years of work")
        with pytest.raises(CollectionError, match="no index of parts"):
            PartIndex.from_parts(collection.parts(), tmp_path / "mine", overwrite=True)
        assert (tmp_path / "mine" / "thesis.txt").exists()
        first = collection.index(tmp_path / "parts", elements="p")
        again = collection.index(tmp_path / "parts", elements="sec", overwrite=True)
        assert len(again) != len(first)

    @pytest.mark.parametrize("elements", ["chapter", ("p", "chapter")])
    def test_no_tag_that_fits(self, collection, tmp_path, elements):
        with pytest.raises(ValueError, match="fits 'chapter'; its tags are article, bdy, header, id, p, sec"):
            collection.index(tmp_path / "none", elements=elements)
        assert not list(tmp_path.iterdir())

    def test_no_part_that_is_long_enough(self, collection, tmp_path):
        with pytest.raises(ValueError, match="nothing to index: there is no part"):
            collection.index(tmp_path / "none", elements="p", min_length=10_000)
        assert not list(tmp_path.iterdir())

    def test_sections_and_paragraphs_are_the_default(self, collection, tmp_path):
        default = collection.index(tmp_path / "default")
        assert len(default) == len(collection.index(tmp_path / "named", elements=("sec", "ss1", "p")))

    def test_no_words(self, tmp_path):
        with pytest.raises(ValueError, match="no part holds a word"):
            PartIndex.from_parts([{"docno": "1#0-3", "text": "..."}], tmp_path / "none")
        assert not list(tmp_path.iterdir())

    def test_a_docno_of_any_script(self, tmp_path):
        index = PartIndex.from_parts([{"docno": "Ærø#0-4", "text": "word"}], tmp_path / "parts")
        assert found(index, "word") == ["Ærø#0-4"]

    def test_an_unknown_engine(self, collection, tmp_path):
        known = "'pisa', 'bm25s', 'terrier'"
        with pytest.raises(ValueError, match=f"engine='lucene'; choose one of {known}"):
            collection.index(tmp_path / "none", engine="lucene")

    def test_no_index_here(self, tmp_path, collection):
        with pytest.raises(CollectionError, match="no index of parts is here"):
            PartIndex(tmp_path)
        with pytest.raises(CollectionError, match="is not an index of parts"):
            PartIndex(collection.path)

    @pytest.mark.parametrize("engine", ["pisa", "bm25s"])
    def test_a_source_that_fails_leaves_no_index_and_is_named(self, tmp_path, engine):
        def parts():
            yield {"docno": "Lamp#0-4", "text": "word"}
            raise OSError("the disk is gone")

        if engine == "pisa":
            pytest.importorskip("pyterrier_pisa")
        with pytest.raises(CollectionError, match=r"'Lamp#0-4': the disk is gone"):
            PartIndex.from_parts(parts(), tmp_path / "half", engine)
        assert not list(tmp_path.iterdir())

    def test_an_article_whose_parts_cannot_be_cut_is_named(self, collection, tmp_path, monkeypatch):
        def read(self):
            yield from pairs[:2]
            yield pairs[2][0], {}

        pairs = list(collection.articles_with_elements())
        monkeypatch.setattr(type(collection), "articles_with_elements", read)
        with pytest.raises(CollectionError, match=f"article {pairs[2][0]['docno']!r}"):
            collection.index(tmp_path / "half", elements="p")
        assert not list(tmp_path.iterdir())

    def test_a_docno_with_white_space(self, tmp_path):
        with pytest.raises(ValueError, match="'1 2#0-4' has white space"):
            PartIndex.from_parts([{"docno": "1 2#0-4", "text": "word"}], tmp_path / "index")


def test_a_killed_build_leaves_no_index_and_is_done_again(tmp_path):
    code = """if True:
        import os, sys
        from pyterrier_focused.retrieval import PartIndex

        def parts():
            for number in range(100):
                yield {"docno": f"{number}#0-4", "text": "word"}
            os.kill(os.getpid(), 9)

        PartIndex.from_parts(parts(), sys.argv[1])
    """
    killed = subprocess.run([sys.executable, "-c", code, tmp_path / "index"], check=False)
    assert killed.returncode == -9
    assert not (tmp_path / "index").exists()
    PartIndex.from_parts([{"docno": "1#0-4", "text": "word"}], tmp_path / "index")
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


def test_nothing_is_printed_and_the_progress_bar_is_seen(collection, tmp_path, capfd):
    parts = collection.parts("p", verbose=True)
    PartIndex.from_parts(parts, tmp_path / "index").bm25().search("lamp")
    printed = capfd.readouterr()
    assert not printed.out
    assert f"{len(collection)}/{len(collection)}" in printed.err


def test_parts_are_counted_and_read_again(collection):
    parts = collection.parts(("sec", "p"), exclude="boilerplate")
    assert len(parts) == len(list(parts)) == len(list(parts))


def test_any_retriever_over_passage_ids_serves(collection):
    """A dense one: paragraphs and queries as vectors of the words they hold, ranked by cosine."""
    import numpy as np

    parts = list(collection.parts("p"))
    words = sorted({word.strip(".,").lower() for part in parts for word in part["text"].split()})

    def vector(text):
        held = {word.strip(".,").lower() for word in text.split()}
        values = np.array([word in held for word in words], dtype=float)
        return values / max(np.linalg.norm(values), 1)

    matrix = np.array([vector(part["text"]) for part in parts])

    def search(topics):
        score = matrix @ vector(topics["query"].iloc[0])
        order = np.argsort(-score, kind="stable")[:5]
        return pd.DataFrame(
            {
                "qid": topics["qid"].iloc[0],
                "query": topics["query"].iloc[0],
                "docno": [parts[i]["docno"] for i in order],
                "score": score[order],
                "rank": range(5),
            }
        )

    dense = pt.apply.by_query(search, add_ranks=False)
    run = (dense >> RemoveOverlap() >> RelevantInContext())(TOPICS)
    ptf.check_run(run)
    best = run[(run["qid"] == "2") & (run["rank"] == 0)].iloc[0]
    assert best["docno"] == "4"
    assert (
        collection.text([f"4#{a}-{b}" for a, b in cells([best["passages"]])[0]])[-1] == "A lens of glass bends light."
    )


def test_articles_with_elements_are_articles_and_their_elements(collection):
    """The fast way over all articles equals the one by docno."""
    pairs = list(collection.articles_with_elements())
    assert [article for article, _ in pairs] == list(collection.articles())
    expected = [collection.element_columns(article["docno"]) for article, _ in pairs]
    assert [{name: list(column) for name, column in columns.items()} for _, columns in pairs] == [
        {name: list(column) for name, column in columns.items()} for columns in expected
    ]


@pytest.mark.parametrize("options", [{}, {"headings": "add"}], ids=str)
def test_texts_are_loaded_as_they_were_indexed(collection, tmp_path, options):
    index = collection.index(tmp_path / "parts", "bm25s", elements=("sec", "p"), **options)
    expected = {part["docno"]: part["text"] for part in collection.parts(("sec", "p"), **options)}
    found = (index.bm25() >> index.text_loader())(TOPICS)
    assert len(found) > 4
    assert found["text"].tolist() == [expected[docno] for docno in found["docno"]]
    assert found["user"].notna().all()
    assert len(index.text_loader()(found.iloc[:0])) == 0
