"""The checks of a run, one fault at a time and all at once, and the commands."""

import io
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xml_articles import ARTICLES, XmlArticles

from pyterrier_focused import FormatError
from pyterrier_focused.cli import main
from pyterrier_focused.io.checks import validate_run

COLLECTION = XmlArticles(ARTICLES)  # of 23 characters and 30 bytes: 12


def found(text, **options):
    result = validate_run(io.BytesIO(text.encode()), **options)
    return Counter((problem.kind, problem.line) for problem in result.problems)


def fol(*lines):
    return "".join(f"{topic} Q0 {article} {rank} 1 t {span}\n" for topic, article, rank, span in lines)


GOOD = fol(("1", "7", 1, "0 10"), ("1", "7", 2, "10 5"), ("1", "12", 3, "0 23"), ("2", "7", 1, "0 10"))


def test_nothing_wrong():
    for task in (None, "focused", "ric"):
        result = validate_run(io.StringIO(GOOD), task, {"1", "2"}, COLLECTION)
        assert result.problems == []
        assert (result.results, result.topics, result.format) == (4, 2, "fol")
    assert validate_run(io.StringIO(GOOD), topics={"1", "2", "3"}).notes == ["1 of 3 topics have no results"]


@pytest.mark.parametrize(
    ("lines", "options", "expected"),
    [
        ("1 7 1 0 10, 2 7 1 0 9", {"topics": {"1"}}, {"unknown topic": [2]}),
        ("1 7 1 0 1, 1 7 2 1 1, 1 7 3 2 1, 2 7 1 0 1", {"limit": 2}, {"more than 2 results": [3]}),
        ("1 7 1 0 9, 1 7 2 9 9", {"task": "bic"}, {"several parts of an article": [2]}),
        ("1 7 1 0 10, 1 7 2 9 5", {}, {"overlap": [2]}),
        ("1 7 1 0 10, 2 7 2 9 5, 1 12 2 9 5", {}, {}),
        ("1 7 1 20 10, 1 7 2 0 50, 1 7 3 45 1", {}, {"overlap": [2, 3]}),
        ("1 7 1 0 10, 1 12 2 0 9, 1 7 3 0 10", {}, {"duplicate": [3]}),
        ("1 7 1 0 9, 1 12 2 0 9, 1 7 3 9 9", {"task": "ric"}, {"interleaved articles": [3]}),
        ("1 7 1 0 9, 1 12 2 0 9, 1 7 3 9 9", {"task": "focused"}, {}),
        ("1 7 2 0 9, 1 12 1 0 9, 1 13 1 0 9", {}, {"rank out of order": [2, 3]}),
        ("1 12 1 0 24, 1 13 2 9 2", {"collection": COLLECTION}, {"beyond the article's end": [1]}),
        ("1 99 1 0 28, 2 99 1 9 2", {"collection": COLLECTION}, {"unknown article": [1]}),
        ("1 7 1 0 x, 1 12 2 3 4", {}, {"field 8 (length) is no whole number": [1]}),
        ("1 7 1 0 9, 1 12 2 X X", {}, {"a part that does not exist": [2]}),
        ("1 7 1 0 9, 1 12 2 3, 1 12 3 4 5", {}, {"7 fields instead of 8": [2]}),
    ],
)
def test_each_fault(lines, options, expected):
    text = "".join("{} Q0 {} {} 1 t {}\n".format(*line.split(maxsplit=3)) for line in lines.split(", "))
    assert found(text, **options) == Counter((kind, line) for kind, lines in expected.items() for line in lines)


def xml(*parts, task="Focused"):
    head = f'<inex-submission task="{task}">\n<topic topic-id="1">\n'
    lines = "".join(f"<result><file>{file}</file>{part}</result>\n" for file, part in parts)
    return f"{head}{lines}</topic></inex-submission>"


BDY, SEC = "<path>/article[1]/bdy[1]</path>", "<path>/article/bdy/sec[1]</path>"
INTO_SEC = '<passage start="/article/bdy/p" end="/article/bdy/sec[1]/st"/>'


def at(offset, rest=""):
    return f'<fol offset="{offset}" length="1"/>{rest}'


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        (xml(("7", BDY), ("7", "<path>/article/header</path>")), {}, {}),
        (xml(("7", BDY), ("7", SEC)), {}, {"overlap": 4}),
        (xml(("7", SEC), ("7", SEC.replace("1", "11"))), {}, {}),
        (xml(("7", BDY), ("7", "<path>/article/bdy</path>")), {}, {"duplicate": 4}),
        (xml(("7", BDY), ("12", at(0))), {}, {"elements and passages mixed": 4}),
        (
            xml(("7", "<path>/article[1]/bdy[1]/nope</path>"), ("7", BDY)),
            {"collection": COLLECTION},
            {"a path that the article does not have": 3},
        ),
        (
            xml(("7", SEC), ("7", INTO_SEC)),
            {"collection": COLLECTION},
            {"elements and passages mixed": 4, "overlap": 4},
        ),
        (xml(("a", at(0)), ("b", at(0)), ("a", at(5)), task="Relevant in Context"), {}, {"interleaved articles": 5}),
        (xml(("a", at(0)), ("a", at(5)), task="BestInContext"), {}, {"several parts of an article": 4}),
        (
            xml(*((file, at(0, f"<rank>{rank}</rank>")) for file, rank in [("a", 2), ("b", 1), ("c", 2)])),
            {},
            {"rank out of order": 5},
        ),
        (xml(("7", "<path>x</path>"), ("12", "")), {}, {"<path> is no element path": 3, "a result without a part": 4}),
    ],
)
def test_each_fault_of_xml(text, options, expected):
    assert found(text, **options) == Counter(expected.items())


