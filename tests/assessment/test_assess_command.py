"""`pt-focused assess`: pool, export, import, page, description, and what it says where something is wrong."""

import json
import sqlite3
import sys
import warnings
from contextlib import closing

import pytest

from pyterrier_focused import assessment
from pyterrier_focused.assessment import assess_with, compare_judgments, import_judgments, read_progress
from pyterrier_focused.assessment.store import Store
from pyterrier_focused.cli import main
from pyterrier_focused.errors import EvidenceError, FormatError
from pyterrier_focused.frames.columns import flatten
from pyterrier_focused.io import read_qrels, read_topics

DOCUMENTS = {
    "keepers/light.txt": "The keeper lit the lamp. 😀 The lamp burned all night.\n\nThe sea was calm.",
    "rock.txt": "A tower on a rock bears the waves.",
    "fog.md": "Fog hides the light, so bells were rung.",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of texts, two runs and topics, as someone has them who begins."""
    monkeypatch.chdir(tmp_path)
    for name, text in DOCUMENTS.items():
        path = tmp_path / "texts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (tmp_path / "topics.tsv").write_text("q1\tlamps of lighthouses\nq2\ttowers <script>\n")
    (tmp_path / "a.run").write_text("q1 Q0 keepers/light 1 3.0 a\nq1 Q0 rock 2 2.0 a\nq2 Q0 rock 1 1.0 a\n")
    (tmp_path / "b.run").write_text("q1 Q0 fog#0-3 1 3 b\nq2 Q0 rock#2-7 1 1 b\n")
    return tmp_path


POOL = ["assess", "texts", "--topics", "topics.tsv", "--pool", "a.run", "b.run", "--describe"]


def judge(path="judgments.sqlite", name="anna", **spans):
    store = Store(path)
    store.add_assessor(name)
    for key, found in spans.items():
        qid, docno = key.split("__")
        docno = {"light": "keepers/light"}.get(docno, docno)
        version, _ = store.judgment(qid, docno, name)
        state = {"highlights": found, "bep": -1, "status": "judged", "unsure": False, "note": ""}
        store.save(qid, docno, name, version=version, id=f"{version}", action="done", state=state)
        store.visit(qid, docno, name, 30, 0)
    store.close()


def test_a_folder_and_runs_become_a_pool(folder, capsys):
    assert main(POOL) == 0
    store = Store("judgments.sqlite")
    assert set(store.pairs()) == {("q1", "keepers/light"), ("q1", "rock"), ("q1", "fog"), ("q2", "rock")}
    assert store.article("keepers/light").text == DOCUMENTS["keepers/light.txt"]
    assert [topic["query"] for topic in store.topics("x")] == ["lamps of lighthouses", "towers <script>"]
    store.close()
    assert main([*POOL[:-1], "--depth", "1", "--describe"]) == 0  # again: nothing is lost or doubled
    store = Store("judgments.sqlite")
    assert len(store.pairs()) == 4
    store.close()


@pytest.mark.parametrize(
    ("record", "title"),
    [
        ({"title": "Fog bells"}, "Fog bells"),
        ({"wikipedia_title": "Fog signal"}, "Fog signal"),
        ({"title": None}, "fog"),
        ({}, "fog"),
    ],
)
def test_an_article_of_json_lines_has_its_title(folder, record, title):
    (folder / "texts.jsonl").write_text(json.dumps({"docno": "fog", "text": "Bells were rung.", **record}) + "\n")
    assert main(["assess", "texts.jsonl", "--topics", "topics.tsv", "--describe"]) == 0
    with closing(Store("judgments.sqlite")) as store:
        assert store.article("fog").title == title


@pytest.fixture
def judged(folder, capsys):
    """The folder with anna's judgments of three articles and ben's of one."""
    assert main(POOL) == 0
    judge(q1__light=[[11, 23], [27, 50]], q1__rock=[], q2__rock=[[0, 7]])
    judge(name="ben", q1__light=[[11, 23]])
    capsys.readouterr()
    return folder


@pytest.fixture
def exported(judged):
    """The folder with everybody's judgments as lines of JSON, too."""
    assert main(["assess", "--export", "all.jsonl"]) == 0
    return judged


def list_labels(qrels):
    return sorted(zip(qrels["qid"], qrels["docno"], qrels["label"], strict=True))


def test_judgments_are_read_from_the_database(judged):
    with pytest.warns(UserWarning, match="several assessors"):
        qrels = read_qrels("judgments.sqlite")
    light = qrels[qrels["docno"] == "keepers/light"]
    spans = flatten(light["highlights"], "highlights", light)
    text = DOCUMENTS["keepers/light.txt"]
    assert [text[a:b] for a, b in zip(spans.start, spans.end, strict=True)] == [text[11:23], text[27:50]]
    assert light["assessor"].tolist() == ["anna"]
    assert qrels.loc[qrels["docno"] == "rock", "label"].tolist() == [0, 1]
    assert read_qrels("judgments.sqlite", assessor="ben")["docno"].tolist() == ["keepers/light"]


SEVERAL = pytest.mark.filterwarnings("ignore:.* articles are judged by several assessors")


@SEVERAL
@pytest.mark.parametrize(
    ("target", "options"), [("all.jsonl", []), ("all.json", []), ("out.json", ["--to", "judgments"])]
)
def test_what_is_exported_is_read_again(judged, capsys, target, options):
    assert main(["assess", "--export", target, *options]) == 0
    assert "4 judgments" in capsys.readouterr().out
    expected = list_labels(read_qrels("judgments.sqlite", assessor="anna"))
    assert list_labels(read_qrels(target, assessor="anna")) == expected


def test_lines_of_json_tell_who_judged_when_and_for_how_long(exported):
    lines = [json.loads(line) for line in (exported / "all.jsonl").read_text().splitlines()]
    assert {(line["assessor"], line["seconds"]) for line in lines} == {("anna", 30.0), ("ben", 30.0)}
    assert all(line["time"].startswith("20") for line in lines)


def test_one_assessor_s_judgments_are_exported_as_qrels(judged):
    assert main(["assess", "--export", "qrels.txt", "--assessor", "anna"]) == 0
    assert "q1 Q0 keepers/light 35 72 11 11:12 27:23\n" in (judged / "qrels.txt").read_text()


def test_judgments_are_imported_once_and_do_not_replace_others(exported):
    done = import_judgments("new.sqlite", "all.jsonl", collection="texts", topics=read_topics("topics.tsv"))
    assert done == (4, 0, 0)
    assert read_qrels("new.sqlite", assessor="ben").equals(read_qrels("all.jsonl", assessor="ben"))
    assert import_judgments("new.sqlite", "all.jsonl") == (0, 4, 0)
    judge("new.sqlite", q1__rock=[[0, 3]])
    assert import_judgments("new.sqlite", "all.jsonl") == (0, 3, 1)


@SEVERAL
@pytest.mark.parametrize(("name", "added"), [("out.json", 3), ("judgments.sqlite", 4)])
def test_formats_are_told_by_what_is_in_the_file(judged, name, added):
    """Of Label Studio's, anna's are read, who came first."""
    assert main(["assess", "--export", "out.json"]) == 0
    done = import_judgments("new.sqlite", name, collection="texts", topics=read_topics("topics.tsv"))
    assert done == (added, 0, 0)
    assert read_qrels("new.sqlite", assessor="anna")["label"].sum() == 2


def test_the_command_imports_judgments_of_another_assessor(judged, capsys):
    assert main(["assess", "--export", "qrels.txt", "--assessor", "anna"]) == 0
    assert main(["assess", "--import", "qrels.txt", "--assessor", "carl", "--describe"]) == 0
    assert "3 judgments added" in capsys.readouterr().out
    assert len(read_qrels("judgments.sqlite", assessor="carl")) == 3


def test_progress_counts_time_and_agreement(folder, capsys):
    assert main(POOL) == 0
    judge(q1__light=[[0, 20]], q1__rock=[], q1__fog=[[0, 3]], q2__rock=[])
    judge(name="ben", q1__light=[[10, 30]], q1__rock=[[0, 1]])
    progress = read_progress("judgments.sqlite")
    anna = progress.assessors.set_index("assessor").loc["anna"]
    characters = sum(map(len, DOCUMENTS.values())) + len(DOCUMENTS["rock.txt"])
    assert (anna["articles"], anna["relevant"], anna["characters"]) == (4, 2, characters)
    assert anna["characters_per_minute"] == characters / 2  # 4 x 30 seconds
    table = progress.agreement.set_index("unit")
    assert table.loc["documents", ["both", "first_only", "second_only", "neither"]].tolist() == [1, 0, 1, 0]
    assert table.loc["characters", ["both", "first_only", "second_only"]].tolist() == [10, 10, 11]
    assert main(["assess", "--describe"]) == 0
    assert "characters" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["assess"], "there is no such database"),
        (["assess", "texts", "--pool", "a.run"], "topics are missing"),
        (["assess", "texts", "--topics", "topics.tsv", "--pool", "gone.run"], "gone.run"),
        (["assess", "gone", "--topics", "topics.tsv", "--pool", "a.run"], "gone"),
        (["assess", "--topics", "topics.tsv", "--pool", "a.run"], "give the collection"),
        (
            ["assess", "texts/rock.txt", "--topics", "topics.tsv", "--pool", "a.run"],
            "not in the collection: keepers/light",
        ),
        ([*POOL, "--double", "2"], "between 0 and 1"),
        (["assess", "--db", "topics.tsv", "--describe"], "cannot be read"),
        ([*POOL[:-1], "--export", "x.txt"], "nothing is judged yet"),
        ([*POOL[:-1], "--export", "x.txt", "--to", "nonsense"], "nonsense"),
        ([*POOL[:-1], "--assessor", " ", "--no-browser"], "assessor"),
    ],
)
def test_faults_are_told_and_leave_nothing_behind(folder, capsys, arguments, message):
    assert main(arguments) == 2
    assert message in capsys.readouterr().err
    if "export" not in str(arguments) and " " not in arguments:
        assert not (folder / "judgments.sqlite").exists()


