"""Judgments carried to another text: where each highlight is, known by how the new text was made."""

import random
import re
from importlib.resources import files

import pandas as pd
import pytest

from pyterrier_focused import cells, move_qrels
from pyterrier_focused.collection import Collection
from pyterrier_focused.errors import CollectionError, EvidenceError

PAGES = {
    name: (files("pyterrier_focused") / "pt_docs" / f"{name}.md").read_text(encoding="utf-8")
    for name in ("rag", "collections", "analysis", "parts_and_engines", "formats")
}
FOREIGN = "\n\n".join(f"Paragraph {i} comes from elsewhere, and is about nothing of all this." for i in range(9))
BLANK_LINE = re.compile(r"(?<=\n)\n")


def letters(text, first=0):
    """The characters of a text, each with its offset in the old one."""
    return [(character, first + i) for i, character in enumerate(text)]


def added(text):
    return [(character, None) for character in text]


def paragraphs(text):
    starts = [0, *(match.end() for match in BLANK_LINE.finditer(text))]
    return [letters(text[start:end], start) for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


def join(parts):
    return [pair for part in parts for pair in (*part, *added("\n\n"))]


def swap(text, rng):
    parts = paragraphs(text)
    return join(parts[i ^ 1] if i ^ 1 < len(parts) else parts[i] for i in range(len(parts)))


def insert(text, rng):
    foreign = FOREIGN.split("\n\n")
    return join(p for part in paragraphs(text) for p in ([added(foreign.pop())] if foreign else []) + [part])


EDITS = {
    "wrapped": lambda text, rng: [(" " if c == "\n" else "\n" if c == " " else c, i) for c, i in letters(text)],
    "a heading": lambda text, rng: added("# Another title\n\n") + letters(text),
    "line ends": lambda text, rng: [p for pair in letters(text) for p in (*added("\r" * (pair[0] == "\n")), pair)],
    "dropped": lambda text, rng: join(part for part in paragraphs(text) if rng.random() < 0.7),
    "swapped": swap,
    "inserted": insert,
    "blanks": lambda text, rng: [p for pair in letters(text) for p in (pair, *added(" " * (pair[0] == " ")))],
    "none": lambda text, rng: letters(text),
}


def draw_spans(text, rng):
    words = [match.start() for match in re.finditer(r"\b\w", text)]
    return sorted({(start, min(start + rng.choice([5, 40, 300]), len(text))) for start in rng.sample(words, 20)})


@pytest.mark.filterwarnings("ignore:.*highlights are moved in part")
@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_highlights_are_where_the_edit_put_their_characters(edit):
    rng = random.Random(1)
    edited = {name: edit(text, rng) for name, text in PAGES.items()}
    rows = [("q", name, 1, draw_spans(text, rng)) for name, text in PAGES.items()]
    qrels = pd.DataFrame(rows, columns=["qid", "docno", "label", "highlights"])
    new = {name: "".join(c for c, _ in text) for name, text in edited.items()}
    with pytest.warns() if edit is EDITS["dropped"] else pytest.MonkeyPatch.context():
        moved = move_qrels(qrels, PAGES, new, errors="skip", verbose=False)
    wanted, found = set(), set()
    for row in moved.table.itertuples():
        places = {old: i for i, (c, old) in enumerate(edited[row.docno]) if old is not None and not c.isspace()}
        key = (row.docno, row.start, row.end)
        wanted |= {(*key, places[i]) for i in range(row.start, row.end) if i in places}
        text = new[row.docno]
        found |= {(*key, i) for start, end in row.spans for i in range(start, end) if not text[i].isspace()}
    assert len(wanted & found) >= 0.99 * len(wanted)
    assert len(found - wanted) <= 0.002 * len(found)


def frame(text, *quotes, **columns):
    spans = [(text.index(quote), text.index(quote) + len(quote)) for quote in quotes]
    row = {"qid": ["q"], "docno": ["d"], "label": [1], "highlights": [spans], **columns}
    return pd.DataFrame(row)


def move(old, quote, new, **options):
    """The status, the share and the texts of where a quote is now."""
    (row,) = move_qrels(frame(old, quote), {"d": old}, {"d": new}, errors="skip", **options).table.itertuples()
    return row.status, row.share, [new[start:end] for start, end in row.spans]


OLD = "Boats come in at noon. The lamp burns whale oil in every watch of the night. It is trimmed at six."


@pytest.mark.filterwarnings("ignore:. of 1 highlights")
@pytest.mark.parametrize(
    ("quote", "new", "expected"),
    [
        ("The lamp burns whale oil", OLD.replace("burns", "still burns"),
         ("moved", 1, ["The lamp", "burns whale oil"])),
        ("The lamp burns whale oil in every watch of the night.", OLD.replace("in every watch ", ""),
         ("partly", 31 / 43, ["The lamp burns whale oil of the night."])),
        # what begins as the text that takes its place is no rest of it
        ("The lamp burns whale oil in every watch of the night.", "Boats come in at noon. There is no oil left. It is "
         "trimmed at six.", ("lost", 0, [])),
        ("lamp", OLD.upper(), ("lost", 0, [])),
    ],
)  # fmt: skip
def test_text_put_in_splits_and_text_taken_out_leaves_the_rest(quote, new, expected):
    status, share, texts = move(OLD, quote, new)
    assert (status, share, texts) == (expected[0], pytest.approx(expected[1]), expected[2])


def test_a_repeated_sentence_moves_to_its_own_copy():
    sentence = "Nobody lands here in winter."
    heads = ("The northern beach is wide. ", "The southern beach is narrow. ", "The quay is in the east. ")
    old = "\n\n".join(head + sentence for head in heads)
    new = "\n\n".join(head + sentence for head in heads[::-1])
    starts = [match.start() for match in re.finditer(sentence, old)]
    qrels = pd.DataFrame({"qid": "q", "docno": ["d"], "label": 1, "highlights": [[(s, s + 28) for s in starts]]})
    table = move_qrels(qrels, {"d": old}, {"d": new}).table
    assert table["spans"].tolist() == [[(s, s + 28)] for s in [new.index(h) + len(h) for h in heads]]


def test_what_is_lost_is_an_error_that_names_the_first():
    qrels = pd.concat([frame(OLD, "lamp", "oil"), frame(OLD, "noon").assign(qid="r")])
    with pytest.raises(EvidenceError, match=r"topic 'q', document 'd': the highlight \[27, 31\) is lost .* 2 more"):
        move_qrels(qrels, {"d": OLD}, {"d": "Something else is here."})


def test_what_is_lost_is_left_out_with_the_questions_that_have_nothing_left():
    qrels = pd.concat([frame(OLD, "lamp burns whale oil"), frame(OLD, "Boats come in at noon.").assign(qid="r")])
    with pytest.warns(UserWarning, match="1 of 2 highlights are lost, and left out; without evidence now: 'q'"):
        moved = move_qrels(qrels, {"d": OLD}, {"d": "Boats come in at noon."}, errors="skip").qrels
    assert moved[["qid", "docno"]].values.tolist() == [["r", "d"]]


def test_cells_beside_a_highlight_are_repeated_for_each_of_its_spans():
    given = frame(OLD, "The lamp burns whale oil", "trimmed at six", facts=[["A", "B"]], cover=[[0.5, 1.0]],
                  alternatives=[[1, 2]], length=[len(OLD)], bep=[OLD.index("burns")])  # fmt: skip
    new = OLD.replace("burns", "still burns")
    (moved,) = move_qrels(given, {"d": OLD}, {"d": new}).qrels.to_dict("records")
    assert cells([moved["highlights"]]) == [[(23, 31), (38, 53), (new.index("trimmed"), len(new) - 1)]]
    assert (moved["facts"], moved["cover"], moved["alternatives"]) == (["A", "A", "B"], [0.5, 0.5, 1.0], [1, 1, 2])
    assert (moved["length"], moved["bep"]) == (len(new), new.index("burns"))


def test_a_best_entry_point_that_is_gone_is_the_first_moved_character():
    given = frame(OLD, "The lamp burns whale oil", bep=[OLD.index("come in")])
    new = OLD.removeprefix("Boats come in at noon. ")
    assert move_qrels(given, {"d": OLD}, {"d": new}).qrels["bep"].tolist() == [0]


def test_documents_judged_without_highlights_stay_if_they_are_there():
    qrels = pd.DataFrame({"qid": "q", "docno": ["d", "e", "f"], "label": 0, "highlights": [[], [], []]})
    texts = {"d": OLD, "e": "Rain fell on the harbour, and on the whole island.", "f": "A short text."}
    moved = move_qrels(qrels, texts, {"d": OLD, "renamed": texts["e"]}).qrels
    assert moved["docno"].tolist() == ["d", "renamed"]


def test_a_document_that_is_missing_by_name_is_found_by_its_text():
    qrels = frame(OLD, "whale oil")
    moved = move_qrels(qrels, {"d": OLD}, {"x": "Rain fell on the harbour and the quay.", "y": f"Title\n{OLD}"})
    assert moved.table[["new_docno", "spans"]].values.tolist() == [["y", [(44, 53)]]]
    with pytest.raises(EvidenceError, match=r"document 'd' is missing .* 'y' and 'z' both have its text"):
        move_qrels(qrels, {"d": OLD}, {"y": OLD, "z": OLD})


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        (frame(OLD, "lamp", length=[7]), "document 'd' has 98 characters in the old texts, and 7 in the qrels"),
        (frame(OLD, "lamp").assign(docno="x"), "the old texts have no such document"),
        (frame(OLD + " More.", "More."), "ends beyond the old text, which has 98 characters"),
    ],
)
def test_qrels_of_other_texts_are_refused(qrels, message):
    with pytest.raises(EvidenceError, match=message):
        move_qrels(qrels, {"d": OLD}, {"d": OLD})


def test_the_qrels_have_the_id_of_the_new_text(tmp_path):
    old, new = (
        Collection.from_iter([{"docno": "d", "text": text}], tmp_path / name)
        for name, text in (("old", OLD), ("new", f"Title\n{OLD}"))
    )
    qrels = frame(OLD, "whale oil")
    qrels.attrs["text_id"] = old.text_id
    assert move_qrels(qrels, old, new).qrels.attrs["text_id"] == new.text_id
    with pytest.raises(CollectionError, match="another text"):
        move_qrels(qrels, new, old)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {"old/d.txt": OLD, "new/d.txt": f"Title\n\n{OLD}", "gone/d.txt": "Something else."}.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    (tmp_path / "evidence.csv").write_text("question,docno,quote\nwhat burns?,d,whale oil\n")
