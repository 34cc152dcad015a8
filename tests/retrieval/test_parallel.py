"""PyTerrier's `.parallel`: our transformers go to other processes, and give the same there."""

import sys
from importlib.util import find_spec

import pandas as pd
import pytest

from pyterrier_focused.retrieval import (
    ArticleThenParts,
    BestInContext,
    Contextualise,
    Focused,
    MergeAdjacent,
    MixtureModel,
    PartIndex,
    Propagate,
    RelevantInContext,
    RemoveOverlap,
    Restrict,
    Slide,
    Snippets,
)

TOPICS = pd.DataFrame(
    {
        "qid": ["1", "2", "3", "4"],
        "query": ["oil lamp", "pier", "whale blubber", "glass lens"],
        "castitle": ["//sec[about(., oil lamp)]", "//p[about(., pier)]", "//*[about(., whale)]", ""],
    }
)


@pytest.fixture(autouse=True)
def joblib(require):
    if sys.platform == "win32":
        pytest.skip("PyTerrier's .parallel refuses Windows")
    require("pyterrier_alpha", find_spec("pyterrier_alpha"))
    require("joblib", find_spec("joblib"))


def systems(index: PartIndex, collection):
    bm25 = index.bm25(num_results=20)
    text = bm25 >> collection.text_loader(spaces="keep")
    return [
        bm25,
        bm25 >> RemoveOverlap() >> Focused(),
        (bm25 >> RemoveOverlap() >> RelevantInContext()).compile(),
        bm25 >> MergeAdjacent(gap=5) >> Restrict(50) >> RelevantInContext(),
        bm25 >> BestInContext(),
        bm25 >> Contextualise(0.3),
        ArticleThenParts(bm25, bm25) >> RemoveOverlap(),
        bm25 >> MixtureModel(collection),
        bm25 >> Propagate(collection),
        bm25 >> Snippets(collection),
        text >> Slide(4, 2),
        bm25 >> index.rewriter("RM3") >> bm25,
        index.nexi(collection=collection),
        index.nexi("strict", collection),
    ]


def find_difference(system):
    """How two processes differ from one, None if they do not."""
    try:
        found = system.parallel(2)(TOPICS)
        pd.testing.assert_frame_equal(found.reset_index(drop=True), system(TOPICS).reset_index(drop=True))
    except AssertionError as error:
        return f"{system!r}: {error}"
    return None


@pytest.mark.filterwarnings("ignore:.parallel:UserWarning")
def test_two_processes_give_what_one_gives(index, collection):
    """One test, since starting the processes takes longer than all that they do."""
    differences = [find_difference(system) for system in systems(index, collection)]
    assert [difference for difference in differences if difference] == []
