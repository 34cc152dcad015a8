import math
import pickle
import subprocess
import sys
import tarfile

import lz4.frame
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pyterrier_focused as ptf
from pyterrier_focused import cells
from pyterrier_focused.errors import CollectionError
from pyterrier_focused.retrieval import PartIndex, PartRetriever, RelevantInContext, RemoveOverlap, Windows, part_texts
from pyterrier_focused.retrieval.engines.terms import fold
from pyterrier_focused.retrieval.transformer import check_text_field

TOPICS = pd.DataFrame({"qid": ["1", "2"], "query": ["whale oil lamp", "glass lens"], "user": ["x", "y"]})


def found(index, query, **options):
    return index.bm25(**options).search(query)["docno"].tolist()


def test_parts_are_found_by_their_ids(index, collection):
    results = index.bm25()(TOPICS)
    assert list(results.columns) == ["qid", "query", "user", "docno", "score", "rank"]
    assert set(results["docno"]) <= {part["docno"] for part in part_texts(collection, "*")}
    texts = collection.text(results.loc[results["qid"] == "2", "docno"])
    assert all("glass" in text.lower() or "lens" in text.lower() for text in texts)
    assert results["rank"].tolist() == results.groupby("qid").cumcount().tolist()
    assert results.groupby("qid")["score"].is_monotonic_decreasing.all()


def test_pyterrier_inspects_the_parameters_of_a_model(index):
    retriever = index.bm25(k1=0.7, num_results=5)
    found = {setting.name: setting.value for setting in pt.inspect.transformer_attributes(retriever)}
    assert found == {"index": index, "model": "bm25", "num_results": 5, "threads": None, "k1": 0.7, "b": 0.4}


CHANGES = [
    ({}, "bm25", {"k1": 0.7}),
    ({"k1": 1.3}, "bm25", {"k1": 1.3}),
    ({"num_results": 3, "threads": 1}, "bm25", {"k1": 0.7, "num_results": 3, "threads": 1}),
    ({"model": "bm25"}, "bm25", {"k1": 0.7}),
    ({"model": "qld"}, "qld", {}),
]


@pytest.mark.parametrize(("changed", "model", "settings"), CHANGES, ids=str)
def test_pyterrier_applies_the_parameters_of_a_model(index, changed, model, settings):
    changed = pt.inspect.transformer_apply_attributes(index.bm25(k1=0.7), **changed)
    assert changed == PartRetriever(index, model, **settings)


def test_a_parameter_that_a_model_lacks_is_not_applied(index):
    with pytest.raises(ValueError, match="nonsense"):
        pt.inspect.transformer_apply_attributes(index.bm25(), nonsense=1.0)


def score_bm25(documents, query):
    """{docno: score} of the tokens of documents, as PISA's authors write BM25, with k1=0.9 and b=0.4."""
    mean = sum(map(len, documents.values())) / len(documents)
    holds = {term: sum(term in words for words in documents.values()) for term in query}
    idf = {term: math.log((len(documents) - count + 0.5) / (count + 0.5)) for term, count in holds.items()}

    def weigh(tf, length):
        return tf * (0.9 + 1) / (tf + 0.9 * (1 - 0.4 + 0.4 * length / mean))

    return {
        docno: sum(idf[term] * weigh(words.count(term), len(words)) for term in query if term in words)
        for docno, words in documents.items()
        if set(query) & set(words)
    }


def test_bm25_against_its_formula(collection, pisa, tmp_path):
    """Four paragraphs hold "lens" or "glass"; over the engine's own tokens."""
    import pyterrier_pisa

    index = collection.index(tmp_path / "p", elements="p")
    documents = {
        part["docno"]: pyterrier_pisa.tokenize(fold(part["text"]), "porter2") for part in part_texts(collection, "p")
    }
    results = index.bm25().search("glass lens")
    expected = score_bm25(documents, pyterrier_pisa.tokenize("glass lens", "porter2"))
    assert dict(zip(results["docno"], results["score"], strict=True)) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("query", ["cafe", "CAFÉ", "ελληνικα", "Ελληνικά", "東京", "喫茶", "Ærø", "aero"])
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


@pytest.mark.parametrize("query", [None, 7, float("nan")])
def test_a_query_that_is_no_text_names_its_topic(index, query):
    with pytest.raises(ValueError, match="topic 'q7'"):
        index.bm25()(pd.DataFrame({"qid": ["q1", "q7"], "query": ["whale", query]}))


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


