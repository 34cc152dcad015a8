"""Texts that were rewritten, against the places that their words were taken from."""

import random
import re
import unicodedata
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_focused.collection.corpora import CorpusArticle, Texts
from pyterrier_focused.rag.align import align_texts
from pyterrier_focused.rag.items import Item
from pyterrier_focused.rag.place import place_retrieved

RNG = random.Random(1)
WORDS = ["".join(RNG.choice("aeioubcdfgklmnprst") for _ in range(RNG.randrange(3, 9))) for _ in range(300)]
ARTICLES = {name: " ".join(RNG.choice(WORDS) for _ in range(400)) + "." for name in ("a", "b", "c")}
SPAN = (300, 700)
CHUNK = ARTICLES["a"][slice(*SPAN)].strip()


def align(text, article, named=()):
    articles = article if isinstance(article, dict) else {"a": article}
    return align_texts([text], [named], articles)[0]


def read(found, articles):
    """The texts of the runs that were found, without white space at their ends."""
    articles = articles if isinstance(articles, dict) else {"a": articles}
    return [articles[docno][slice(*span)].strip() for docno, span in found.places[0]]


def sentence(seed, words=9):
    rng = random.Random(seed)
    return " ".join(rng.choice(WORDS) for _ in range(words)).capitalize() + "."


@pytest.mark.parametrize(
    ("text", "share"),
    [
        (CHUNK, 1),
        (f"Page title > Section\n\n{CHUNK}", 0.9),
        (f"{CHUNK[:-10]}...", 0.95),
        (f"{CHUNK} [...] (read more)", 0.9),
        ("-\n".join(CHUNK[i : i + 25] for i in range(0, len(CHUNK), 25)), 0.95),
        ("\u00ad".join(CHUNK), 1),
        ("\u200b".join(CHUNK), 1),
        (unicodedata.normalize("NFD", CHUNK.replace("e", "é")), 1),
        (f"{CHUNK[:200]} (a remark of the editor) {CHUNK[200:]}", 0.9),
    ],
)
@pytest.mark.parametrize("documents", [("a",), ("b",), ()], ids=["in its document", "elsewhere", "anywhere"])
def test_a_rewritten_text_lies_where_it_was_cut(text, share, documents):
    texts = Texts([CorpusArticle(name, article) for name, article in ARTICLES.items()], None)
    (found,) = place_retrieved([Item(text=text, documents=documents)], texts)
    (((docno, (start, end)),),) = found.places
    assert docno == "a"
    assert abs(start - SPAN[0]) <= 1
    assert abs(end - SPAN[1]) <= 12
    assert share <= found.share <= 1
    assert found.elsewhere == (documents == ("b",))


@pytest.mark.parametrize("chosen", [(0, 2), (1, 3), (0, 3), (0, 1, 3), (3, 0), (2, 1, 0)])
def test_sentences_of_an_article_are_found_and_those_between_are_not(chosen):
    sentences = [sentence(seed) for seed in range(4)]
    article = " ".join(sentences)
    found = align(" ".join(sentences[i] for i in chosen), article)
    together = re.split(" (?=[A-Z])", " ".join(read(found, article)))
    assert together == [sentences[i] for i in chosen]
    assert (found.share, found.around) == (1, [0])


@pytest.mark.parametrize("count", [2, 3])
def test_joined_chunks_of_different_articles(count):
    chunks = {name: " ".join(ARTICLES[name].split()[20:90]) for name in list(ARTICLES)[:count]}
    found = align("\n\n".join(chunks.values()), ARTICLES)
    assert [docno for docno, _ in found.places[0]] == list(chunks)
    assert all(part in chunk for part, chunk in zip(read(found, ARTICLES), chunks.values(), strict=True))
    assert found.share > 0.97


SENTENCES = [sentence(seed, 12) for seed in range(10, 13)]
ARTICLE = " ".join(SENTENCES)