def test_offsets_in_bytes_end_where_bytes_end():
    length = len("Čapek, Zürich, 東京.naïve".encode())
    result = validate_run(io.StringIO(fol(("1", "12", 1, f"0 {length}"))), collection=COLLECTION)
    assert result.problems == []
    assert result.notes[0].startswith("offsets count bytes: of 1 articles 0 fit characters alone, 1 bytes alone")


@given(
    st.lists(st.tuples(st.sampled_from("12"), st.sampled_from("ab"), st.integers(0, 20), st.integers(1, 6)), max_size=9)
)
def test_overlap_and_duplicates_by_sets_of_characters(parts):
    if not parts:
        return
    text = fol(*((topic, article, rank, f"{a} {n}") for rank, (topic, article, a, n) in enumerate(parts, start=1)))
    kinds = {kind for kind, _ in found(text)}
    assert ("duplicate" in kinds) == (len(set(parts)) < len(parts))
    texts = [{(q, d, at) for at in range(a, a + n)} for q, d, a, n in set(parts)]
    assert ("overlap" in kinds) == (sum(map(len, texts)) > len(set().union(*texts)))


def test_unreadable():
    with pytest.raises(FormatError, match="holds whole articles"):
        validate_run(io.StringIO("1 Q0 a 1 1 t\n"))
    with pytest.raises(FormatError, match="malformed XML"):
        validate_run(io.StringIO("<inex-submission>"))
    with pytest.raises(ValueError, match="task='thorough'; choose one of"):
        validate_run(io.StringIO(GOOD), "thorough")


def test_validate_command(tmp_path, capsys):
    good, bad = tmp_path / "good.run", tmp_path / "bad.run"
    good.write_text(GOOD)
    bad.write_text(GOOD + fol(*(("3", "7", 1, f"{at} 50") for at in range(12))))
    topics = tmp_path / "topics.xml"
    topics.write_text("<t><topic id='1'><title>x</title></topic><topic id='2'><title>y</title></topic></t>")
    assert main(["validate", str(good), "--task", "ric", "--topics", str(topics)]) == 0
    assert capsys.readouterr().out == f"{good}: nothing wrong in 4 results of 2 topics, fol, task: ric\n"
    assert main(["validate", str(good), str(bad), "--topics", str(topics), "--show", "1"]) == 1
    assert capsys.readouterr().out.splitlines()[1:] == [
        f"{bad}: 23 problems in 16 results of 3 topics, fol, task: not given",
        "  unknown topic: 1",
        "    line 5: topic 3, 12 results",
        "  rank out of order: 11",
        "    line 6: topic 3, article 7: rank 1 follows rank 1",
        "    and 10 more (--show 0 shows all)",
        "  overlap: 11",
        "    line 6: topic 3, article 7: [1, 51) overlaps [0, 50) of line 5",
        "    and 10 more (--show 0 shows all)",
    ]
    assert main(["validate", str(tmp_path / "none.run")]) == 2
    assert main(["validate", str(topics)]) == 2
    assert "expected <inex-submission>, found <t>" in capsys.readouterr().err


def test_real_sample(shared_data, capsys):
    folder = shared_data / "inex_eval_sample"
    for task in ("focused", "ric", "bic"):
        assert main(["validate", str(folder / f"{task}.run"), "--task", task]) == 0


def test_convert_command(tmp_path, capsys):
    source = tmp_path / "a.fol"
    source.write_text("1 Q0 7 1 0.875 mine 0 10\n1 Q0 12 2 -2 mine 3 4\n2 Q0 7 1 1e-09 mine 5 6\n")
    xml_file, back, trec = tmp_path / "a.xml.gz", tmp_path / "b.fol", tmp_path / "a.trec"
    assert main(["convert", str(source), str(xml_file), "--to", "inex-xml"]) == 0
    assert main(["convert", str(xml_file), str(back)]) == 0
    assert back.read_text() == source.read_text()
    assert "not in the new file: participant-id, task" in capsys.readouterr().err
    assert main(["convert", str(source), str(trec), "--to", "trec"]) == 0
    assert "the passages are not in the file" in capsys.readouterr().err
    qrels, copy = tmp_path / "a.qrels", tmp_path / "b.qrels.bz2"
    qrels.write_text("1 Q0 7 5 66 -1 0:5\n1 Q0 12 0 27\n")
    assert main(["convert", "--qrels", str(qrels), str(copy)]) == 0
    assert main(["convert", "--qrels", str(copy), str(back)]) == 0
    assert back.read_text() == qrels.read_text()
    assert main(["convert", str(copy), str(back)]) == 2
    assert "--qrels converts qrels" in capsys.readouterr().err
    source.write_text("1 Q0 7 4 0.875 mine 0 10\n1 Q0 12 4 -2 mine 3 4\n")
    assert main(["convert", str(source), str(back), "--tag", "yours"]) == 0
    assert back.read_text() == "1 Q0 7 1 0.875 yours 0 10\n1 Q0 12 2 -2 yours 3 4\n"
    assert "ranks did not count 1, 2, 3" in capsys.readouterr().err