@pytest.mark.parametrize("threads", [2, 8, None])
def test_threads_change_nothing(index, pisa, threads):
    words = "lamp lens oil glass night pier whale stone light keeper".split()
    queries = [" ".join(words[i % 10 : i % 10 + 1 + i % 4]) for i in range(500)]
    topics = pd.DataFrame({"qid": [f"q{i}" for i in range(500)], "query": queries, "user": range(500)})
    pd.testing.assert_frame_equal(index.bm25(threads=threads)(topics), index.bm25(threads=1)(topics))


@pytest.mark.parametrize("threads", [0, -1, 1.5, True])
def test_threads_are_counted(index, threads):
    with pytest.raises(ValueError, match=r"threads=.*; give a whole number of at least 1 or None"):
        index.bm25(threads=threads)


def test_equal_retrievers_are_one(index):
    again = PartIndex(index.path)
    assert again == index
    assert again.bm25() == index.bm25()
    assert hash(again.bm25()) == hash(index.bm25())
    assert again.bm25(k1=1.2) != index.bm25()
    assert again.bm25(num_results=5) != index.bm25()
    assert again.bm25(threads=1).compile() == again.bm25(threads=1)
    assert pickle.loads(pickle.dumps(index.bm25())) == index.bm25()


@pytest.mark.parametrize(("model", "parameters"), [("qld", {"mu": 500.0}), ("pl2", {"c": 2.0}), ("dph", {})])
def test_other_models(index, model, parameters):
    assert len(index.retriever(model, **parameters)(TOPICS))


def test_an_artifact_is_packed_and_opened_by_its_folder(index, tmp_path):
    package = index.build_package(str(tmp_path / "index.tar.lz4"), verbose=False)
    with lz4.frame.open(package) as stream, tarfile.open(fileobj=stream, mode="r|") as files:
        files.extractall(tmp_path / "copy", filter="data")
    copy = PartIndex(tmp_path / "copy")
    assert found(copy, "whale oil") == found(index, "whale oil")
    assert copy.verify() is None


class TestErrors:
    def test_a_path_that_is_taken(self, collection, index):
        with pytest.raises(CollectionError, match="exists already"):
            PartIndex.build(collection, index.path)

    def test_overwriting_takes_only_an_index_of_parts(self, collection, tmp_path):
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine" / "thesis.txt").write_text("years of work")
        with pytest.raises(CollectionError, match="no index of parts"):
            PartIndex.build(collection, tmp_path / "mine", overwrite=True)
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
        with pytest.raises(ValueError, match="nothing to index: no article has a part that fits"):
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
        known = "'bm25s', 'dense', 'opensearch', 'pisa', 'terrier'"
        with pytest.raises(ValueError, match=f"engine='lucene'; choose one of {known}"):
            collection.index(tmp_path / "none", engine="lucene")

    def test_no_index_here(self, tmp_path, collection):
        with pytest.raises(CollectionError, match="no index of parts is here"):
            PartIndex(tmp_path)
        with pytest.raises(CollectionError, match="is not an index of parts"):
            PartIndex(collection.path)

    def test_a_source_that_fails_leaves_nothing(self, tmp_path):
        def parts():
            yield {"docno": "1#0-4", "text": "word"}
            raise OSError("the disk is gone")

        with pytest.raises(OSError, match="the disk is gone"):
            PartIndex.from_parts(parts(), tmp_path / "half")
        assert not (tmp_path / "half").exists()

    def test_a_docno_with_white_space(self, tmp_path):
        with pytest.raises(ValueError, match="holds white space"):
            PartIndex.from_parts([{"docno": "a b#0-4", "text": "word"}], tmp_path / "spaced")