@pytest.mark.parametrize(
    "instead", ["", "[REDACTED]", " ".join(SENTENCES[1][::-1].split())], ids=["cut", "redacted", "scrambled"]
)
def test_what_was_taken_out_is_not_found_and_what_is_beside_it_is(instead):
    found = align(f"{SENTENCES[0]} {instead} {SENTENCES[2]}", ARTICLE)
    assert read(found, ARTICLE) == [SENTENCES[0], SENTENCES[2]]
    assert [ARTICLE[slice(*span)] for _, span, _ in found.lacking] == [SENTENCES[1][:-1]]


@pytest.mark.parametrize(
    ("own", "other"),
    [("30", "45"), ("30", "300"), ("-40", "40"), ("3.5", "35"), (".5", "5"), ("1,000", "1000"), ("2nd", "3rd")],
)
def test_a_word_with_a_digit_is_the_same_or_is_not_there(own, other):
    article = f"The notice must be given within {own} days of the end of each month."
    found = align(article.replace(own, other), article)
    assert read(found, article) == article.split(f" {own} ")
    assert [article[slice(*span)] for _, span, _ in found.lacking] == [own]


@pytest.mark.parametrize(
    ("word", "other", "is_same"),
    [("increased", "incneased", True), ("increased", "decreased", False),
     ("not", "now", False), ("café", "cafe", True), ("ﬁrm", "firm", True), ("million", "billion", False)],
)  # fmt: skip
def test_a_quarter_of_the_letters_may_differ_unless_the_corpus_has_the_word(word, other, is_same):
    article = f"In that year the number of all of these things {word} again in every part of the land."
    found = align(f"Title: {article.replace(word, other)}", {"a": article, "b": "It decreased by a billion."})
    assert len(found.places[0]) == (1 if is_same else 2)


LINES = "Early history\n\nThe tower was built of red brick in the year of the war.\n\nLater use\n\nIt holds a museum."


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Early history The tower was built of red brick in the year of the war.",
         ["Early history\n\nThe tower was built of red brick in the year of the war."]),
        ("The tower was built of red brick in the year of the war. A museum",
         ["The tower was built of red brick in the year of the war."]),  # words within a line
        ("The tower was built of red brick. Later use", ["The tower was built of red brick", "Later use"]),
    ],
)  # fmt: skip
def test_a_heading_beside_the_runs_of_a_text_is_found(text, found):
    assert read(align(text, LINES), LINES) == found


def test_a_heading_that_is_there_twice_is_not_found():
    article = f"{LINES}\n\nLater use"
    text = "The tower was built of red brick. Later use"
    assert read(align(text, article), article) == ["The tower was built of red brick"]


def test_a_lost_word_is_lacking():
    article = "The tenant shall on no account whatsoever not be held to pay for the damage."
    found = align(article.replace(" not", ""), article)
    assert read(found, article) == article.split(" not ")
    assert [article[slice(*span)] for _, span, _ in found.lacking] == ["not"]


def test_the_full_stop_of_an_unchanged_sentence_belongs_to_it():
    assert read(align(f"A title\n\n{SENTENCES[1]}", ARTICLE), ARTICLE) == [SENTENCES[1]]


@pytest.mark.parametrize(
    ("words", "is_placed"), [(" ".join(["seven"] * 5), False), ("one of the six words", False), ("a b c d e f", False),
                             ("each and every one of these six words", True)]
)  # fmt: skip
def test_a_run_of_six_words_and_24_letters_places_a_text(words, is_placed):
    article = f"Nothing before it, {words}, and nothing after."
    assert (align(f"Foreign words {words} of foreigners", article) is not None) == is_placed