@pytest.mark.parametrize("pooling", [["texts", "--pool", "a.run", "b.run"], ["texts"], []], ids=" ".join)
@pytest.mark.parametrize(
    ("topics", "message"),
    [
        ("q1\tships in fog\nq2\ttowers <script>\n", "1 topics were judged with another query (first: topic 'q1'"),
        ("7\tships\n8\tfog\n", "none of its topics (q1, q2) is among the topics given (7, 8)"),
    ],
    ids=["another query", "other topics"],
)
def test_topics_of_others_are_refused_and_change_nothing(judged, capsys, pooling, topics, message):
    (judged / "wrong.tsv").write_text(topics)
    before = read_everything("judgments.sqlite")
    assert main(["assess", *pooling, "--topics", "wrong.tsv", "--describe"]) == 2
    assert message in capsys.readouterr().err
    assert read_everything("judgments.sqlite") == before


def read_everything(path):
    """The rows of all tables, by table."""
    with closing(sqlite3.connect(path)) as db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: db.execute(f"SELECT * FROM {name}").fetchall() for name in tables}


def test_a_collection_of_another_text_is_refused_when_a_database_is_continued(folder, capsys):
    (folder / "a.xml").write_text("<article><name id='1'>a</name><table>b</table><p>c</p></article>")
    assert main(["build", "a.xml", "c"]) == 0
    assert main(["build", "a.xml", "other", "--drop", "table"]) == 0
    (folder / "r.run").write_text("q1 Q0 1 1 1 a\n")
    assert main(["assess", "c", "--topics", "topics.tsv", "--pool", "r.run", "--describe"]) == 0
    assert main(["assess", "c", "--describe"]) == 0
    assert main(["assess", "other", "--describe"]) == 2
    error = capsys.readouterr().err
    assert "its offsets count in another text" in error
    assert "or another database (--db FILE)" in error


