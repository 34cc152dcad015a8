"""Castitles by their definition, one element at a time: what `NexiRetriever` does with columns."""

import operator

from pyterrier_focused.retrieval.elements.nexi import About, And, Comparison

OPERATORS = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
}  # fmt: skip
NOT = float("-inf")


class Element:
    def __init__(self, docno, row, above, text):
        self.span = docno, row.start, row.end
        self.tag, self.text = row.tag, text[row.start : row.end].strip()
        self.around = [] if above is None else [above, *above.around]


class PlainNexi:
    """The scores of the elements of all articles in *found*: {passage id: score} for each about clause."""

    def __init__(self, collection, found, equivalents, strict, decay):
        self.strict, self.decay = strict, decay
        self.same = {name: group for group in equivalents if not strict for name in group}
        self.elements = []
        for docno in {part.rpartition("#")[0] for parts in found.values() for part in parts}:
            text, own = collection.text([docno])[0], []
            for row in collection.elements(docno).itertuples():
                own.append(Element(docno, row, own[row.parent] if row.parent >= 0 else None, text))
            self.elements += own
        self.about = {about: self.part_scores(parts) for about, parts in found.items()}

    def answers(self, query):
        """Return {passage id: score}."""
        score = {element: self.step(query.steps, element) for element in self.elements}
        if not self.strict and max(score.values(), default=NOT) == NOT:
            score = {element: max(own[element] for own in self.about.values()) for element in self.elements}
        best = {}
        for element, value in score.items():
            docno, start, end = element.span
            name = f"{docno}#{start}-{end}"
            if value > NOT and start < end:
                best[name] = max(value, best.get(name, NOT))
        return best

    def part_scores(self, parts):
        """An element scores as the part it is, or by the best part within, less with each level between."""
        own = dict.fromkeys(self.elements, NOT)
        for name, score in parts.items():
            docno, _, span = name.rpartition("#")
            start, end = map(int, span.split("-"))
            holders = [e for e in self.elements if e.span[0] == docno and e.span[1] <= start and end <= e.span[2]]
            innermost = max(holders, key=lambda element: len(element.around))
            span, value = (docno, start, end), score
            for element in [innermost, *innermost.around]:
                if element.span != span:
                    span, value = element.span, value * self.decay
                own[element] = max(own[element], value)
        for element in self.elements:
            own[element] = parts.get("{}#{}-{}".format(*element.span), own[element])
        return own

    def step(self, steps, element):
        nowhere = not any(self.fits(steps[-1], other) for other in self.elements)
        fits = self.fits(steps[-1], element) or (nowhere and not self.strict)  # then any element will do
        return self.scored(steps, element) if fits else NOT

    def scored(self, steps, element, last=True):
        *before, step = steps
        above = max([self.above(before, other) for other in element.around], default=NOT) if before else NOT
        own = None if step.condition is None else self.holds(step.condition, element)
        if self.strict:
            return (0.0 if own is None else own) + (above if before else 0.0)
        if own is None:
            return above
        both = own + max(above, 0.0) if above > NOT else own
        return both if last else max(both, above)

    def above(self, steps, element):
        return self.scored(steps, element, last=False) if self.fits(steps[-1], element) else NOT

    def fits(self, step, element):
        names = {other for name in step.names for other in self.same.get(name, {name})}
        return "*" in step.names or element.tag in names

    def holds(self, condition, element):
        if isinstance(condition, About | Comparison):
            return self.at(condition, condition.path, element)
        scores = [self.holds(part, element) for part in condition.parts]
        if not isinstance(condition, And):
            return max(scores)
        if self.strict:
            return sum(scores)
        numbers = [s for s, part in zip(scores, condition.parts, strict=True) if isinstance(part, Comparison)]
        return sum(s for s in scores if s > NOT) if max(scores) > NOT and min(numbers, default=0) > NOT else NOT

    def at(self, clause, path, element):
        if not path:
            return self.about[clause][element] if isinstance(clause, About) else self.compared(clause, element)
        if not self.strict and not any(self.fits(path[0], other) for other in self.elements):
            return self.at(clause, path[1:], element)  # a vague path leaves out what is nowhere
        below = [other for other in self.elements if element in other.around and self.fits(path[0], other)]
        return max([self.at(clause, path[1:], other) for other in below], default=NOT)

    def compared(self, clause, element):
        number = element.text.removeprefix("-").isdecimal()
        return 0.0 if number and OPERATORS[clause.operator](float(element.text), clause.number) else NOT
