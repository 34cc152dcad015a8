"""INEX qrels: what a file says, and what is written; held against reading line by line."""

import io
import warnings

import numpy as np
import pandas as pd
import pytest
from by_hand import read_by_hand, read_qrels_line
from hypothesis import example, given
from hypothesis import strategies as st
from plain import plain
from readings import quietly

from pyterrier_focused import QRELS_COLUMNS, cells, check_qrels
from pyterrier_focused.errors import FormatError, LossWarning
from pyterrier_focused.io import read_qrels, write_qrels

QRELS = b"""\
2009001 Q0 1528075 49158 58542 126 126:28761 28893:20397
2009001 Q0 12 0 897
2009002 Q0 12 3 897 -1 5:3
2009002 Q0 13 0 50 7
"""


def test_qrels_have_the_values_of_their_lines():
    qrels = read_qrels(io.BytesIO(QRELS))
    assert plain(qrels).to_dict("list") == {
        "qid": ["2009001", "2009001", "2009002", "2009002"],
        "docno": ["1528075", "12", "12", "13"],
        "label": [1, 0, 1, 0],
        "highlights": [[(126, 28887), (28893, 49290)], [], [(5, 8)], []],
        "bep": [126, -1, -1, 7],
        "length": [58542, 897, 897, 50],
        "relevant_size": [49158, 0, 3, 0],
    }
    check_qrels(qrels)


@pytest.mark.parametrize(
    ("data", "line", "reason"),
    [
        (b"1 Q0 a 0\n1 Q0 b 0 5\n", 1, "4 fields instead of 5 or more"),
        (b"1 Q0 a 0 5\n1 Q0 b x 5\n", 2, r"field 4 \(relevant_size\) is not a whole number"),
        (b"1 Q0 a 0 5\n1 Q0 b 1.0 5\n", 2, r"field 4 \(relevant_size\) is not a whole number"),
        (b"1 Q0 a 0 5\n1 Q0 b 0 -5\n", 2, "a negative number"),
        (b"1 Q0 a 0 5 -2\n", 1, "a negative number"),
        (b"1 Q0 a 3 5 0:3\n", 1, r"field 6 \(bep\) is not a whole number"),
        (b"1 Q0 a 3 5 0 0:3:4\n", 1, "field 7 is not a highlight"),
        (b"1 Q0 a 3 5 0 0-3\n", 1, "field 7 is not a highlight"),
        (b"1 Q0 a 3 5 0 0:2 :3\n", 1, "field 8 is not a highlight"),
        (b"1 Q0 a 3 5 0 +0:3\n", 1, "field 7 is not a highlight"),
        (b"1 Q0 a 3 5 0 9223372036854775800:9\n", 1, "field 7 ends beyond 64 bits"),
        (b"1 Q0 a 0 5\n\n1 Q0 b 0 5\n1 Q0 a 0 5\n", 4, "an article judged twice for its topic; .* or line 1"),
    ],
)
def test_errors_name_file_and_line_and_say_what_to_do_of_inex_qrels(tmp_path, data, line, reason):
    file = tmp_path / "bad.qrels"
    file.write_bytes(data)
    with pytest.raises(FormatError, match=f"bad.qrels:{line}: {reason}"):
        read_qrels(file, format="inex")
    with pytest.warns(UserWarning, match=f"1 skipped: 1 x {reason.partition(';')[0]}"):
        read_qrels(file, format="inex", errors="skip")


def test_a_relevant_size_that_is_not_the_size_of_the_highlights_is_told():
    data = QRELS + b"2009003 Q0 9 7 100 0 0:5 3:4\n2009003 Q0 10 8 100 0 0:5 3:4\n2009003 Q0 11 9 100\n"
    with pytest.warns(UserWarning, match="in 2 of 7 judgments .first: line 6, topic '2009003', article '10'"):
        qrels = read_qrels(io.BytesIO(data))
    assert qrels["label"].tolist() == [1, 0, 1, 0, 1, 1, 1]
    assert qrels["relevant_size"].tolist()[4:] == [7, 8, 9]


def test_highlights_beyond_the_article_are_told():
    with pytest.warns(UserWarning, match="beyond the article's length in 2 of 2 judgments .first: line 1, topic '1'"):
        read_qrels(io.BytesIO(b"1 Q0 a 5 4 0 0:5\n1 Q0 b 0 4 5\n"))


