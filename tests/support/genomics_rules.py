"""The rules of the TREC Genomics program, character by character, and random files that are full of their quirks."""

import random


def read_gold(text):
    gold = {}
    for line in text.split("\n"):
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) >= 5:
            aspects = [name.strip() for name in fields[4].split("|")]
            passage = (fields[1], int(fields[2]), int(fields[3]), aspects)
            gold.setdefault(int(fields[0]), []).append(passage)
    return gold


def read_run(text, scored):
    run = {}
    for line in text.split("\n"):
        fields = line.split()
        if fields:
            offset, length = (int(field) for field in fields[3 + scored : 5 + scored])
            run.setdefault(int(fields[0]), []).append((int(fields[2]), fields[1], offset, length))
    return {topic: sorted(passages) for topic, passages in run.items()}


def characters(offset, length):
    return set(range(offset, offset + length))


def match(passage, golden):
    """The first golden passage that shares a character, and how many it shares."""
    _, pmid, offset, length = passage
    for gold in golden:
        shared = characters(offset, length) & characters(gold[1], gold[2]) if gold[0] == pmid else ()
        if shared:
            return gold, len(shared)
    return None, 0


def document(run, golden):
    relevant = {gold[0] for gold in golden}
    seen, hits, total = [], 0, 0.0
    for passage in run:
        if passage[1] not in seen:
            seen.append(passage[1])
            if passage[1] in relevant:
                hits += 1
                total += hits / len(seen)
    return total / len(relevant)


def passage(run, golden):
    found, read, relevant, count, total = set(), 0, 0, 0, 0.0
    for part in run:
        read += part[3]
        gold, shared = match(part, golden)
        if gold:
            relevant += shared
            count += 1
            total += relevant / read
            found.add(gold[:3])
    return total / (count + len({gold[:3] for gold in golden} - found))


def aspect(run, golden):
    seen, hits, counted, total = set(), 0, 0, 0.0
    for part in run:
        gold, _ = match(part, golden)
        if gold is None:
            counted += 1
        elif new := set(gold[3]) - seen:
            hits, counted = hits + 1, counted + 1
            total += len(new) * hits / counted
            seen |= new
    return total / len({name for gold in golden for name in gold[3]})


def passage2(run, golden):
    relevant = {(gold[0], at) for gold in golden for at in range(gold[1], gold[1] + gold[2])}
    seen, hits, read, total = set(), 0, 0, 0.0
    for _, pmid, offset, length in run:
        for at in range(offset, offset + length):
            if (pmid, at) in relevant:
                if (pmid, at) not in seen:
                    seen.add((pmid, at))
                    hits, read = hits + 1, read + 1
                    total += hits / read
            else:
                read += 1
    return total / len(relevant) if relevant else 0.0


def expected(gold, run, scored):
    """All values, as the program has them."""
    gold, run = read_gold(gold), read_run(run, scored)
    measures = {"DOCUMENT": document, "PASSAGE": passage, "ASPECT": aspect, "PASSAGE2": passage2}
    values = {
        str(topic): {name: measure(run.get(topic, []), gold[topic]) for name, measure in measures.items()}
        for topic in sorted(gold)
    }
    means = {name: sum(value[name] for value in values.values()) / len(values) for name in measures}
    return {**values, "all": means}


def has_no_judged_article(gold, run):
    """Tell whether none of the articles that a run has for judged topics is judged for any topic."""
    judged = {
        (fields[0].strip(), fields[1].strip()) for line in gold.split("\n") if len(fields := line.split("\t")) >= 5
    }
    topics, articles = ({pair[i] for pair in judged} for i in (0, 1))
    retrieved = [line.split()[:2] for line in run.split("\n") if line.strip()]
    return bool(retrieved) and not any(topic in topics and article in articles for topic, article in retrieved)


def random_files(seed):
    """Gold standard and run as text, and whether the run has scores; some of its passages hold nothing."""
    rng = random.Random(seed)
    pmids = rng.sample(["10", "9", "100", "12", "7", "70"], rng.randint(1, 6))
    topics = rng.sample([200, 201, 9, 1000], rng.randint(1, 4))
    has_empty = rng.random() < 0.3

    def span(least=1):
        return rng.randint(0, 40), rng.randint(least, rng.choice([3, 12, 30]))

    names = ["A", "B", "B C", "", " A", "D|E", "A|A", "E|", "|"]
    gold = []
    for _ in range(rng.randint(1, 14)):
        offset, length = span()
        aspects = "|".join(rng.choices(names, k=rng.randint(1, 3)))
        gold.append(
            f"{rng.choice(topics)}\t{rng.choice(pmids)}\t{offset}\t{length}\t{aspects}{rng.choice(['', '', ' '])}"
        )
        if rng.random() < 0.1:
            gold.append(rng.choice([gold[-1], "", "200\t10\t3\t4", "no gold at all"]))
    scored = rng.random() < 0.5
    run = []
    for _ in range(rng.randint(0, 25)):
        offset, length = span(0 if has_empty else 1)
        score = f" {rng.choice(['7.5', '8', '-0.1', '3'])}" if scored else ""
        tag = rng.choice([" tag", " tag more"]) if scored else " tag"
        head = f"{rng.choice([*topics, 77])} {rng.choice([*pmids, '5'])} {rng.choice([1, 2, 2, 3, 10])}"
        run.append(f"{head}{score} {offset} {length}{tag}")
        if rng.random() < 0.15:
            run.append(rng.choice([run[-1], ""]))
    return "\n".join(gold) + "\n", "\n".join(run) + "\n", scored
