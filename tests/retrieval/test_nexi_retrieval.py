"""Castitles over the collection of conftest.py; the expected elements are read off its XML by hand."""

import pandas as pd
import pytest

import pyterrier_focused as ptf
from pyterrier_focused.retrieval import Focused, RemoveOverlap


def run(index, collection, castitle, structure="strict", **settings):
    topics = pd.DataFrame({"qid": ["7"], "castitle": [castitle]})
    return index.nexi(structure, collection, **settings)(topics)


def elements(index, collection, castitle, structure="strict", **settings):
    """The answers as {(article, path)}: all elements of each answer's span."""
    found = set()
    for docno in run(index, collection, castitle, structure, **settings)["docno"]:
        article, _, span = docno.partition("#")
        for row in collection.elements(article).itertuples():
            if f"{row.start}-{row.end}" == span:
                found.add((article, row.path.replace("/article[1]", "").replace("/bdy[1]", "")))
    return found


LAMPS, LENSES, KEEPERS = ("1", "/sec[1]"), ("1", "/sec[1]/ss1[1]"), ("1", "/sec[2]")
LIGHTS, HUNTING, MAKING = ("2", "/sec[2]"), ("3", "/sec[1]"), ("4", "/sec[1]")


@pytest.mark.parametrize(
    ("castitle", "expected"),
    [
        ("//sec[about(., oil)]", {LAMPS, HUNTING}),
        ("//ss1[about(., lens)]", {LENSES}),
        ("//(sec|ss1)[about(., lens)]", {LAMPS, LENSES, MAKING}),
        ("//article[about(., ships)]//sec[about(., lamp)]", {LAMPS, KEEPERS, LIGHTS}),
        ("//article[about(.//st, lamps)]//p[about(., oil)]", {("1", "/sec[1]/p[1]")}),
        ("//sec[about(.//ss1//p, lens)]", {LAMPS}),
        ("//sec//ss1[about(., lens)]", {LENSES}),
        ("//ss1//sec[about(., lens)]", set()),
        ("//p[about(., oil -whale)]", {("3", "/sec[1]/p[1]"), ("3", "/sec[1]/p[2]")}),
        ('//p[about(., lens +"glass rings")]', {("1", "/sec[1]/ss1[1]/p[1]")}),
        (
            "//p[about(., blubber) or about(., pier)]",
            {("3", "/sec[1]/p[1]"), ("2", "/sec[1]/p[1]"), ("2", "/sec[2]/p[1]")},
        ),
        ("//article[about(., lens) and about(., whale)]", {("1", "")}),
        ("//sec[about(., lamp) and .//yr >= 1900]", {LIGHTS}),
        ("//sec[about(., lamp) and .//yr < 1900]", {KEEPERS}),
        ("//article[.//yr = 1850]//ss1[about(., lens)]", {LENSES}),
        ("//article[about(., lens)]//yr", {("1", "/sec[2]/yr[1]")}),
        ("//*[about(., blubber)]", {("3", ""), HUNTING, ("3", "/sec[1]/p[1]")}),
        ("//bdy[about(., blubber)]", {("3", "")}),
        ("//chapter[about(., oil)]", set()),
        ("//chapter[about(., whale)]//p[about(., oil)]", set()),
        ("//sec[about(., zeppelin)]", set()),
    ],
)
def test_strict(index, collection, castitle, expected):
    assert elements(index, collection, castitle) == expected


@pytest.mark.parametrize(
    ("castitle", "expected"),
    [
        ("//ss1[about(., lens)]", {LAMPS, LENSES, MAKING}),
        ("//section[about(., oil)]", {LAMPS, HUNTING}),
        ("//paragraph[about(., blubber)]", {("3", "/sec[1]/p[1]")}),
        # the steps above the last are hints, and so are signs
        ("//chapter[about(., whale)]//p[about(., blubber)]", {("3", "/sec[1]/p[1]")}),
        ("//p[about(., blubber +whale)]", {("3", "/sec[1]/p[1]"), ("1", "/sec[1]/p[1]"), ("3", "/p[1]")}),
        ("//article[about(., lens) and about(., blubber)]", {("1", ""), ("3", ""), ("4", "")}),
        # no element has the name, so any will do
        ("//chapter[about(., blubber)]", {("3", ""), HUNTING, ("3", "/sec[1]/p[1]")}),
        ("//sec[about(.//chapter, blubber)]", {HUNTING}),
    ],
)
def test_vague(index, collection, castitle, expected):
    assert elements(index, collection, castitle, "vague") == expected


