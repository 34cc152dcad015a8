"""Which words of the evidence a text lacks."""

import pytest

from pyterrier_focused.io.texts.align import align_texts
from pyterrier_focused.io.texts.differences import list_differences

EVIDENCE = "The tenant must not pay more than -3.5 percent of the rent within 30 days."
ARTICLE = f"This part is about the rents. {EVIDENCE} The landlord signs the form at once."
START = ARTICLE.index(EVIDENCE)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("30", "45", ["30"]),
        (" not", "", ["not"]),
        ("-3.5", "3.5", ["-3.5"]),
        ("rent", "zebra", ["rent"]),
        ("percent of", "pencent oi", []),  # one letter of seven is the same word, and of two may be OCR's
        (" within 30 days", "", ["30", "within", "days"]),
        (EVIDENCE, "", []),  # nothing of it was retrieved
        ("pay more than -3.5 percent of the rent within", "be", ["-3.5", "more", "than", "percent", "rent", "within"]),
        ("landlord", "zebra", []),  # no evidence
    ],
)
def test_what_differs(old, new, told):
    text = ARTICLE.replace(old, new)
    (found,) = align_texts([f"Title: {text}"], [()], {"a": ARTICLE})
    retrieved = [span for _, span in found.places[0]]
    lacking = [span for _, span in found.lacking]
    assert list_differences(ARTICLE, [(START, START + len(EVIDENCE))], retrieved, lacking) == told


@pytest.mark.parametrize("end", ["within 45 days.", "within 45"])
def test_the_last_words_of_a_text(end):
    text = EVIDENCE.replace("within 30 days.", end)
    (found,) = align_texts([text], [()], {"a": ARTICLE})
    retrieved = [span for _, span in found.places[0]]
    told = list_differences(ARTICLE, [(START, START + len(EVIDENCE))], retrieved, [span for _, span in found.lacking])
    assert told == ["30"]


def test_a_text_that_ends_within_the_evidence_lacks_nothing():
    (found,) = align_texts([f"Title: {ARTICLE[: START + 40]}..."], [()], {"a": ARTICLE})
    assert found.lacking == []
