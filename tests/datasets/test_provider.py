"""The demo collection: its judgments against the quotes they were made from; its dataset and its command."""

from pathlib import Path

import pandas as pd
import pyterrier as pt
import pytest
from demo_highlights import HIGHLIGHTS
from lxml import etree
from plain import plain

import pyterrier_focused as ptf
from pyterrier_focused.cli import main
from pyterrier_focused.datasets.provider import DemoDataset


@pytest.fixture(scope="module")
def dataset():
    return pt.get_dataset("focused:demo")


@pytest.fixture(scope="module")
def texts():
    """The text of each article: all its text nodes, by lxml."""
    return {file.stem: "".join(etree.parse(file).getroot().itertext()) for file in DemoDataset.source.glob("*.xml")}


def test_the_demo_is_as_large_as_promised(dataset, texts):
    topics, qrels = dataset.get_topics(), dataset.get_qrels()
    assert len(texts) >= 20
    assert len(topics) == 12
    assert list(topics["qid"]) == list(HIGHLIGHTS)
    assert (qrels["label"] == 0).sum() >= 40
    assert all(topics[column].str.len().gt(0).all() for column in ("query", "castitle", "description", "narrative"))


def judge(text, quotes):
    """Label, highlights, entry point and length of an article whose relevant text runs from one quote to another."""
    starts = [text.index(first) for first, _ in quotes]
    ends = [text.index(last, start) + len(last) for start, (_, last) in zip(starts, quotes, strict=True)]
    return 1, sorted(zip(starts, ends, strict=True)), starts[0], len(text)


def test_every_quote_begins_where_its_words_stand_once(texts):
    quotes = [
        (qid, docno, first)
        for qid, (relevant, _) in HIGHLIGHTS.items()
        for docno, pairs in relevant.items()
        for first, _ in pairs
    ]
    assert [quote for quote in quotes if texts[quote[1]].count(quote[2]) != 1] == []


def test_the_judgments_are_the_quotes(dataset, texts):
    relevant = {
        (qid, docno): judge(texts[docno], quotes) for qid, (of, _) in HIGHLIGHTS.items() for docno, quotes in of.items()
    }
    others = {(qid, docno): (0, [], -1, len(texts[docno])) for qid, (_, of) in HIGHLIGHTS.items() for docno in of}
    found = {
        (row.qid, row.docno): (row.label, row.highlights, row.bep, row.length)
        for row in plain(dataset.get_qrels()).itertuples()
    }
    assert found == relevant | others


def test_the_corpus_is_the_text_of_the_articles(dataset, texts):
    corpus = {article["docno"]: article["text"] for article in dataset.get_corpus_iter()}
    assert corpus == texts


def test_the_collection_has_the_same_text(dataset, texts, tmp_path):
    pytest.importorskip("pyarrow")
    collection = dataset.collection(tmp_path / "collection", verbose=False)
    assert {article["docno"]: article["text"] for article in collection.articles()} == texts
    assert dataset.collection(tmp_path / "collection", verbose=False) == collection  # opened, not built again


def test_the_demo_is_among_the_data_sets_of_pyterrier():
    assert "focused:demo" in pt.list_datasets()["dataset"].tolist()


def test_a_variant_of_topics_is_its_query(dataset):
    assert dataset.get_topics("title")["query"].tolist() == dataset.get_topics()["title"].tolist()


def test_unknown_names_are_refused_with_what_there_is(dataset):
    with pytest.raises(KeyError, match="focused:nothing"):
        pt.get_dataset("focused:nothing")
    with pytest.raises(ValueError, match="choose one of"):
        dataset.get_topics("nothing")


def test_perfect_passages_score_one(dataset):
    """The highlights themselves as the run: INEX 2007 and the SIGIR 2007 paper give 1 for it."""
    qrels = dataset.get_qrels()
    relevant = qrels[qrels["label"] > 0].rename(columns={"highlights": "passages"}).assign(score=1.0)
    run = relevant[["qid", "docno", "score", "passages"]]
    measures = ptf.parse("CharP CharR AiP AgP AP")
    table = pt.Experiment([run], dataset.get_topics(), qrels, measures)
    assert table[[str(measure) for measure in measures]].iloc[0].tolist() == [1.0] * 5


def test_the_demo_command_prints_one_table(capsys):
    pytest.importorskip("pyterrier_pisa")
    assert main(["demo"]) == 0
    out = capsys.readouterr().out
    lines = out.splitlines()
    (head,) = (at for at, line in enumerate(lines) if line.split()[:1] == ["name"])
    assert lines[head].split()[1:] == ["AiP", "iP@0.01", "CharP", "AgP", "AgP(task='bic')", "AP", "nDCG@10", "P@10"]
    values = pd.DataFrame([line.split()[-8:] for line in lines[head + 1 : head + 12]], dtype=float)
    assert values.shape == (11, 8)
    assert ((values >= 0) & (values <= 1)).all(axis=None)
    assert max(map(len, lines)) <= 120


@pytest.mark.long
def test_the_demo_runs_on_a_dump(capsys):
    pytest.importorskip("pyterrier_pisa")
    dump = Path(__file__).parents[2] / "examples" / "lighthouses-pages-articles.xml.bz2"
    assert main(["demo", "--dump", str(dump)]) == 0
    out = capsys.readouterr().out
    assert "24 articles" in out
    assert "sections+paragraphs, BiC" in out