def test_equivalents_of_ones_own(index, collection):
    found = elements(index, collection, "//chapter[about(., oil)]", "vague", equivalents=[("chapter", "sec")])
    assert found == {LAMPS, HUNTING}


def test_scores_of_steps_and_clauses_add_up(index, collection):
    """The article and the paragraph are indexed, so that each clause scores as the engine scores the part."""

    def engine(query, docno):
        results = index.bm25().search(query)
        return results.set_index("docno")["score"][docno]

    article, paragraph = collection.lengths(["1"])["length"].iloc[0], collection.text(["1"])[0].index("The lamp burned")
    part, whole = f"1#{paragraph}-{paragraph + len('The lamp burned whale oil. Oil was dear.')}", f"1#0-{article}"
    for castitle, expected in (
        ("//p[about(., oil)]", engine("oil", part)),
        ("//article[about(., ships)]//p[about(., oil)]", engine("ships", whole) + engine("oil", part)),
        ("//p[about(., oil) and about(., dear)]", engine("oil", part) + engine("dear", part)),
        ("//p[about(., oil) or about(., dear)]", max(engine("oil", part), engine("dear", part))),
    ):
        for structure in ("strict", "vague"):
            found = run(index, collection, castitle, structure).set_index("docno")["score"]
            assert found[part] == pytest.approx(expected), castitle


def test_without_a_castitle_the_title_is_searched(index, collection):
    topics = pd.DataFrame(
        {
            "qid": ["1", "2", "3", "4"],
            "query": ["whale oil", "whale oil", "whale oil", "whale oil"],
            "castitle": ["//p[about(., blubber)]", "", None, float("nan")],
        }
    )
    found = index.nexi(collection=collection)(topics)
    assert (found["qid"] == "1").sum() == 1
    expected = index.bm25().search("whale oil")["docno"].tolist()
    for qid in ("2", "3", "4"):
        assert sorted(found.loc[found["qid"] == qid, "docno"]) == sorted(expected)
    assert len(index.nexi(collection=collection)(topics[["qid", "query"]])) == 4 * len(expected)


def test_errors_name_the_topic(index, collection):
    with pytest.raises(ValueError, match=r"topic '7': NEXI, column 13"):
        run(index, collection, "//sec[about(oil)]")
    topics = pd.DataFrame({"qid": ["7"], "castitle": [""]})
    with pytest.raises(ValueError, match="topic '7' has neither a castitle nor a query"):
        index.nexi(collection=collection)(topics)
    with pytest.raises(KeyError, match="castitle"):
        index.nexi(collection=collection)(topics[["qid"]])
    with pytest.raises(ValueError, match="structure='loose'; choose one of 'strict', 'vague'"):
        index.nexi("loose", collection)


def test_a_cutoff_is_taken_in(index, collection):
    nexi = index.nexi(collection=collection)
    topics = pd.DataFrame({"qid": ["1", "2"], "castitle": ["//*[about(., oil)]", "//p[about(., lamp)]"]})
    fused = (nexi % 2).compile()
    assert type(fused) is type(nexi)
    pd.testing.assert_frame_equal(fused(topics), (nexi % 2)(topics))


def test_the_collection_is_known_to_the_index(index, collection):
    assert index.nexi() == index.nexi(collection=collection)


@pytest.mark.parametrize("structure", ["strict", "vague"])
def test_all_castitles_of_2009_run(index, collection, shared_data, structure):
    from pyterrier_focused.io import read_topics

    topics = read_topics(shared_data / "inex-2009-topics.xml")
    assert len(topics) == 115
    found = (index.nexi(structure, collection) >> RemoveOverlap() >> Focused())(topics)
    ptf.check_run(found)
    assert set(found["qid"]) <= set(topics["qid"])
