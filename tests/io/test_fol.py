"""FOL runs: what a file says, and what is written; held against reading line by line."""

import gzip
import io
import warnings

import ir_measures
import pandas as pd
import pytest
from by_hand import read_by_hand, read_fol_line
from hypothesis import example, given
from hypothesis import strategies as st
from plain import plain
from readings import quietly

from pyterrier_focused import AiP, cells, check_run, unpack
from pyterrier_focused.errors import FormatError, LossWarning, OverlapError
from pyterrier_focused.io import read_run, write_run

RUN = b"""\
2009001 Q0 12 1 9.5 tag 100 50
2009001 Q0 7 2 9.5 tag 0 10
2009001 Q0 12 3 -1e-3 tag 10 20
2009002 Q0 12 1 0 tag 5 1
"""


def test_order_of_the_file_is_the_ranking():
    run = read_run(io.BytesIO(RUN))
    assert plain(run).to_dict("list") == {
        "qid": ["2009001", "2009001", "2009002"],
        "docno": ["12", "7", "12"],
        "score": [3.0, 2.0, 1.0],
        "rank": [0, 1, 0],
        "passages": [[(10, 30, 1.0), (100, 150, 3.0)], [(0, 10, 2.0)], [(5, 6, 1.0)]],
    }
    assert unpack(run)["docno"].tolist() == ["12#100-150", "7#0-10", "12#10-30", "12#5-6"]
    check_run(run)


def test_interleaved_topics_keep_each_topics_order():
    lines = RUN.splitlines(keepends=True)
    shuffled = b"".join([lines[3], lines[0], lines[1], lines[2]])
    assert unpack(read_run(io.BytesIO(shuffled)))["docno"].tolist() == ["12#5-6", "12#100-150", "7#0-10", "12#10-30"]
    between = b"".join([lines[0], lines[3], lines[1], lines[2]])
    pd.testing.assert_frame_equal(read_run(io.BytesIO(between)), read_run(io.BytesIO(RUN)))


def test_the_files_own_rank_and_score_on_request():
    run = read_run(io.BytesIO(RUN), file_fields=True)
    assert [list(cell) for cell in run["file_rank"]] == [[3, 1], [2], [1]]
    assert [list(cell) for cell in run["file_score"]] == [[-0.001, 9.5], [9.5], [0.0]]


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["1 Q0 a 1 9 t 0 5", "1 Q0 b 2 8 t 0 5"], None),
        (["1 Q0 b 2 8 t 0 5", "1 Q0 a 1 9 t 0 5"], "1 of 1 topics (first: line 2, topic '1': rank 1 follows 2)"),
        (["1 Q0 b 2 8 t 0 5", "2 Q0 a 1 9 t 0 5", "1 Q0 a 1 9 t 0 5"], "1 of 2 topics (first: line 3, topic '1'"),
        (["1 Q0 b 2 8 t 0 5", "2 Q0 a 1 9 t 0 5"], None),
        # Only one of the two fields says so: it is wrong, as in many a real run.
        (["1 Q0 b 2 9 t 0 5", "1 Q0 a 1 8 t 0 5"], None),
        (["1 Q0 b 1 8 t 0 5", "1 Q0 a 1 9 t 0 5"], None),
    ],
)
def test_lines_in_another_order_than_ranks_and_scores_are_told(lines, told):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = read_run(io.BytesIO("\n".join(lines).encode()))
    assert [told in str(warning.message) for warning in caught] == [True] * (told is not None)
    assert run[run["qid"] == "1"]["docno"].tolist()[0] == lines[0].split()[2]


