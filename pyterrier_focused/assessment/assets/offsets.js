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
  snap(point, direction) {
    return this.points(snap(this.text, this.units(point), direction));
  }
  snapped([start, end]) {
    return snapped(this.text, this.units(start), this.units(end)).map((unit) => this.points(unit));
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

// scripts written without spaces between words
const UNSPACED = new RegExp(`[${["Han", "Hiragana", "Katakana", "Bopomofo", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan"]
  .map((script) => `\\p{Script=${script}}`).join("")}]`, "u");

// isWordLike is false in Firefox for words that end in a combining mark
const WORD = /[\p{L}\p{N}]/u;

function segmentsOf(text, granularity) {
  return new Intl.Segmenter(undefined, { granularity }).segment(text);
}

// the next end of a character or word (back: the next beginning), in units
function step(text, unit, direction, granularity) {
  const segments = segmentsOf(text, granularity);
  for (let at = unit; direction > 0 ? at < text.length : at > 0;) {
    const { segment, index } = segments.containing(direction > 0 ? at : at - 1);
    at = direction > 0 ? index + segment.length : index;
    if (granularity === "grapheme" || WORD.test(segment)) return at;
  }
  return direction > 0 ? text.length : 0;
}

// a boundary in units, moved outwards to that of the word it lies in; in scripts without spaces, of the character
function snap(text, unit, direction) {
  if (unit === text.length) return unit;
  let found = segmentsOf(text, "word").containing(unit);
  const word = found.index < unit && WORD.test(found.segment) && !UNSPACED.test(found.segment);
  if (!word) found = segmentsOf(text, "grapheme").containing(unit);
  return direction > 0 && found.index < unit ? found.index + found.segment.length : found.index;
}

// a span of units in whole words, without white space around it
function snapped(text, start, end) {
  const inside = text.slice(start, end);
  if (!inside.trim()) return [start, end];
  return [snap(text, end - inside.trimStart().length, -1), snap(text, start + inside.trimEnd().length, 1)];
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
