"""The checks of a run, one fault at a time and all at once, and the commands."""

import io
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xml_articles import ARTICLES, XmlArticles

from pyterrier_focused.cli import main
from pyterrier_focused.errors import FormatError
from pyterrier_focused.io.inex.checks import validate_run

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
        ("1 7 1 0 x, 1 12 2 3 4", {}, {"field 8 (length) is not a whole number": [1]}),
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
        (
            xml(("7", "<path>x</path>"), ("12", "")),
            {},
            {"<path> is not an element path": 3, "a result without a part": 4},
        ),
    ],
)
def test_each_fault_of_xml(text, options, expected):
    assert found(text, **options) == Counter(expected.items())


def test_offsets_in_bytes_end_where_bytes_end():
    length = len("Čapek, Zürich, 東京.naïve".encode())
    result = validate_run(io.StringIO(fol(("1", "12", 1, f"0 {length}"))), collection=COLLECTION)
    assert result.problems == []
    assert result.notes[0].startswith("offsets count bytes: of 1 articles 0 fit only characters, 1 only bytes")


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
    with pytest.raises(ValueError, match="task='adhoc'; choose one of"):
        validate_run(io.StringIO(GOOD), "adhoc")


def test_validate_command(tmp_path, capsys):
    good, bad = tmp_path / "good.run", tmp_path / "bad.run"
    good.write_text(GOOD)
    bad.write_text(GOOD + fol(*(("3", "7", 1, f"{at} 50") for at in range(12))))
    topics = tmp_path / "topics.xml"
    topics.write_text("<t><topic id='1'><title>x</title></topic><topic id='2'><title>y</title></topic></t>")
    assert main(["validate", str(good), "--task", "ric", "--topics", str(topics)]) == 0
    assert capsys.readouterr().out == f"{good}: OK: 4 results, 2 topics (format fol; task ric)\n"
    assert main(["validate", str(good), str(bad), "--topics", str(topics), "--show", "1"]) == 1
    assert capsys.readouterr().out.splitlines()[1:] == [
        f"{bad}: 23 problems: 16 results, 3 topics (format fol; no --task, so no task rules were checked)",
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


@pytest.mark.parametrize("task", ["focused", "ric", "bic"])
def test_real_sample_of_validation(shared_data, capsys, task):
    folder = shared_data / "inex_eval_sample"
    assert main(["validate", str(folder / f"{task}.run"), "--task", task]) == 0


def test_convert_command(tmp_path, capsys):
    source = tmp_path / "a.fol"
    source.write_text("1 Q0 7 1 0.875 mine 0 10\n1 Q0 12 2 -2 mine 3 4\n2 Q0 7 1 1e-09 mine 5 6\n")
    xml_file, back, trec = tmp_path / "a.xml.gz", tmp_path / "b.fol", tmp_path / "a.trec"
    assert main(["convert", str(source), str(xml_file), "--to", "inex-xml"]) == 0
    assert main(["convert", str(xml_file), str(back)]) == 0
    assert back.read_text() == source.read_text()
    assert "not in the new file: participant-id, task" in capsys.readouterr().err
    assert main(["convert", str(source), str(trec), "--to", "trec", "--lossy"]) == 0
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


HEAD = (
    '<inex-submission participant-id="4" run-id="R1" task="{task}" query="automatic" result-type="{kind}">\n'
    '<topic-fields title="yes" castitle="no" description="no" narrative="no"/>\n<description>BM25</description>\n'
    "<collections><collection>wikipedia</collection></collections>\n"
)


def submission(*topics, task="Focused", kind="element"):
    return HEAD.format(task=task, kind=kind) + "\n".join(topics) + "\n</inex-submission>\n"


def topic(name, *results):
    return f'<topic topic-id="{name}">\n' + "\n".join(f"<result>{result}</result>" for result in results) + "\n</topic>"


ONE = "<in>wikipedia</in><file>7</file>" + BDY + "<rank>1</rank><rsv>0.5</rsv>"


@pytest.mark.parametrize("year", ["2007", "2008", "2009", "2010", "any"])
def test_a_good_submission(year):
    text = submission(topic("1", ONE), topic("2", ONE), task="RelevantInContext")
    result = validate_run(io.BytesIO(text.encode()), year=year)
    assert result.problems == []
    assert result.task == "ric"
    assert result.notes == [
        "element paths: not looked up, and passages between paths not checked for overlap (no collection)"
    ]


@pytest.mark.parametrize(
    ("text", "year", "kind", "detail"),
    [
        (submission(topic("1", ONE), task="Foo"), "any", "not the submission format of 20", "task': The value 'Foo'"),
        (submission(topic("1", ONE), task="Thorough"), "2008", "not the submission format of 2008", "'Thorough'"),
        (submission(topic("1", ONE), kind="fol"), "2007", "not the submission format of 2007", "'fol'"),
        (submission(topic("1", ONE)).replace(' run-id="R1"', ""), "any", "not the", "'run-id' is required"),
        (submission(topic("1", ONE)).replace(' participant-id="4"', ""), "any", "not the", "'participant-id' is"),
        (
            submission(topic("1", ONE)).replace("<topic topic-id", "<topic id"),
            "any",
            "not the",
            "'topic-id' is required",
        ),
        (submission(topic("1", ONE), topic("")), "any", "a topic without its attribute topic-id", "<topic>"),
        (submission(topic("1", ONE.replace("<rank>1<", "<rank>0<"))), "any", "not the", "'rank': '0' is not"),
        (submission(topic("1", ONE + "<x/>")), "any", "not the submission format of 20", "Element 'x'"),
        (submission(topic("1", ONE), topic("1", ONE)), "any", "repeated topic", "topic 1 is also in line 5"),
        (submission(topic("1", ONE), topic("1", ONE)).replace("\n", " "), "any", "repeated topic", "is also in line 1"),
        (submission(topic("1", ONE), topic("2")), "any", "empty topic", "topic 2 has no results"),
        (
            submission(topic("1", ONE), kind="passage"),
            "any",
            "result of another kind",
            '<path> in a run with result-type="p',
        ),
        (submission(topic("1", "<file>7</file>" + INTO_SEC)), "any", "result of another kind", "<passage> in a run"),
    ],
)
def test_what_is_not_the_submission_format(text, year, kind, detail):
    problems = validate_run(io.BytesIO(text.encode()), year=year).problems
    assert [problem for problem in problems if problem.kind.startswith(kind) and detail in problem.detail], problems


def test_equal_ranks_on_one_line_and_several_passages_of_one_result():
    text = xml(("7", BDY + "<rank>1</rank>"), ("12", BDY + "<rank>1</rank>")).replace("\n", "")
    assert found(text) == Counter({("rank out of order", 1): 1})
    one = xml(("7", SEC + "<path>/article/header</path><rank>1</rank>"), ("12", BDY + "<rank>2</rank>")).replace(
        "\n", ""
    )
    assert found(one) == Counter()


def test_what_does_not_resolve_hides_nothing():
    text = xml(
        ("7", "<path>/article/no</path>"), ("99", BDY), ("7", "<path>/article/no</path>"), ("12", BDY), ("12", BDY)
    )
    expected = {
        ("a path that the article does not have", 3): 1,
        ("a path that the article does not have", 5): 1,
        ("unknown article", 4): 1,
        ("duplicate", 5): 1,
        ("duplicate", 7): 1,
        ("unknown topic", 3): 1,
        ("more than 4 results", 7): 1,
    }
    result = validate_run(io.BytesIO(text.encode()), None, {"2"}, COLLECTION, 4)
    assert Counter((problem.kind, problem.line) for problem in result.problems) == Counter(expected)
    (unknown,) = (problem.detail for problem in result.problems if problem.kind == "unknown article")
    assert unknown == "topic 1, article 99; 1 results"


def test_the_thorough_task_may_overlap_but_not_repeat():
    text = xml(("7", BDY), ("7", SEC), ("7", BDY), task="Thorough")
    assert found(text) == Counter({("duplicate", 5): 1})


def test_topics_in_several_places_are_noted():
    text = fol(("1", "7", 1, "0 9"), ("2", "7", 1, "0 9"), ("1", "12", 2, "0 9"))
    result = validate_run(io.StringIO(text))
    assert result.problems == []
    assert result.notes == ["the lines of 1 topics are not together (first: topic 1, which goes on in line 3)"]


def test_validate_command_checks_the_submission_format(tmp_path, capsys):
    run = tmp_path / "run.xml"
    run.write_text(submission(topic("1", ONE), task="Foo"))
    assert main(["validate", str(run), "--year", "2009"]) == 1
    assert "line 1: Element 'inex-submission', attribute 'task': The value 'Foo' is not" in capsys.readouterr().out
    run.write_text(submission(topic("1", ONE)))
    assert main(["validate", str(run)]) == 0


def test_convert_says_what_it_makes_up_and_keeps_what_a_submission_says(tmp_path, capsys):
    source, xml_file, again = tmp_path / "a.fol", tmp_path / "a.xml", tmp_path / "b.xml"
    source.write_text("1 Q0 7 1 0.5 mine 0 10\n")
    assert main(["convert", str(source), str(xml_file)]) == 0
    error = capsys.readouterr().err
    assert error == (
        "pt-focused convert: note: the run has no such attributes of a submission; wrote these defaults: "
        'participant-id="0", task="Focused", query="automatic"\n'
    )
    options = ["--participant-id", "12", "--task", "BestInContext", "--query", "manual", "--result-type", "fol"]
    assert main(["convert", str(source), str(xml_file), *options]) == 0
    assert capsys.readouterr().err == ""
    assert (
        'participant-id="12" task="BestInContext" query="manual" result-type="fol" run-id="mine"'
        in xml_file.read_text()
    )
    text = submission(topic("1", '<in>wiki</in><file>7</file><fol offset="0" length="9"/>'), kind="passage")
    xml_file.write_text(text.replace("BM25", "BM25 &amp; more"))
    assert main(["convert", str(xml_file), str(again)]) == 0
    for kept in HEAD.format(task="Focused", kind="passage").replace("BM25", "BM25 &amp; more").splitlines()[1:]:
        assert kept in again.read_text()
    assert "not in the new file: <in>" in capsys.readouterr().err
    assert main(["convert", str(xml_file), str(source)]) == 0
    assert "task, query, result-type, <topic-fields>, <description>, <collections>, <in>" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["out.csv"], "cannot tell the format from '.csv'; add --to FORMAT"),
        (["out.dat.gz"], "cannot tell the format from '.dat'"),
        (["out.fol", "--task", "Focused"], "--task: only for --to inex-xml"),
        (["out.fol", "--passage-ids"], "--passage-ids: only for --to trec"),
        (["out.fol", "--from", "spans"], "--from spans: runs are read as fol"),
        (["out.fol", "--to", "spans"], "--to spans: runs are written as fol"),
        (["out.paths", "--to", "paths"], "needs --collection DIR"),
    ],
)
def test_convert_refuses(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").write_text("1 Q0 7 1 0.5 mine 0 10\n")
    assert main(["convert", "in", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["in"]


def test_passages_that_do_not_exist_stay_so_or_are_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = "1 Q0 7 1 3 t X X\n1 Q0 7 2 2 t 0 9\n1 Q0 7 3 1 t X X\n"
    (tmp_path / "in").write_text(text)
    assert main(["convert", "in", "out.fol", "--missing", "official"]) == 0
    assert (tmp_path / "out.fol").read_text() == text
    for options in (["out.xml"], ["out.trec", "--passage-ids"]):
        assert main(["convert", "in", *options, "--missing", "official"]) == 2
        assert "2 passages do not exist, which" in capsys.readouterr().err
    assert main(["convert", "in", "out.fol"]) == 2
    assert "--missing official" in capsys.readouterr().err


def test_passages_without_characters_and_backwards():
    text = fol(("1", "7", 1, "3 0"))
    assert found(text) == found(text, task="ric") == Counter({("a passage without characters", 1): 1})
    assert found(text, task="bic") == Counter()
    backwards = '<passage start="/article/bdy/sec[2]" end="/article/header[1]/title[1]"/>'
    expected = Counter({("a passage that ends before it starts", 3): 1})
    assert found(xml(("7", backwards)), task="bic", collection=COLLECTION) == expected


@pytest.mark.parametrize(
    ("text", "options", "loss"),
    [
        ("1 Q0 7 1 0.875 mine 0 10\n", ["--to", "trec"], "the passages are not in the file"),
        ("1 Q0 7#0-10 1 0.875 mine\n", ["--to", "trec"], "the passages are not in the file"),
        (
            "1 Q0 7 5 66 2 2:5\n",
            ["--qrels", "--to", "trec"],
            "highlights, bep, length, relevant_size are not in",
        ),
        ("1 Q0 7 5 66 0 2:5\n", ["--qrels", "--to", "spans"], "1 best entry points other than the first span's start"),
    ],
)
def test_a_conversion_that_loses_text_or_entry_points_needs_lossy(tmp_path, capsys, text, options, loss):
    (tmp_path / "in.txt").write_text(text)
    (tmp_path / "out").write_text("as it was")
    files = [str(tmp_path / "in.txt"), str(tmp_path / "out")]
    assert main(["convert", *files, *options]) == 2
    told = capsys.readouterr().err
    assert loss in told
    assert "out is not written" in told
    assert "--lossy" in told
    assert (tmp_path / "out").read_text() == "as it was"
    assert main(["convert", *files, *options, "--lossy"]) == 0
    assert loss in capsys.readouterr().err


def test_a_conversion_that_keeps_text_and_entry_points_needs_nothing(tmp_path):
    (tmp_path / "in.txt").write_text("1 Q0 7 5 66 2 2:5\n")
    assert main(["convert", "--qrels", str(tmp_path / "in.txt"), str(tmp_path / "out.jsonl")]) == 0
    (tmp_path / "labels.txt").write_text("1 0 7 0\n")
    assert main(["convert", "--qrels", str(tmp_path / "labels.txt"), str(tmp_path / "out.trec")]) == 0
