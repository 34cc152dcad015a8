"""Windows over any retriever's documents: offsets of random texts of any script, and pipelines to a run."""

import pickle
import re

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from part_frames import slide_plainly

import pyterrier_focused as ptf
from pyterrier_focused.frames.ids import parse_ids
from pyterrier_focused.rag import cited_parts
from pyterrier_focused.retrieval import Focused, PassageIds, RelevantInContext, Slide

SCRIPTS = ["abc xyz.", "äß ñ é", "αβγ Ωμ", "жщ я.", "東京 は。", "ไทย", "नमस्ते", "العربية", "😀👩 ", "\u0301\u200d"]
SCRIPTS += ["\n\t \u3000\xa0", "1.5 a.b! C?"]
TEXTS = st.lists(st.sampled_from(SCRIPTS).flatmap(lambda s: st.text(s, max_size=25)), max_size=8).map("".join)
# PyTerrier's own
pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{warning}")
    for warning in ("The inplace keyword", "prepend_title and title_attr")
]


def rows(*texts, **columns):
    docnos = [f"d{i}" for i in range(len(texts))]
    frame = pd.DataFrame({"qid": "1", "query": "q", "docno": docnos, "score": 9.0, "rank": 0, "text": list(texts)})
    return frame.assign(**columns)


def draw_text(rng):
    """A text of up to 59 characters of three scripts."""
    pool = list("".join(rng.choice(SCRIPTS, 3)))
    return "".join(rng.choice(pool, rng.integers(0, 60)))


@pytest.mark.parametrize("unit", ["words", "sentences", "chars"])
@pytest.mark.parametrize(("size", "stride"), [(1, 1), (7, 3), (2, 9), (150, 75)])
def test_offsets_slice_to_the_text(unit, size, stride):
    """10,000 random texts of all these scripts, for each unit."""
    rng = np.random.default_rng(8)
    texts = [draw_text(rng) for _ in range(2500)]
    found = Slide(size, stride, unit)(rows(*texts))
    assert len(found) > 1000
    article, start, end = parse_ids(found["docno"])
    spans = zip(article, start, end, strict=True)
    assert found["text"].tolist() == [texts[int(name[1:])][first:last] for name, first, last in spans]
    assert found["text"].astype(bool).all()


@given(st.lists(st.text("ab c\n", max_size=30), min_size=1, max_size=4), st.integers(1, 4), st.integers(1, 4))
def test_windows_of_words_by_definition(texts, size, stride):
    words = [[match.span() for match in re.finditer(r"\S+", text)] for text in texts]
    assert Slide(size, stride)(rows(*texts))["docno"].tolist() == [
        f"d{i}#{spans[first][0]}-{spans[last - 1][1]}"
        for i, spans in enumerate(words)
        for first, last in slide_plainly(len(spans), size, stride)
    ]


def find_pairs(text):
    """Offsets of every two letters, each from the letter on that ends the one before: units may overlap."""
    return [(start, start + 2) for start in range(len(text) - 1)]


UNITS = {
    "texts": (2, 1, str.split, ["d0#0-7", "d0#4-13"]),
    "offsets": (1, None, lambda text: [(4, 7), (8, 13)], ["d0#4-7", "d0#8-13"]),
    "lists with special tokens": (
        2,
        None,
        lambda text: [[0, 0], [0, 3], [3, 7], [8, 13], [0, 0]],
        ["d0#0-7", "d0#8-13"],
    ),
    "spans that overlap": (1, 4, find_pairs, ["d0#0-2", "d0#4-6", "d0#8-10"]),
    "none": (1, None, lambda text: [], []),
}


@pytest.mark.parametrize(("size", "stride", "unit", "docnos"), UNITS.values(), ids=UNITS)
def test_windows_of_the_units_of_a_tokenizer(size, stride, unit, docnos):
    found = Slide(size, stride, unit)(rows("one two three"))
    assert found["docno"].tolist() == docnos
    _, start, end = parse_ids(found["docno"])
    assert found["text"].tolist() == ["one two three"[a:b] for a, b in zip(start, end, strict=True)]


