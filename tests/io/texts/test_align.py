"""Texts that were rewritten, against the places that they were cut from."""

import random
import re
import unicodedata

import pytest

from pyterrier_focused.io.texts.align import align_texts, fold_letters
from pyterrier_focused.io.texts.corpus import CorpusArticle, Texts
from pyterrier_focused.io.texts.items import Item
from pyterrier_focused.io.texts.locate import Document
from pyterrier_focused.io.texts.place_retrieved import place_retrieved

RNG = random.Random(1)
WORDS = ["".join(RNG.choice("aeioubcdfgklmnprst") for _ in range(RNG.randrange(3, 9))) for _ in range(300)]
ARTICLES = {name: " ".join(RNG.choice(WORDS) for _ in range(400)) + "." for name in ("a", "b")}
SPAN = (300, 700)
CHUNK = ARTICLES["a"][slice(*SPAN)].strip()


@pytest.mark.parametrize(
    ("text", "share"),
    [
        (CHUNK, 1),
        (f"Page title > Section\n\n{CHUNK}", 0.9),
        (f"{CHUNK[:-10]}...", 1),
        (f"{CHUNK} [...] (read more)", 0.9),
        ("-\n".join(CHUNK[i : i + 25] for i in range(0, len(CHUNK), 25)), 1),
        ("\u00ad".join(CHUNK), 1),
        ("\u200b".join(CHUNK), 1),
        (unicodedata.normalize("NFD", CHUNK.replace("e", "é")), 1),
        (f"{CHUNK[:200]} (a remark of the editor) {CHUNK[200:]}", 0.9),
    ],
)
@pytest.mark.parametrize("documents", [("a",), ()], ids=["in its document", "anywhere"])
def test_a_rewritten_text_stands_where_it_was_cut(text, share, documents):
    texts = Texts([CorpusArticle(name, article) for name, article in ARTICLES.items()], None)
    (found,) = place_retrieved([Item(text=text, documents=documents)], texts)
    ((docno, (start, end)),) = found.places
    assert docno == "a"
    assert abs(start - SPAN[0]) <= 1
    assert abs(end - SPAN[1]) <= 12
    assert share <= found.share <= 1


def test_little_that_a_text_leaves_out_counts_as_retrieved():
    article = f"{CHUNK[:200]} [a link](http://example.org/sun) {CHUNK[200:]}"
    (found,) = align_texts([CHUNK], [("a", Document(article))])
    assert found.places[0].span == (0, len(article))


def test_much_that_a_text_leaves_out_does_not_count():
    article = f"{CHUNK[:60]}{ARTICLES['b']}{CHUNK[60:160]}"
    (found,) = align_texts([CHUNK[:160]], [("a", Document(article))])
    assert found.places[0].span[0] >= 59 + len(ARTICLES["b"])


def test_two_places_are_told_and_none_is_chosen():
    article = f"{CHUNK} Something else. {CHUNK}"
    (found,) = align_texts([f"A title: {CHUNK}"], [("a", Document(article))])
    assert not found.is_sure
    assert len(found.places) == 2


@pytest.mark.parametrize(
    "text", ["", "short", "Nothing of this stands anywhere in the articles, no matter where.", "?!" * 50]
)
def test_a_text_that_stands_nowhere(text):
    assert align_texts([text], [(name, Document(article)) for name, article in ARTICLES.items()]) == [None]


def test_a_text_of_which_little_stands_there():
    text = CHUNK[:40] + " " + " ".join(random.Random(2).choice(WORDS)[::-1] for _ in range(60))
    assert align_texts([text], [("a", Document(ARTICLES["a"]))]) == [None]


@pytest.mark.parametrize("seed", range(20))
def test_runs_against_brute_force(seed):
    """With a prefix and a suffix of foreign letters, the run is the longest common substring of the letters."""
    rng = random.Random(seed)
    article = "".join(rng.choice("ab c") for _ in range(300)) + "xyz"
    start = rng.randrange(200)
    text = "qqq" + article[start : start + 60] + "vvv"
    letters, wanted = fold_letters(text), fold_letters(article)
    longest = max(
        (j - i for i in range(len(letters)) for j in range(i + 1, len(letters) + 1) if letters[i:j] in wanted),
        default=0,
    )
    (found,) = align_texts([text], [("a", Document(article))])
    assert round(found.share * len(letters)) == longest
    assert letters.find(fold_letters(article[slice(*found.places[0].span)])) >= 0


def test_a_text_with_several_scores_is_aligned_once(monkeypatch):
    aligned = []

    def align(texts, articles):
        aligned.extend(texts)
        return align_texts(texts, articles)

    monkeypatch.setattr("pyterrier_focused.io.texts.place_retrieved.align_texts", align)
    items = [Item(text=f"Title\n{CHUNK}", score=score) for score in (0.9, 0.8)]
    texts = Texts([CorpusArticle(name, article) for name, article in ARTICLES.items()], None)
    first, second = place_retrieved(items, texts)
    assert first == second
    assert len(aligned) == 1


def test_offsets_hold_for_a_text_with_something_before_it():
    texts = Texts([CorpusArticle("a", f"{CHUNK} and again {CHUNK}")], None)
    item = Item(text=f"Title\n{CHUNK}", start=len(CHUNK) + 11, end=2 * len(CHUNK) + 11, documents=("a",))
    (found,) = place_retrieved([item], texts)
    assert (found.status, found.places) == ("given", [("a", (item.start, item.end))])


def test_fuzzy_finds_what_shares_no_long_run():
    pytest.importorskip("rapidfuzz")
    texts = Texts([CorpusArticle(name, article) for name, article in ARTICLES.items()], None)
    edited = re.sub(r"\b(\w)(\w+)\b", r"\2", CHUNK)  # every word has lost its first letter
    items = [Item(text=edited, documents=("a",))]
    assert place_retrieved(items, texts)[0].status == "missing"
    (found,) = place_retrieved(items, texts, fuzzy=0.8)
    assert found.status == "fuzzy"
    assert abs(found.places[0].span[0] - SPAN[0]) <= 10