def test_what_is_refused_for_its_text_leaves_no_topics_in_the_database(folder):
    (folder / "a.xml").write_text("<article><name id='1'>a</name><table>b</table><p>c</p></article>")
    assert main(["build", "a.xml", "c"]) == 0
    assert main(["build", "a.xml", "other", "--drop", "table"]) == 0
    (folder / "r.run").write_text("q1 Q0 1 1 1 a\n")
    (folder / "r2.run").write_text("q2 Q0 1 1 1 a\n")
    assert main(["assess", "c", "--topics", "topics.tsv", "--pool", "r.run", "--describe"]) == 0
    before = read_everything("judgments.sqlite")
    assert main(["assess", "other", "--topics", "topics.tsv", "--pool", "r2.run", "--describe"]) == 2
    assert read_everything("judgments.sqlite") == before


def test_a_topic_that_nobody_has_judged_takes_another_query(folder):
    assert main(POOL) == 0
    (folder / "topics.tsv").write_text("q1\tlamps\nq2\ttowers\n")
    assert main(["assess", "--topics", "topics.tsv", "--describe"]) == 0
    with closing(Store("judgments.sqlite")) as store:
        assert [topic["query"] for topic in store.topics("")] == ["lamps", "towers"]


def test_topics_without_articles_are_told_when_a_database_is_continued(judged, capsys):
    (judged / "topics.tsv").write_text("q1\tlamps  of lighthouses\nq3\tships\n")
    assert main(["assess", "texts", "--topics", "topics.tsv", "--describe"]) == 0
    assert "1 topics given (q3) have no article to judge" in capsys.readouterr().err