def test_tokens_are_found_in_a_part():
    found = Slide(1, unit=str.split)(rows("one two", docno=["12#100-107"]))
    assert found["docno"].tolist() == ["12#100-103", "12#104-107"]


def test_a_part_is_cut_by_its_own_offsets():
    part = rows("one two three", docno=["12#100-113"])
    found = Slide(2, 1)(part)
    assert found["docno"].tolist() == ["12#100-107", "12#104-113"]
    with pytest.raises(ValueError, match=r"'12#100-114' has 14 characters, and its text 13"):
        Slide(2)(part.assign(docno="12#100-114"))


def test_foreign_columns_and_ranks():
    found = Slide(1)(rows("a b", "c", score=[1.0, 2.0], user=[7, 8]))
    assert found[["docno", "user", "rank", "score"]].values.tolist() == [
        ["d1#0-1", 8, 0, 2.0], ["d0#0-1", 7, 1, 1.0], ["d0#2-3", 7, 2, 1.0],
    ]  # fmt: skip
    assert len(Slide(1)(rows(" \n"))) == 0
    assert list(Slide(1)(rows("a").iloc[:0]).columns) == list(rows("a").columns)
    documents = pd.DataFrame({"docno": ["d"], "text": ["a b"]})
    assert Slide(1)(documents)["docno"].tolist() == ["d#0-1", "d#2-3"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Slide(0), "size=0"),
        (lambda: Slide(2, 0), "stride=0"),
        (lambda: Slide(2, unit="lines"), "unit='lines'"),
        (lambda: Slide(2, unit=lambda text: [7])(rows("a")), "docno 'd0': a tokenizer returns texts or"),
        (lambda: Slide(2, unit=lambda text: ["b"])(rows("a")), "docno 'd0': token 'b' is not in the text"),
        (lambda: Slide(0, unit=str.split), "size=0"),
        (lambda: Slide(2)(rows(None)), "docno 'd0': the text None is not text"),
    ],
)
def test_settings_and_texts_of_slide_are_checked(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_citizen():
    assert Slide(5, 2) == Slide(5, 2)
    assert Slide(5, 2) != Slide(5, 3)
    assert eval(repr(Slide(5, 2, "chars"))) == Slide(5, 2, "chars")
    assert pickle.loads(pickle.dumps(Slide(5))) == Slide(5)
    assert pickle.loads(pickle.dumps(Slide(5, unit=str.split))) == Slide(5, unit=str.split)
    assert pt.inspect.transformer_outputs(Slide(5), ["qid", "query", "docno", "score", "rank", "text"]) == [
        "qid", "query", "docno", "score", "rank", "text",
    ]  # fmt: skip
    assert "<div" in pt.schematic.draw(Slide(5))


def test_the_best_passage_of_each_document(index, collection):
    """Articles are found, cut, their windows scored by words shared with the query, and packed."""
    articles = pd.DataFrame({"qid": ["1"], "query": ["blubber oil"]})
    found = pd.DataFrame({"docno": ["1", "3"], "score": [2.0, 1.0], "rank": [0, 1]})
    source = pt.apply.generic(lambda topics: topics.merge(found, how="cross"))
    overlap = pt.apply.doc_score(lambda row: float(sum(word in row["text"] for word in row["query"].split())))
    loader = pt.text.get_text(collection, ["text"])
    run = (source >> loader >> Slide(8, 4) >> overlap >> ptf.retrieval.RemoveOverlap() >> RelevantInContext())(articles)
    ptf.check_run(run)
    best = (source >> loader >> Slide(8, 4) >> overlap)(articles)
    assert run["score"].max() == best["score"].max() == 2.0
    assert run["docno"].iloc[0] == "3"


def find_words(sliding, docno, texts):
    """The words at the place of a passage, None if there is no such passage."""
    try:
        found = sliding(rows("", docno=[docno]))["docno"]
    except ValueError as error:
        return None if "no such passage" in str(error) else str(error)
    (article,), (start,), (end,) = parse_ids(found)
    return texts[int(article[1:])][start:end].split()


class TestPassageIds:
    TABLE = pd.DataFrame({"docno": ["x", "y"], "article": ["1", "2"], "start": [0, 5], "end": [4, 9]})

    @pytest.mark.parametrize("kind", ["table", "mapping", "function"])
    def test_any_table(self, kind):
        places = {"x": ("1", 0, 4), "y": ("2", 5, 9)}
        mapping = {"table": self.TABLE, "mapping": places, "function": places.__getitem__}[kind]
        found = PassageIds(mapping)(rows("a", "b", "c", docno=["y", "x", "y"]))
        assert found["docno"].tolist() == ["2#5-9", "1#0-4", "2#5-9"]
        assert len(PassageIds(mapping)(rows("a").iloc[:0])) == 0
        with pytest.raises(ValueError, match="docno 'z' is not in the mapping"):
            PassageIds(mapping)(rows("a", docno=["z"]))

    @pytest.mark.parametrize(
        "place", [("1", 4, 4), ("1", -1, 4), ("1", 0.5, 4), (1, 0, 4), ("1", 0), None, ("1", float("nan"), 4)]
    )
    def test_places_are_checked(self, place):
        with pytest.raises(ValueError, match=r"docno 'x' is at .*; give \(article, start, end\) with 0 <= start < end"):
            PassageIds({"x": place})(rows("a", docno=["x"]))

    def test_what_is_no_mapping(self):
        with pytest.raises(ValueError, match="the table has no column 'end'"):
            PassageIds(self.TABLE.drop(columns="end"))
        with pytest.raises(ValueError, match="mapping=7; give a DataFrame, a mapping, a function, or a Coll"):
            PassageIds(7)

    @given(st.lists(TEXTS, min_size=1, max_size=6), st.integers(1, 5), st.integers(1, 5))
    def test_passages_of_sliding(self, texts, length, stride):
        """Each passage that PyTerrier cuts has the words of the text at its place; a blank one has none."""
        documents = rows(*texts)
        cut = pt.text.sliding("text", prepend_title=False, length=length, stride=stride)(documents)
        if not len(cut):
            return
        sliding = PassageIds.from_sliding(dict(zip(documents["docno"], texts, strict=True)), length, stride)
        placed = [find_words(sliding, docno, texts) for docno in cut["docno"]]
        assert placed == [text.split() or None for text in cut["text"]]

    @given(st.lists(TEXTS, min_size=1, max_size=6), st.integers(1, 5), st.integers(1, 5))
    def test_passages_of_sliding_over_parts(self, texts, length, stride):
        parts = {f"d{i}": f"before {text} after" for i, text in enumerate(texts)}
        documents = rows(*texts, docno=[f"d{i}#7-{7 + len(text)}" for i, text in enumerate(texts)])
        cut = pt.text.sliding("text", prepend_title=False, length=length, stride=stride)(documents)
        for docno, text in zip(cut["docno"], cut["text"], strict=True) if len(cut) else ():
            if text.split():
                (found,) = PassageIds.from_sliding(parts, length, stride)(rows("", docno=[docno]))["docno"]
                (article,), (start,), (end,) = parse_ids([found])
                assert parts[article][start:end].split() == text.split()

    def test_passages_are_found_by_their_text(self):
        texts = {"d": "one  two\nthree four, one two five (six"}
        cut = rows("two three four,", "one two five", "five (six", docno=["d%p0", "d#17-38%p4", "d%p9"])
        assert PassageIds.from_sliding(texts, length=None)(cut)["docno"].tolist() == ["d#5-20", "d#21-33", "d#29-38"]

    @pytest.mark.parametrize(("text", "count"), [("one two", 2), ("title one", 0), ("", 0), ("thre", 0)])
    def test_a_text_that_is_not_there_once(self, text, count):
        texts = {"d": "one  two\nthree four, one two five (six"}
        with pytest.raises(ValueError, match=f"docno 'd%p0': its text is in the document's {count} times"):
            PassageIds.from_sliding(texts, length=None)(rows(text, docno=["d%p0"]))

    @pytest.mark.parametrize(
        ("docno", "message"),
        [
            ("d%p5", "has 3 words, and no such passage"),
            ("d", "is not a passage of pt.text.sliding"),
            ("e%p0", "'e%p0' is not in the mapping"),
        ],
    )
    def test_passages_that_sliding_would_not_cut(self, docno, message):
        sliding = PassageIds.from_sliding({"d": "a b c"}, 2, 1)
        with pytest.raises(ValueError, match=message):
            sliding(rows("", docno=[docno]))


class TestCitations:
    CONTEXTS = pd.DataFrame(
        {
            "qid": ["1"] * 3 + ["2"],
            "query": "q",
            "docno": ["a#0-5", "b#3-9", "a#7-9", "c#1-2"],
            "score": [1.0, 3.0, 2.0, 1.0],
        }
    )

    def test_cited_contexts_become_a_run(self):
        answers = pd.DataFrame(
            {"qid": ["1", "2", "3"], "qanswer": ["So it is [3]. Or not [1, 3][2024a].", "No.", None]}
        )
        found = cited_parts(answers, self.CONTEXTS)
        assert found[["qid", "docno", "score", "rank"]].values.tolist() == [
            ["1", "a#0-5", 2.0, 0],
            ["1", "b#3-9", 1.0, 1],
        ]
        ptf.check_run(Focused()(found))
        assert len(cited_parts(answers.iloc[:0], self.CONTEXTS)) == 0

    @pytest.mark.parametrize(
        ("answer", "cited"),
        [
            ("[1-3]", [1, 2, 3]),
            ("[3, 1]", [3, 1]),
            ("[1; 2 and 3]", [1, 2, 3]),
            ("[doc 2] and [Source: 1]", [2, 1]),
            ("【2】", [2]),
            ("【3†source】", [3]),
            ("[2–3]", [2, 3]),
            ("[a] (1) [1a] [] 2 [3-1]", []),
        ],
    )
    def test_ways_of_citing(self, answer, cited):
        names = ["b#3-9", "a#7-9", "a#0-5"]
        found = cited_parts(pd.DataFrame({"qid": ["1"], "qanswer": [answer]}), self.CONTEXTS)
        assert found["docno"].tolist() == [names[number - 1] for number in cited]

    @pytest.mark.parametrize("wrong", ["[4]", "[2024]", "[0]", "[2-9]"])
    def test_a_number_that_no_context_has_is_reported(self, wrong):
        number = wrong.strip("[]").split("-")[-1]
        with pytest.warns(UserWarning, match=rf"1 numbers .*topic '1' cites \[{number}\] and has 3 contexts"):
            found = cited_parts(pd.DataFrame({"qid": ["1"], "qanswer": [f"[2] {wrong}"]}), self.CONTEXTS)
        assert found["docno"].iloc[0] == "a#7-9"

    def test_precision_and_recall_of_what_is_cited(self):
        answers = pd.DataFrame({"qid": ["1"], "qanswer": ["So [1], and [2]."]})
        qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": 1, "highlights": [[(0, 4), (7, 9)], []]})
        run = Focused()(cited_parts(answers, self.CONTEXTS))
        assert pt.Evaluate(run, qrels, metrics=ptf.parse("SpanP SpanR")) == {"SpanP": 0.5, "SpanR": 0.5}

    def test_contexts_are_a_run_of_their_own(self):
        ptf.check_run(Focused()(self.CONTEXTS))


def test_passages_of_sliding_over_a_collection(collection):
    docnos = collection.docnos()
    documents = pd.DataFrame({"qid": "1", "query": "", "docno": docnos, "text": collection.text(docnos)})
    cut = pt.text.sliding("text", prepend_title=False, length=150, stride=75)(documents)
    ids = PassageIds(collection)(cut)["docno"]
    assert [text.split() for text in collection.text(ids)] == [text.split() for text in cut["text"]]
    with pytest.raises(ValueError, match="docno 'gone%p0' is not in the mapping"):
        PassageIds(collection)(pd.DataFrame({"docno": ["gone%p0"]}))


ARTICLE = (
    "<article><header><title>U</title><id>{0}</id></header><bdy><p>One two.</p><p>Three</p><p>four.</p></bdy></article>"
)


@pytest.fixture(scope="module")
def touching(tmp_path_factory):
    folder = tmp_path_factory.mktemp("touching")
    for number in "12":
        (folder / f"{number}.xml").write_text(ARTICLE.format(number))
    return ptf.Collection.build(folder, folder / "c", verbose=False)


class TestTextsOfALoader:
    """Where blocks of XML touch, the loader adds spaces, which no offset counts."""

    STAGES = (
        pt.apply.generic(lambda frame: frame),
        pt.apply.generic(lambda frame: frame.merge(frame[["docno"]], on="docno")),
        pt.apply.generic(lambda frame: pickle.loads(pickle.dumps(pd.concat([frame, frame])))),
        pt.apply.doc_score(lambda row: float(len(row["text"]))),
    )

    @pytest.mark.parametrize("docnos", [["1", "2"], ["1#2-20", "2#0-13"]])
    @pytest.mark.parametrize("options", [{}, {"titles": True}, {"headings": "add"}, {"spaces": "keep"}], ids=str)
    @pytest.mark.parametrize("stage", STAGES)
    @pytest.mark.parametrize("slide", [Slide(2, 1), Slide(5, 2, "chars"), Slide(1, unit="sentences")], ids=repr)
    def test_windows_are_the_articles_text_at_their_offsets(self, touching, docnos, options, stage, slide):
        windows = (touching.text_loader(**options) >> stage >> slide)(rows(*docnos, docno=docnos))
        assert len(windows) >= 2
        assert windows["text"].tolist() == touching.text(windows["docno"])

    def test_a_loaded_text_that_a_stage_replaced_is_refused(self, touching):
        lower = pt.apply.text(lambda row: row["text"].lower())
        with pytest.raises(ValueError, match=r"docno '1': its text is another than was loaded; .*spaces='keep'"):
            (touching.text_loader() >> lower >> Slide(2))(rows("", docno=["1"]))

    def test_a_part_that_is_cut_has_its_own_text(self, touching):
        cut = (touching.text_loader() >> ptf.retrieval.Restrict(16))(rows("", docno=["1#2-20"]))
        assert cut["text"].tolist() == touching.text(cut["docno"]) == ["One two.Threefou"]

    @pytest.mark.parametrize("docno", ["1", "1#2-20"])
    @pytest.mark.parametrize("options", [{}, {"spaces": "keep"}], ids=str)
    def test_windows_of_pyterrier_are_placed_by_the_words_that_they_have(self, touching, docno, options):
        cut = pt.text.sliding("text", prepend_attr=None, length=2, stride=1)
        windows = (touching.text_loader(**options) >> cut)(rows("", docno=[docno]))
        placed = touching.text(PassageIds.from_sliding(touching, 2, 1)(windows)["docno"])
        assert ["".join(text.split()) for text in placed] == ["".join(text.split()) for text in windows["text"]]

    def test_windows_of_another_text_are_refused(self, touching):
        cut = pt.text.sliding("text", prepend_attr=None, length=2, stride=1)
        windows = (touching.text_loader(headings="add", titles=True) >> cut)(rows("", docno=["1#10-20"]))
        with pytest.raises(ValueError, match=r"its text is not what the collection has there; .*spaces='keep'"):
            PassageIds.from_sliding(touching, 2, 1)(windows)


def test_snippets_of_pyterrier_are_refused_with_what_to_use():
    documents = pd.DataFrame([["q1", "tide", "7", "Boats wait. Tides rise."]])
    documents.columns = ["qid", "query", "docno", "text"]
    scorer = pt.apply.doc_score(lambda row: len(row["text"]))
    with pytest.raises(ValueError, match=r"reads the ids of pt\.text\.sliding only; add snippets by Snippets"):
        pt.text.snippets(Slide(2) >> scorer)(documents)
