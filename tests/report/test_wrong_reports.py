"""What is given wrongly to the report or the article view gets a sentence that says what was expected."""

import numpy as np
import pandas as pd
import pytest

from pyterrier_focused.report import view, write_report

QRELS = pd.DataFrame({"qid": ["1", "2"], "docno": ["a", "b"], "label": [1, 0]})
RUN = pd.DataFrame({"qid": ["1", "2"], "docno": ["a", "b"], "score": [1.0, 2.0]})


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"collection": "wiki"}, "wiki: no such file or folder"),
        ({"measures": 3}, "measures=3: give names"),
        ({"top": "3"}, "show at least the first article"),
        ({"alpha": "x"}, "level of significance is a number"),
        ({"qrels": QRELS.assign(label=[1, np.nan])}, "topic '2', article 'b': label .*nan.* is not a whole number"),
    ],
)
def test_wrong_options_of_a_report(options, what, tmp_path):
    call = {"qrels": QRELS, "runs": [RUN, RUN], **options}
    with pytest.raises(ValueError, match=what):
        write_report(tmp_path / "x.html", **call)


def test_topics_of_a_report_may_be_numbers(tmp_path):
    write_report(tmp_path / "x.html", QRELS.assign(qid=[1, 2]), [RUN.assign(qid=[1, 2])])


def test_the_view_wants_a_corpus_first():
    with pytest.raises(ValueError, match="a corpus is a path"):
        view(None)
