"""Characters or bytes: what the lengths tell, and the conversion."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from readings import quietly
from xml_articles import XmlArticles

from pyterrier_focused import cells
from pyterrier_focused.io import read_qrels, read_run
from pyterrier_focused.io.inex.offset_units import check_qrels_units, check_run_units

ARTICLES = {
    "a": "<article>Zürich, Genève, Čapek.</article>",
    "b": "<article>東京 Tokyo</article>",
    "c": "<article>Plain ASCII.</article>",
}
COLLECTION = XmlArticles(ARTICLES)
TEXT = dict(zip(ARTICLES, COLLECTION.text(list(ARTICLES)), strict=True))


def read_text(read, text, **options):
    return quietly(read, io.StringIO(text), **options)


def in_bytes(docno, offset):
    return len(TEXT[docno][:offset].encode())


def qrels_line(docno, start, end, unit):
    count = in_bytes if unit == "bytes" else lambda _, offset: offset
    first, last, length = (count(docno, offset) for offset in (start, end, len(TEXT[docno])))
    return f"1 Q0 {docno} {last - first} {length} {first} {first}:{last - first}\n"


@pytest.mark.parametrize("unit", ["characters", "bytes"])
def test_qrels_come_out_in_characters_whichever_unit_the_file_counts(unit):
    marks = {"a": (8, 14), "b": (0, 2), "c": (6, 11)}
    lines = "".join(qrels_line(docno, *mark, unit) for docno, mark in marks.items())
    qrels = read_text(read_qrels, lines, collection=COLLECTION)
    assert cells(qrels["highlights"]) == [[mark] for mark in marks.values()]
    assert qrels["bep"].tolist() == [start for start, _ in marks.values()]
    assert qrels["length"].tolist() == [len(text) for text in TEXT.values()]
    assert qrels["relevant_size"].tolist() == [end - start for start, end in marks.values()]
    report = qrels.attrs["units"]
    assert (report["articles"], report[unit], report["both"], report["unit"]) == (3, 2, 1, unit)


def test_the_unit_that_fits_is_told_with_what_does_not_fit():
    lines = qrels_line("a", 0, 5, "bytes") + "1 Q0 b 0 999\n1 Q0 zz 0 5\n" + qrels_line("c", 0, 5, "bytes")
    with pytest.warns(UserWarning, match="offsets count bytes: of 4 articles 0 fit only characters, 1 only bytes, 1"):
        qrels = read_qrels(io.StringIO(lines), collection=COLLECTION)
    check = check_qrels_units(read_text(read_qrels, lines), COLLECTION)
    assert str(check).endswith(
        "1 neither; 1 are not in the collection (first misfit: 'b', length 999, 8 characters, 12 bytes)"
    )
    assert qrels["length"].tolist() == [len(TEXT["a"]), 8, 5, len(TEXT["c"])]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("1 Q0 a 0 999\n1 Q0 zz 0 5\n", "fit none of 2 articles, .*: 1 have other lengths .*, 1 are not in the"),
        ("1 Q0 zz 0 5\n", "fit none of 1 articles, .*: 0 have other lengths .*, 1 are not in the"),
    ],
)
def test_offsets_that_fit_no_article_are_not_said_to_count_a_unit(lines, message):
    with pytest.warns(UserWarning, match=message):
        read_qrels(io.StringIO(lines), collection=COLLECTION)


def run_line(docno, start, end, unit):
    count = in_bytes if unit == "bytes" else lambda _, offset: offset
    first, last = count(docno, start), count(docno, end)
    return f"1 Q0 {docno} 1 1 t {first} {last - first}\n"


@pytest.mark.parametrize("unit", ["characters", "bytes"])
def test_runs_tell_their_unit_where_parts_reach_an_articles_end(unit):
    parts = {"a": (8, len(TEXT["a"])), "b": (1, 8), "c": (0, 3)}
    lines = "".join(run_line(docno, *span, unit) for docno, span in parts.items())
    run = read_text(read_run, lines, collection=COLLECTION)
    assert [cell[0][:2] for cell in cells(run["passages"])] == list(parts.values())
    assert run.attrs["units"]["unit"] == unit
    check = check_run_units(read_text(read_run, lines), COLLECTION)
    assert (check.articles, getattr(check, unit), check.both) == (3, 2, 1)


def test_a_part_between_the_lengths_is_no_proof_of_bytes():
    end = len(TEXT["a"]) + 1
    message = r"fit none of 1 articles, .* \(characters are taken\): 1 have other .*first misfit: 'a', passage up to"
    with pytest.warns(UserWarning, match=message):
        run = read_run(io.StringIO(f"1 Q0 a 1 1 t 0 {end}\n"), collection=COLLECTION)
    assert cells(run["passages"]) == [[(0, end, 1.0)]]


IN_BYTES = f"1 Q0 a 1 1 t {in_bytes('a', 8)} {len('Genève'.encode())}\n"


def test_a_known_unit_needs_no_evidence():
    run = read_text(read_run, IN_BYTES, collection=COLLECTION, unit="bytes")
    assert cells(run["passages"]) == [[(8, 14, 1.0)]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unit": "bytes"}, "unit='bytes' needs collection"),
        ({"unit": "octets", "collection": COLLECTION}, "unit='octets'; choose one of"),
    ],
)
def test_units_that_cannot_be_converted_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        read_run(io.StringIO(IN_BYTES), **options)


def test_parts_that_do_not_exist_are_no_evidence_and_stay():
    run = read_text(read_run, "1 Q0 a 1 1 t X X\n1 Q0 b 1 1 t 0 12\n", collection=COLLECTION, missing="official")
    assert run.attrs["units"]["unit"] == "bytes"
    assert [cell[0][1] - cell[0][0] for cell in cells(run["passages"])] == [18, 8]


@given(st.text("aé東🜍", min_size=1, max_size=12), st.data())
def test_bytes_within_a_character_widen_to_it(text, data):
    collection = XmlArticles({"x": f"<article>{text}</article>"})
    encoded = text.encode()
    start = data.draw(st.integers(0, len(encoded) - 1))
    end = data.draw(st.integers(start + 1, len(encoded)))
    run = read_text(read_run, f"1 Q0 x 1 1 t {start} {end - start}\n", collection=collection, unit="bytes")
    owner = [i for i, letter in enumerate(text) for _ in letter.encode()]  # the character of each byte
    assert cells(run["passages"]) == [[(owner[start], owner[end - 1] + 1, 1.0)]]
