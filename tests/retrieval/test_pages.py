"""The examples of the pages on parts and on neighbours run as they stand, and make runs of the demo's topics."""

import pytest
from page_examples import run_blocks

import pyterrier_focused as ptf


@pytest.fixture(scope="module", params=["parts_and_engines.md", "neighbours.md"])
def names(request, tmp_path_factory):
    pytest.importorskip("pyterrier_pisa")
    pytest.importorskip("opensearchpy")
    pytest.importorskip("pyterrier_caching")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("docs"))
        yield run_blocks(request.param, {})


def test_the_examples_make_runs_of_the_demos_topics(names):
    runs = names["runs"] if "runs" in names else {"cached": names["cached"](names["topics"])}
    assert [ptf.check_run(run) for run in runs.values()] == [None] * len(runs)
    assert {name: run["qid"].nunique() for name, run in runs.items()} == dict.fromkeys(runs, 12)
