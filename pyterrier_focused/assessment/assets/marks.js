// Painting: highlights by the browser's own registry, so that the article's nodes stay as they are; caret and handles.
const PAINTS = ["words", "relevant", "active"];

function paint(name, ranges) {
  const highlight = new Highlight(...ranges);
  highlight.priority = PAINTS.indexOf(name);
  CSS.highlights.set(name, highlight);
}

// the query's words in the text, as ranges; at most some thousands
function wordRanges(rendered, query) {
  const words = [...new Set(query.match(/[\p{L}\p{N}\p{M}]{2,}/gu) ?? [])];
  if (!words.length) return [];
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}\\p{M}])(?:${words.join("|")})(?:e?s)?(?![\\p{L}\\p{N}\\p{M}])`, "giu");
  const ranges = [];
  for (const found of rendered.offsets.text.matchAll(pattern)) {
    const { offsets } = rendered;
    ranges.push(rendered.range(offsets.points(found.index), offsets.points(found.index + found[0].length)));
    if (ranges.length === 5000) break;
  }
  return ranges;
}

class Marks {
  constructor(scroll) {
    this.scroll = scroll;
    [this.caret, this.entry, this.from, this.to, this.float] =
      ["caret", "entry", "from", "to", "float"].map((id) => document.getElementById(id));
  }

  // put an element of the overlay at a point of the window
  put(element, x, y) {
    const box = this.scroll.getBoundingClientRect();
    element.style.left = `${x - box.left + this.scroll.scrollLeft}px`;
    element.style.top = `${y - box.top + this.scroll.scrollTop}px`;
    element.hidden = false;
  }

  place(rendered, spans, active, bep, selected) {
    for (const element of [this.caret, this.entry, this.from, this.to, this.float]) element.hidden = true;
    if (!rendered) return;
    const entry = bep >= 0 && boxAt(rendered, bep);
    if (entry) {
      this.put(this.entry, 0, entry.top);
      this.entry.style.left = "";
    }
    const span = spans[active];
    if (span) {
      const [start, end] = [boxAt(rendered, span[0]), boxAt(rendered, span[1], true)];
      if (start) this.put(this.from, start.left - 20, start.top - 18);
      if (end) this.put(this.to, end.right - 4, end.bottom - 6);
      const { text } = rendered.offsets;
      for (const [handle, at] of [[this.from, span[0]], [this.to, span[1]]]) {
        handle.setAttribute("aria-valuemin", 0);
        handle.setAttribute("aria-valuemax", rendered.offsets.length);
        handle.setAttribute("aria-valuenow", at);
        const unit = rendered.offsets.units(at);
        handle.setAttribute("aria-valuetext", `character ${at}: ${text.slice(Math.max(0, unit - 20), unit)}|${text.slice(unit, unit + 20)}`);
      }
    }
    if (!selected) return;
    const box = boxAt(rendered, selected[1], selected[1] > selected[0]);
    if (!box) return;
    if (selected[1] > selected[0]) {
      const page = this.scroll.getBoundingClientRect();
      this.put(this.float, Math.min(Math.max(box.right - 60, page.left), page.right - 130), box.bottom + 4);
    } else {
      this.put(this.caret, box.left - 1, box.top);
      this.caret.style.height = `${box.height}px`;
    }
  }
}