def test_the_engine_is_silent_unless_asked(collection, pisa, tmp_path):
    """In a process of its own, so that all that native code writes is seen."""
    code = (
        "import sys\n"
        "from pyterrier_focused.collection import Collection\n"
        f"collection = Collection({str(collection.path)!r})\n"
        f"folder = {str(tmp_path)!r}\n"
        "collection.index(folder + '/quiet', elements='p', verbose=False).bm25(k1=1.7).search('whale')\n"
        "print('loud', flush=True)\n"
        "print('loud', file=sys.stderr, flush=True)\n"
        "collection.index(folder + '/loud', elements='p', verbose=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [done.stdout.partition("loud\n")[0], done.stderr.partition("loud\n")[0]] == ["", ""]
    assert "Processed documents" in done.stderr.partition("loud\n")[2]


def test_any_retriever_over_passage_ids_serves(collection):
    """A dense one: paragraphs and queries as vectors of the words they hold, ranked by cosine."""
    import numpy as np

    parts = list(part_texts(collection, "p"))
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


@pytest.mark.parametrize(
    "options", [{}, {"titles": True}, {"headings": "add"}, {"headings": "drop", "titles": True}], ids=str
)
def test_texts_are_loaded_as_they_were_indexed(collection, tmp_path, options):
    index = collection.index(tmp_path / "parts", "bm25s", elements=("sec", "p"), **options)
    expected = {part["docno"]: part["text"] for part in part_texts(collection, ("sec", "p"), **options)}
    found = (index.bm25() >> index.text_loader())(TOPICS)
    assert len(found) > 4
    assert found["text"].tolist() == [expected[docno] for docno in found["docno"]]
    assert found["user"].notna().all()
    assert len(index.text_loader()(found.iloc[:0])) == 0


@pytest.mark.parametrize("metadata", ["*", "text", ["text"]])
def test_pyterrier_gets_the_texts_of_an_index(index, metadata):
    found = (index.bm25() % 2)(TOPICS)
    loaded = pt.text.get_text(index, metadata)(found)
    assert loaded["text"].tolist() == index.text_loader()(found)["text"].tolist()


def test_an_index_has_no_other_fields():
    with pytest.raises(ValueError, match="fields='title'; choose one of 'text'"):
        check_text_field("PartIndex.text_loader", ["text", "title"])


def test_a_collection_is_no_field(index, collection):
    with pytest.raises(ValueError, match=r"fields=Collection.*; choose one of 'text'"):
        index.text_loader(collection)


@pytest.mark.parametrize("query", ["whale oil lamp", "glass lens"])
def test_a_topic_that_is_there_twice(index, query):
    topics = pd.DataFrame({"qid": ["1", "2", "1"], "query": ["whale oil lamp", "glass", query]})
    with pytest.raises(ValueError, match="topic '1' occurs more than once; give each query a qid of its own"):
        index.bm25()(topics)


def test_a_candidate_without_a_qid_is_named_by_its_row(index):
    candidates = pd.DataFrame({"qid": ["1", None], "query": "lamp", "docno": "7#0-5"})
    with pytest.raises(ValueError, match="row 1 has no qid"):
        index.bm25()(candidates)


def test_a_castitle_whose_topic_is_there_twice(index):
    with pytest.raises(ValueError, match="topic '1' occurs more than once"):
        index.nexi()(pd.DataFrame({"qid": ["1", "1"], "castitle": ["//*[about(., lamp)]", "//*[about(., lens)]"]}))


@pytest.mark.parametrize(
    ("docno", "message"), [("1", "names no part"), ("1#0-99999", "'1#0-99999' reaches beyond its article")]
)
def test_texts_of_parts_that_are_not_there(collection, index, docno, message):
    load = index.text_loader()
    with pytest.raises(ValueError, match=message):
        load(pd.DataFrame({"docno": [docno]}))


def test_texts_of_an_index_without_a_collection(tmp_path):
    index = PartIndex.from_parts([{"docno": "1#0-4", "text": "word"}], tmp_path / "parts", "bm25s")
    with pytest.raises(CollectionError, match="was not made of a collection"):
        index.text_loader()


def test_blank_parts_are_counted(tmp_path):
    articles = tmp_path / "xml"
    articles.mkdir()
    page = "<article><id>{}</id><bdy>{}</bdy></article>"
    (articles / "1.xml").write_text(page.format(1, "<p>whale</p><p> </p>"))
    (articles / "2.xml").write_text(page.format(2, "<p></p>"))
    collection = ptf.Collection.build(articles, tmp_path / "collection", verbose=False)
    with pytest.warns(UserWarning, match="2 parts hold nothing but white space.*of 1 articles nothing is left.*'2'"):
        index = collection.index(tmp_path / "index", "bm25s", elements="p")
    assert len(index) == 1
    assert PartIndex(tmp_path / "index").meta["blank"] == 2
    assert "1 (2 blank ones are left out)" in index._repr_html_()


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"windows": 400}, r"windows=400: write elements=Windows\(400\)"),
        ({"stemmer": "porter"}, "stemmer='porter': bm25s has no such option; it has none of its own, and as all"),
    ],
)
def test_an_unknown_option_is_refused_with_those_that_there_are(collection, tmp_path, option, message):
    with pytest.raises(ValueError, match=message):
        collection.index(tmp_path / "none", "bm25s", **option)
