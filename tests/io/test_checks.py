"""The checks of a run, one fault at a time and all at once, and the command that makes them."""

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


@pytest.mark.parametrize("task", [None, "focused", "ric"])
def test_a_good_run_has_no_problems(task):
    result = validate_run(io.StringIO(GOOD), task, {"1", "2"}, COLLECTION)
    assert result.problems == []
    assert (result.results, result.topics, result.format) == (4, 2, "fol")


def test_topics_without_results_are_noted():
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
def test_each_fault_is_told_with_its_line(lines, options, expected):
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
            xml(("7", "<path>x</path>"), ("8", "")),
            {},
            {"<path> is not an element path": 3, "a result without a part": 4},
        ),
    ],
)
def test_each_fault_of_xml_is_told_with_its_line(text, options, expected):
    assert found(text, **options) == Counter(expected.items())


def test_a_part_in_bytes_may_reach_the_articles_end_in_bytes():
    length = len("Čapek, Zürich, 東京.naïve".encode())
    result = validate_run(io.StringIO(fol(("1", "12", 1, f"0 {length}"))), collection=COLLECTION)
    assert result.problems == []
    assert result.notes[0].startswith("offsets count bytes: of 1 articles 0 fit only characters, 1 only bytes")


@given(
    st.lists(st.tuples(st.sampled_from("12"), st.sampled_from("ab"), st.integers(0, 20), st.integers(1, 6)), max_size=9)
)
def test_overlaps_and_duplicates_are_those_of_sets_of_characters(parts):
    if not parts:
        return
    text = fol(*((topic, article, rank, f"{a} {n}") for rank, (topic, article, a, n) in enumerate(parts, start=1)))
    kinds = {kind for kind, _ in found(text)}
    assert ("duplicate" in kinds) == (len(set(parts)) < len(parts))
    texts = [{(q, d, at) for at in range(a, a + n)} for q, d, a, n in set(parts)]
    assert ("overlap" in kinds) == (sum(map(len, texts)) > len(set().union(*texts)))


@pytest.mark.parametrize(
    ("text", "message"), [("1 Q0 a 1 1 t\n", "holds whole articles"), ("<inex-submission>", "malformed XML")]
)
def test_what_is_no_run_cannot_be_checked(text, message):
    with pytest.raises(FormatError, match=message):
        validate_run(io.StringIO(text))


def test_an_unknown_task_is_refused():
    with pytest.raises(ValueError, match="task='adhoc'; choose one of"):
        validate_run(io.StringIO(GOOD), "adhoc")


@pytest.fixture
def topics(tmp_path):
    file = tmp_path / "topics.xml"
    file.write_text("<t><topic id='1'><title>x</title></topic><topic id='2'><title>y</title></topic></t>")
    return str(file)


def test_a_good_run_is_told_in_one_line(tmp_path, topics, capsys):
    good = tmp_path / "good.run"
    good.write_text(GOOD)
    assert main(["validate", str(good), "--task", "ric", "--topics", topics]) == 0
    assert capsys.readouterr().out == f"{good}: OK: 4 results, 2 topics (format fol; task ric)\n"


def test_a_bad_run_is_told_by_kinds_of_problems(tmp_path, topics, capsys):
    good, bad = tmp_path / "good.run", tmp_path / "bad.run"
    good.write_text(GOOD)
    bad.write_text(GOOD + fol(*(("3", "7", 1, f"{at} 50") for at in range(12))))
    assert main(["validate", str(good), str(bad), "--topics", topics, "--show", "1"]) == 1
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


def test_what_is_no_run_ends_with_2(tmp_path, topics, capsys):
    assert main(["validate", str(tmp_path / "none.run")]) == 2
    assert main(["validate", topics]) == 2
    assert "expected <inex-submission>, found <t>" in capsys.readouterr().err


@pytest.mark.parametrize("task", ["focused", "ric", "bic"])
def test_the_sample_is_valid(inex_sample, capsys, task):
    assert main(["validate", str(inex_sample / f"{task}.run"), "--task", task]) == 0


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


def test_a_good_submission_has_no_problems():
    text = submission(topic("1", ONE), topic("2", ONE), task="RelevantInContext")
    result = validate_run(io.BytesIO(text.encode()))
    assert result.problems == []
    assert result.task == "ric"
    assert result.notes == [
        "element paths: not looked up, and passages between paths not checked for overlap (no collection)"
    ]


@pytest.mark.parametrize(
    ("text", "kind", "detail"),
    [
        (submission(topic("1", ONE), topic("")), "a topic without its attribute topic-id", "<topic>"),
        (submission(topic("1", ONE), topic("1", ONE)), "repeated topic", "topic 1 is also in line 5"),
        (submission(topic("1", ONE), topic("1", ONE)).replace("\n", " "), "repeated topic", "is also in line 1"),
        (submission(topic("1", ONE), topic("2")), "empty topic", "topic 2 has no results"),
        (submission(topic("1", ONE), kind="passage"), "result of another kind", '<path> in a run with result-type="p'),
        (submission(topic("1", "<file>7</file>" + INTO_SEC)), "result of another kind", "<passage> in a run"),
    ],
)
def test_what_is_not_a_submission_is_told(text, kind, detail):
    problems = validate_run(io.BytesIO(text.encode())).problems
    assert [problem for problem in problems if problem.kind.startswith(kind) and detail in problem.detail], problems


def test_equal_ranks_are_told_even_on_one_line():
    text = xml(("7", BDY + "<rank>1</rank>"), ("12", BDY + "<rank>1</rank>")).replace("\n", "")
    assert found(text) == Counter({("rank out of order", 1): 1})


def test_several_passages_of_one_result_share_its_rank():
    text = xml(("7", SEC + "<path>/article/header</path><rank>1</rank>"), ("12", BDY + "<rank>2</rank>"))
    assert found(text.replace("\n", "")) == Counter()


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


def test_validate_command_checks_submissions(tmp_path, capsys):
    run = tmp_path / "run.xml"
    run.write_text(submission(topic("1", ONE), topic("2")))
    assert main(["validate", str(run)]) == 1
    assert "topic 2 has no results" in capsys.readouterr().out
    run.write_text(submission(topic("1", ONE)))
    assert main(["validate", str(run)]) == 0


@pytest.mark.parametrize("task", [None, "ric"])
def test_a_passage_without_characters_is_told(task):
    expected = Counter({("a passage without characters", 1): 1})
    assert found(fol(("1", "7", 1, "3 0")), task=task) == expected


def test_a_passage_without_characters_is_an_entry_point_in_best_in_context():
    assert found(fol(("1", "7", 1, "3 0")), task="bic") == Counter()


def test_a_passage_that_runs_backwards_is_told():
    backwards = '<passage start="/article/bdy/sec[2]" end="/article/header[1]/title[1]"/>'
    expected = Counter({("a passage that ends before it starts", 3): 1})
    assert found(xml(("7", backwards)), task="bic", collection=COLLECTION) == expected
