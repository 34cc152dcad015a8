import pickle

import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused.retrieval import PartIndex, Terms


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Zürich, café, naïve", "zurich"),
        ("Électricité", "electricite"),
        ("The lamp's oils", "lamp"),
        ("Ελληνικά", "ελληνικα"),
        ("東京都の喫茶店", "喫茶"),
        ("東京都の喫茶店", "茶"),
        ("上海是中国的城市", "城市"),
        ("ประเทศไทย", "ไทย"),
        ("हिन्दी भाषा", "हिन्दी"),
    ],
)
def test_words_of_a_query_are_among_those_of_the_text(text, query):
    terms = Terms()
    assert set(terms.query(query)) <= set(terms.of(text))
    assert terms.query(query)


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [("german", "Häuser", "Haus"), ("french", "chevaux", "cheval"), ("russian", "театры", "театр")],
)
def test_other_languages_are_stemmed(language, one, other):
    assert Terms(language).of(one) == Terms(language).of(other)


def test_stop_words_are_in_documents_and_not_in_queries():
    assert Terms().query("the of lamps") == {"lamp": 1}
    assert "the" in Terms().of("the of lamps")
    assert Terms("german").query("die und der Lampe").keys() == {"lamp"}


def test_a_language_without_a_stemmer():
    with pytest.raises(ValueError, match="language='klingon'; choose one of arabic, armenian"):
        Terms("klingon")


@pytest.mark.parametrize("language", ["english", "german"])
@given(text=st.text(max_size=40))
def test_places_are_those_of_the_terms(language, text):
    terms = Terms(language)
    places = list(terms.places(text))
    assert [term for _, _, term, _ in places] == terms.of(text)
    assert all(0 <= start < end <= len(text) and term.split() == [term] for start, end, term, _ in places)


def test_documents_and_topics_get_their_columns():
    terms = Terms()
    documents = pd.DataFrame({"docno": ["1#0-9"], "text": ["Two lamps, a lamp"]})
    assert terms(documents)["toks"].tolist() == [{"two": 1, "lamp": 2, "a": 1}]
    assert terms.search("lamps", qid="1")["query_toks"].tolist() == [{"lamp": 1}]
    assert next(iter(terms.transform_iter(documents.to_dict("records"))))["toks"] == {"two": 1, "lamp": 2, "a": 1}
    assert pickle.loads(pickle.dumps(terms)) == terms


@pytest.mark.parametrize("engine", ["pisa", "bm25s"])
def test_every_engine_finds_every_script(tmp_path, engine):
    if engine == "pisa":
        pytest.importorskip("pyterrier_pisa")
    texts = ["Zürich", "東京の灯台", "маяки освещают море", "a plain lamp", "another lamp", "oil", "glass"]
    parts = [{"docno": f"{n}#0-{len(text)}", "text": text} for n, text in enumerate(texts)]
    index = PartIndex.from_parts(parts, tmp_path / "index", engine)
    for number, query in enumerate(["zurich", "灯台", "море"]):
        assert index.bm25().search(query)["docno"].tolist() == [parts[number]["docno"]]


@pytest.mark.parametrize("language", ["english", "german"])
def test_any_plug_in_takes_parts_and_terms(collection, tmp_path, pisa, language):
    """Without an index of this package: parts are documents, terms are `toks`, and the rest is PyTerrier's."""
    from pyterrier_pisa import PisaIndex

    from pyterrier_focused import Focused

    if language == "english":
        write = Terms(language).write_ascii
        parts = ({**part, "text": write(part["text"])} for part in collection.parts(("sec", "p")))
        bm25 = PisaIndex(tmp_path / "pisa", text_field="text").index(parts).bm25()
    else:
        pipeline = Terms(language) >> PisaIndex(tmp_path / "pisa", stemmer="none").toks_indexer(scale=1)
        pipeline.index(collection.parts(("sec", "p")))
        bm25 = Terms(language) >> PisaIndex(tmp_path / "pisa", stops="none").bm25(query_weighted=True, toks_scale=1)
    ours = collection.index(tmp_path / "ours", elements=("sec", "p"), language=language).bm25()
    topics = pd.DataFrame({"qid": ["1", "2"], "query": ["whale oil lamp", "glass lens"]})
    columns = ["qid", "docno", "rank", "score", "passages"]
    plain, usual = ((system >> Focused())(topics)[columns] for system in (bm25, ours))
    pd.testing.assert_frame_equal(plain, usual)
    assert isinstance(bm25, pt.Transformer)


def test_a_query_of_stop_words_only_keeps_them():
    assert Terms().query("Who is the keeper?") == {"keeper": 1}
    assert Terms().query("Who is it?") == {"who": 1, "is": 1, "it": 1}
