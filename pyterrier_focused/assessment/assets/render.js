// An article as a reader sees it. Its text nodes hold the text and nothing else, each character once and in order.
const SECTION = /^(article|bdy|body|sec|section|ss\d*|abs|abstract|bm|fm|app|structure|figure|image|template|list|ul|ol|l\d|dl|caption|div\d?|chapter|appendix|sect\d|norm|act|scene|sp|speech|lg|l|line)$/;
const KINDS = [
  [/^(p|ip\d|p\d|para|simpara|ab|la)$/, "p"], [/^(item|li|entry|dd|dt)$/, "div", "item"], [/^(header|categories|id)$/, "div", "head"],
  [/^(pre|programlisting|screen|literallayout|synopsis|preformat|eg|egxml)$/, "pre"], [/^(i|em|it|emph2)$/, "em"], [/^(b|strong|bold|emph3)$/, "strong"], [/^(sup|sub)$/, "$"],
];
const CELLS = { table: "table", tr: "tr", row: "tr", td: "td", cell: "td", col: "td", th: "th", tbody: "tbody", thead: "thead" };
const BLOCK = 2000;
const ROW = /^(?=.{0,300}$)(?:.*\|.*\||.*\S\t+\S)/m; // of a table: cells parted by | or tabs
const INDENTED = /^[ \t|]/m; // lines of code, of lists within lists, and of tables
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]|[\ud802\ud803\ud83a\ud83b]/; // of scripts that are written so
const DEEPEST = 60; // levels that are shown one within the other

class Rendered {
  constructor(host, article) {
    this.host = host;
    this.offsets = article.offsets ??= new Offsets(article.text);
    this.nodes = []; // text nodes in order, and where each begins (units)
    this.starts = [];
    this.outline = [];
    host.replaceChildren();
    const root = document.createElement("div");
    root.dir = "auto";
    if ((article.elements.tag ?? []).length) this.structured(root, article.elements);
    else this.plain(root);
    host.append(root);
  }

  write(parent, from, to) {
    if (to <= from) return;
    const node = document.createTextNode(this.offsets.text.slice(from, to));
    this.nodes.push(node);
    this.starts.push(from);
    parent.append(node);
  }

  // a text without structure: blocks of some thousand characters that end with a line; each line has its direction
  plain(root) {
    const { text } = this.offsets;
    root.className = RIGHT_TO_LEFT.test(text) ? "plain mixed" : "plain";
    let from = 0, to = 0, rows = false;
    for (const line of [...text.split(/(?<=\n)/), ""]) {
      const row = ROW.test(line);
      const full = to - from >= BLOCK && line !== "\n"; // empty lines belong to the line before
      if (row !== rows || full || !line) {
        const block = create("div");
        if (rows) block.className = "rows";
        this.write(block, from, to);
        root.append(block);
        [from, rows] = [to, row];
      }
      to += line.length;
    }
  }

  structured(root, { tag, start, end, parent, keeps_lines }) {
    root.className = keeps_lines ? "article lines" : "article";
    const open = [{ dom: root, at: -1, end: this.offsets.text.length, tag: "", level: 1, row: -1 }];
    let position = 0;
    const close = () => {
      const last = open.pop();
      const stop = Math.max(position, last.end);
      this.write(last.dom, position, stop);
      position = stop;
    };
    for (let i = 0; i < tag.length; i += 1) {
      const [from, to] = [this.offsets.units(start[i]), this.offsets.units(end[i])];
      while (open.length > 1 && open.at(-1).row !== parent[i]) close();
      const above = open.at(-1);
      if (from < position) continue;
      this.write(above.dom, position, from);
      position = from;
      const level = above.level + /^(sec|section|ss\d*)$/.test(tag[i]);
      const dom = open.length < DEEPEST ? this.element(tag[i], above, level, from === to) : null;
      if (dom) above.dom.append(dom);
      if (keeps_lines && dom?.localName === "p" && INDENTED.test(this.offsets.text.slice(from, to))) dom.className = "rows";
      if (dom && /^h\d$/.test(dom.localName)) this.outline.push({ dom, unit: from, level, title: this.title(from, to) });
      open.push({ dom: dom ?? above.dom, end: to, tag: tag[i], level, row: i });
    }
    while (open.length) close();
  }

  element(tag, above, level, empty) {
    const name = tag.toLowerCase();
    if (name === "tr" || name === "row") return create(above.dom.closest("table") ? "tr" : "div");
    if (CELLS[name] === "td" || name === "th") return create(above.dom.localName === "tr" ? CELLS[name] : "span");
    if (name in CELLS) return create(CELLS[name]);
    if (empty) return null;
    if (/^(title|st|h\d|head|heading)$/.test(name) && /^(article|header|bdy|sec|section|ss\d*|)$/.test(above.tag)) {
      return create(`h${Math.min(level + 1, 6)}`, "auto");
    }
    if (SECTION.test(name)) return create("div");
    const kind = KINDS.find(([pattern]) => pattern.test(name));
    if (!kind) return create("span");
    const dom = create(kind[1] === "$" ? name : kind[1], "auto");
    if (kind[2]) dom.className = kind[2];
    return dom;
  }

  title(from, to) {
    return this.offsets.text.slice(from, Math.min(to, from + 120)).replace(/\s+/g, " ").trim();
  }

  // the text node and the place in it where a unit lies; as an *end*, that behind the character before it
  place(unit, end = false) {
    if (!this.nodes.length) return [this.host, 0];
    const at = Math.max(0, below(this.starts, end ? unit : unit + 1, (start) => start) - 1);
    return [this.nodes[at], Math.min(unit - this.starts[at], this.nodes[at].length)];
  }

  range(start, end) {
    const range = document.createRange();
    range.setStart(...this.place(this.offsets.units(start)));
    range.setEnd(...this.place(this.offsets.units(end), end > start));
    return range;
  }

  // the unit of a place in the DOM; places before and behind the article are its ends
  unit(node, offset) {
    const point = document.createRange();
    point.setStart(node, offset);
    const at = below(this.nodes, 0, (text) => point.comparePoint(text, text.length));
    // text nodes before *at* end before the point
    if (at === this.nodes.length) return this.offsets.text.length;
    return this.starts[at] + (this.nodes[at] === node ? offset : 0);
  }
}

function create(name, dir) {
  const element = document.createElement(name);
  if (dir) element.dir = dir;
  return element;
}