@pytest.mark.parametrize(("named", "places"), [((), []), (("b",), []), (("a",), ["a"]), (("a", "copy"), ["a", "copy"])])
def test_short_runs_that_hold_half_of_a_text_place_it_in_a_document_that_it_names(named, places):
    words = CHUNK.split()[:20]
    for changed in (3, 8, 12, 16):
        words[changed] = "x" * 9
    copy = f"{sentence(1)} {CHUNK} {sentence(2)}"
    (found,) = align_texts([" ".join(words)], [named], {**ARTICLES, "copy": copy})
    assert [docno for runs in (found.places if found else []) for docno in {place.docno for place in runs}] == places
    assert not found or (found.share, found.around) == (0.8, [36] * len(places))


def test_further_runs_of_an_article_are_shorter():
    article = f"{SENTENCES[0]} Then five words come again. {SENTENCES[2]} {SENTENCES[1]}"
    found = align(f"Foreign text, then five words come again, foreign text, {SENTENCES[1]}", article)
    assert read(found, article) == ["Then five words come again", SENTENCES[1]]


@pytest.mark.parametrize(("named", "docno"), [((), None), (("a",), "a"), (("b",), "b")])
def test_of_like_places_the_document_named_comes_first(named, docno):
    articles = {"a": f"One. {CHUNK} Other.", "b": f"Two. {CHUNK} Others."}
    found = align(f"A title: {CHUNK}", articles, named)
    assert [[place.docno for place in places] for places in found.places] == (
        [["a"], ["b"]] if docno is None else [[docno]]
    )


def test_of_like_places_that_of_the_other_runs_comes_first_then_the_nearest():
    shared, own = sentence(20), sentence(21)
    articles = {"a": f"{shared} {sentence(22)}", "b": f"{shared} {sentence(23)} {sentence(24)} {shared} {own}"}
    found = align(f"{own} Foreign text. {shared}", articles)
    assert abs(found.places[0][1].span[0] - articles["b"].rindex(shared)) <= 1


def test_two_places_are_told_and_none_is_chosen():
    article = f"{CHUNK} Something else. {CHUNK}"
    assert [len(places) for places in align(f"A title: {CHUNK}", article).places] == [1, 1]


@pytest.mark.parametrize(
    "text", ["", "short", "Nothing of this stands anywhere in the articles, no matter where.", "?!" * 50]
)
def test_a_text_that_stands_nowhere(text):
    assert align(text, ARTICLES) is None


@pytest.mark.parametrize(
    "text",
    [
        "東京都は日本の首都であり、世界で最も人口の多い都市圏の一つである。",
        "กรุงเทพมหานครเป็นเมืองหลวงและนครที่มีประชากรมากที่สุดของประเทศไทย",
    ],
)
def test_characters_stand_for_words_in_scripts_without_blanks(text):
    others = ["大阪市は大阪府の府庁所在地で西日本最大の都市である。" * 2, "เชียงใหม่เป็นจังหวัดหนึ่งของประเทศไทยตั้งอยู่ทางทิศเหนือ"]
    article = others[0] + text + others[1]
    assert read(align(f"標題 หัวข้อ: {text} foreign", article), article) == [text]


def test_random_changes_of_letters():
    rng = random.Random(3)
    changed = "".join(rng.choice("xyz") if c.isalpha() and rng.random() < 0.04 else c for c in CHUNK)
    found = align(changed, ARTICLES)
    placed = {i for _, span in found.places[0] for i in range(*span)}
    assert placed <= set(range(*SPAN))
    assert len(placed) > 0.85 * len(CHUNK)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=6))
def test_places_hold_words_of_the_text_only(order):
    """Whatever sentences a text has, in any order and number: what is placed is them, and all of them is placed."""
    sentences = [sentence(seed) for seed in range(40, 46)]
    article = " ".join(sentences)
    found = align("Title > of it\n" + " ".join(sentences[i] for i in order), article)
    placed = {i for _, span in found.places[0] for i in range(*span)}
    starts = [article.index(sentences[i]) for i in range(6)]
    wanted = {i for number in order for i in range(starts[number], starts[number] + len(sentences[number]))}
    assert wanted <= placed <= {i + d for i in wanted for d in (-1, 0, 1)}


