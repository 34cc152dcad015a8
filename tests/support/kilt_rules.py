"""The rules of KILT's retrieval scorer, list by list, and random files that are full of their quirks."""

import random
import re
import string


def distinct(values):
    return [value for at, value in enumerate(values) if value not in values[:at]]


def full_ids(provenance, keys):
    return distinct(
        ["+".join(str(p[key]).strip() for key in keys) for p in provenance if all(key in p for key in keys)]
    )


def r_precision(guess, outputs, keys):
    best = 0.0
    for output in outputs:
        gold = full_ids(output.get("provenance", []), keys)
        hits = [name for name in guess[: len(gold)] if name in gold]
        best = max(best, len(hits) / len(gold) if gold else 0.0)
    return best


def evidence_sets(outputs, keys):
    sets = []
    for output in outputs:
        if "provenance" in output:
            one = {"+".join(str(p[key]).strip() for key in keys if key in p) for p in output["provenance"]}
            if one not in sets:
                sets.append(one)
    return sets


def rank_list(guess, sets):
    ranks, left = [], [set(one) for one in sets]
    for name in guess:
        nowhere = True
        for at, one in enumerate(left):
            if name in one:
                nowhere = False
                one.remove(name)
                ranks = [entry for entry in ranks if entry != ("partial", at)]
                ranks.append(("complete", at) if not one else ("partial", at))
        if nowhere:
            ranks.append(("miss", None))
    return [kind == "complete" for kind, _ in ranks]


def plain(text):
    text = "".join(letter for letter in text.lower() if letter not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def per_question(gold, guess, ks, keys):
    (given,) = [output["provenance"] for output in guess["output"] if "provenance" in output]
    ids, sets = full_ids(given, keys), evidence_sets(gold["output"], keys)
    ranks = rank_list(ids, sets) if ids and sets else []
    answers = [output["answer"] for output in gold["output"] if (output.get("answer") or "").strip()]
    titles = [
        p["title"] for output in gold["output"] for p in output.get("provenance", []) if (p.get("title") or "").strip()
    ]
    values = {"Rprec": r_precision(ids, gold["output"], keys)}
    values["entity_in_input"] = any(plain(title) in plain(gold["input"]) for title in titles)
    for k in ks:
        texts = [plain(p["text"]) for p in given[:k] if "text" in p]
        values[f"precision@{k}"] = ranks[:k].count(True) / k
        values[f"answer_in_context@{k}"] = any(plain(answer) in text for text in texts for answer in answers)
        values[f"answer_and_ent_in_context@{k}"] = any(
            any(plain(answer) in text for answer in answers) and any(plain(title) in text for title in titles)
            for text in texts
        )
        values[f"entity_in_context@{k}"] = any(plain(title) in text for text in texts for title in titles)
        if k > 1:
            values[f"recall@{k}"] = ranks[:k].count(True) / len(sets) if ranks else 0.0
            values[f"success_rate@{k}"] = True in ranks[:k]
    return {name: float(value) for name, value in values.items()}


def expected(gold, guess, ks, keys):
    guesses = {str(item["id"]).strip(): item for item in guess}
    values = {str(item["id"]).strip(): per_question(item, guesses[str(item["id"]).strip()], ks, keys) for item in gold}
    names = next(iter(values.values()))
    return {**values, "all": {name: sum(value[name] for value in values.values()) / len(values) for name in names}}


def random_files(seed, whole=False):
    """Gold and guessed items; *whole*: each provenance has all of its keys."""
    rng = random.Random(seed)
    words = ["Ada", "the", "a", "Nile", "river", "U.S.", "café", "--", "An", "1st"]

    def text():
        return " ".join(rng.choices(words, k=rng.randint(0, 4)))

    pages = rng.sample(range(9), rng.randint(2, 6))

    def provenance(texts):
        page = rng.choice(pages)
        one = {"wikipedia_id": rng.choice([page, str(page), f" {page} "])}
        if whole or rng.random() < 0.8:
            one["section"] = rng.choice(["History.", "Life/Work", "Abstract"])
        if whole or rng.random() < 0.8:
            one["start_paragraph_id"] = rng.choice([1, "2", 3])
            one["end_paragraph_id"] = rng.choice([3, "3", 4])
        if rng.random() < 0.05 and not whole:
            del one["wikipedia_id"]
        if texts and rng.random() < 0.7:
            one["text"] = text()
        if rng.random() < 0.5:
            one["title"] = rng.choice([text(), "", None])
        return one

    def output(most, texts=False):
        one = {}
        if rng.random() < 0.8:
            one["answer"] = rng.choice([text(), text(), "", "the", None])
        if rng.random() < 0.85 or texts:
            one["provenance"] = [provenance(texts) for _ in range(rng.randint(0, most))]
        return one

    names = rng.sample(["1", 2, " 3", "q4", 5.5], rng.randint(1, 5))
    gold = [{"id": name, "input": text(), "output": [output(3) for _ in range(rng.randint(1, 4))]} for name in names]
    guess = []
    for name in [*names, "extra"]:
        outputs = [output(12, texts=True)]
        if rng.random() < 0.3:
            outputs.insert(rng.randint(0, 1), {"answer": "no provenance"})
        guess.append({"id": rng.choice([name, f"{name} "]) if isinstance(name, str) else name, "output": outputs})
    rng.shuffle(guess)
    return gold, guess