@pytest.mark.parametrize("more", [[], ["texts", "--topics", "topics.tsv"], POOL[1:-1]], ids=["db", "every", "pool"])
def test_a_database_that_is_continued_says_what_it_holds(judged, capsys, monkeypatch, more):
    monkeypatch.setattr("pyterrier_focused.assessment.session.Server.run", lambda server: server.stop())
    assert main(["assess", *more, "--no-browser", "--port", "0"]) == 0
    assert "judgments.sqlite is continued: 2 topics, 4 articles to judge, 4 judgments" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--depth", "1"], "the articles to judge stay as they are; --depth has no effect without --pool"),
        ([*POOL[1:-1], "--depth", "1"], "not among the first 1 of these runs are kept; 0 are new"),
    ],
    ids=["db", "pool"],
)
def test_another_depth_keeps_the_articles_to_judge(judged, capsys, more, said):
    with closing(Store("judgments.sqlite")) as store:
        before = store.pairs()
    assert main(["assess", *more, "--describe"]) == 0
    assert said in capsys.readouterr().err
    with closing(Store("judgments.sqlite")) as store:
        assert store.pairs() == before


def test_changed_texts_of_a_folder_are_told(judged, capsys):
    assert main(["assess", "texts", "--topics", "topics.tsv", "--describe"]) == 0
    assert "changed" not in capsys.readouterr().err
    (first, *_) = sorted((judged / "texts").iterdir())
    first.write_text("something else")
    assert main(["assess", "texts", "--topics", "topics.tsv", "--describe"]) == 0
    assert f"1 texts have changed or are gone ({first.stem})" in capsys.readouterr().err


def test_a_database_of_a_collection_takes_no_folder_that_is_not_there(judged, capsys):
    assert main(["build", "texts", "col"]) == 0
    of_col = ["assess", "col", "--topics", "topics.tsv", "--db", "col.sqlite"]
    assert main([*of_col, "--pool", "a.run", "--describe"]) == 0
    capsys.readouterr()
    assert main(["assess", "nowhere", *of_col[2:], "--describe"]) == 2
    assert "nowhere: there is no such file or folder" in capsys.readouterr().err
    (judged / "texts" / "rock.txt").write_text("something else")
    assert main(["assess", "texts", *of_col[2:], "--describe"]) == 0
    assert "1 texts have changed or are gone (rock)" in capsys.readouterr().err


@pytest.mark.parametrize("library", ["uvicorn", "starlette"])
def test_a_missing_extra_leaves_no_database(folder, capsys, monkeypatch, library):
    monkeypatch.setitem(sys.modules, library, None)
    assert main([*POOL[:-1], "--no-browser"]) == 2
    assert "pyterrier-focused[assess]" in capsys.readouterr().err
    assert not (folder / "judgments.sqlite").exists()


def test_the_files_of_a_class_are_imported_by_one_command(judged, capsys):
    files = []
    for name in ("one", "two", "three"):
        assert main(["assess", "--export", f"{name}.jsonl", "--assessor", "anna"]) == 0
        lines = (judged / f"{name}.jsonl").read_text().replace('"anna"', f'"{name}"')
        (judged / f"{name}.jsonl").write_text(lines)
        files.append(f"{name}.jsonl")
    capsys.readouterr()
    assert main(["assess", "--import", *files[:2], "--import", files[2]]) == 0
    out = capsys.readouterr().out
    assert [f"{file}: 3 judgments added" in out for file in files] == [True] * 3
    assert set(read_progress("judgments.sqlite").assessors["assessor"]) >= {"one", "two", "three"}


