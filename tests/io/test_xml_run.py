"""INEX XML runs and runs of paths: what a file says, and where its paths lead."""

import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain import plain
from readings import quietly
from xml_articles import ARTICLES, XmlArticles

from pyterrier_focused import cells, unpack
from pyterrier_focused.errors import FormatError
from pyterrier_focused.io import read_run, write_run

COLLECTION = XmlArticles(ARTICLES)
TEXT = dict(zip(ARTICLES, COLLECTION.text(list(ARTICLES)), strict=True))
HEAD = '<?xml version="1.0"?>\n<inex-submission participant-id="12" run-id="R1" task="Focused" query="automatic">\n'


def submission(results, topic="2009001"):
    return f'{HEAD}<topic-fields title="yes"/>\n<topic topic-id="{topic}">\n{results}\n</topic>\n</inex-submission>\n'


def result(part, file="7", rest=""):
    return f"<result><file>{file}</file>{part}{rest}</result>"


def read(text, **options):
    return read_run(io.BytesIO(text.encode()), **options)


def texts(run):
    """The text of each part, in the order of the ranking."""
    ids = [docno.rpartition("#") for docno in unpack(run)["docno"]]
    return [TEXT[docno][slice(*map(int, span.split("-")))] for docno, _, span in ids]


def test_fol_results_in_the_order_of_the_file():
    run = read(submission(result('<fol offset="10" length="5"/>') + result('<fol offset="0" length="2"/>', "12")))
    assert plain(run).to_dict("list") == {
        "qid": ["2009001", "2009001"],
        "docno": ["7", "12"],
        "score": [2.0, 1.0],
        "rank": [0, 1],
        "passages": [[(10, 15, 2.0)], [(0, 2, 1.0)]],
    }
    assert run.attrs["submission"]["task"] == "Focused"
    assert run.attrs["tag"] == "R1"


def test_element_paths_become_the_text_of_their_elements():
    paths = ["/article[1]/bdy[1]/sec[1]/p[2]", "/article/bdy/p/b", "/article[1]/header[1]/title[1]"]
    run = read(submission("".join(result(f"<path>{path}</path>") for path in paths)), collection=COLLECTION)
    assert texts(run) == ["Albedo.", "gold", "Alchemy & lead"]


def test_points_and_ranges_of_elements_become_their_text():
    parts = [
        '<passage start="/article[1]/bdy[1]/sec[1]/st[1]" end="/article[1]/bdy[1]/sec[1]/p[1]"/>',
        '<passage start="/article[1]/bdy[1]/text()[1].1" end="/article[1]/bdy[1]/p[1]/text()[1].2"/>',
        '<passage start="/article[1]/bdy[1]/p[1]/text()[2].1" end="/article[1]/bdy[1]/p[1]"/>',
    ]
    run = read(submission("".join(map(result, parts))), collection=COLLECTION)
    assert texts(run) == ["StagesNigredo.", "ntro of", "and lead."]


PATHS = ["1 Q0 7 1 9 t /article[1]/bdy[1]/sec[1]", "1 Q0 12 2 8.5 t /article[1]/bdy[1]/p[1] /article[1]/bdy[1]/p[2]"]


def read_paths(*lines, **options):
    return read("\n".join(lines), collection=COLLECTION, **options)


def test_runs_of_paths_become_text():
    assert texts(read_paths(*PATHS)) == ["StagesNigredo.Albedo.", "Čapek, Zürich, 東京.naïve"]


def test_runs_of_paths_have_their_own_scores_on_request():
    assert [list(cell) for cell in read_paths(*PATHS, file_fields=True)["file_score"]] == [[9.0], [8.5]]


def test_runs_of_paths_may_hold_offsets():
    assert texts(read_paths(*PATHS, "1 Q0 12 3 1 t 7 6"))[2] == "Zürich"


def test_runs_of_paths_may_hold_entry_points():
    run = read_paths(*PATHS, "1 Q0 12 3 1 t 7 0")
    assert (7, 7) in [span[:2] for cell in cells(run["passages"]) for span in cell]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1 Q0 12 2 8.5 t", "6 fields instead of 7 or 8"),
        ("1 Q0 12 2 8.5 t /a b", "field 8 is not an element path"),
        ("1 Q0 12 3 1 t 7 -1", r"field 8 \(length\) is negative"),
    ],
)
def test_faults_of_runs_of_paths_are_named_with_the_line(line, reason):
    with pytest.raises(FormatError, match=f"<stream>:2: {reason}"):
        read_paths(PATHS[0], line)