@pytest.mark.parametrize(
    ("data", "line", "reason"),
    [
        (RUN.replace(b" 100 50", b" 100"), 1, "7 fields instead of 8"),
        (RUN.replace(b" 0 10", b" 0 10 x"), 2, "9 fields instead of 7 or 8"),
        (RUN.replace(b" 7 2", b"  2"), 2, "7 fields instead of 8"),
        (RUN.replace(b" 10 20", b" 1_0 20"), 3, r"field 7 \(offset\) is not a whole number"),
        (RUN.replace(b" 10 20", b" 1e3 20"), 3, r"field 7 \(offset\) is not a whole number"),
        (RUN.replace(b" 10 20", " ١٠ 20".encode()), 3, r"field 7 \(offset\) is not a whole number"),
        (RUN.replace(b" 10 20", b" -10 20"), 3, r"field 7 \(offset\) is negative"),
        (RUN.replace(b" 10 20", b" 10 -3"), 3, r"field 8 \(length\) is negative"),
        (RUN.replace(b" 10 20", b" 10 9223372036854775800"), 3, "the part ends beyond 64 bits"),
        (RUN.replace(b" 10 20", b" 10 99999999999999999999"), 3, r"field 8 \(length\) is beyond 64 bits"),
        (RUN.replace(b" 10 20", b" X X"), 3, "a part that does not exist; missing='official'"),
        (RUN.replace(b" 10 20", b" -1 -1"), 3, "a part that does not exist; missing='official'"),
        (RUN.replace(b" 10 20", b" X 20"), 3, r"field 7 \(offset\) is not a whole number"),
        (RUN.replace(b" 10 20", b" 10 X"), 3, r"field 8 \(length\) is not a whole number"),
        (RUN.replace(b" 10 20", b" 10 -1"), 3, r"field 8 \(length\) is negative"),
        (RUN.replace(b" 9.5 tag 0", b" nan tag 0"), 2, r"field 5 \(score\) is not a finite number"),
        (RUN.replace(b" 9.5 tag 0", b" 9,5 tag 0"), 2, r"field 5 \(score\) is not a finite number"),
        (RUN.replace(b" 9.5 tag 0", b" 1e999 tag 0"), 2, r"field 5 \(score\) is not a finite number"),
        (RUN.replace(b" 2 9.5", b" 2.0 9.5"), 2, r"field 4 \(rank\) is not a whole number"),
        (RUN.replace(b" 7 ", b" \xff7 "), 2, "bytes that are not UTF-8"),
        (RUN.replace(b" 7 ", b" \x007 "), 2, "a control character"),
        (RUN.replace(b" 7 ", " 7\u00a0 ".encode()), 2, r"white space U\+00A0"),
        (b"\n\r\n" + RUN.replace(b" 0 10", b" 0"), 4, "7 fields instead of 8"),
        (RUN.replace(b"\n", b"\r").replace(b" 0 10", b" 0"), 2, "7 fields instead of 8"),
    ],
)
def test_errors_name_file_and_line_and_say_what_to_do_of_fol(tmp_path, data, line, reason):
    file = tmp_path / "bad.run"
    file.write_bytes(data)
    with pytest.raises(FormatError, match=f"bad.run:{line}: {reason}") as error:
        read_run(file, format="fol")
    assert (error.value.file, error.value.line) == (str(file), line)
    assert error.value.text


def test_errors_skip_goes_on_and_tells():
    data = RUN.replace(b" 100 50", b" 100 x") + b"2009002 Q0 3 2 0 tag 5 y\n" + b"a b\n"
    with pytest.warns(
        UserWarning, match=r"3 skipped: 2 x field 8 \(length\) is not a whole .* \(first: line 1\); 1 x 2"
    ):
        run = read_run(io.BytesIO(data), format="fol", errors="skip")
    assert unpack(run)["docno"].tolist() == ["7#0-10", "12#10-30", "12#5-6"]


def test_parts_that_do_not_exist_count_18_characters_beyond_any_text():
    data = RUN.replace(b" 10 20", b" X X") + b"2009001 Q0 12 4 0 tag -1 -1\n2009001 Q0 9 4 0 tag X X\n"
    run = read_run(io.BytesIO(data), missing="official")
    spans = dict(zip(run["docno"] + "/" + run["qid"], cells(run["passages"]), strict=True))
    first, second = spans["12/2009001"][1:]
    assert first[1] - first[0] == second[1] - second[0] == 18
    assert first[0] > 10**9
    assert second[0] >= first[1]
    assert spans["9/2009001"][0][:2] == first[:2]
    written = io.BytesIO()
    write_run(run, written)
    assert [line.split()[6:] for line in written.getvalue().decode().splitlines()] == [
        ["100", "50"], ["0", "10"], ["X", "X"], ["X", "X"], ["X", "X"], ["5", "1"]]  # fmt: skip


