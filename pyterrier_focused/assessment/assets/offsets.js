// Offsets: judgments count code points, as Python does; strings and the DOM count UTF-16 units.
class Offsets {
  constructor(text) {
    this.text = text;
    this.pairs = []; // units at which a code point of two units begins, in order
    for (const found of text.matchAll(/[\u{10000}-\u{10ffff}]/gu)) this.pairs.push(found.index);
    this.length = text.length - this.pairs.length;
  }
  // the code points before a unit; a unit within a code point counts as its beginning
  points(unit) {
    return unit - below(this.pairs, unit, (pair) => pair);
  }
  units(point) {
    return point + below(this.pairs, point, (pair, at) => pair - at);
  }
  slice(start, end) {
    return this.text.slice(this.units(start), this.units(end));
  }
}

// how many entries of a sorted list have a key below a value
function below(list, value, key) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (key(list[middle], middle) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

// the offset in units that lies a character or word further on or back, within a text
function step(text, unit, direction, granularity) {
  const reach = 400;
  const from = Math.max(0, unit - (direction < 0 ? reach : 40));
  const piece = text.slice(from, unit + (direction > 0 ? reach : 40));
  const segments = new Intl.Segmenter(undefined, { granularity }).segment(piece);
  let before = 0;
  for (const { segment, index, isWordLike } of segments) {
    const start = from + index, end = start + segment.length;
    if (granularity === "word" && !isWordLike) continue;
    if (direction > 0 && end > unit) return end;
    if (direction < 0 && start < unit) before = start;
  }
  return direction > 0 ? Math.min(text.length, from + piece.length) : before || from;
}

// highlights with one more: in order, those that overlap made one
function withSpan(spans, added) {
  let [start, end] = added;
  const apart = spans.filter(([a, b]) => {
    if (b <= start || end <= a) return true;
    [start, end] = [Math.min(a, start), Math.max(b, end)];
    return false;
  });
  // a wider span may reach others that were apart
  return apart.length === spans.length ? sorted([...apart, [start, end]]) : withSpan(apart, [start, end]);
}

function sorted(spans) {
  return spans.sort((one, other) => one[0] - other[0]);
}

function union(one, other) {
  return other.reduce(withSpan, one.map((span) => [...span]));
}

function intersection(one, other) {
  const shared = one.flatMap(([a, b]) => other.map(([c, d]) => [Math.max(a, c), Math.min(b, d)]));
  return sorted(shared.filter(([start, end]) => start < end));
}