def test_boilerplate_that_many_documents_share():
    shared = sentence(50, 40)
    own = [sentence(100 + i, 15) for i in range(60)]
    articles = {f"d{i}": f"{shared} {own[i]} {shared}" for i in range(60)}
    found = align_texts([f"Title. {own[i]} {shared[:80]}" for i in range(60)], [()] * 60, articles)
    assert [[place.docno for place in of_text.places[0]] for of_text in found] == [[docno] for docno in articles]


@pytest.mark.parametrize(("before", "status"), [("Title\n", "given"), ("Of -", "missing")])
def test_offsets_hold_for_a_text_with_something_before_it(before, status):
    number = "40 is the sum of this."
    article = f"{CHUNK} and then {number}"
    start = article.index(number)
    texts = Texts([CorpusArticle("a", article)], None)
    item = Item(text=f"{before}{number}", start=start, end=len(article), documents=("a",))
    (found,) = place_retrieved([item], texts)
    assert (found.status, found.places) == (status, [[("a", (start, len(article)))]] if status == "given" else [])


def test_fuzzy_finds_what_shares_no_long_run():
    pytest.importorskip("rapidfuzz")
    texts = Texts([CorpusArticle(name, article) for name, article in ARTICLES.items()], None)
    edited = re.sub(r"\b(\w)(\w+)\b", r"\2", CHUNK)  # every word has lost its first letter
    items = [Item(text=edited, documents=("a",))]
    assert place_retrieved(items, texts)[0].status == "missing"
    (found,) = place_retrieved(items, texts, fuzzy=0.8)
    assert found.status == "fuzzy"
    assert abs(found.places[0][0].span[0] - SPAN[0]) <= 10


def draw_copies(seed):
    """Texts of pieces of documents, of which some are copies of others, true or with changes; and the documents."""
    rng = random.Random(seed)
    words = ["".join(rng.choices("abcdefghij", k=rng.randint(2, 8))) for _ in range(rng.choice([60, 300, 2000]))]
    shared = [rng.choices(words, k=rng.randint(5, 14)) for _ in range(20)]
    documents = []
    for _ in range(rng.randint(2, 20)):
        sentences = [rng.choice([*shared, rng.choices(words, k=12)]) for _ in range(rng.randint(3, 15))]
        documents.append([*chain.from_iterable(sentences)])
    for _ in range(rng.randint(1, 5)):
        copy = list(rng.choice(documents))
        for _ in range(rng.choice([0, 0, 4])):
            copy[rng.randrange(len(copy))] = rng.choice(words)
        documents.append(copy)
    texts = []
    for _ in range(8):
        pieces = []
        for document in rng.choices(documents, k=rng.randint(1, 3)):
            start = rng.randrange(len(document))
            pieces += [*document[start : start + rng.randint(5, 60)], rng.choice(words)]
        texts.append(" ".join(pieces))
    return texts, {f"d{i}": " ".join(document) for i, document in enumerate(documents)}


@pytest.mark.parametrize("copies", [2, 3, 19])
def test_true_copies_stay_the_places_of_a_text_that_shares_more_with_another_article(copies):
    rng = random.Random(copies)
    words = ["".join(rng.choices("abcdefghij", k=6)) for _ in range(120)]
    # most seeds, but of four words in turn, which place nothing
    scattered = " xxxxxxxxx ".join(" ".join(words[first : first + 4]) for first in range(0, 120, 4))
    articles = {f"d{i}": " ".join([sentence(i), *words[:40], sentence(-1 - i)]) for i in range(copies)}
    text = " ".join([*words[:20], "changed", *words[20:]])
    (found,) = align_texts([text], [()], {"scattered": scattered, **articles})
    assert {places[0].docno for places in found.places} == set(articles)
    assert len(found.places) == copies