@pytest.mark.parametrize(
    "data",
    [
        RUN.replace(b"\n", b"\r\n"),
        RUN.replace(b"\n", b"\r"),
        b"\xef\xbb\xbf" + RUN,
        RUN[:-1],
        RUN.replace(b" ", b"\t"),
        RUN.replace(b" ", b"  \t"),
        RUN.replace(b"\n", b" \t\n"),
        b"\n\n" + RUN.replace(b"\n", b"\n\n") + b"  \n",
        RUN.replace(b" 10 20", b" 0010 +20"),
        gzip.compress(RUN),
    ],
    ids=["crlf", "cr", "mark", "no end", "tabs", "many", "trailing", "blank lines", "zeros and sign", "gzip"],
)
def test_line_ends_and_white_space_make_no_difference(data):
    pd.testing.assert_frame_equal(read_run(io.BytesIO(data), format="fol"), read_run(io.BytesIO(RUN)))
    pd.testing.assert_frame_equal(read_run(io.BytesIO(data)), read_run(io.BytesIO(RUN)))


@pytest.mark.parametrize("data", [b"", b"\n \n"])
def test_an_empty_file_is_of_no_known_format(data):
    with pytest.raises(FormatError, match="empty"):
        read_run(io.BytesIO(data))


def test_an_empty_file_of_a_named_format_is_an_empty_run():
    run = read_run(io.BytesIO(b"\n"), format="fol")
    assert run.columns.tolist() == ["qid", "docno", "score", "rank", "passages"]
    assert len(run) == 0
    written = io.BytesIO()
    write_run(run, written)
    assert written.getvalue() == b""


def test_a_run_of_no_known_format_is_refused_with_the_known_ones():
    known = r"<stream>:1: this is not a known format of a run; known are fol: topic Q0 article"
    with pytest.raises(FormatError, match=known):
        read_run(io.BytesIO(b"hello world\n"))


@pytest.mark.parametrize(
    ("read", "option", "message"),
    [
        (read_run, {"format": "foll"}, "format='foll'; choose one of 'auto', 'fol'"),
        (read_run, {"errors": "ignore"}, "errors='ignore'; choose one of 'raise', 'skip'"),
        (read_run, {"missing": "skip"}, "missing='skip'; choose one of 'raise', 'official'"),
    ],
)
def test_options_of_reading_that_do_not_exist_are_refused(read, option, message):
    with pytest.raises(ValueError, match=message):
        read(io.BytesIO(RUN), **option)


ODD = ["1", "0", "12", "+3", "-1", "X", "007", "1.5", ".5", "5.", ".", "1e3", "nan", "1_0", "٣", "Q0", "é", "a:b", "-"]
LONG = ["a" * 9, "b" * 70, "é" * 5, "2.5" * 9, "1" * 30 + ".5", *("9" * n for n in (8, 9, 16, 17, 19, 25))]
FIELD = st.sampled_from([*ODD, *LONG, "a\x0bb", "\x85", "x\u2028", "\x7f", "\ufeff"])
NUMBER = st.one_of(st.integers(0, 10**6).map(str), FIELD)
NAME = st.one_of(st.sampled_from(["2009001", "12", "article-with-a-long-name", "é" * 9]), FIELD)
LINE = st.one_of(
    st.tuples(NAME, st.just("Q0"), NAME, NUMBER, NUMBER, NAME, NUMBER, NUMBER), st.lists(FIELD, max_size=9)
).map(" ".join)
GOOD = st.tuples(
    st.sampled_from(["1", "2", "NA"]), st.just("Q0"), st.sampled_from(["7", "é", "12#3", "a-long-article-name"]),
    st.integers(0, 9).map(str), st.sampled_from(["1", "-2.5", "1e-3", "0.123456789"]), st.just("tag"),
    st.integers(0, 10**9).map(str), st.integers(1, 10**9).map(str),
).map(" ".join)  # fmt: skip


