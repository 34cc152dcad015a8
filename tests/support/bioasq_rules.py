"""The rules of BioASQ's program for task B, phase A, snippets as sets of indices, and random files of its quirks."""

import math
import random

EPSILON = 0.00001
NAMES = ("MPrec", "MRec", "MF1", "MAP", "GMAP")


def divisor(edition, golden):
    return {2: golden, 3: 10, 5: 10, 8: min(10, golden), 9: min(10, golden)}.get(edition)


def divide(a, b):
    """As Java divides doubles."""
    if b == 0:
        return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a)
    return a / b


def of_list(golden, submitted, edition):
    """Precision, recall, F and AP of a list of documents, concepts or triples."""
    if not submitted:
        return 0.0, 0.0, 0.0, 0.0
    hits = [item for item in submitted if item in golden]
    missed = [item for item in golden if item not in submitted]
    p = len(hits) / len(submitted)
    r = len(hits) / (len(hits) + len(missed)) if hits or missed else 0.0
    f = 2 * p * r / (p + r) if p and r else 0.0
    ap = 0.0
    for rank, item in enumerate(submitted, start=1):
        if item in golden:
            ap += sum(one in golden for one in submitted[:rank]) / rank
    d = divisor(edition, len(golden))
    return p, r, f, ap / d if hits and d else 0.0


def section(name):
    return name[name.index(".") + 1 :] if "." in name else name


def merged(snippets):
    """[document, begin section, end section, indices], merged until nothing shares an index."""
    found = []
    for one in snippets:
        key = (one.get("document", ""), section(one.get("beginSection", "")), section(one.get("endSection", "")))
        indices = set(range(one.get("offsetInBeginSection", 0), one.get("offsetInEndSection", 0) + 1))
        found.append([*key, indices])
    again = True
    while again:
        again = False
        for i in range(len(found)):
            for j in range(i + 1, len(found)):
                if found[i][:3] == found[j][:3] and found[i][3] & found[j][3]:
                    found[i][3] |= found.pop(j)[3]
                    again = True
                    break
            if again:
                break
    return found


def shared(one, gold):
    if one[1:3] == gold[1:3] or (one[1] == "0" and gold[1] == "abstract"):
        return len(one[3] & gold[3])
    return 0


def last_part(document):
    return document.split("/")[-1]


def of_snippets(golden, submitted, edition):
    golden, submitted = merged(golden), merged(submitted)
    total = sum(shared(a, g) for a in submitted for g in golden if last_part(a[0]) == last_part(g[0]))
    size, gold_size = (sum(len(one[3]) for one in part) for part in (submitted, golden))
    p = total / size if size else 0.0
    r = total / gold_size if gold_size and submitted else 0.0
    f = 2 * p * r / (p + r) if p + r else 0.0
    ap = 0.0
    for rank in range(1, len(submitted) + 1):
        first = submitted[:rank]
        if any(g[0] == first[-1][0] for g in golden):
            overlap = sum(shared(a, g) for a in first for g in golden if a[0] == g[0])
            ap += overlap / sum(len(a[3]) for a in first)
    d = divisor(edition, len(golden))
    return p, r, f, divide(ap, d) if d is not None else 0.0


def triples(question):
    return [(one["p"], one.get("s") or "", one.get("o") or "") for one in question.get("triples", [])]


def expected(golden, submitted, edition):
    """The twenty values over all questions."""
    kinds = {"concepts": [], "documents": [], "snippets": [], "triples": []}
    for gold in golden["questions"]:
        answer = next((one for one in submitted["questions"] if one["id"] == gold["id"]), None)
        if answer is None:
            continue
        lists = {
            key: [list(dict.fromkeys(question.get(key, []))) for question in (gold, answer)]
            for key in ("documents", "concepts")
        }
        first = edition != 9 or lists["documents"][0]
        if first:
            kinds["documents"].append(of_list(*lists["documents"], edition))
            if all(lists["concepts"]):
                kinds["concepts"].append(of_list(*lists["concepts"], edition))
        if edition != 9 or gold.get("snippets"):
            kinds["snippets"].append(of_snippets(gold.get("snippets", []), answer.get("snippets", []), edition))
            if triples(gold):
                given = [one for one in triples(answer) if one in triples(gold)] if first else triples(answer)
                kinds["triples"].append(of_list(triples(gold), given, edition))
    values = {}
    for kind, items in kinds.items():
        for at in range(4):
            column = [0.0 if math.isnan(item[at]) else item[at] for item in items]
            values[f"{NAMES[at]} {kind}"] = sum(column) / len(column) if column else None
        logs = [0.0 if math.isnan(item[3]) else math.log(item[3] + EPSILON) for item in items]
        values[f"GMAP {kind}"] = math.exp(sum(logs) / len(logs)) if logs else None
        if kind == "snippets" and sum(logs) == 0:
            values["GMAP snippets"] = 0.0
    return values


def random_files(seed):
    """Golden and submitted questions; now and then some that a list of values is not defined for."""
    rng = random.Random(seed)
    hosts = ["http://www.ncbi.nlm.nih.gov/pubmed/", "https://www.ncbi.nlm.nih.gov/pubmed/", "http://other/"]
    numbers = [str(rng.randrange(10**6)) for _ in range(rng.randint(1, 4))]
    sections = ["abstract", "sections.abstract", "sections.0", "0", "title", "sections.1.2"]
    sections = rng.sample(sections, rng.randint(1, len(sections)))

    def document():
        return rng.choice(hosts[: rng.choice([1, 1, 2, 3])]) + rng.choice(numbers)

    def snippet():
        begin = rng.randint(0, 60)
        begin_section = rng.choice(sections)
        return {
            "document": document(),
            "text": "words",
            "beginSection": begin_section,
            "endSection": rng.choice([begin_section] * 6 + sections),
            "offsetInBeginSection": begin,
            "offsetInEndSection": begin + rng.choice([0, rng.randint(0, 5), rng.randint(0, 40)]),
        }

    def triple():
        return {"p": rng.choice("xy"), "s": rng.choice(["a", "b", None]), "o": rng.choice(["c", "d", None])}

    def question(name):
        one = {"id": name, "type": "list", "body": "?", "ideal_answer": [1]}
        one["documents"] = [document() for _ in range(rng.choice([0, 1, 3, 15]))]
        one["snippets"] = [snippet() for _ in range(rng.choice([0, 1, 4, 14]))]
        if rng.random() < 0.5:
            one["concepts"] = [rng.choice("klmn") for _ in range(rng.randint(0, 4))]
        if rng.random() < 0.5:
            one["triples"] = [triple() for _ in range(rng.randint(0, 4))]
        return one

    names = [f"q{at}" for at in range(rng.randint(1, 6))]
    golden = [question(name) for name in names]
    submitted = [question(name) for name in rng.sample([*names, "extra"], rng.randint(1, len(names) + 1))]
    return {"questions": golden}, {"questions": [*submitted, question(names[0])]}
