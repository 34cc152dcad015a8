"""Every measure a second time, from its definition: sets of characters, plain loops, exact fractions.

Nothing here is shared with the package. A topic is two lists of rows:

    run    (docno, score, passages)                    passages: None or a list of (start, end) or (start, end, score)
    qrels  (docno, label, highlights, bep, length)     highlights: a list of (start, end)

A row of a run may end with two more lists beside its passages: the numbers of their items (None: an item alone) and the
numbers of characters around them. Passages of an item that overlap must have been merged (`merge_items`).

Every function returns the value for one topic, a Fraction where the definition is exact.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np


class Overlap(Exception):
    """Two parts of one article share a character and the measure does not say overlap='once'."""


def articles(run):
    """The ranked articles: float32 of the score, descending, then the docno, descending."""
    with np.errstate(over="ignore"):  # beyond float32 is infinity
        ranked = sorted(run, key=lambda row: (np.float32(row[1]), row[0]), reverse=True)
    return [row[:3] for row in ranked]


def passages(run):
    """The ranked passages as (docno, start, end)."""
    entries = []
    for rank, (docno, _, parts) in enumerate(articles(run)):
        for nth, part in enumerate(parts or ()):
            entries.append((place(rank, nth, part), docno, *part[:2]))
    return [entry[1:] for entry in sorted(entries)]


def place(rank, nth, part):
    """Where a passage stands: by its score, its article's rank, start and end; without scores as its cell lists it."""
    return (-part[2], rank, *part[:2]) if len(part) == 3 else (0, rank, nth)


def items(run):
    """The ranked items, each a list of what is read of it: what is around, then the characters of its passages."""
    beside = {row[0]: row[3:] for row in run}
    rank_of = {docno: rank for rank, (docno, _, _) in enumerate(articles(run))}
    entries = []
    for docno, _, parts, *_ in run:
        numbers, around = beside[docno] or ([None] * len(parts or ()), [0] * len(parts or ()))
        for at, (part, number, size) in enumerate(zip(parts or (), numbers, around, strict=True)):
            entries.append((place(rank_of[docno], at, part), docno, number, size, range(*part[:2])))
    found = {}
    for nth, entry in enumerate(sorted(entries, key=lambda entry: entry[0])):
        found.setdefault(("alone", nth) if entry[2] is None else entry[2], []).append(entry)
    return [
        [("around", name, i) for i in range(sum(size for *_, size, _ in passages))]
        + [(docno, offset) for _, docno, _, _, offsets in passages for offset in offsets]
        for name, passages in found.items()
    ]


def merge_items(run):
    """Merge the passages of an item that share a character: the best score, and all that is around them."""
    return [(*row[:2], *merge_parts(*row[2:])) for row in run]


def merge_parts(parts, numbers, around):
    """A merged passage stands where the first of its passages is listed."""
    left = list(zip(range(len(parts or ())), parts or (), numbers, around, strict=True))
    done = []
    while left:
        nth, part, number, size = left.pop()
        twin = next((one for one in left if number is not None and one[2] == number and share(one[1], part)), None)
        if twin is None:
            done.append((nth, part, number, size))
        else:
            earlier, other, _, more = left.pop(left.index(twin))
            score = (max(part[2], other[2]),) if len(part) == 3 else ()
            span = (min(part[0], other[0]), max(part[1], other[1]), *score)
            left.append((min(nth, earlier), span, number, size + more))
    return [list(column) for column in zip(*sorted(done), strict=True)][1:] if done else [parts, [], []]


def share(one, other):
    return bool(set(range(*one[:2])) & set(range(*other[:2])))


def characters(docno, spans):
    return {(docno, offset) for span in spans for offset in range(span[0], span[1])}


def highlighted(qrels):
    """The topic's relevant characters."""
    return set().union(*(characters(row[0], row[2]) for row in qrels))