@given(
    lines=st.one_of(st.lists(GOOD, max_size=8), st.lists(st.one_of(GOOD, LINE), max_size=5)),
    newline=st.sampled_from(["\n", "\r\n", "\r", "\n\n"]),
    end=st.booleans(),
)
@example(["1 Q0 7 1 1 tag 100000000 9999999999999999"], "\n", False)
@example(["1 Q0 7 1 nan tag 0 1"], "\n", False)
@example(["\ufeff1 Q0 7 1 1 tag 0 1", "1 Q0 7 2 0 tag 5 1"], "\n", True)
@example(["1 Q0 7 1 1 tag 0 1", "1 Q0 7 2 0 ta\rg 5 1"], "\n", True)
@example(["1 Q0 7 1 1 tag 1 9223372036854775807", "1 Q0 7 1 1 tag 0 5"], "\n", False)
def test_runs_are_read_as_by_hand(lines, newline, end):
    data = (newline.join(lines) + newline * end).encode()
    rows, bad = read_by_hand(data, read_fol_line)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = read_run(io.BytesIO(data), "fol", errors="skip", file_fields=True)
    assert [f"{len(bad)} skipped" in str(warning.message) for warning in caught] == [True] * bool(bad)
    columns = (run["qid"], run["docno"], cells(run["passages"]), run["file_rank"], run["file_score"])
    found = [
        (qid, docno, start, end, rank, score)
        for qid, docno, spans, ranks, values in zip(*columns, strict=True)
        for (start, end, _), rank, score in zip(spans, ranks, values, strict=True)
    ]
    assert sorted(found) == sorted(rows)
    if bad:
        with pytest.raises(FormatError, match=f"<stream>:{bad[0]}: "):
            read_run(io.BytesIO(data), "fol")


SPAN = st.tuples(st.integers(0, 2**45), st.integers(1, 2**45)).map(lambda pair: (pair[0], pair[0] + pair[1]))
WORD = st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=12)


@st.composite
def runs(draw):
    rows = draw(st.lists(st.tuples(WORD, WORD), unique=True, min_size=1, max_size=6))
    scored = draw(st.booleans())
    score = st.floats(allow_nan=False, allow_infinity=False, width=32)
    cells = []
    for _ in rows:
        spans = draw(st.lists(SPAN, min_size=1, max_size=4))
        cells.append([(*span, draw(score)) for span in spans] if scored else spans)
    return pd.DataFrame(
        {
            "qid": [qid for qid, _ in rows],
            "docno": [docno for _, docno in rows],
            "score": [draw(score) for _ in rows],
            "passages": cells,
        }
    )


def rankings(parts):
    """{qid: docnos as ranked}"""
    return parts.groupby("qid")["docno"].agg(list).to_dict()


@given(runs())
def test_round_trip_keeps_ranking_and_spans(run):
    written = io.BytesIO()
    quietly(write_run, run, written)
    assert rankings(unpack(read_run(io.BytesIO(written.getvalue()), format="fol"))) == rankings(unpack(run))


@given(runs())
def test_articles_in_the_order_of_their_scores_keep_their_spans(run):
    written = io.BytesIO()
    quietly(write_run, run, written, order="articles")
    parts = unpack(read_run(io.BytesIO(written.getvalue()), format="fol"))
    in_order = [rankings(frame.sort_values("docno")) for frame in (parts, unpack(run))]
    assert in_order[0] == in_order[1]


@given(runs(), st.sampled_from(["passages", "articles"]))
def test_a_run_that_was_read_is_written_and_read_as_itself(run, order):
    written, again = io.BytesIO(), io.BytesIO()
    quietly(write_run, run, written, order=order, tag="t")
    back = read_run(io.BytesIO(written.getvalue()), format="fol")
    write_run(back, again, order=order)
    pd.testing.assert_frame_equal(read_run(io.BytesIO(again.getvalue()), format="fol"), back)


def test_a_file_holds_one_order():
    run = pd.DataFrame(
        {"qid": ["1", "1"], "docno": ["a", "b"], "score": [2.0, 1.0], "passages": [[(0, 1, 0.1)], [(5, 6, 0.9)]]}
    )
    written = io.StringIO()
    with pytest.warns(UserWarning, match="another order than their own scores"):
        write_run(run, written)
    assert written.getvalue() == "1 Q0 b 1 0.9 focused 5 1\n1 Q0 a 2 0.1 focused 0 1\n"
    written = io.StringIO()
    write_run(run, written, order="articles", tag="mine")
    assert written.getvalue() == "1 Q0 a 1 0.1 mine 0 1\n1 Q0 b 2 0.9 mine 5 1\n"


@pytest.mark.parametrize("file_fields", [False, True])
@pytest.mark.parametrize("score", [b"nan", b"NaN", b"inf", b"-inf", b"1e999"])
def test_a_score_that_is_no_number_is_refused_whether_scores_are_asked_for_or_not(score, file_fields):
    with pytest.raises(FormatError, match=r"field 5 \(score\) is not a finite number"):
        read_run(io.BytesIO(b"1 Q0 7 1 " + score + b" tag 0 9\n"), format="fol", file_fields=file_fields)