def test_a_file_s_title_line_is_the_article_s_title(folder):
    (folder / "texts" / "bells.txt").write_text("Bells in fog\n\nThey were rung.")
    assert main(["assess", "texts", "--topics", "topics.tsv", "--describe"]) == 0
    with closing(Store("judgments.sqlite")) as store:
        titles = {docno: store.article(docno).title for docno in ("bells", "fog", "keepers/light")}
    assert titles == {"bells": "Bells in fog", "fog": "fog", "keepers/light": "keepers/light"}


def test_texts_that_came_later_are_told(folder, capsys):
    every = ["assess", "texts", "--topics", "topics.tsv", "--describe"]
    assert main(every) == 0
    (folder / "texts" / "later.txt").write_text("Later.")
    assert main(every) == 0
    assert "1 texts were not there when the database was begun with every text (later);" in capsys.readouterr().err


def test_a_new_database_is_not_said_to_be_continued(folder, capsys, monkeypatch):
    monkeypatch.setattr("pyterrier_focused.assessment.session.Server.run", lambda server: server.stop())
    assert main([*POOL[:-1], "--no-browser", "--port", "0"]) == 0
    assert "continued" not in capsys.readouterr().out


def test_a_database_of_something_else_is_refused(folder, capsys):
    with closing(sqlite3.connect("other.sqlite")) as db:
        db.execute("CREATE TABLE t (x)")
    assert main(["assess", "--db", "other.sqlite", "--describe"]) == 2
    assert "cannot be read" in capsys.readouterr().err
    with pytest.raises(FormatError, match="none of judgments"):
        Store("other.sqlite")


def test_what_is_pooled_is_served_and_what_is_imported_is_not(folder, monkeypatch):
    served = []

    def briefly(*args, **options):
        served.append(assess(*args, **options, wait=False))
        served[-1].stop()

    assess = assessment.assess
    monkeypatch.setattr(assessment, "assess", briefly)
    (folder / "qrels.txt").write_text("q1 Q0 rock 5 34 0 0:5\n")
    begin = ["assess", "texts", "--topics", "topics.tsv", "--no-browser", "--port", "0", "--assessor", "anna"]
    assert main([*begin, "--import", "qrels.txt"]) == 0
    assert main([*begin, "--import", "qrels.txt", "--pool", "a.run"]) == 0
    assert main([*begin, "--pool", "b.run", "--double", "1"]) == 0
    assert main(["assess", "--no-browser", "--port", "0"]) == 0
    # an import ends without serving
    assert [list(server.addresses) for server in served] == [["anna"]] * 2
    store = Store("judgments.sqlite")
    assert len(store.pairs()) == 4
    store.close()
    assert read_qrels("judgments.sqlite")["docno"].tolist() == ["rock"]


@pytest.mark.parametrize(
    ("lines", "without", "message"),
    [
        ("rock 5 34 0 0:5", {"collection"}, "give the collection"),
        ("rock 5 34 0 0:5", {"topics"}, "topics are missing"),
        ("rock 5 34 0 0:5\nq1 Q0 gone 0 10", {}, "not in the collection: gone"),
        ("rock 5 34 0 0:5", {"assessor"}, "does not say who judged"),
        ("rock 5 33 0 0:5", {}, "judged with 33 characters, and here it has 34"),
    ],
    ids=["no collection", "no topics", "an unknown article", "no assessor", "another length"],
)
def test_an_import_that_fails_leaves_nothing_behind(folder, lines, without, message):
    (folder / "qrels.txt").write_text(f"q1 Q0 {lines}\n")
    options = {"assessor": "anna", "collection": "texts", "topics": read_topics("topics.tsv")}
    with pytest.raises(ValueError, match=message):
        import_judgments("new.sqlite", "qrels.txt", **{key: options[key] for key in options.keys() - without})
    assert not (folder / "new.sqlite").exists()