def retrieved_pieces(run, overlap):
    """Per ranked item the set of characters that it counts for."""
    seen, pieces = set(), []
    for item in items(run):
        here = set(item)
        if here & seen and overlap != "once":
            raise Overlap(item)
        pieces.append(here - seen)
        seen |= here
    return pieces


def sums(run, qrels, overlap):
    """Per rank r, from 0: characters retrieved and relevant characters retrieved over the first r passages."""
    relevant = highlighted(qrels)
    table = [(0, 0)]
    for piece in retrieved_pieces(run, overlap):
        table.append((table[-1][0] + len(piece), table[-1][1] + len(piece & relevant)))
    return table


def ratio(above, below):
    return Fraction(above) / Fraction(below) if below else Fraction(0)


def f_beta(precision, recall, beta):
    square = Fraction(beta) ** 2
    return ratio((1 + square) * precision * recall, square * precision + recall)


def at(table, r):
    return table[-1] if r is None else table[min(r, len(table) - 1)]


def char_p(run, qrels, r=None, overlap="error"):
    size, rsize = at(sums(run, qrels, overlap), r)
    return ratio(rsize, size)


def char_r(run, qrels, r=None, overlap="error"):
    return ratio(at(sums(run, qrels, overlap), r)[1], len(highlighted(qrels)))


def char_f(run, qrels, r=None, beta=1, overlap="error"):
    return f_beta(char_p(run, qrels, r, overlap), char_r(run, qrels, r, overlap), beta)


def char_judged(run, qrels, r, overlap):
    """The share of the retrieved characters that lie in judged articles."""
    judged = {row[0] for row in qrels}
    found = [docno for piece in retrieved_pieces(run, overlap)[:r] for docno, *_ in piece]
    return Fraction(sum(docno in judged for docno in found), len(found)) if found else Fraction(0)


def char_iou(run, qrels, r=None, overlap="error"):
    text = set().union(*retrieved_pieces(run, overlap)[:r])
    relevant = highlighted(qrels)
    return ratio(len(text & relevant), len(text | relevant))


def interpolated(points, level):
    """The highest precision of the points (precision, recall) whose recall is at least *level*."""
    return max((precision for precision, recall in points if recall >= level), default=Fraction(0))


def char_points(run, qrels, overlap):
    total = len(highlighted(qrels))
    if not total:
        return []
    return [(ratio(rsize, size), Fraction(rsize, total)) for size, rsize in sums(run, qrels, overlap)[1:]]


def i_p(run, qrels, level, overlap="error"):
    return interpolated(char_points(run, qrels, overlap), Fraction(str(float(level))))


def a_ip(run, qrels, points=101, overlap="error"):
    curve = char_points(run, qrels, overlap)
    return sum(interpolated(curve, Fraction(i, points - 1)) for i in range(points)) / points


def char_ap(run, qrels, overlap="error"):
    table = sums(run, qrels, overlap)
    precisions = [ratio(table[r][1], table[r][0]) for r in range(1, len(table)) if table[r][1] > table[r - 1][1]]
    return ratio(sum(precisions), len(precisions)) * ratio(table[-1][1], len(highlighted(qrels)))


def is_relevant(row, task):
    return row[1] >= 1 if task == "doc" else bool(characters(row[0], row[2]))


def tolerance(docno, ranked, judgment, irr):
    """Relevant characters read / characters read: the passages in the order of the text, then the rest of the text."""
    relevant = characters(docno, judgment[2])
    text = characters(docno, [(start, end) for _, start, end in ranked])
    whole = characters(docno, [(0, judgment[4])])
    found = wrong = 0
    for character in [*sorted(text), *sorted(whole - text)]:
        if wrong == irr:
            break
        found += character in relevant
        wrong += character not in relevant
    return ratio(found, found + wrong)