@pytest.mark.parametrize(
    ("ranks", "order"),
    [
        (["<rank>3</rank>", "<rank>1</rank>", "<rank>2</rank>"], [1, 2, 0]),
        (["<rank>1</rank>", "<rank>1</rank>", "<rank>0</rank>"], [2, 0, 1]),
        (["<rsv>-1.5</rsv>", "<rsv>2e3</rsv>", "<rsv>2000</rsv>"], [1, 2, 0]),
        (["<rank>3</rank><rsv>9</rsv>", "<rank>1</rank>", "<rsv>7</rsv><rank>2</rank>"], [1, 2, 0]),
        (["", "", ""], [0, 1, 2]),
    ],
)
def test_results_are_ranked_by_rank_then_rsv_then_their_order(ranks, order):
    results = [result(f'<fol offset="{i}" length="1"/>', f"a{i}", rank) for i, rank in enumerate(ranks)]
    assert read(submission("\n".join(results)))["docno"].tolist() == [f"a{i}" for i in order]


def test_the_files_own_rank_and_rsv_on_request():
    rest = "<rank>4</rank><rsv>0.5</rsv>"
    run = read(submission(result('<fol offset="0" length="1"/>', rest=rest)), file_fields=True)
    assert (list(run["file_rank"][0]), list(run["file_score"][0])) == ([4], [0.5])


FOL = '<fol offset="0" length="1"/>'


@pytest.mark.parametrize(
    ("results", "reason"),
    [
        (result(""), "a result without a part"),
        ("<result><path>/a</path></result>", "a result without a <file>"),
        (result(FOL, "a b"), "a result without a <file>, or with blanks"),
        (result('<fol offset="x" length="1"/>'), "<fol> offset is not a whole number"),
        (result('<fol offset="1_0" length="1"/>'), "<fol> offset is not a whole number"),
        (result('<fol length="1"/>'), "<fol> offset is not a whole number"),
        (result('<fol offset="-1" length="1"/>'), "<fol> offset is negative"),
        (result('<fol offset="1" length="-1"/>'), "<fol> length is negative"),
        (result("<path>article</path>"), "<path> is not an element path"),
        (result("<path>/a" + "[1]" * 999 + "</path>"), "<path> is not an element path"),
        (result('<passage start="/article"/>'), "end is not an element path"),
        (result(FOL, rest="<rank>1.5</rank>"), "<rank> is not a whole number"),
        (result(FOL, rest="<rsv>nan</rsv>"), "<rsv> is not a finite number"),
        (result(FOL, rest="<at>x</at>"), "<at> in a result"),
        (result(FOL, rest="<file>8</file>"), "<file> twice in a result"),
        (result(FOL, rest="<rank>1</rank><rank>1</rank>"), "<rank> twice in a result"),
        (f"<results>{result(FOL)}</results>", "<results> in a topic"),
        (result("<path>/article[1]/nope[1]</path>"), "a path that the article does not have; topic '2009001'"),
        (result("<path>/article[1</path>"), "a path that the article does not have; topic '2009001', article '7'"),
        (result("<path>/article[1]</path>", "99"), "an article that is not in the collection; topic '2009001'"),
        (
            result('<passage start="/article/bdy/sec[2]" end="/article/header[1]/title[1]"/>'),
            "a passage that ends before it starts",
        ),
    ],
)
def test_errors_name_file_and_line_and_say_what_to_do_of_xml_run(tmp_path, results, reason):
    file = tmp_path / "bad.xml"
    file.write_text(submission(f"{result(FOL)}\n{results}").replace("\n", "\n\n"))
    with pytest.raises(FormatError, match=rf"bad\.xml:11: {reason}") as error:
        read_run(file, collection=COLLECTION)
    assert error.value.line == 11
    with pytest.warns(UserWarning, match=f"1 skipped: 1 x {reason.partition(';')[0]}"):
        run = read_run(file, collection=COLLECTION, errors="skip")
    assert unpack(run)["docno"].tolist() == ["7#0-1"]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (submission(result(FOL)).replace("</topic>", ""), 7, "malformed XML"),
        (submission(result(FOL))[:-10], None, "malformed XML"),
        (submission(result(FOL) + "&nope;"), 5, "an entity that HTML does not define"),
        (submission(result(FOL), topic=""), 4, "a topic without its attribute topic-id"),
        (submission(f"</topic>{result(FOL)}<topic topic-id='2'>"), 5, "a result outside a topic"),
        ("<topics><topic topic-id='1'/></topics>", 1, "no INEX XML run: expected <inex-submission>, found <topics>"),
        (submission(result(FOL, rest="<rank>1</rank>") + result(FOL)), 4, "topic '2009001': 1 of 2 results have"),
    ],
)
def test_bad_documents_of_xml_run(text, line, reason):
    with pytest.raises(FormatError, match=f"<stream>:{line or '[0-9]+'}: {reason}"):
        read(text)


def test_paths_need_a_collection():
    text = submission(result("<path>/article[1]</path>"))
    with pytest.raises(FormatError, match=r"<stream>:5: element paths without a collection.*pass collection="):
        read(text)


