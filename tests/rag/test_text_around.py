"""Text around the places of rewritten texts: all that was returned is read, from placing to files and pipelines."""

import warnings

import pandas as pd
import pytest

import pyterrier_focused as ptf
from pyterrier_focused.errors import LossWarning, SpanError
from pyterrier_focused.evaluation.evaluation import evaluate
from pyterrier_focused.io import write_run
from pyterrier_focused.rag.score import evaluate_retrieved, load_result
from pyterrier_focused.retrieval import Focused, MergeAdjacent, RelevantInContext, Restrict

CHUNK = "Cats eat fish at noon, and mice at night; dogs eat what they get"
CORPUS = {"a": f"Cats sleep all day long in the sun. {CHUNK} whenever they get it.", "b": "A whale is no fish at all."}
EVIDENCE = [{"question": "what do cats eat", "docno": "a", "quote": "fish at noon"}]
START = CORPUS["a"].index(CHUNK)


def score(*items, measures="CharP(overlap='once') SpanHit@5", **options):
    return evaluate_retrieved(EVIDENCE, {"what do cats eat": list(items)}, CORPUS, measures, verbose=False, **options)


REWRITTEN = {
    "a title": (f"Pets > Cats and others\n\n{CHUNK}", 24),
    "an ellipsis": (f"{CHUNK}...", 3),
    "a summary": (f"{CHUNK}\n\nSummary: food of pets.", 24),
    "both": (f"  Title: Pets\n{CHUNK}\n(p. 4) ", 19),
    "an insertion": (f"{CHUNK[:23]}ABCDEFGHIJKLMNOPQRST {CHUNK[23:]}", 20),
    "nothing": (CHUNK, 0),
    "white space": (f"\n {CHUNK}".replace(" ", "  "), 0),
    "case": (CHUNK.upper(), 0),
    "soft hyphens": ("\u00ad".join(CHUNK), 0),
}


@pytest.mark.parametrize("way", REWRITTEN)
def test_what_is_around_a_text_counts_as_read(way):
    text, around = REWRITTEN[way]
    result = score(text)
    placed = result.located.iloc[0]
    assert (placed["start"], placed["end"], placed["around"]) == (START, START + len(CHUNK), around)
    assert result.table["SpanHit@5"][0] == 1
    assert result.table["CharP(overlap='once')"][0] == pytest.approx(len("fish at noon") / (len(CHUNK) + around))


def test_what_is_around_right_offsets_counts_as_read():
    item = {"docno": "a", "start": START, "end": START + len(CHUNK), "text": f"Pets > Cats\n\n{CHUNK}"}
    located = score(item).located.iloc[0]
    assert (located["status"], located["around"]) == ("given", len("Pets > Cats\n\n"))


def test_what_a_fuzzy_text_has_more_than_its_place_counts_as_read():
    pytest.importorskip("rapidfuzz")
    text = "Cats ate fishes at noon, and mouses by night; the doggs eat wot they gott"
    located = score(text, fuzzy=0.7).located.iloc[0]
    assert located["status"] in ("fuzzy", "rewritten")
    assert located["end"] - located["start"] + located["around"] >= len(text) - 1


def test_each_place_has_its_own():
    """The text is in both articles, with a full stop more of it in the first."""
    corpus = {"a": f"One. {CHUNK} it.", "b": f"Two. {CHUNK} it"}
    evidence = [{"question": "q", "docno": "b", "quote": "fish at noon"}]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = evaluate_retrieved(evidence, {"q": [f"Pets: {CHUNK} it."]}, corpus, "CharP", repeated="any")
    placed = result.located.iloc[0]
    assert (placed["docno"], placed["around"]) == ("b", len("Pets:") + len("."))


def test_a_run_with_nothing_around_has_no_such_column():
    assert "around" not in score(CHUNK).runs["results"].columns


def test_what_was_not_placed_has_nothing_around_it():
    with pytest.warns(UserWarning, match="cannot be placed"):
        located = score("Nobody said anything of the kind").located
    assert located["around"].tolist() == [0]


def test_a_saved_result_scores_as_it_did(tmp_path):
    result = score(REWRITTEN["a title"][0], CORPUS["b"])
    result.save(tmp_path / "result.zip")
    again = load_result(tmp_path / "result.zip")
    measures = ptf.parse("CharP(overlap='once') CharR(chars=30,overlap='once') AgP")
    first, second = (evaluate(found.qrels, found.runs, measures).values.tolist() for found in (result, again))
    assert first == second
    assert again.located["around"].tolist() == [24, 0]


PARTS = pd.DataFrame(
    {
        "qid": ["1"] * 4, "docno": ["a#10-20", "b#0-5", "a#0-4", "a#6-8"], "score": [3.0, 2.0, 1.0, 9.0],
        "around": [7, 0, None, 2],
    }
)  # fmt: skip


def test_packed_beside_the_passages_and_unpacked_again():
    run = ptf.pack(PARTS)
    assert ptf.cells(run["passages"])[0] == [(0, 4, 1.0), (6, 8, 9.0), (10, 20, 3.0)]
    assert [list(cell) for cell in run["around"]] == [[0, 2, 7], [0]]
    assert ptf.unpack(run)[["docno", "around"]].values.tolist() == [
        ["a#6-8", 2],
        ["a#10-20", 7],
        ["b#0-5", 0],
        ["a#0-4", 0],
    ]


@pytest.mark.parametrize("task", [Focused(), RelevantInContext(), Focused(k=2)])
def test_tasks_keep_it_beside_their_passages(task):
    run = task(PARTS)
    sizes = {("a", 0): 0, ("a", 6): 2, ("a", 10): 7, ("b", 0): 0}
    cells = zip(run["docno"], ptf.cells(run["passages"]), strict=True)
    expected = [[sizes[docno, start] for start, *_ in spans] for docno, spans in cells]
    assert [list(around) for around in run["around"]] == expected


def test_records_go_through_a_task_as_frames_do():
    records = list(RelevantInContext().transform_iter(PARTS.to_dict("records")))
    assert [record["around"] for record in records] == [[0, 2, 7], [0]]


def test_merged_parts_have_what_is_around_all_of_them():
    merged = MergeAdjacent(gap=2)(PARTS)
    assert merged[["docno", "around"]].values.tolist() == [["a#0-20", 9], ["b#0-5", 0]]


@pytest.mark.parametrize(
    ("chars", "per", "kept"),
    [
        (4, "topic", ["a#6-8"]),
        (5, "topic", ["a#6-8"]),
        (12, "topic", ["a#6-8", "a#10-11"]),
        (23, "topic", ["a#6-8", "a#10-20", "b#0-2"]),
        (3, "article", ["a#6-7", "b#0-3"]),
    ],
)
def test_a_limit_counts_what_is_read_before_each_part(chars, per, kept):
    assert Restrict(chars, per)(PARTS)["docno"].tolist() == kept


@pytest.mark.parametrize("cell", ["x", -1, 2.5, True])
def test_a_row_that_is_no_number_of_characters(cell):
    parts = PARTS.assign(around=pd.Series([cell, 0, 0, 0], dtype=object))
    with pytest.raises(SpanError, match=r"column 'around', topic '1', article 'a#10-20': .* is not a number"):
        ptf.pack(parts)


def test_a_file_without_a_place_for_it_says_so(tmp_path):
    with pytest.warns(LossWarning, match="around"):
        write_run(ptf.pack(PARTS), tmp_path / "run.fol")