def article_score(docno, parts, judgment, task, beta, A, n, overlap, irr):
    """S(d) of a retrieved article."""
    if judgment is None or not is_relevant(judgment, task):
        return Fraction(0)
    if task == "doc":
        return Fraction(1)
    ranked = passages([(docno, 0, parts)])
    if not ranked:
        return Fraction(0)
    if task == "ric":
        relevant = characters(docno, judgment[2])
        text = characters(docno, [(start, end) for _, start, end in ranked])
        return f_beta(ratio(len(text & relevant), len(text)), ratio(len(text & relevant), len(relevant)), beta)
    if task == "t2i":
        return tolerance(docno, ranked, judgment, irr)
    bep, length = judgment[3], judgment[4]
    if bep == -1:
        return Fraction(0)
    distance = abs(ranked[0][1] - bep)
    if n is not None:
        return Fraction(n - distance) / Fraction(n) if distance <= n else Fraction(0)
    return Fraction(A) * length / (Fraction(A) * length + distance)


def generalized(run, qrels, task, beta, A, n, overlap, irr):
    """Per ranked article (S(d), is relevant), and the number of relevant articles."""
    if task in ("ric", "t2i"):
        retrieved_pieces(run, overlap)
    judged = {row[0]: row for row in qrels}
    ranked = []
    for docno, _, parts in articles(run):
        row = judged.get(docno)
        score = article_score(docno, parts, row, task, beta, A, n, overlap, irr)
        ranked.append((score, row is not None and is_relevant(row, task)))
    return ranked, sum(is_relevant(row, task) for row in qrels)


def g_p(run, qrels, r, task="ric", beta=1, A=0.1, n=None, last=False, overlap="error", irr=300):
    ranked, _ = generalized(run, qrels, task, beta, A, n, overlap, irr)
    return ratio(sum(score for score, _ in ranked[:r]), min(r, len(ranked)) if last else r)


def g_r(run, qrels, r, task="ric", beta=1, A=0.1, n=None, last=False, overlap="error", irr=300):
    ranked, n_rel = generalized(run, qrels, task, beta, A, n, overlap, irr)
    return ratio(sum(relevant for _, relevant in ranked[:r]), n_rel)


def a_gp(run, qrels, task="ric", beta=1, A=0.1, n=None, overlap="error", irr=300):
    ranked, n_rel = generalized(run, qrels, task, beta, A, n, overlap, irr)
    total = Fraction(0)
    for r, (_, relevant) in enumerate(ranked, start=1):
        if relevant:
            total += sum(score for score, _ in ranked[:r]) / r
    return ratio(total, n_rel)


def adm(run, qrels, srs="minmax", depth=1000, urs="label", max_label=None, docs="judged", side="both", n=None):
    ranked = articles(run)
    system, user = {}, {}
    scores = [float(score) for _, score, _ in ranked]
    for position, (docno, score, _) in enumerate(ranked):
        if srs == "rank":
            system[docno] = float(max(Fraction(0), 1 - Fraction(position, depth)))
        elif srs == "score":
            system[docno] = float(score)
        elif srs == "retrieved" or min(scores) == max(scores):
            system[docno] = 1.0
        else:  # in float64, as scores are: whether SRS is above URS must not hang on more digits than there are
            system[docno] = (float(score) - min(scores)) / (max(scores) - min(scores))
    highest = max_label if max_label is not None else max((row[1] for row in qrels), default=0)
    for docno, label, highlights, _, length in qrels:
        if urs == "specificity":
            relevant = characters(docno, highlights)
            user[docno] = len(relevant) / length if relevant else 0.0
        elif urs == "relevant":
            user[docno] = float(label >= 1)
        else:
            user[docno] = label / highest if label > 0 else 0.0
    retrieved = [docno for docno, _, _ in ranked[:n]]
    chosen = {
        "judged": set(user),
        "union": set(user) | set(retrieved),
        "retrieved": set(retrieved),
        "relevant": {row[0] for row in qrels if row[1] >= 1},
    }[docs]
    if not chosen:
        return 0.0
    pairs = [(system.get(docno, 0.0), user.get(docno, 0.0)) for docno in chosen]
    if side == "over":
        pairs = [(s, u) for s, u in pairs if s > u]
    if side == "under":
        pairs = [(s, u) for s, u in pairs if s < u]
    return 1 - sum(abs(s - u) for s, u in pairs) / len(pairs) if pairs else 1.0


