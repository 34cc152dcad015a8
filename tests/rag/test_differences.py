"""Which words of the evidence a text lacks."""

import pytest

from pyterrier_focused.rag.align import align_texts
from pyterrier_focused.rag.score import list_differences

EVIDENCE = "The tenant must not pay more than -3.5 percent of the rent within 30 days."
ARTICLE = f"This part is about the rents. {EVIDENCE} The landlord signs the form at once."
START = ARTICLE.index(EVIDENCE)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("30", "45", ["30"]),
        (" not", "", ["not"]),
        ("must not", "must never", ["not"]),
        ("within", "never within", ["+never"]),
        ("within", "each within", []),
        ("landlord signs", "landlord never signs", []),  # no evidence
        ("rents. The", "rents. They are not high. The", []),  # between two sentences
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
    assert list_differences(ARTICLE, [(START, START + len(EVIDENCE))], retrieved, found.lacking) == told


@pytest.mark.parametrize(
    ("sentence", "old", "new", "told"),
    [
        ("Le locataire est tenu de payer le loyer avant la fin de juin.", "est tenu", "n'est pas tenu", ["+pas"]),
        ("L'inquilino deve pagare tutto il canone prima della fine di giugno.", "deve", "non deve", ["+non"]),
        ("Жилец обязан платить за квартиру до конца каждого месяца в году.", "обязан", "не обязан", ["+не"]),
        ("Der Mieter kann die Wohnung bis zum Ende des Monats Juni behalten.", "behalten", "nie behalten", ["+nie"]),
        ("租户必须在每个月底之前向房东支付全部租金和所有的水电费用以及清洁费用。", "必须", "不必须", ["+不"]),
        ("借り主は毎月末までに家主に対して家賃の全額を必ず支払うものとされている。", "必ず支払う", "必ず支払わない",
         ["+ない"]),
    ],
    ids=["fr", "it", "ru", "de", "zh", "ja"],
)  # fmt: skip
def test_a_negation_that_a_text_adds_is_told(sentence, old, new, told):
    article = f"{ARTICLE} {sentence} What follows is about the forms that both of them have to sign."
    (found,) = align_texts([article.replace(old, new)], [()], {"a": article})
    retrieved = [span for _, span in found.places[0]]
    start = len(ARTICLE) + 1
    assert list_differences(article, [(start, start + len(sentence))], retrieved, found.lacking)[: len(told)] == told


@pytest.mark.parametrize("end", ["within 45 days.", "within 45"])
def test_the_last_words_of_a_text(end):
    text = EVIDENCE.replace("within 30 days.", end)
    (found,) = align_texts([text], [()], {"a": ARTICLE})
    retrieved = [span for _, span in found.places[0]]
    told = list_differences(ARTICLE, [(START, START + len(EVIDENCE))], retrieved, found.lacking)
    assert told == ["30"]


def test_a_text_that_ends_within_the_evidence_lacks_nothing():
    (found,) = align_texts([f"Title: {ARTICLE[: START + 40]}..."], [()], {"a": ARTICLE})
    assert found.lacking == []