@pytest.mark.parametrize("order", ["passages", "articles"])
def test_passages_without_scores_beside_a_topic_with_scores_take_their_articles(order):
    """The score in the file is the passage's own, else its article's; unscored ones stay in the order of the cell."""
    run = pd.DataFrame(
        {
            "qid": ["1", "2", "2"],
            "docno": ["a", "b", "c"],
            "score": [2.0, 3.0, 4.0],
            "passages": [[(0, 1, 0.5), (5, 6, 1.5)], [(9, 12), (2, 4)], [(7, 8)]],
        }
    )
    written = io.StringIO()
    write_run(run, written, order=order)
    assert written.getvalue().splitlines() == [
        "1 Q0 a 1 1.5 focused 5 1",
        "1 Q0 a 2 0.5 focused 0 1",
        "2 Q0 c 1 4 focused 7 1",
        "2 Q0 b 2 3 focused 9 3",
        "2 Q0 b 3 3 focused 2 2",
    ]


TO_WRITE = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "score": [2.0, 1.0], "passages": [[(0, 1)], None]})


def test_articles_without_passages_are_not_written_with_a_warning():
    with pytest.warns(UserWarning, match="1 articles without passages .*topic '1', article 'b'"):
        write_run(TO_WRITE, io.BytesIO())


@pytest.mark.parametrize(
    ("run", "options", "message"),
    [
        (TO_WRITE.assign(docno=["a b", "c"], passages=[[(0, 1)], [(0, 1)]]), {}, "docno 'a b' cannot be written"),
        (TO_WRITE.assign(docno="a"), {}, "topic '1', article 'a' occurs more than once in the run"),
        (TO_WRITE, {"order": "score"}, "order='score'; choose one of 'passages', 'articles'"),
        (TO_WRITE[:1].assign(file_score=[[1.0, 2, 3]]), {}, "column 'file_score' holds 3 scores for 1 passages"),
    ],
)
def test_what_cannot_be_written_is_refused(run, options, message):
    with pytest.raises(ValueError, match=message):
        write_run(run, io.BytesIO(), **options)


@pytest.mark.parametrize("name", ["focused.run", "ric.run", "bic.run"])
def test_the_sample_comes_back_from_fol(inex_sample, name):
    file = inex_sample / name
    lines = [line.split() for line in file.read_text().splitlines()]
    parts = unpack(read_run(str(file)))
    assert sorted(zip(parts["qid"], parts["docno"], strict=True)) == sorted(
        (field[0], f"{field[2]}#{field[6]}-{int(field[6]) + int(field[7])}") for field in lines
    )
    written = io.BytesIO()
    write_run(read_run(file), written)
    pd.testing.assert_frame_equal(read_run(io.BytesIO(written.getvalue())), read_run(file))


@pytest.mark.filterwarnings("ignore:.*ranks and scores say another order")
def test_an_overlap_where_a_topic_stands_apart_names_both_lines(shared_data):
    run = read_run(shared_data / "inex-2010" / "run-2.txt")
    assert list(run.attrs["divided_topics"]) == ["2009079"]
    run = run[run["qid"] == "2009079"].rename(columns={"qid": "query_id", "docno": "doc_id"})
    qrels = pd.DataFrame(
        {"query_id": ["2009079"], "doc_id": ["2939751"], "relevance": [1], "highlights": [[(0, 10)]], "length": [9000]}
    )
    with pytest.raises(OverlapError, match=r"are apart in the run's file, lines \d+ and \d+: keep one of its blocks"):
        ir_measures.calc_aggregate([AiP], qrels, run)


@pytest.mark.parametrize(
    ("columns", "lost"),
    [
        ({"items": [[1, 1]]}, r"no place for items \(column 'items'\): each passage is one$"),
        ({"items": [[1, 1]], "around": [[0, 3]]}, "no place for what is around .* nor for items"),
    ],
)
def test_columns_that_a_file_has_no_place_for_are_told(columns, lost, tmp_path):
    run = pd.DataFrame({"qid": ["1"], "docno": ["a"], "score": [1.0], "passages": [[(0, 5), (7, 9)]]})
    with pytest.warns(LossWarning, match=lost):
        write_run(run.assign(**columns), tmp_path / "run.fol")