def hits(run, qrels):
    """Per ranked article whether it is relevant by label, and the number of relevant articles."""
    relevant = {row[0] for row in qrels if row[1] >= 1}
    return [docno in relevant for docno, _, _ in articles(run)], len(relevant)


def iap11(run, qrels):
    found, n_rel = hits(run, qrels)
    if not n_rel:
        return Fraction(0)
    curve = [(Fraction(sum(found[:r]), r), Fraction(sum(found[:r]), n_rel)) for r in range(1, len(found) + 1)]
    return sum(interpolated(curve, Fraction(i, 10)) for i in range(11)) / 11


def f_at(run, qrels, k=None, beta=1, last=False):
    found, n_rel = hits(run, qrels)
    depth = len(found) if k is None or (last and k > len(found)) else k
    return f_beta(ratio(sum(found[:k]), depth), ratio(sum(found[:k]), n_rel), beta)


def rocauc(run, qrels):
    """Share of pairs (relevant, not relevant) of judged articles in the right order; a tie is half a pair."""
    place = {docno: -position for position, (docno, _, _) in enumerate(articles(run))}
    behind = -len(place)
    positive = [place.get(row[0], behind) for row in qrels if row[1] >= 1]
    negative = [place.get(row[0], behind) for row in qrels if row[1] < 1]
    if not positive or not negative:
        return Fraction(1, 2)
    won = sum(Fraction(1) if p > q else Fraction(1, 2) if p == q else 0 for p in positive for q in negative)
    return won / (len(positive) * len(negative))


def f_alpha(run, qrels, k, alpha):
    """1 / (alpha / P + (1 - alpha) / R), 0 where a term that counts is 0."""
    found, n_rel = hits(run, qrels)
    precision, recall = ratio(sum(found[:k]), len(found) if k is None else k), ratio(sum(found[:k]), n_rel)
    alpha = Fraction(str(alpha))
    terms = [(alpha, precision), (1 - alpha, recall)]
    if any(weight and not value for weight, value in terms):
        return Fraction(0)
    return 1 / sum(weight / value for weight, value in terms if weight)


def contingency(run, qrels, k, documents):
    """(tp, fp, fn, tn) by going over every article there is; those that nobody names are not relevant."""
    relevant = {row[0] for row in qrels if row[1] >= 1}
    judged = {row[0] for row in qrels}
    retrieved = {docno for docno, _, _ in articles(run)[:k]}
    everything = judged if documents is None else judged | {docno for docno, _, _ in articles(run)}
    table = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
    for docno in everything:
        table[docno in retrieved, docno in relevant] += 1
    if documents is not None:
        table[False, False] += documents - len(everything)
    return table[True, True], table[True, False], table[False, True], table[False, False]


def set_accuracy(run, qrels, k=None, documents=None):
    tp, fp, fn, tn = contingency(run, qrels, k, documents)
    return ratio(tp + tn, tp + fp + fn + tn)


def specificity(run, qrels, k=None, documents=None):
    _, fp, _, tn = contingency(run, qrels, k, documents)
    return ratio(tn, fp + tn)


def p_at_recall(run, qrels, level):
    found, n_rel = hits(run, qrels)
    if n_rel:
        for r in range(1, len(found) + 1):
            if Fraction(sum(found[:r]), n_rel) >= Fraction(str(float(level))):
                return Fraction(sum(found[:r]), r)
    return Fraction(0)


def ap_bound(run, qrels, documents=None):
    """AP of the ranking gone on to its end: the relevant articles it lacks come first, or last of all *documents*."""
    found, n_rel = hits(run, qrels)
    missing = [True] * (n_rel - sum(found))
    others = [] if documents is None else [False] * (documents - len(found) - len(missing))
    ranking = found + others + missing
    return ratio(sum(Fraction(sum(ranking[:r]), r) for r in range(1, len(ranking) + 1) if ranking[r - 1]), n_rel)