def test_paths_that_do_not_exist_as_the_official_tool_reads_them():
    text = submission("".join(result(f"<path>/article[1]/{tag}[1]</path>") for tag in ("bdy", "x", "y")))
    with pytest.warns(UserWarning, match="2 passages do not exist; each counts as 18 .*article '7', /article.1./x.1."):
        run = read(text, collection=COLLECTION, missing="official")
    spans = cells(run["passages"])[0]
    assert [end - start for start, end, _ in spans[1:]] == [18, 18]
    assert min(start for start, _, _ in spans[1:]) > 10**9
    assert [score for _, _, score in spans] == [3.0, 2.0, 1.0]


def test_skipped_parts_leave_no_names_behind():
    text = submission(result("<path>/nope</path>", "99") + result(FOL))
    with pytest.warns(UserWarning, match="1 skipped"):
        run = read(text, collection=COLLECTION, errors="skip")
    assert run["docno"].tolist() == ["7"]


@pytest.mark.parametrize("entity", ["&b;", "&f;"], ids=["bomb", "file"])
def test_entities_of_a_submission_are_not_expanded(entity):
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
    text = submission(result(FOL, entity)).replace("<inex", bomb + "<inex", 1)
    with pytest.raises(FormatError, match="entity that HTML does not define"):
        read(text)


def test_entities_of_html_are_read_whatever_a_submission_defines():
    named = submission(result(FOL, "Z&uuml;rich")).replace("<inex", '<!DOCTYPE x [<!ENTITY uuml "&#252;">]><inex', 1)
    assert read(named)["docno"].tolist() == ["Zürich"]


@pytest.mark.parametrize("encoding", ["iso-8859-1", "utf-16", "utf-8-sig"])
def test_submissions_are_read_in_the_encoding_that_they_declare(encoding):
    text = submission(result(FOL, "Zürich"))
    declared = text.replace('"1.0"?', f'"1.0" encoding="{encoding.removesuffix("-sig")}"?')
    assert read_run(io.BytesIO(declared.encode(encoding)))["docno"].tolist() == ["Zürich"]


@given(st.data())
def test_offsets_come_back_from_paths_and_points(data):
    spans = st.sampled_from(sorted(TEXT)).flatmap(
        lambda docno: st.lists(st.integers(0, len(TEXT[docno])), min_size=2, max_size=2, unique=True).map(
            lambda cut: (docno, min(cut), max(cut))
        )
    )
    elements = [
        (docno, start, end)
        for docno in TEXT
        for start, end in COLLECTION.elements(docno)[["start", "end"]].itertuples(index=False)
        if start < end
    ]
    parts = data.draw(st.lists(st.one_of(spans, st.sampled_from(elements)), min_size=1, max_size=6, unique=True))
    rows = pd.DataFrame({"qid": "1", "docno": [f"{d}#{a}-{b}" for d, a, b in parts], "score": -np.arange(len(parts))})
    run = read_run(io.StringIO("".join(f"1 Q0 {d} 1 1 t {a} {b - a}\n" for d, a, b in parts)))
    written = io.BytesIO()
    quietly(write_run, run, written, "inex-xml", collection=COLLECTION)
    back = read_run(io.BytesIO(written.getvalue()), collection=COLLECTION)
    assert unpack(back)["docno"].tolist() == rows["docno"].tolist()
    kinds = written.getvalue().count(b"<path>"), written.getvalue().count(b"<passage ")
    assert kinds == ((len(parts), 0) if all(part in elements for part in parts) else (0, len(parts)))
    pd.testing.assert_frame_equal(back, run)


WORD = st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=12)


@given(
    st.lists(st.tuples(WORD, WORD, st.integers(0, 2**45), st.integers(1, 2**45)), min_size=1, max_size=8, unique=True)
)
def test_offsets_come_back_from_xml(parts):
    run = read_run(io.StringIO("".join(f"{q} Q0 {d} 1 1 t {a} {n}\n" for q, d, a, n in parts)), format="fol")
    written = io.BytesIO()
    quietly(write_run, run, written, "inex-xml")
    back = read_run(io.BytesIO(written.getvalue()))
    pd.testing.assert_frame_equal(back, run)


def test_a_span_beyond_the_article_has_no_path():
    run = read_run(io.StringIO("1 Q0 13 1 1 t 5 100\n"))
    with pytest.raises(ValueError, match=r"article '13': the passage \[5, 105\) ends beyond the article"):
        write_run(run, io.BytesIO(), "inex-xml", collection=COLLECTION)


def test_submission_attributes_survive():
    run = read(submission(result(FOL)))
    written = io.StringIO()
    write_run(run, written, "inex-xml", submission={"task": "Best <in> Context"})
    again = read(written.getvalue())
    assert again.attrs["submission"]["participant-id"] == "12"
    assert again.attrs["submission"]["run-id"] == "R1"
    assert again.attrs["submission"]["task"] == "Best <in> Context"
