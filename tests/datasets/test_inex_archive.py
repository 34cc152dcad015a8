"""focused:inex: an archive's parts, found by the names of its files."""

import re

import pytest
from xml_articles import ARTICLES, XmlArticles

from pyterrier_focused import cells
from pyterrier_focused.datasets.inex_archive import InexArchive

TOPICS = """<topics><topic id="1"><title>lead -"dog"</title><castitle>//p[about(., lead)]</castitle>
<description>About lead (Pb).</description></topic></topics>"""
RUN = "1 Q0 7 1 1 t 0 5\n1 Q0 12 2 1 t 0 5\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "2009" / "runs" / "team").mkdir(parents=True)
    (tmp_path / "2009" / "INEX-2009-topics.xml").write_text(TOPICS)
    (tmp_path / "2009" / "inex2009.qrels").write_text("1 Q0 7 5 54 0 0:5\n1 Q0 12 0 23\n")
    (tmp_path / "2009" / "runs" / "a.run").write_text(RUN)
    (tmp_path / "2009" / "runs" / "team" / "b.fol").write_text(RUN.replace("0 5", "1 5"))
    (tmp_path / "2009" / "runs" / "team" / "a.fol").write_text(RUN.replace("0 5", "2 5"))
    (tmp_path / "2009" / "wikipedia").mkdir()
    for docno, text in ARTICLES.items():
        (tmp_path / "2009" / "wikipedia" / f"{docno}.xml").write_text(text)
    (tmp_path / "readme.txt").write_text("An archive.")
    return tmp_path


def archive(path, **parts):
    dataset = InexArchive()
    dataset._configure(path=path, **parts)
    return dataset


def test_topics_are_found(folder):
    topics = archive(folder).get_topics()
    assert topics[["qid", "query", "title"]].to_numpy().tolist() == [["1", "lead", 'lead -"dog"']]


@pytest.mark.parametrize(("variant", "query"), [("castitle", "//p[about(., lead)]"), ("description", "About lead Pb")])
def test_other_fields_of_topics_are_queries_too(folder, variant, query):
    assert archive(folder).get_topics(variant)["query"].tolist() == [query]


def test_qrels_are_found(folder):
    assert cells(archive(folder).get_qrels()["highlights"]) == [[(0, 5)], []]


def test_runs_are_found(folder):
    assert archive(folder).list_runs() == ["a.run", "team/a.fol", "team/b.fol"]


@pytest.mark.parametrize(("name", "start"), [("a.run", 0), ("a", 0), ("team/a", 2), ("b", 1), ("b.fol", 1)])
def test_a_run_goes_by_as_much_of_its_name_as_is_needed(folder, name, start):
    assert cells(archive(folder).get_run(name)["passages"])[0][0][0] == start


def test_the_corpus_is_found(folder):
    dataset = archive(folder)
    assert [path.rpartition("/")[2] for path in dataset.get_corpus()] == ["12.xml", "13.xml", "7.xml"]
    texts = {article["docno"]: article["text"] for article in dataset.get_corpus_iter(verbose=False)}
    # Article 12 has none of INEX's ids, so its blocks are set off by a space.
    expected = dict(zip(ARTICLES, XmlArticles(ARTICLES).text(list(ARTICLES)), strict=True))
    assert texts == expected | {"12": expected["12"].replace("東京.", "東京. ")}


def test_there_is_no_collection_unless_one_is_given(folder):
    assert archive(folder).get_collection() is None


def test_articles_of_the_corpus_that_cannot_be_read_are_counted(folder):
    (folder / "2009" / "wikipedia" / "8.xml").write_text("<article><p>broken</article>")
    with pytest.warns(UserWarning, match=r"1 articles cannot be read .first: .*8\.xml"):
        assert len(list(archive(folder).get_corpus_iter(verbose=False))) == 3


def test_a_notebook_shows_where_the_parts_are(folder):
    rows = re.findall("<th.*?>(.*?)</th><td.*?>(.*?)</td>", archive(folder, topics=folder / "readme.txt")._repr_html_())
    assert dict(rows) == {
        "folder": str(folder),
        "topics": str(folder / "readme.txt"),
        "qrels": "2009/inex2009.qrels",
        "runs": "2009/runs",
        "corpus": "2009/wikipedia",
        "collection": "nothing",
        "for example": "dataset.get_qrels()",
    }


def test_the_provider_hands_it_out(folder):
    pt = pytest.importorskip("pyterrier")
    assert pt.get_dataset("focused:inex", path=folder).get_topics()["qid"].tolist() == ["1"]


def test_a_collection_makes_bytes_characters(folder):
    length = len("Čapek, Zürich, 東京.naïve".encode())
    (folder / "2009" / "inex2009.qrels").write_text(f"1 Q0 12 7 {length} 9 9:7\n")
    dataset = archive(str(folder), collection=XmlArticles(ARTICLES))
    with pytest.warns(UserWarning, match="offsets count bytes"):
        assert cells(dataset.get_qrels()["highlights"]) == [[(8, 14)]]


def test_parts_can_be_named(folder):
    other = folder / "other.txt"
    other.write_text("1 Q0 7 1 54 0 0:1\n")
    assert cells(archive(folder, qrels=other).get_qrels()["highlights"]) == [[(0, 1)]]
    assert archive(folder, runs=folder / "2009" / "runs" / "team").list_runs() == ["a.fol", "b.fol"]


def test_a_part_that_is_not_found_is_an_error_that_says_where_it_was_looked_for(folder):
    dataset = archive(folder / "2009" / "runs")
    where = r"no topics in .*runs: looked for a file or folder with topic or topics in its name"
    with pytest.raises(ValueError, match=where):
        dataset.get_topics()
    with pytest.raises(ValueError, match=r"at most 2 levels down; there is: a.run, team; give qrels=PATH"):
        dataset.get_qrels()


def test_of_several_qrels_one_is_named(folder):
    (folder / "2009" / "ric.qrels").write_text("1 Q0 12 0 23\n")
    dataset = archive(folder)
    with pytest.raises(ValueError, match=r"2 qrels in .*; found: 2009/inex2009.qrels, 2009/ric.qrels; give qrels=PATH"):
        dataset.get_qrels()
    assert dataset.get_qrels("ric")["docno"].tolist() == ["12"]
    with pytest.raises(ValueError, match=r"no qrels in .* and 'bic' in its name"):
        dataset.get_qrels("bic")


def test_unknown_runs_and_variants_are_errors_that_list_the_known(folder):
    dataset = archive(folder)
    with pytest.raises(ValueError, match=r"0 runs are called 'x'; runs in .*runs: a.run, team/a.fol, team/b.fol"):
        dataset.get_run("x")
    with pytest.raises(ValueError, match="topics have no 'abstract'; variants are title, castitle"):
        dataset.get_topics("abstract")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "needs the folder"),
        ({"path": "none"}, "no folder '.*none'"),
        ({"path": ".", "topic": "x"}, "knows the parts topics, qrels, runs, corpus, collection, not topic"),
        ({"path": ".", "qrels": "none"}, "qrels='.*none' does not exist"),
    ],
)
def test_a_wrong_configuration_is_refused(folder, monkeypatch, options, message):
    monkeypatch.chdir(folder)
    with pytest.raises(ValueError, match=message):
        InexArchive()._configure(**options)


def test_an_archive_that_is_not_configured_is_refused():
    with pytest.raises(ValueError, match="needs the folder"):
        InexArchive().get_topics()