def test_unknown_format_of_inex_qrels():
    with pytest.raises(FormatError, match="not a known format of qrels; known are inex: topic Q0"):
        read_qrels(io.BytesIO(b"hello world\n"))
    with pytest.raises(FormatError, match="empty"):
        read_qrels(io.BytesIO(b""))
    assert len(read_qrels(io.BytesIO(b""), format="inex")) == 0


NUMBER = st.one_of(st.integers(0, 10**6).map(str), st.sampled_from(["-1", "x", "+3", "007", "9" * 17, "9" * 25, "1_0"]))
MARK = st.one_of(
    st.tuples(st.integers(0, 10**9), st.integers(0, 10**9)).map(lambda pair: f"{pair[0]}:{pair[1]}"),
    st.sampled_from(["5", "5:", ":5", "1:2:3", "a:b", "-1:2", "٣:3", "9" * 18 + ":1", "007:03"]),
)
NAME = st.sampled_from(["1", "2", "a:b", "é", "long" * 5, "x" * 70])
LINE = st.tuples(
    st.tuples(NAME, st.just("Q0"), NAME, NUMBER, NUMBER).map(" ".join),
    st.one_of(st.just(""), st.tuples(NUMBER, st.lists(MARK, max_size=4).map(" ".join)).map(" ".join)),
).map(" ".join)
GOOD = st.tuples(
    st.integers(0, 99), st.integers(0, 9), st.integers(0, 10**6), st.integers(0, 10**6), st.integers(-1, 10**6),
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 10**6)), max_size=4),
)  # fmt: skip


def line(topic, article, size, length, bep, marks):
    tail = "".join(f" {start}:{width}" for start, width in marks)
    return f"{topic} Q0 {article} {size} {length}" + (f" {bep}{tail}" if marks or bep >= 0 else "")


@given(
    st.one_of(st.lists(GOOD.map(lambda values: line(*values)), max_size=9), st.lists(LINE, max_size=4)),
    st.sampled_from(["\n", "\r\n", "\r", "\n\n"]), st.booleans(),
)  # fmt: skip
@example(["1 Q0 a 1 9 0 0:1", "1 Q0 b 0 9 0 5:0"], "\n", True)
@example(["1 Q0 a 1 9 0 0:1", "1 Q0 b 1 9 0 1:9223372036854775807"], "\n", True)
@example(["1 Q0 a 1 9 0 0:1", "1 Q0 b 1 9 0 1:2:3"], "\n", True)
@example(["1 Q0 a 1 9 0 0:1", "1 Q0 b -1 9 0"], "\n", True)
@example(["1 Q0 a 1 9 0 0:1", "1 Q0 b 0 -9 0"], "\n", True)
@example(["1 Q0 a 1 9 0 0:1", "1 Q0 b 0 9 -2"], "\n", True)
@example(["1 Q0 a 1 9 0 0:1", "1 Q0 b 0"], "\n", True)
@example(["1 Q0 a 1 9 0 0:1", "2 Q0 a 0 9", "1 Q0 b 0 9 -1", "1 Q0 a 0 9"], "\n", True)
def test_qrels_are_read_as_by_hand(lines, newline, end):
    data = (newline.join(lines) + newline * end).encode()
    rows, bad = read_by_hand(data, read_qrels_line)
    qrels = quietly(read_qrels, io.BytesIO(data), "inex", errors="skip")
    columns = (qrels[name].tolist() for name in ("qid", "docno", "relevant_size", "length", "bep"))
    assert list(zip(*columns, cells(qrels["highlights"]), strict=True)) == rows
    if bad:
        with pytest.raises(FormatError, match=f"<stream>:{bad[0]}: "):
            read_qrels(io.BytesIO(data), "inex")


