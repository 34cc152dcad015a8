"""The examples of the pages on retrieval run as they stand, and the runs they make are what INEX would have taken."""

import pytest
from hashing_encoder import HashingEncoder
from page_examples import run_blocks

import pyterrier_focused as ptf
from pyterrier_focused.cli import main


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """What the examples define, run in order in a folder of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("docs"))
        yield run_blocks("nexi.md", run_blocks("engines.md", run_blocks("retrieval.md", {"encoder": HashingEncoder()})))


def test_the_examples_make_runs_of_twelve_topics(names):
    assert [ptf.check_run(run) for run in names["runs"].values()] == [None] * 10
    assert {name: run["qid"].nunique() for name, run in names["runs"].items()} == dict.fromkeys(names["runs"], 12)


def test_the_examples_find_sections_whose_texts_were_read(names):
    assert len(names["sections"])
    assert set(names["sections"]["docno"]) <= {part["docno"] for part in names["texts"]}


TASKS = {"elements": "focused", "articles, then elements": "ric", "where to start reading": "bic"}


@pytest.mark.parametrize(("system", "task"), TASKS.items())
def test_a_run_of_each_task_is_valid(names, system, task, tmp_path):
    ptf.write_run(names["runs"][system], tmp_path / "run")
    topics = names["demo"].folder / "topics.xml"
    collection = names["collection"].path
    assert (
        main(
            [
                "validate",
                str(tmp_path / "run"),
                "--task",
                task,
                "--topics",
                str(topics),
                "--collection",
                str(collection),
            ]
        )
        == 0
    )


def test_a_run_that_overlaps_is_not(names, tmp_path):
    """The check that the test above relies on."""
    run = ptf.retrieval.Focused(overlap="allow")(names["index"].bm25()(names["demo"].get_topics()))
    ptf.write_run(run, tmp_path / "run")
    assert main(["validate", str(tmp_path / "run"), "--task", "focused"]) == 1


def test_both_engines_rank_the_same_ten_for_most_topics_of_the_demo(names, require, tmp_path):
    import importlib.util

    from pyterrier_focused.retrieval.engines.terrier import local_versions

    jars = [local_versions("terrier-assemblies", "-jar-with-dependencies"), local_versions("terrier-python-helper", "")]
    require("terrier", importlib.util.find_spec("jnius_config") and all(jars))
    terrier = names["collection"].index(tmp_path / "terrier", engine="terrier")
    topics = names["demo"].get_topics()
    best = [
        {qid: set(rows["docno"]) for qid, rows in index.bm25(num_results=10)(topics).groupby("qid")}
        for index in (names["index"], terrier)
    ]
    assert sum(best[0][qid] == best[1][qid] for qid in topics["qid"]) > len(topics) / 2