@pytest.mark.parametrize(
    ("text", "word"),
    [("1\tx\n1\ty\n", "is also in line 1"), ("no tab\n", "a tab"), ("", "no topic"), ("1\t \n", "needs a qid")],
)
def test_topics_of_ones_own(tmp_path, text, word):
    def read(name, text):
        (tmp_path / name).write_text(text)
        return read_topics(tmp_path / name)[["qid", "query"]].values.tolist()

    wanted = [["1", "one, two"], ["2", "three"]]
    assert read("a.tsv", "1\tone, two\n2\tthree\n") == wanted
    assert read("b.csv", 'qid,query,narrative\n1,"one, two",x\n2,three,y\n') == wanted
    assert read("c.jsonl", '{"qid": 1, "question": "one, two"}\n{"qid": "2", "question": "three"}\n') == wanted
    with pytest.raises(FormatError, match=word):
        read("d.tsv", text)


def lamp_reader(query, text):
    """A program that assesses: the sentences that hold a word of the query."""
    words = {word.rstrip("s") for word in query.lower().split()}
    return [
        s for s in text.replace("\n", ". ").split(". ") if words & {w.strip(".").rstrip("s") for w in s.lower().split()}
    ]


@pytest.fixture
def pool(folder):
    assert main(POOL) == 0
    return read_topics("topics.tsv").merge(read_qrels_pool("judgments.sqlite"), on="qid")


def test_a_function_assesses(pool):
    qrels = assess_with(
        lamp_reader, read_topics("topics.tsv"), pool, "texts", name="lamps", db="judgments.sqlite", repeated="first"
    )
    light = qrels[qrels["docno"] == "keepers/light"]
    spans = flatten(light["highlights"], "highlights", light)
    text = DOCUMENTS["keepers/light.txt"]
    assert [text[a:b] for a, b in zip(spans.start, spans.end, strict=True)] == [
        "The keeper lit the lamp", "😀 The lamp burned all night.",
    ]  # fmt: skip
    assert sorted(qrels["label"]) == [0, 0, 1, 1]  # "tower" for q2
    stored = read_qrels("judgments.sqlite", assessor="lamps")
    assert stored[["qid", "docno", "label"]].values.tolist() == sorted(qrels[["qid", "docno", "label"]].values.tolist())


def test_a_function_may_return_spans(pool):
    qrels = assess_with(lambda query, text: [(0, 3)], read_topics("topics.tsv"), pool, "texts")
    assert (qrels["label"] == 1).all()


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (["never said"], EvidenceError, "not found"),
        ("a quote", ValueError, "not a list of quotes"),
        ([(0, 10_000)], ValueError, "outside the article"),
    ],
)
def test_answers_of_a_function_that_are_no_evidence_are_refused(pool, answer, error, message):
    with pytest.raises(error, match=message):
        assess_with(lambda query, text: answer, read_topics("topics.tsv"), pool, "texts")


def read_qrels_pool(path):
    import pandas as pd

    store = Store(path)
    frame = pd.DataFrame(store.pairs(), columns=["qid", "docno"])
    store.close()
    return frame


def test_what_changes_when_a_program_judges():
    """Three systems rank a; people say a > b > c, the program says c > b > a: tau is -1."""
    import pandas as pd

    def run(order):
        return pd.DataFrame(
            [("1", docno, 3.0 - at, at, [(0, 10)]) for at, docno in enumerate(order)],
            columns=["qid", "docno", "score", "rank", "passages"],
        )

    def qrels(relevant):
        rows = [("1", d, int(d == relevant), [(0, 10)] if d == relevant else [], -1, 100) for d in "abc"]
        return pd.DataFrame(rows, columns=["qid", "docno", "label", "highlights", "bep", "length"])

    runs = {"first": run("abc"), "middle": run("bac"), "last": run("cba")}
    found = compare_judgments(runs, qrels("a"), qrels("c"), "AP")
    # AP under a: 1, 1/2, 1/3; under c: 1/3, 1/3, 1; pairs: 2 discordant, 1 tied in the second
    assert found.tau["tau"].tolist() == [pytest.approx(-2 / (3 * 2) ** 0.5)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compare_judgments(runs, qrels("a"), qrels("a"), "AP AgP").tau["tau"].tolist() == [1.0, 1.0]
    documents = found.agreement.set_index("unit").loc["documents"]
    assert documents[["both", "first_only", "second_only", "neither"]].tolist() == [0, 1, 1, 1]
    with pytest.raises(ValueError, match="at least two"):
        compare_judgments({"one": runs["first"]}, qrels("a"), qrels("c"))