@given(st.lists(GOOD, min_size=1, max_size=20, unique_by=lambda values: values[:2]))
@example([(1, 2, 3, 9, -1, [(0, 3)]), (1, 3, 0, 9, 4, [])])  # highlights without an entry point, and the reverse
def test_well_formed_qrels_come_back_as_they_were(judgments):
    text = "".join(line(*values) + "\n" for values in judgments)
    qrels = quietly(read_qrels, io.StringIO(text))
    found = zip(qrels["relevant_size"].tolist(), qrels["bep"].tolist(), cells(qrels["highlights"]), strict=True)
    assert list(found) == [(size, bep, [(a, a + b) for a, b in marks]) for _, _, size, _, bep, marks in judgments]
    written = io.StringIO()
    write_qrels(qrels, written)
    assert written.getvalue() == text


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 30)), max_size=5))
def test_a_relevant_size_is_the_size_of_the_union(marks):
    covered = {character for start, width in marks for character in range(start, start + width)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_qrels(io.StringIO(line(1, 1, len(covered), 99, -1, marks)), "inex")


TO_WRITE = pd.DataFrame(
    {"qid": ["1", "1"], "docno": ["a", "b"], "label": [2, 0], "highlights": [[(0, 5), (3, 7)], []]}
).assign(bep=[0, -1], length=[9, 9])


def test_labels_above_1_are_written_with_a_warning():
    written = io.StringIO()
    with pytest.warns(UserWarning, match="1 will be read as 1 .* topic '1', article 'a', label 2"):
        write_qrels(TO_WRITE, written)
    assert written.getvalue() == "1 Q0 a 7 9 0 0:5 3:4\n1 Q0 b 0 9\n"


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        (TO_WRITE.drop(columns="bep"), "need the column 'bep'"),
        (TO_WRITE.assign(length=[9, np.nan]), "column 'length', topic '1', article 'b': nan is not a whole number"),
    ],
)
def test_qrels_that_cannot_be_written_are_refused(qrels, message):
    with pytest.raises(ValueError, match=message):
        write_qrels(qrels, io.StringIO())


def test_qrels_come_back_from_evidence(tmp_path):
    qrels = read_qrels(io.BytesIO(QRELS)).assign(bep=[126, -1, 5, 7])
    file = tmp_path / "spans.jsonl.gz"
    with pytest.warns(UserWarning, match="not in the file: 2 articles without highlights, 2 lengths of articles"):
        write_qrels(qrels, file, "spans")
    back = read_qrels(file)
    kept = qrels[qrels["highlights"].list.len() > 0].reset_index(drop=True)
    columns = ["qid", "docno", "label", "highlights", "bep"]
    pd.testing.assert_frame_equal(back[columns], kept[columns], check_dtype=False)


def test_labels_and_entry_points_that_evidence_lacks_are_told():
    qrels = read_qrels(io.BytesIO(QRELS)).assign(label=2, bep=0)
    with pytest.warns(UserWarning, match="2 labels other than 1, 2 best entry points other"):
        write_qrels(qrels, io.StringIO(), "spans")


def test_evidence_is_read_from_a_path_only():
    with pytest.raises(ValueError, match="read from a path"):
        read_qrels(io.StringIO(""), "spans")


def test_the_qrels_of_the_sample_come_back(inex_sample):
    file = inex_sample / "qrels.txt"
    written = io.StringIO()
    write_qrels(read_qrels(file), written)
    assert written.getvalue() == file.read_text()


@pytest.mark.parametrize("text", ["1 Q0 a 3 9 0 0:3 5:0 7:0\n1 Q0 b 0 9\n", "1  Q0 a 3 9 0 0:3 5:0 7:0\n1 Q0 b 0 9\n"])
def test_highlights_of_length_0_are_left_out_with_a_note(text):
    with pytest.warns(UserWarning, match=r"2 highlights of length 0, .* in 1 of 2 judgments \(first: line 1, topic"):
        qrels = read_qrels(io.BytesIO(text.encode()))
    assert cells(qrels["highlights"]) == [[(0, 3)], []]


def test_the_judgments_of_inex_2009_and_2010_are_read_whole(shared_data):
    with pytest.warns(UserWarning, match=r"2 highlights of length 0.* line 5767, topic '2010016', article '83496'"):
        qrels = read_qrels(shared_data / "inex-2010" / "qrels.txt")
    assert (len(qrels), qrels["qid"].nunique()) == (10_329, 120)
    assert len(cells(qrels["highlights"])[5766]) == 247


@pytest.mark.parametrize(("column", "cell"), [("alternatives", [1]), ("cover", [0.0]), ("facts", [[("f", 1)]])])
def test_what_the_format_has_no_place_for_is_said(tmp_path, column, cell):
    qrels = pd.DataFrame([["q", "a", 1, [(0, 5)], 0, 9]], columns=QRELS_COLUMNS)
    qrels[column] = [cell]
    with pytest.warns(LossWarning, match=f"no place for the column {column}: not written"):
        write_qrels(qrels, tmp_path / "qrels.txt")
