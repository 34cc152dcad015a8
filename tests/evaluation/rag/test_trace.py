"""TRACe against its definition over sets of characters."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused.evaluation import trace_answers
from pyterrier_focused.evidence.read import read_spans

SPANS = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 12)).map(lambda s: (s[0], s[0] + s[1])), max_size=4)


def frame(column, spans):
    rows = {"qid": ["q"], "docno": ["d"], "label": [int(bool(spans))], "score": [1.0], column: [spans]}
    return pd.DataFrame(rows)


def characters(spans):
    return {offset for span in spans for offset in range(*span)}


@given(SPANS, SPANS, SPANS)
@pytest.mark.filterwarnings("ignore")
def test_trace_by_sets_of_characters(evidence, contexts, used):
    given_, relevant = characters(contexts), characters(evidence)
    used = [(start, end) for start, end in used if characters([(start, end)]) <= given_]
    quoted = characters(used)
    found = trace_answers(frame("highlights", evidence), frame("passages", contexts), frame("highlights", used))
    shares = [(relevant & given_, given_), (quoted, given_), (relevant & quoted, relevant & given_)]
    expected = [len(above) / len(below) if below else 0 for above, below in shares]
    assert found.iloc[0, 1:].tolist() == pytest.approx(expected)


def test_trace_of_a_row_of_ragbench():
    row = {
        "id": "7", "question": "who?", "documents_sentences": [[["0a", "Cats sleep."], ["0b", "They eat."]]],
        "all_relevant_sentence_keys": ["0b"], "all_utilized_sentence_keys": ["0a", "0b"],
    }  # fmt: skip
    evidence = read_spans([row])
    used = read_spans([row], columns={"quote": "all_utilized_sentence_keys"})
    contexts = pd.DataFrame({"qid": ["7"], "docno": ["7-0"], "score": [1.0], "passages": [[(0, 22)]]})
    assert trace_answers(evidence, contexts, used).iloc[0, 1:].tolist() == pytest.approx([9 / 22, 20 / 22, 1])
