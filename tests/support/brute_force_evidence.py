"""The measures of evidence and of budgets from their definitions: plain sets and lists of characters, exact fractions.

Nothing here is shared with the package. Topics as in `brute_force`.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import log2

from brute_force import highlighted, items


class Span(frozenset):
    """The characters of an evidence span; *cover*: the share of it that must be retrieved, None for the measure's."""

    cover = None


def is_found(span, text, cover):
    own = getattr(span, "cover", None)
    return len(span & text) >= max(Fraction(str(cover if own is None else own)) * len(span), 1)


def evidence_spans(qrels):
    """The topic's evidence spans: overlapping highlights of one cover are one, touching ones two.

    A row of the qrels may end with a list of covers, one for each of its highlights.
    """
    found = []
    for docno, _, highlights, *more in qrels:
        covers = more[2] if len(more) > 2 else [None] * len(highlights or ())
        for cover in dict.fromkeys(covers):
            chosen = [span for span, own in zip(highlights or (), covers, strict=True) if own == cover]
            spans = [{(docno, offset) for offset in range(*span)} for span in chosen]
            while spans:
                span = spans.pop()
                if any(span & other for other in spans):
                    spans = [
                        other | span if not done and other & span else other for done, other in _marked(spans, span)
                    ]
                    continue
                found.append(Span(span))
                found[-1].cover = cover
    return found


def _marked(spans, span):
    """Pairs (an earlier one meets the span, this one)."""
    done = False
    for other in spans:
        yield done, other
        done = done or bool(other & span)


def _covered(run, qrels, cover, k):
    """How many evidence spans the first k parts cover."""
    seen = set()
    for item in items(run)[:k]:
        seen |= set(item)
    return sum(is_found(span, seen, cover) for span in evidence_spans(qrels))


def span_hit(run, qrels, cover, k):
    return int(_covered(run, qrels, cover, k) > 0)


def span_r(run, qrels, cover, k):
    spans = evidence_spans(qrels)
    return Fraction(_covered(run, qrels, cover, k), len(spans)) if spans else 0


def span_rr(run, qrels, cover):
    for k in range(1, len(items(run)) + 1):
        if span_hit(run, qrels, cover, k):
            return Fraction(1, k)
    return 0


def abstain(run, qrels):
    return int(not highlighted(qrels) and not items(run))


def char_map(run, qrels, overlap):
    """Average precision with each character as an item; relevant ones seen before are not items."""
    relevant, seen = highlighted(qrels), set()
    total = found = size = 0
    for item in items(run):
        for character in item:
            if character in seen and (character in relevant or overlap == "once"):
                continue
            seen.add(character)
            size += 1
            if character in relevant:
                found += 1
                total += found / size
    return total / len(relevant) if relevant else 0


def read(run, overlap, r, chars, weight=lambda item: 1):
    """The characters read, in order, up to r passages and a budget; weight: units that begin at a character."""
    text, seen, spent = [], set(), 0
    for item in items(run)[:r]:
        for character in item:
            if overlap == "once" and character in seen:
                continue
            seen.add(character)
            if chars is not None and spent + weight(character) > chars:
                return text
            spent += weight(character)
            text.append(character)
    return text


def budget(run, qrels, chars, r, overlap, weight=lambda item: 1):
    """CharP, CharR, CharIoU and CharF(beta=2) of the characters read."""
    relevant = highlighted(qrels)
    text = read(run, overlap, r, chars, weight)
    size = sum(map(weight, text))
    both = sum(weight(item) for item in text if item in relevant)
    total = sum(map(weight, relevant))
    p, q = (Fraction(both, n) if n else Fraction(0) for n in (size, total))
    union = size + total - both
    f2 = 5 * p * q / (4 * p + q) if both else 0
    return {"p": p, "r": q, "iou": Fraction(both, union) if union else 0, "f2": f2, "size": size}


def within_budget(run, qrels, cover, amount, weight=lambda item: 1):
    """SpanHit, SpanR and SpanP of what is read: parts up to the budget, and no further in the last one."""
    seen, spent, found = set(), 0, [0]
    for item in items(run):
        if spent >= amount:
            break
        goes_on = False
        for character in item:
            # what begins no unit is read with the unit before it
            goes_on = character not in seen and (spent < amount or (goes_on and not weight(character)))
            if goes_on:
                seen.add(character)
                spent += weight(character)
        found.append(sum(is_found(span, seen, cover) for span in evidence_spans(qrels)))
    parts, spans = len(found) - 1, len(evidence_spans(qrels))
    bringing = sum(a < b for a, b in pairwise(found))
    recall, precision = (Fraction(a, b) if b else 0 for a, b in ((found[-1], spans), (bringing, parts)))
    return {"SpanHit": int(found[-1] > 0), "SpanR": recall, "SpanP": precision}


def relevant_ranks(run, qrels, k, cover=0.5, iou=None):
    """The 1-based ranks of the first k parts that bring an evidence span."""
    if iou is None:
        found = [0] + [_covered(run, qrels, cover, r) for r in range(1, len(items(run)) + 1)]
        return [r for r in range(1, len(found)) if found[r] > found[r - 1] and (k is None or r <= k)]
    spans, ranks = evidence_spans(qrels), []
    for r, part in enumerate(map(set, items(run)[:k]), start=1):
        alike = [(Fraction(len(part & span), len(part | span)), -min(span)[1], span) for span in spans if part & span]
        alike = [entry for entry in alike if entry[0] >= Fraction(str(iou))]
        if alike:
            spans.remove(max(alike, key=lambda entry: entry[:2])[2])
            ranks.append(r)
    return ranks


def span_p(run, qrels, k, **match):
    parts = k or len(items(run))
    return Fraction(len(relevant_ranks(run, qrels, k, **match)), parts) if parts else 0


def span_ap(run, qrels, k, **match):
    ranks, total = relevant_ranks(run, qrels, k, **match), len(evidence_spans(qrels))
    return sum(Fraction(i, r) for i, r in enumerate(ranks, start=1)) / total if total else 0


def span_ndcg(run, qrels, k, **match):
    total = len(evidence_spans(qrels))
    best = range(1, (total if k is None else min(total, k)) + 1)
    gain, ideal = (sum(1 / log2(r + 1) for r in ranks) for ranks in (relevant_ranks(run, qrels, k, **match), best))
    return gain / ideal if ideal else 0


def returned(run, qrels, k, chars=None):
    """Sizes that count text each time it is returned: (retrieved, relevant, highlighted)."""
    text = [character for item in items(run)[:k] for character in item][:chars]
    relevant = highlighted(qrels)
    return len(text), sum(character in relevant for character in text), len(relevant)


def redundancy(run, qrels, k):
    text = [character for item in items(run)[:k] for character in item]
    return Fraction(len(text) - len(set(text)), len(text)) if text else 0


def read_text(run, k, chars):
    """The characters of the first k parts, up to *chars* of them, each once."""
    text = [character for item in items(run)[:k] for character in item]
    return set(list(dict.fromkeys(text))[:chars])
